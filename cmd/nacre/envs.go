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
		Long: `Envs lists the families of tasks with the sizes of their observations and actions, the steps of an episode, the
tasks they bring, on how many tasks and steps of the defining Python package "nacre verify envs" compares them, and what
to do where one is not available.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return app.Families(env) },
	}
	jsonFlag(cmd, env)
	return cmd
}
