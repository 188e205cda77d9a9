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
		Long: `Envs steps families along actions that the Python packages took which define them, and prints the largest
difference of any observation and any reward at any step. The exit status is 1 when one is larger than it should be, or
a success or an end comes at another step. What the packages did is part of the program; --from takes a longer dump
made by the scripts in sim/verify/testdata. With the MuJoCo of the reference, environments run freely from their own
reset on; with others, which move differently, they are put into the reference's states, and the formulas and one step
are compared.`,
		Example: `  nacre verify envs
  nacre verify envs cheetah-vel ant-goal --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Families = args
			return do(cmd.Context(), env, app.VerifyEnvs, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.From, "from", "", "`folder` of reference files (default those in the program)")
	f.BoolVar(&o.Forced, "forced", false, "put environments into the reference's states whatever the MuJoCo version")
	jsonFlag(cmd, env)
	return cmd
}
