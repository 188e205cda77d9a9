package main

import (
	"context"

	"github.com/spf13/cobra"

	"nacre/app"
	"nacre/study"
)

func studyCommand(env *app.Env, run func(context.Context, *app.Env, app.StudyOptions) error) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "study",
		Short: "Train PEARL and TCL-PEARL side by side and report",
		Long: `A study trains PEARL and TCL-PEARL with the same seeds, evaluates both, embeds windows of several tasks, and
writes a folder with the t-SNE planes side by side, the centroid table beside the paper's, the adaptation
curves, the learning curves and report.md. What is finished is kept: run it again to continue after an
interruption.`,
	})
	for _, line := range study.List() {
		cmd.AddCommand(oneStudyCommand(env, line, run))
	}
	return cmd
}

func oneStudyCommand(env *app.Env, line study.Line, run func(context.Context, *app.Env, app.StudyOptions) error) *cobra.Command {
	o := app.StudyOptions{Name: line.Name}
	cmd := &cobra.Command{
		Use:     line.Name,
		Short:   line.About,
		Example: "  nacre study " + line.Name + " --out out/mine",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := firstError(between("seeds", o.Seeds, 0, 100), between("windows", o.Windows, 0, maxCount),
				between("layouts", o.Layouts, -1, 1000), between("workers", o.Workers, 0, maxWorkers))
			if err != nil {
				return err
			}
			return run(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Seeds, "seeds", 0, "`number` of seeds, up to 100; 0 for the study's own")
	f.IntVar(&o.Windows, "windows", 0, "embedded windows per task, 0 for the study's own")
	f.IntVar(&o.Layouts, "layouts", -1, "further t-SNE layouts from random starts, -1 for the study's own")
	f.StringArrayVar(&o.Set, "set", nil, "one more `key=value` for both algorithms; may be repeated")
	f.StringVarP(&o.Out, "out", "o", "out/"+line.Name, "`folder` for the report")
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}
