package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headNotebook, executeCommand) }

func executeCommand(env *app.Env) *cobra.Command {
	var o app.ExecuteOptions
	cmd := &cobra.Command{
		Use:     "execute FILE.ipynb",
		Aliases: []string{"run"},
		Short:   "Run a notebook without a browser",
		Long: `Execute runs a notebook's cells in order in a new kernel and writes the notebook with its outputs, after every
cell. It stops at the first cell that fails, names it, and ends with status 1; cells with the tag
"raises-exception" may fail, those with "skip-execution" are not run. Parameters replace values of the cell with the
tag "parameters"; each is read as its variable's type asks.`,
		Example: `  nacre execute quickstart.ipynb -o out/quickstart.ipynb
  nacre execute reproduce.ipynb -o out/ant.ipynb -p family=ant-dir -p seed=3 --timeout 12h
  nacre execute compare.ipynb -o out/compare.ipynb -p seeds=1,2,3`,
		Args: oneArg("a notebook"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File = args[0]
			if o.Timeout < 0 || o.Timeout > 1000*24*time.Hour {
				return app.Usagef("--timeout %v: expected a time such as 90s or 2h, 0 for none", o.Timeout)
			}
			return do(cmd.Context(), env, execute, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Out, "out", "o", "", "`file` for the notebook with outputs (default none: only check that it runs)")
	f.StringArrayVarP(&o.Parameters, "parameter", "p", nil, "`name=value` of a parameter; may be repeated")
	f.DurationVar(&o.Timeout, "timeout", 0, "`time` after which the run is ended, such as 90s or 2h; 0 for none")
	timingFlag(cmd, &o.Timing)
	kernelFlags(cmd, &o.Memory, &o.Engine)
	jsonFlag(cmd, env)
	return cmd
}

// timingFlag is that of commands that write notebooks with outputs. JupyterLab's setting of that name is off too: with
// times, each run changes each cell.
func timingFlag(cmd *cobra.Command, on *bool) {
	cmd.Flags().BoolVar(on, "record-timing", false, "write into each cell's metadata when it ran, and the engine")
}

func execute(ctx context.Context, env *app.Env, o app.ExecuteOptions) error {
	o.Compiles = compiles(o.Engine)
	return app.Execute(ctx, env, o)
}
