package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/internal/home"
	"nacre/internal/loopback"
	"nacre/server/process"
)

func init() { register(headNotebook, notebookCommand) }

func notebookCommand(env *app.Env) *cobra.Command {
	var o app.NotebookOptions
	cmd := &cobra.Command{
		Use:   "notebook [FOLDER|FILE.ipynb]",
		Short: "Serve notebooks to the browser",
		Long: `Notebook serves a folder of notebooks, or the folder of the given notebook, and prints the address at which
the browser opens it. The address contains a token: whoever has it can run programs as you. The server listens
on this machine only, unless --address says otherwise. Each notebook has a kernel, a process of its own. The
kernel's output is collected even when the browser is closed. The page of runs (/runs) shows all run folders
below the folder. JupyterLab (--gateway-url) and VS Code can connect too.`,
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
			if len(args) == 1 {
				o.Path = args[0]
			}
			return do(cmd.Context(), env, serveNotebook, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Address, "address", loopback.Host(), "`address` to listen on")
	number(f, &o.Port, "port", 8888, 0, maxPort, "`port` to listen on, or one of the nine after it; 0 for any")
	f.StringVar(&o.Token, "token", os.Getenv(process.TokenVariable),
		"`secret` of at least 16 characters; better set as NACRE_TOKEN (default a new one)")
	f.Lookup("token").DefValue = ""
	f.StringArrayVar(&o.Hosts, "allow-host", nil, "one more `name` the server may be called by; may be repeated. "+
		"* allows all names, for a proxy that checks them")
	f.StringVar(&o.Base, "base-path", "", "`path` under which a reverse proxy shows the server, such as /nacre/")
	f.BoolVar(&o.Browser, "browser", false, "open the browser")
	timingFlag(cmd, &o.Timing)
	processesFlag(cmd, &o.Processes)
	kernelFlags(cmd, &o.Memory, &o.Engine)
	return cmd
}

// serveNotebook serves notebooks with what this program runs beside them.
func serveNotebook(ctx context.Context, env *app.Env, o app.NotebookOptions) error {
	o.Programs = home.Beside("wasm")
	o.Compiles = compiles(o.Engine)
	return app.Notebook(ctx, env, o)
}

func processesFlag(cmd *cobra.Command, n *int) {
	number(cmd.Flags(), n, "processes", 1, 1, maxWorkers,
		"`number` of runs started from the page that are trained at the same time; the others wait")
}
