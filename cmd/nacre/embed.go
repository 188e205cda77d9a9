package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/experiment"
)

func init() { register(headLook, embedCommand) }

func embedCommand(env *app.Env) *cobra.Command {
	var o app.EmbedOptions
	cmd := &cobra.Command{
		Use:   "embed FOLDER",
		Short: "Embed trajectory windows of several tasks with a run's context encoder",
		Long: `Embed collects exploration trajectories on several tasks with the agent of a run, and cuts one random window
from each. It writes the posterior (mean and standard deviation) that the context encoder gives for each
window, with the task as label. Tasks are spread evenly over the family's range if the family supports that,
otherwise they are the first test tasks. "nacre tsne" draws and measures the result.`,
		Example: `  nacre embed runs/point
  nacre embed runs/point --tasks 4 --windows 50 --out point.csv`,
		Args: oneArg("a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			return do(cmd.Context(), env, app.Embed, o)
		},
	}
	f := cmd.Flags()
	number(f, &o.Tasks, "tasks", 8, 2, 1000, "`number` of tasks")
	number(f, &o.Windows, "windows", 200, 2, maxCount, "contexts per task, each from a trajectory of its own")
	f.StringVar(&o.Context, "context", string(experiment.WindowContext), "`kind` of context: window (consecutive "+
		"transitions), rows (independent ones), rollout (all), meta-test (the protocol's exploration) or adapted "+
		"(consecutive transitions after it)")
	f.BoolVar(&o.Vary, "vary-start", false,
		"begin every trajectory at a random start, in families whose tasks have one start each")
	number(f, &o.Length, "length", 0, 0, maxCount, "transitions per window, 0 for the length used in training")
	f.StringVarP(&o.Out, "out", "o", "", "`file` to write, .npz or .csv (default embeddings.npz in the run folder)")
	seedFlag(cmd, &o.Seed, 0, "seed of the trajectories and windows")
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}
