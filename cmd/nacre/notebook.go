package main

import (
	"context"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/server/process"
)

func notebookCommand(env *app.Env, serve func(context.Context, *app.Env, app.NotebookOptions) error) *cobra.Command {
	var o app.NotebookOptions
	cmd := &cobra.Command{
		Use:   "notebook [FOLDER|FILE.ipynb]",
		Short: "Serve notebooks to the browser",
		Long: `Notebook serves a folder of notebooks, or the folder of the one given, and prints the address at which the
browser opens it. The address contains a token: whoever has it can run programs as you. The server listens on
this machine only unless --address says otherwise. Each notebook has a kernel, a process of its own; output goes
on being collected when the browser is closed. The page of runs (/runs) shows all run folders below the folder. JupyterLab (--gateway-url) and VS Code can connect too.`,
		Example: `  nacre notebook
  nacre examples my-notebooks && nacre notebook my-notebooks/quickstart.ipynb
  nacre notebook --port 9000`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return app.Usagef("expected a folder or a notebook, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := firstError(between("port", o.Port, 0, 65535), between("processes", o.Processes, 1, maxWorkers), knownEngine(o.Engine)); err != nil {
				return err
			}
			if len(args) == 1 {
				o.Path = args[0]
			}
			return serve(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Address, "address", "127.0.0.1", "`address` to listen on")
	f.IntVar(&o.Port, "port", 8888, "`port` to listen on, or one of the nine after it; 0 for any")
	f.StringVar(&o.Token, "token", os.Getenv(process.TokenVariable), "`secret` of at least 16 characters; better set as NACRE_TOKEN (default a new one)")
	f.Lookup("token").DefValue = ""
	f.StringArrayVar(&o.Hosts, "allow-host", nil, "one more `name` the server may be called by; may be repeated")
	f.BoolVar(&o.Browser, "browser", false, "open the browser")
	processesFlag(cmd, &o.Processes)
	kernelFlags(cmd, &o.Memory, &o.Engine)
	return cmd
}

// kernelFlags adds the flags of commands that start kernels.
func kernelFlags(cmd *cobra.Command, memory, engine *string) {
	cmd.Flags().StringVar(memory, "kernel-memory", "", "most `memory` a kernel may use, such as 8GB, or none (default what the machine has)")
	engineFlag(cmd, engine)
}

func engineFlag(cmd *cobra.Command, engine *string) {
	cmd.Flags().StringVar(engine, "engine", "", "`engine` that runs the cells: "+strings.Join(engineNames(), ", ")+" (default auto: go once its packages are compiled, which nacre notebook does in the background, yaegi until then and elsewhere)")
}

func engineNames() []string { return slices.Sorted(maps.Keys(engines)) }

// knownEngine checks the value of --engine.
func knownEngine(name string) error {
	return oneOf("engine", name, append([]string{""}, engineNames()...)...)
}

func runCommand(env *app.Env, run func(context.Context, *app.Env, app.RunOptions) error) *cobra.Command {
	var o app.RunOptions
	cmd := &cobra.Command{
		Use:   "run FILE.ipynb",
		Short: "Run a notebook without a browser",
		Long: `Run executes a notebook's cells in order in a new kernel and writes the notebook with its outputs, after every
cell. It stops at the first cell that fails, names it, and ends with status 1; cells with the tag
"raises-exception" may fail. Parameters replace values of the cell with the tag "parameters".`,
		Example: `  nacre run quickstart.ipynb -o out/quickstart.ipynb
  nacre run reproduce.ipynb -o out/ant.ipynb -p family=ant-dir -p seed=3 --timeout 12h`,
		Args: oneArg("a notebook"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File = args[0]
			if o.Timeout < 0 || o.Timeout > 1000*24*time.Hour {
				return app.Usagef("--timeout %v: expected a time such as 90s or 2h, 0 for none", o.Timeout)
			}
			if err := knownEngine(o.Engine); err != nil {
				return err
			}
			return run(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Out, "out", "o", "", "`file` for the notebook with outputs (default none: only check that it runs)")
	f.StringArrayVarP(&o.Parameters, "parameter", "p", nil, "`name=value` of a parameter; may be repeated")
	f.DurationVar(&o.Timeout, "timeout", 0, "`time` after which the run is ended, such as 90s or 2h; 0 for none")
	kernelFlags(cmd, &o.Memory, &o.Engine)
	jsonFlag(cmd, env)
	return cmd
}

func kernelCommand(env *app.Env, serve func(context.Context, *app.Env, app.KernelOptions) error) *cobra.Command {
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
			if err := knownEngine(o.Engine); err != nil {
				return err
			}
			signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // an interrupt is for the running cell, not for the program
			ctx, stop := signal.NotifyContext(context.WithoutCancel(cmd.Context()), syscall.SIGTERM)
			defer stop()
			if err := serve(ctx, env, o); err != nil && ctx.Err() == nil {
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

func kernelspecCommand(env *app.Env, install func(*app.Env, app.KernelspecOptions) error) *cobra.Command {
	cmd := group(&cobra.Command{Use: "kernelspec", Short: "Make the kernel known to Jupyter"})
	var o app.KernelspecOptions
	var user bool
	add := &cobra.Command{
		Use:   "install",
		Short: "Install the kernelspec, so that JupyterLab, nbclient and papermill find the kernel",
		Example: `  nacre kernelspec install --user
  nacre kernelspec install --prefix "$VIRTUAL_ENV"`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if user && o.Prefix != "" {
				return app.Usagef("expected either --user or --prefix")
			}
			if err := knownEngine(o.Engine); err != nil {
				return err
			}
			return install(env, o)
		},
	}
	add.Flags().BoolVar(&user, "user", false, "install for this user (the default)")
	add.Flags().StringVar(&o.Prefix, "prefix", "", "install under this `folder`, such as a Python environment's")
	engineFlag(add, &o.Engine)
	cmd.AddCommand(add)
	return cmd
}

func benchKernelCommand(env *app.Env, bench func(context.Context, *app.Env, app.BenchKernelOptions) error) *cobra.Command {
	var o app.BenchKernelOptions
	cmd := &cobra.Command{
		Use:   "kernel",
		Short: "Time the notebook kernel beside other Jupyter kernels, and the page",
		Long: `Kernel times the first cell of a new kernel, from starting its process, the round trip of a small cell, and a
cell that prints many lines, all through the same client over ZeroMQ. GoNB, gophernotes and ipykernel are
measured in the same run where their kernelspecs are installed; the others are named. Where there is a Chromium
($NACRE_CHROMIUM, or on the PATH) it also opens notebooks of 20 and 300 cells, headless and with an empty cache, and times the page.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := firstError(between("cells", o.Cells, 3, maxCount), between("lines", o.Lines, 1, maxCount), between("loads", o.Loads, 1, maxCount)); err != nil {
				return err
			}
			return bench(cmd.Context(), env, o)
		},
	}
	cmd.Flags().IntVar(&o.Cells, "cells", 300, "round trips to time")
	cmd.Flags().IntVar(&o.Lines, "lines", 10000, "lines to print")
	cmd.Flags().IntVar(&o.Loads, "loads", 5, "times to open each notebook in a browser, of which medians are printed")
	jsonFlag(cmd, env)
	return cmd
}
