package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/core/cpu"
	"nacre/sim/metaworld"
	"nacre/sim/mujoco"
)

func init() { register(headSetUp, doctorCommand) }

func doctorCommand(env *app.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine offers and what is missing",
		Long: `Doctor checks the processor, the training kernel chosen for it, MuJoCo, GPUs, the current folder and the
terminal. "missing" means that nacre works but can do less. "problem" means that it cannot work as things are,
and makes the exit status 1.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			report, problem := app.Doctor(machine())
			if err := env.Print(report, report.WriteText); err != nil {
				return err
			}
			return problem
		},
	}
	jsonFlag(cmd, env)
	return cmd
}

// machine tells the doctor about the parts of the program that package app does not know.
func machine() app.Providers {
	return app.Providers{
		CPUKernel: cpu.KernelName,
		MuJoCo:    func() (string, error) { return mujoco.Version() + ", " + mujoco.Path(), mujoco.Check() },
		MetaWorld: func() (string, error) {
			folder, err := metaworld.Scenes()
			return metaworld.Version + ", scenes in " + folder, err
		},
	}
}
