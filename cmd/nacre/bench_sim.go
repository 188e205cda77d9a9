package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerBench(benchSimCommand) }

func benchSimCommand(env *app.Env) *cobra.Command {
	var o app.BenchSimOptions
	var vs, interpreter string
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Time the simulation",
		Long: `Sim times episodes of the point robot under random actions. If MuJoCo is present, it also times the steps of a
family, or of all families, as rollouts make them, beside a plain loop in C that makes the same steps. With
--vs python it also steps the packages that define the families, in the same minutes, in Gymnasium's vector
environments. One process is compared with one worker, and N processes with N workers.`,
		Example: `  nacre bench sim --family humanoid-dir --workers 1
  nacre bench sim --family all --steps 50 --rounds 3 --json
  nacre bench sim --family ml1/push --vs python --python venv/bin/python`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if vs != "" {
				var err error
				if o.Python, err = orChosen(interpreter); err != nil {
					return err
				}
			}
			return do(cmd.Context(), env, app.BenchSim, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Family, "family", "f", "cheetah-vel",
		"`family` to step, one of those on MuJoCo that nacre envs lists, or all")
	word(f, &vs, "vs", "", "python: also step the defining Python package", "python")
	f.StringVar(&interpreter, "python", "", "Python `interpreter` for --vs (default "+chosenPython+")")
	number(f, &o.Envs, "envs", 0, 0, 10_000, "environments per worker, 0 for what rollouts of the family use")
	number(f, &o.Steps, "steps", 200, 1, maxCount, "steps per environment and round")
	number(f, &o.Rounds, "rounds", 11, 1, maxCount, "rounds, of which medians are printed")
	workersFlag(cmd, &o.Workers)
	jsonFlag(cmd, env)
	return cmd
}
