package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headLook, curvesCommand) }

func curvesCommand(env *app.Env) *cobra.Command {
	o := app.CurvesOptions{Backdrop: true}
	cmd := &cobra.Command{
		Use:   "curves RUN...",
		Short: "Draw the learning curves of runs in one picture",
		Long: `Curves draws the return on test tasks over the environment steps of training: one panel for each family, one
line for each system. The line is the mean over seeds. It is drawn where at least half of the seeds, and at
least two, have values. The band is the range of two seeds or the 95 % interval of more. Copies of a run are
refused.

In panels of Meta-World families, the curves of the authors' public logs are drawn behind, if the logs have
this environment. Logs of other programs (progress.csv, TensorBoard's event files, W&B and more) are drawn
beside runs, and a line says which of their columns were used.`,
		Example: `  nacre curves out/twelve --out curves.svg
  nacre curves runs/* --out return.pdf --width icml-column`,
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
	f.StringVarP(&o.Out, "out", "o", "curves.png", "`file` to write, .pdf, .svg or .png")
	paperFlags(cmd, &o.Paper)
	f.Int64Var(&o.Steps, "steps", 0, "end of the axis in environment `steps`, 0 for the longest run")
	f.BoolVar(&o.Success, "success", false, "success rates instead of returns")
	f.BoolVar(&o.Backdrop, "authors", true, "draw the authors' public curves behind the runs")
	columnFlags(cmd, &o.Columns)
	jsonFlag(cmd, env)
	return cmd
}
