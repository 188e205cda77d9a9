package main

import (
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/experiment/study"
)

func init() { registerUnder("study", extendStudyCommand) }

func extendStudyCommand(env *app.Env) *cobra.Command {
	var o app.ExtendStudyOptions
	cmd := &cobra.Command{
		Use:   "extend FOLDER",
		Short: "Add an arm to a study that is done",
		Long: `Extend trains an arm that a study lacks on the study's seeds and tasks, or takes it from a sweep. It measures
the arm as the others were measured, and writes tables and report again. The other arms keep their figures.
FOLDER may be a copy of a packed study.`,
		Example: "  nacre study extend out/point-goal --arm pearl-windows --pack packed",
		Args:    oneArg("the folder of a study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			if err := checkDevice(o.Host); err != nil {
				return err
			}
			return do(cmd.Context(), env, app.ExtendStudy, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Arm, "arm", "pearl-windows", "the `arm`: "+strings.Join(study.Arms, ", "))
	f.StringArrayVar(&o.Sweeps, "sweep", nil, "`folder` of a sweep that trained the arm; may be repeated")
	f.StringVar(&o.Pack, "pack", "", "also write weights, embeddings, metrics and results to this `folder`")
	workersFlag(cmd, &o.Workers)
	deviceFlags(cmd, &o.Host)
	jsonFlag(cmd, env)
	return cmd
}
