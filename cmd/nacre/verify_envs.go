package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerUnder("verify", verifyEnvsCommand) }

func verifyEnvsCommand(env *app.Env) *cobra.Command {
	var o app.VerifyOptions
	cmd := &cobra.Command{
		Use:   "envs [FAMILY ...]",
		Short: "Replay the recorded actions of the Python packages and compare",
		Long: `Envs steps families along the recorded actions of the Python packages that define them, and prints the largest
difference of any observation and any reward at any step. The exit status is 1 if a difference is larger than
its tolerance, or if a success or an end comes at another step. The recordings are part of the program; --from
takes longer ones made by the scripts in sim/verify/testdata. With the MuJoCo version of the recordings,
environments run freely from their own reset on. Other versions move differently, so there the environments
are put into the recorded states, and the formulas and one step are compared.`,
		Example: `  nacre verify envs
  nacre verify envs cheetah-vel ant-goal --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Families = args
			return do(cmd.Context(), env, app.VerifyEnvs, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.From, "from", "", "`folder` of reference files (default those in the program)")
	f.BoolVar(&o.Forced, "forced", false, "put environments into the reference's states with any MuJoCo version")
	jsonFlag(cmd, env)
	return cmd
}
