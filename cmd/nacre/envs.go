package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headTrain, envsCommand) }

func envsCommand(env *app.Env) *cobra.Command {
	var check string
	cmd := &cobra.Command{
		Use:   "envs",
		Short: "List the families of tasks",
		Long: `Envs lists the families of tasks. For each family it shows the sizes of observations and actions, the steps of
an episode, the numbers of train and test tasks, and where it comes from. It also shows on how many tasks and
steps "nacre verify envs" compares the family with the defining Python package, and what to do if a family is
not available.

With --check it checks one family: whether it keeps the contract of a family, whether seeding is exact, and whether the
first observation or reward tells the task. It ends with 1 if something is broken.`,
		Example: `  nacre envs
  nacre envs --check py:point.py:Point`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if check != "" {
				return app.CheckFamily(env, check)
			}
			return app.Families(env)
		},
	}
	cmd.Flags().StringVar(&check, "check", "", "check the `family` of this name, for example py:point.py:Point")
	jsonFlag(cmd, env)
	return cmd
}
