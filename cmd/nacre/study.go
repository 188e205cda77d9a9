package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"nacre/internal/app"
)

// studies are the studies there are, with the number of seeds and the time each takes unless told otherwise.
var studies = []struct {
	name, short string
	seeds       int
	budget      time.Duration
}{
	{"quickstart", "the whole way once, in under ten minutes on two cores", 1, 8 * time.Minute},
	{"point-goal", "the point robot to the end, several seeds, within an hour on two cores", 3, 0},
	{"cheetah-vel", "the half-cheetah at many velocities, half an hour on two cores (needs MuJoCo)", 1, 30 * time.Minute},
}

func studyCommand(env *app.Env, study func(context.Context, *app.Env, app.StudyOptions) error) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "study",
		Short: "Train PEARL and TCL-PEARL side by side and report",
		Long: `A study trains PEARL and TCL-PEARL with the same seeds, evaluates both, embeds windows of several tasks, and
writes a folder with the plots, the centroid table beside the paper's, the adaptation curves and report.md.`,
	})
	for _, s := range studies {
		o := app.StudyOptions{Name: s.name}
		sub := &cobra.Command{
			Use:     s.name,
			Short:   s.short,
			Example: "  nacre study " + s.name + " --out out/mine",
			Args:    noArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				err := firstError(between("seeds", o.Seeds, 1, 100), between("workers", o.Workers, 0, maxWorkers), checkSeed(o.Seed))
				if err != nil {
					return err
				}
				if o.Budget < 0 {
					return app.Usagef("--budget %s: expected a positive duration such as 10m, or 0 for none", o.Budget)
				}
				return study(cmd.Context(), env, o)
			},
		}
		f := sub.Flags()
		f.IntVar(&o.Seeds, "seeds", s.seeds, "`number` of seeds, 1 to 100")
		f.DurationVar(&o.Budget, "budget", s.budget, "time to train in, for example 10m; 0 for as long as the preset says")
		f.StringArrayVar(&o.Set, "set", nil, "one more `key=value` for both algorithms; may be repeated")
		f.StringVarP(&o.Out, "out", "o", "out/"+s.name, "`folder` for the report")
		seedFlag(sub, &o.Seed, 1, "the first seed; others follow it")
		workersFlag(sub, &o.Workers)
		jsonFlag(sub, env)
		cmd.AddCommand(sub)
	}
	return cmd
}
