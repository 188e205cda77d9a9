package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headTrain, presetsCommand) }

func presetsCommand(env *app.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "presets",
		Short: "List the named configurations",
		Long: `Presets lists the names that "nacre train --preset" takes. After training, the run's config.toml shows every value
of its preset.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return app.Presets(env) },
	}
	jsonFlag(cmd, env)
	return cmd
}
