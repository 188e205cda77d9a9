package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headMeasure, evalCommand) }

func evalCommand(env *app.Env) *cobra.Command {
	var o app.EvalOptions
	cmd := &cobra.Command{
		Use:   "eval FOLDER",
		Short: "Measure how a trained agent adapts to tasks",
		Long: `Eval lets the agent of a run adapt to each task from the beginning: some trajectories to explore, then some
that are scored. It prints the mean return of every trajectory, so that the gain from adaptation is visible,
with intervals over tasks. Beside it are a random policy and, if the family has one, a controller that is told
the goal. Flags that are not given keep the protocol's values.`,
		Example: `  nacre eval runs/point
  nacre eval runs/point --explore 5 --z mean --json`,
		Args: oneArg("a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			return do(cmd.Context(), env, app.Eval, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Protocol, "protocol", "", "named protocol (default the run's own)")
	number(f, &o.Explore, "explore", -1, -1, 1000, "exploration trajectories, 0 to 1000, -1 for the protocol's")
	number(f, &o.Scored, "scored", -1, -1, 1000, "scored trajectories after them, 1 to 1000, -1 for the protocol's")
	number(f, &o.Repeats, "repeats", -1, -1, 10_000, "adaptations per task, 1 to 10000, -1 for the protocol's")
	word(f, &o.Z, "z", "", "task embedding after exploration: mean or sample", "mean", "sample")
	word(f, &o.Actions, "actions", "", "deterministic or sampled", "deterministic", "sampled")
	f.BoolVar(&o.Train, "train-tasks", false, "adapt to the train tasks instead of the test tasks")
	f.BoolVar(&o.Swap, "swap", false, "measure the swap gain too: the return with the belief about the task less that "+
		"with the belief about another")
	seedFlag(cmd, &o.Seed, 0, "seed of the evaluation's random numbers")
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}
