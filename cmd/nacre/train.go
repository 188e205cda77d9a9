package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/rl"
)

func trainCommand(env *app.Env, train func(context.Context, *app.Env, app.TrainOptions) error) *cobra.Command {
	var o app.TrainOptions
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train an agent on a family of tasks",
		Long: `Train makes a run folder and trains an agent in it. The configuration is built in layers, each over the one
before: --preset, --config, --algorithm and --family, --set, --seed. The folder's config.toml holds the result
in full and can be given to --config of another run.

The run folder fills while training goes on: metrics.csv, TensorBoard event files, checkpoint.bin,
weights.safetensors and, at the end, evaluation.json. Interrupt with Ctrl+C whenever you like; "nacre resume" continues exactly where it
stopped.`,
		Example: `  nacre train --preset quick/point-goal --algorithm tcl-pearl --out runs/point
  nacre train --preset oyster/cheetah-vel --seed 3 --set pearl.latent=7
  nacre train --config runs/point/config.toml --seed 4 --out runs/point-4
  nacre train --preset oyster/cheetah-vel --device cuda --precision tf32 --seeds 3`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.SeedGiven = cmd.Flags().Changed("seed")
			if err := firstError(between("workers", o.Workers, 0, maxWorkers), checkDevice(o.DeviceOptions), between("seeds", o.Seeds, 1, 64), checkKeep(o.KeepOptions)); err != nil {
				return err
			}
			return train(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Algorithm, "algorithm", "a", "", strings.Join(rl.Names(), ", "))
	f.StringVarP(&o.Family, "family", "f", "", "family of tasks, for example point-goal")
	f.StringVarP(&o.Preset, "preset", "p", "", "named configuration to start from; \"nacre presets\" lists them")
	f.StringVarP(&o.Config, "config", "c", "", "TOML `file` laid over the preset")
	f.StringArrayVar(&o.Set, "set", nil, "one more `key=value`, for example pearl.latent=7; may be repeated")
	f.StringVarP(&o.Out, "out", "o", "", "run `folder` to make (default runs/, family, algorithm and seed)")
	seedFlag(cmd, &o.Seed, 0, "seed of every random number of the run")
	workersFlag(cmd, &o.Workers)
	keepFlags(cmd, &o.KeepOptions)
	f.IntVar(&o.Seeds, "seeds", 1, "`number` of runs with consecutive seeds to train side by side")
	deviceFlags(cmd, &o.DeviceOptions)
	jsonFlag(cmd, env)
	return cmd
}

func keepFlags(cmd *cobra.Command, o *app.KeepOptions) {
	f := cmd.Flags()
	f.IntVar(&o.Keep, "keep", 0, "keep the weights after every so many `iterations`, for a notebook's Scrubber; 0 keeps none")
	f.IntVar(&o.KeepState, "keep-checkpoints", 0, "keep a checkpoint, with all data, after every so many `iterations`, for nacre branch; 0 keeps none")
}

func checkKeep(o app.KeepOptions) error {
	return firstError(between("keep", o.Keep, 0, 1e6), between("keep-checkpoints", o.KeepState, 0, 1e6))
}

func resumeCommand(env *app.Env, resume func(context.Context, *app.Env, app.ResumeOptions) error) *cobra.Command {
	var o app.ResumeOptions
	cmd := &cobra.Command{
		Use:   "resume FOLDER",
		Short: "Continue a run from its checkpoint",
		Long: `Resume continues an interrupted run. The result is bit for bit that of a run that was never interrupted, on
the same kind of processor and with the same versions; where those differ it says so and records it.

It says which checkpoint it found. Where checkpoint.bin is missing or damaged it goes on from checkpoint.previous.bin,
and it makes weights and metrics that are missing again from the checkpoint. A run that has results but no whole
checkpoint is trained from its beginning again only with --start-over, which removes what the run computed.

With --set it makes a run longer, a finished one too: by the algorithm's number of iterations, or env_steps. In the end
the run is, byte for byte, one that was as long from its beginning.`,
		Example: `  nacre resume runs/point
  nacre resume runs/point --set pearl.iterations=80
  nacre resume --start-over runs/point`,
		Args: oneArg("a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			if err := firstError(between("workers", o.Workers, 0, maxWorkers), checkDevice(o.DeviceOptions), checkKeep(o.KeepOptions)); err != nil {
				return err
			}
			if o.StartOver && len(o.Set) > 0 {
				return app.Usagef("--start-over with --set: expected one of them; a run is made longer from where it is")
			}
			return resume(cmd.Context(), env, o)
		},
	}
	cmd.Flags().BoolVar(&o.StartOver, "start-over", false, "train the run from its beginning again; what it computed is removed")
	cmd.Flags().StringArrayVar(&o.Set, "set", nil, "`key=value` of what makes the run longer, for example pearl.iterations=80")
	workersFlag(cmd, &o.Workers)
	keepFlags(cmd, &o.KeepOptions)
	deviceFlags(cmd, &o.DeviceOptions)
	jsonFlag(cmd, env)
	return cmd
}

func branchCommand(env *app.Env, branch func(context.Context, *app.Env, app.BranchOptions) error) *cobra.Command {
	var o app.BranchOptions
	cmd := &cobra.Command{
		Use:   "branch FOLDER",
		Short: "Begin a run from another's state, with other settings",
		Long: `Branch makes a run folder that begins with the state that another run had after so many complete iterations, and
trains it to its end: the same history, data and random streams up to there, and what --set changes from there on. The
record in config.toml names the parent, the iteration and what was changed. The parent has to have a checkpoint of then:
its last, the one before it, or one that --keep-checkpoints kept. What cannot be changed, such as sizes of networks, the
seed or the family, is refused by its name. Without --set the branch ends as its parent did, byte for byte.`,
		Example: `  nacre train --preset quick/point-goal --keep-checkpoints 10 --out runs/point
  nacre branch runs/point --at 20 --set pearl.lr_policy=1e-4 --out runs/point-slow`,
		Args: oneArg("a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			if !cmd.Flags().Changed("at") || o.Out == "" {
				return app.Usagef("expected --at, the iterations to begin after, and --out, the folder of the new run")
			}
			if err := firstError(between("at", o.At, 1, 1e6), between("workers", o.Workers, 0, maxWorkers), checkDevice(o.DeviceOptions), checkKeep(o.KeepOptions)); err != nil {
				return err
			}
			return branch(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.At, "at", 0, "complete `iterations` that both runs share")
	f.StringArrayVar(&o.Set, "set", nil, "`key=value` that is other from there on; may be repeated")
	f.StringVarP(&o.Out, "out", "o", "", "run `folder` to make")
	workersFlag(cmd, &o.Workers)
	keepFlags(cmd, &o.KeepOptions)
	deviceFlags(cmd, &o.DeviceOptions)
	jsonFlag(cmd, env)
	return cmd
}
