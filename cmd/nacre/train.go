package main

import (
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/rl"
)

func init() { register(headTrain, trainCommand) }

func trainCommand(env *app.Env) *cobra.Command {
	var o app.TrainOptions
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train an agent on a family of tasks",
		Long: `Train makes a run folder and trains an agent in it. The configuration is built in layers, each over the one
before: --preset, --config, --algorithm and --family, --set, --seed. The folder's config.toml holds the result
in full and can be given to --config of another run.

The run folder fills during training: metrics.csv, TensorBoard event files, checkpoint.bin,
weights.safetensors and, at the end, evaluation.json. Interrupt with Ctrl+C whenever you like; "nacre resume"
continues exactly where it stopped.`,
		Example: `  nacre train --preset quick/point-goal --algorithm tcl-pearl --out runs/point
  nacre train --preset oyster/cheetah-vel --seed 3 --set pearl.latent=7
  nacre train --config runs/point/config.toml --seed 4 --out runs/point-4
  nacre train --preset oyster/cheetah-vel --device cuda --precision tf32 --seeds 3`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.SeedGiven = cmd.Flags().Changed("seed")
			if err := checkDevice(o.Host); err != nil {
				return err
			}
			return do(cmd.Context(), env, app.Train, o)
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
	keepFlags(cmd, &o.Host)
	number(f, &o.Seeds, "seeds", 1, 1, 64, "`number` of runs with consecutive seeds to train side by side")
	deviceFlags(cmd, &o.Host)
	jsonFlag(cmd, env)
	return cmd
}
