package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/experiment/study"
)

func studyCommand(env *app.Env, run func(context.Context, *app.Env, app.StudyOptions) error,
	check func(context.Context, *app.Env, app.CheckStudyOptions) error, extend func(context.Context, *app.Env, app.ExtendStudyOptions) error) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "study",
		Short: "Train PEARL, PEARL on windows and TCL-PEARL side by side and report",
		Long: `A study trains PEARL, PEARL on windows (the control without the contrastive loss) and TCL-PEARL with the same
seeds, evaluates all, embeds contexts of four kinds of several tasks, and writes a folder with the t-SNE planes side
by side, how well each encoder tells tasks apart with intervals and tests, how much of the gap is windows and how much
the loss, the adaptation and learning curves, and all of it as one page, report.html. It first prints the runs and the
hours they take; --plan does only that. What is finished is kept: run it again to continue after an
interruption. --ablate compares readings of a point the paper leaves open, in ablations/NAME beside it.`,
	})
	for _, line := range study.List() {
		cmd.AddCommand(oneStudyCommand(env, line, run))
	}
	cmd.AddCommand(checkStudyCommand(env, check), extendStudyCommand(env, extend))
	return cmd
}

func extendStudyCommand(env *app.Env, extend func(context.Context, *app.Env, app.ExtendStudyOptions) error) *cobra.Command {
	var o app.ExtendStudyOptions
	cmd := &cobra.Command{
		Use:   "extend FOLDER",
		Short: "Add an arm to a study that is done",
		Long: `Extend trains an arm that a study lacks on its seeds and tasks, or takes it from a sweep, measures it as the others were
measured, and writes tables and report anew. The other arms keep their figures. FOLDER may be a copy of a packed study.`,
		Example: "  nacre study extend out/point-goal --arm pearl-windows --pack packed",
		Args:    oneArg("the folder of a study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			if err := firstError(between("workers", o.Workers, 0, maxWorkers), checkDevice(o.DeviceOptions)); err != nil {
				return err
			}
			return extend(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Arm, "arm", "pearl-windows", "the `arm`: "+strings.Join(study.Arms, ", "))
	f.StringArrayVar(&o.Sweeps, "sweep", nil, "`folder` of a sweep that trained the arm; may be repeated")
	f.StringVar(&o.Pack, "pack", "", "also write what is shipped to this `folder`")
	workersFlag(cmd, &o.Workers)
	deviceFlags(cmd, &o.DeviceOptions)
	jsonFlag(cmd, env)
	return cmd
}

func checkStudyCommand(env *app.Env, check func(context.Context, *app.Env, app.CheckStudyOptions) error) *cobra.Command {
	var o app.CheckStudyOptions
	cmd := &cobra.Command{
		Use:   "check FOLDER",
		Short: "Compute every number of a study again from what is stored beside it",
		Long: `Check reads the folder of a study, or a folder or .zip file it was packed into, and computes its figures again: those of the
embeddings from the arrays, the tables and verdicts from the runs, mean returns from single trajectories, steps
and updates from the metrics. It fails where one differs in the last bit. Nothing is trained or simulated.`,
		Example: "  nacre study check out/push\n  nacre study check notebooks/data/push --layouts",
		Args:    oneArg("the folder of a study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			return check(cmd.Context(), env, o)
		},
	}
	cmd.Flags().BoolVar(&o.Layouts, "layouts", false, "repeat t-SNE from random starts too, which takes longest")
	jsonFlag(cmd, env)
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
				between("layouts", o.Layouts, -1, 1000), between("workers", o.Workers, 0, maxWorkers), checkDevice(o.DeviceOptions))
			if err != nil {
				return err
			}
			if o.Scale == "paper" && !cmd.Flags().Changed("out") {
				o.Out += "-paper"
			}
			return run(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Seeds, "seeds", 0, "`number` of seeds, up to 100; 0 for the study's own")
	f.IntVar(&o.Windows, "windows", 0, "embedded windows per task, 0 for the study's own")
	f.IntVar(&o.Layouts, "layouts", -1, "further t-SNE layouts from random starts, -1 for the study's own")
	f.StringArrayVar(&o.Set, "set", nil, "one more `key=value` for all arms; may be repeated")
	f.StringVarP(&o.Out, "out", "o", "out/"+line.Name, "`folder` for the report")
	workersFlag(cmd, &o.Workers)
	deviceFlags(cmd, &o.DeviceOptions)
	jsonFlag(cmd, env)
	f.StringArrayVar(&o.Sweeps, "sweep", nil, "`folder` of a sweep that trains the runs (nacre sweep push, nacre sweep families); may be repeated")
	f.BoolVar(&o.Plan, "plan", false, "print the runs, and the hours from a short measurement, and stop")
	if line.Name == study.Families {
		f.StringArrayVar(&o.Families, "family", nil, "an ML1 `family` such as ml1/push; may be repeated (default eight, chosen by the rule in docs/study.md)")
	}
	if !slices.Contains(study.Suites, line.Name) {
		var points []string
		for _, a := range study.Ablations() {
			points = append(points, a.Name)
		}
		f.StringVar(&o.Scale, "scale", "", "`size`, small or paper; the paper's goes to a folder of its own (default the study's only or small one)")
		f.StringVar(&o.Ablate, "ablate", "", "compare readings of an open `point` of the paper instead: "+strings.Join(points, ", "))
	}
	f.StringVar(&o.Pack, "pack", "", "also write what is shipped (weights, embeddings, metrics, results) to this `folder`, or .zip file")
	return cmd
}
