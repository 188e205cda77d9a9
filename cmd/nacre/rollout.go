package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headLook, rolloutCommand) }

func rolloutCommand(env *app.Env) *cobra.Command {
	var o app.RolloutOptions
	cmd := &cobra.Command{
		Use:   "rollout [FAMILY]",
		Short: "Run episodes of a family with a random, a scripted or a trained policy",
		Long: `Rollout runs an episode on each of some tasks, prints returns and successes, and writes recordings that "nacre
render" draws. The policy "scripted" is the family's goal-knowing controller, if it has one. The policy
"blind" is the same controller, but it gets the middle of all goals as its goal. Bandits also have the policies
"gittins", "thompson" and "ucb1", which learn the task as they act. With --run the agent of a run
acts: it adapts to each task by the run's protocol, and its last trajectory is kept.`,
		Example: `  nacre rollout point-goal --policy scripted
  nacre rollout cheetah-vel --episodes 3 --out runs/cheetah.npz
  nacre rollout --run runs/cheetah --out runs/cheetah/episode.npz`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Family = args[0]
			}
			if o.Family == "" && o.Run == "" {
				return app.Usagef("rollout needs a family, such as point-goal (see nacre envs), or --run FOLDER")
			}
			return do(cmd.Context(), env, app.Rollout, o)
		},
	}
	f := cmd.Flags()
	word(f, &o.Policy, "policy,p", "random", "random, scripted, blind, gittins, thompson or ucb1",
		"scripted", "blind", "gittins", "thompson", "ucb1")
	f.StringVar(&o.Run, "run", "", "run `folder` whose agent acts")
	number(f, &o.Task, "task", 0, 0, maxCount, "first task, counted from 0 among the test tasks")
	f.BoolVar(&o.Train, "train-tasks", false, "take train tasks instead of test tasks")
	number(f, &o.Episodes, "episodes,n", 1, 1, maxCount, "episodes, one on each of as many tasks")
	number(f, &o.Steps, "steps", 0, 0, maxCount, "longest episode, 0 for the family's horizon")
	f.StringVarP(&o.Out, "out", "o", "",
		"recording to write, a `file` NAME.npz; NAME-1.npz and so on for several episodes")
	seedFlag(cmd, &o.Seed, 0, "seed of the tasks, the initial states and the random policy")
	cmd.MarkFlagsMutuallyExclusive("run", "policy")
	jsonFlag(cmd, env)
	return cmd
}
