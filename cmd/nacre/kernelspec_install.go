package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerUnder("kernelspec", installKernelspecCommand) }

func installKernelspecCommand(env *app.Env) *cobra.Command {
	var o app.KernelspecOptions
	var user bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the kernelspec, so that JupyterLab, nbclient and papermill find the kernel",
		Example: `  nacre kernelspec install --user
  nacre kernelspec install --prefix "$VIRTUAL_ENV"`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if user && o.Prefix != "" {
				return app.Usagef("expected either --user or --prefix")
			}
			return do(cmd.Context(), env, app.InstallKernelspec, o)
		},
	}
	cmd.Flags().BoolVar(&user, "user", false, "install for this user (the default)")
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "install under this `folder`, such as a Python environment's")
	engineFlag(cmd, &o.Engine)
	return cmd
}
