package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/experiment/foreign"
)

func tableCommand(env *app.Env) *cobra.Command {
	var o app.RunTableOptions
	var published bool
	cmd := &cobra.Command{
		Use:   "table " + strings.Join(app.RunTableNames(), "|") + " RUN...",
		Short: "Build a table of the paper from runs, or check the paper's own",
		Long: `Table builds a table of the paper from run folders and sweeps, beside the paper's figures: intervals over seeds and
tasks, the budget behind every cell, and over the environments the sign test, ratios, mean ranks and wins with
their ties. Cells without finished runs stay empty. "runs" is the same for any families.

With --paper it prints the table as published and recomputes, from its cells alone, every statistic the paper
draws from it: which claims hold, under which reading, and by how much.`,
		Example: `  nacre table ml1 out/ml1
  nacre table runs runs/* --at 20000 --against oracle
  nacre table ml1-all --paper --json`,
		Args: someArgs("the name of a table, " + strings.Join(app.RunTableNames(), ", ")),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name, o.Runs = args[0], args[1:]
			switch {
			case !published && len(o.Runs) == 0 && slices.Contains(app.RunTableNames(), o.Name):
				return app.Usagef("table %s: expected run folders or a sweep, or --paper for the paper's own figures", o.Name)
			case published && len(o.Runs) > 0:
				return app.Usagef("table %s --paper takes no runs, got %s", o.Name, o.Runs[0])
			case published:
				return app.Table(env, app.TableOptions{Name: o.Name})
			}
			if err := firstError(steps("at", o.At), between("workers", o.Workers, 0, maxWorkers)); err != nil {
				return err
			}
			return app.RunTable(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&published, "paper", false, "the paper's own figures")
	f.Int64Var(&o.At, "at", 0, "compare runs at so many environment `steps`, 0 for the end of each")
	f.StringVar(&o.Against, "against", "", "`system` that the others are set beside (default PEARL in ml1, else TCL-PEARL)")
	columnFlags(cmd, &o.Columns)
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}

func curvesCommand(env *app.Env) *cobra.Command {
	o := app.CurvesOptions{Backdrop: true}
	cmd := &cobra.Command{
		Use:   "curves RUN...",
		Short: "Draw the learning curves of runs in one picture",
		Long: `Curves draws the return on test tasks over the environment steps of training: one panel for each family, one line
for each system. Its mean over seeds is drawn where half of them, and two, have values, with the range of two seeds or
the 95 % interval of more; copies of a run are refused. Behind those on Meta-World stand the curves of the authors'
public logs where they have the environment. Logs of other programs (progress.csv, TensorBoard's event files, W&B and
more) are drawn beside runs, and a line says which of their columns.`,
		Example: `  nacre curves out/twelve --out curves.svg
  nacre curves runs/* --success`,
		Args: someArgs("run folders or a sweep"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Runs = args
			if err := steps("steps", o.Steps); err != nil {
				return err
			}
			return app.Curves(env, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Out, "out", "o", "curves.png", "`file` to write, .png or .svg")
	f.Int64Var(&o.Steps, "steps", 0, "end of the axis in environment `steps`, 0 for the longest run")
	f.BoolVar(&o.Success, "success", false, "success rates instead of returns")
	f.BoolVar(&o.Backdrop, "authors", true, "draw the authors' public curves behind the runs")
	columnFlags(cmd, &o.Columns)
	jsonFlag(cmd, env)
	return cmd
}

// columnFlags are those that choose columns of the logs of other programs.
func columnFlags(cmd *cobra.Command, c *foreign.Columns) {
	cmd.Flags().StringVar(&c.Step, "step-column", "", "`column` of environment steps in logs of other programs")
	cmd.Flags().StringVar(&c.Return, "return-column", "", "`column` of the return in logs of other programs")
}

// steps checks a number of environment steps given with a flag.
func steps(flag string, n int64) error {
	if n < 0 {
		return app.Usagef("--%s %d: expected a number of environment steps, or 0", flag, n)
	}
	return nil
}
