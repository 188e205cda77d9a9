package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headMeasure, tableCommand) }

func tableCommand(env *app.Env) *cobra.Command {
	var o app.RunTableOptions
	var published bool
	cmd := &cobra.Command{
		Use:   "table " + strings.Join(app.RunTableNames(), "|") + " RUN...",
		Short: "Build a table of the paper from runs, or check the paper's own",
		Long: `Table builds a table of the paper from run folders and sweeps, with the paper's figures beside it. Each cell
has intervals over seeds and tasks, and its budget. Over all environments it gives the sign test, ratios, mean
ranks, wins and ties. Cells without finished runs stay empty. "runs" is the same for any families.

With --paper it prints the table as published. From its cells alone it recomputes every statistic that the
paper draws from it: which claims hold, under which reading, and by how much.`,
		Example: `  nacre table ml1 out/ml1 --out ml1.tex
  nacre table runs runs/* --at 20000 --against oracle
  nacre table ml1-all --paper --json`,
		Args: someArgs("the name of a table, " + strings.Join(app.RunTableNames(), ", ")),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name, o.Runs = args[0], args[1:]
			switch {
			case !published && len(o.Runs) == 0 && slices.Contains(app.RunTableNames(), o.Name):
				return app.Usagef("table %s: expected run folders or a sweep, or --paper for the paper's own figures",
					o.Name)
			case published && len(o.Runs) > 0:
				return app.Usagef("table %s --paper takes no runs, got %s", o.Name, o.Runs[0])
			case published:
				return app.Table(env, app.TableOptions{Name: o.Name, File: o.File})
			}
			if err := steps("at", o.At); err != nil {
				return err
			}
			return app.RunTable(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&published, "paper", false, "the paper's own figures")
	f.Int64Var(&o.At, "at", 0, "compare runs after this number of environment `steps`, 0 for the end of each")
	f.StringVar(&o.Against, "against", "",
		"`system` with which the others are compared (default PEARL in ml1, else TCL-PEARL)")
	f.StringVarP(&o.File.Path, "out", "o", "", "`file` to write too: .tex (LaTeX with booktabs), .md or .csv")
	f.BoolVar(&o.File.PlusMinus, "plus-minus", false, "in .tex and .md files, intervals as −21.0 ± 6.8")
	columnFlags(cmd, &o.Columns)
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}
