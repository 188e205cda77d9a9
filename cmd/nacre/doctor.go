package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func doctorCommand(env *app.Env, p app.Providers) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine offers and what is missing",
		Long: `Doctor looks at the processor, the training kernel chosen for it, MuJoCo, GPUs, the current
folder and the terminal. "missing" means that nacre works with less; "problem" means that it cannot work as
things are, and makes the exit status 1.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			report, problem := app.Doctor(p)
			if err := env.Print(report, report.WriteText); err != nil {
				return err
			}
			return problem
		},
	}
	jsonFlag(cmd, env)
	return cmd
}
