package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/experiment/study"
)

func init() { register(headTrain, studyCommand) }

func studyCommand(env *app.Env) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "study",
		Short: "Train PEARL, PEARL on windows and TCL-PEARL side by side and report",
		Long: `A study trains PEARL, PEARL on windows (the control without the contrastive loss) and TCL-PEARL with the same
seeds and evaluates them. It embeds four kinds of contexts. It writes a folder with the t-SNE planes side by
side, how well each encoder separates tasks (with intervals and tests), how much of the gap comes from windows
and how much from the loss, the adaptation and learning curves, and a page with all of it, report.html.

It first prints the runs and the hours they take; --plan does only that. Finished parts are kept: run it again
to continue after an interruption. --ablate compares interpretations of a point that the paper leaves open.
Its report is in ablations/NAME inside the study's folder. --factorial trains four arms, the loss of an
algorithm or none × windows or independent rows, and reports main effects and the interaction.`,
	})
	for _, line := range study.List() {
		cmd.AddCommand(oneStudyCommand(env, line))
	}
	return cmd
}

func oneStudyCommand(env *app.Env, line study.Line) *cobra.Command {
	o := app.StudyOptions{Name: line.Name}
	cmd := &cobra.Command{
		Use:     line.Name,
		Short:   line.About,
		Example: "  nacre study " + line.Name + " --out out/mine",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkDevice(o.Host); err != nil {
				return err
			}
			if o.Scale == "paper" && !cmd.Flags().Changed("out") {
				o.Out += "-paper"
			}
			return do(cmd.Context(), env, app.Study, o)
		},
	}
	f := cmd.Flags()
	number(f, &o.Seeds, "seeds", 0, 0, 100, "`number` of seeds, up to 100; 0 for the study's own")
	number(f, &o.Windows, "windows", 0, 0, maxCount, "embedded windows per task, 0 for the study's own")
	number(f, &o.Layouts, "layouts", -1, -1, 1000,
		"further t-SNE layouts from random starts, -1 for the study's own")
	f.StringArrayVar(&o.Set, "set", nil, "one more `key=value` for all arms; may be repeated")
	f.StringVarP(&o.Out, "out", "o", "out/"+line.Name, "`folder` for the report")
	workersFlag(cmd, &o.Workers)
	deviceFlags(cmd, &o.Host)
	jsonFlag(cmd, env)
	f.StringArrayVar(&o.Sweeps, "sweep", nil,
		"`folder` of a sweep that trains the runs (nacre sweep push, nacre sweep families); may be repeated")
	f.BoolVar(&o.Plan, "plan", false, "print the runs, and the hours from a short measurement, and stop")
	if line.Name == study.Families {
		f.StringArrayVar(&o.Families, "family", nil,
			"an ML1 `family` such as ml1/push; may be repeated (default eight, chosen by the rule in docs/study.md)")
	}
	if !slices.Contains(study.Suites, line.Name) {
		var points []string
		for _, a := range study.Ablations() {
			points = append(points, a.Name)
		}
		f.StringVar(&o.Scale, "scale", "",
			"`size`: small, or paper, which goes to a folder of its own (default small, or the study's only size)")
		f.StringVar(&o.Factorial, "factorial", "", "compare instead the loss of this `algorithm` (tcl-pearl, "+
			"pearl-infonce, pearl-focal, …) or none × windows or independent rows")
		f.StringVar(&o.Ablate, "ablate", "", "compare interpretations of an open `point` of the paper instead: "+
			strings.Join(points, ", "))
	}
	f.StringVar(&o.Pack, "pack", "",
		"also write weights, embeddings, metrics and results to this `folder` or .zip file")
	return cmd
}
