package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headTrain, envsCommand) }

func envsCommand(env *app.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "envs",
		Short: "List the families of tasks",
		Long: `Envs lists the families of tasks. For each family it shows the sizes of observations and actions, the steps of
an episode, the numbers of train and test tasks, and where it comes from. It also shows on how many tasks and
steps "nacre verify envs" compares the family with the defining Python package, and what to do if a family is
not available.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return app.Families(env) },
	}
	jsonFlag(cmd, env)
	return cmd
}
