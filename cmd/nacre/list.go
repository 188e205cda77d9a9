package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func presetsCommand(env *app.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "presets",
		Short: "List the named configurations",
		Long:  `Presets lists the names that "nacre train --preset" takes. The run's config.toml shows every value of one.`,
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return app.Presets(env) },
	}
	jsonFlag(cmd, env)
	return cmd
}

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
