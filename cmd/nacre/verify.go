package main

import (
	"context"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func verifyCommand(env *app.Env, envs func(context.Context, *app.Env, app.VerifyOptions) error, run func(context.Context, *app.Env, string) error) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "verify",
		Short: "Check the files of a run, or the simulator against the packages that define its environments",
	})
	cmd.AddCommand(verifyEnvsCommand(env, envs), verifyRunCommand(env, run))
	return cmd
}

func verifyRunCommand(env *app.Env, verify func(context.Context, *app.Env, string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run FOLDER",
		Short: "Check the files of a run folder",
		Long: `Run reads what training wrote in a run folder: configuration, both generations of checkpoints with every checksum,
tasks, metrics and weights, which must be those of the checkpoint, the evaluation and the event files. It changes
nothing. The exit status is 1 where a file is missing or damaged; the message says whether "nacre resume" makes it
again.`,
		Example: "  nacre verify run runs/point",
		Args:    oneArg("a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verify(cmd.Context(), env, args[0])
		},
	}
	jsonFlag(cmd, env)
	return cmd
}

func verifyEnvsCommand(env *app.Env, verify func(context.Context, *app.Env, app.VerifyOptions) error) *cobra.Command {
	var o app.VerifyOptions
	cmd := &cobra.Command{
		Use:   "envs [FAMILY ...]",
		Short: "Step families along what the defining Python packages did",
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
			return verify(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.From, "from", "", "`folder` of reference files (default those in the program)")
	f.BoolVar(&o.Forced, "forced", false, "put environments into the reference's states whatever the MuJoCo version")
	jsonFlag(cmd, env)
	return cmd
}
