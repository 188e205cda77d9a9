package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/internal/quiet"
)

func init() { register(headMeasure, benchCommand) }

func benchCommand(*app.Env) *cobra.Command {
	return group(&cobra.Command{
		Use:   "bench",
		Short: "Measure the training core, the simulator, t-SNE and the notebook kernel",
	})
}

// registerBench adds a benchmark. Training in the background stands still while it runs.
func registerBench(make func(*app.Env) *cobra.Command) {
	registerUnder("bench", func(env *app.Env) *cobra.Command {
		cmd := make(env)
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			defer quiet.Measure()()
			return run(cmd, args)
		}
		return cmd
	})
}
