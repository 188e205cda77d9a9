package main

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/kernel"
	"nacre/library"
)

func init() { register(headNotebook, kernelCommand) }

func kernelCommand(env *app.Env) *cobra.Command {
	var o app.KernelOptions
	cmd := &cobra.Command{
		Use:   "kernel",
		Short: "Run the notebook kernel itself, for Jupyter",
		Long: `Kernel is what Jupyter's programs start: it answers on the ports of a connection file until it is told to end.
"nacre kernelspec install" tells them how. The notebook server starts it with --pipe.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Pipe == (o.ConnectionFile != "") {
				return app.Usagef("expected either --connection-file or --pipe")
			}
			// an interrupt is for the running cell, not for the program
			signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			ctx, stop := signal.NotifyContext(context.WithoutCancel(cmd.Context()), syscall.SIGTERM)
			defer stop()
			if err := do(ctx, env, serveKernel, o); err != nil && ctx.Err() == nil {
				return err
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.ConnectionFile, "connection-file", "f", "", "Jupyter's connection `file`")
	f.BoolVar(&o.Pipe, "pipe", false, "speak over two inherited pipes")
	engineFlag(cmd, &o.Engine)
	return cmd
}

func serveKernel(ctx context.Context, env *app.Env, o app.KernelOptions) error {
	return app.Kernel(ctx, env, o, func(engine string) (kernel.Session, error) {
		return kernel.New(kernel.Options{Library: library.New(), Engine: engines[cmp.Or(engine, "auto")]})
	})
}
