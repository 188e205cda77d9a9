package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/internal/home"
)

func init() { register(headNotebook, siteCommand) }

func siteCommand(env *app.Env) *cobra.Command {
	var o app.SiteOptions
	cmd := &cobra.Command{
		Use:   "site PATH...",
		Short: "Write notebooks and results as static files that run in the browser",
		Long: `Site writes a folder that any web server can serve: notebooks whose cells run in the reader's own browser,
without a server behind them, and the reports of studies and runs. PATH is a notebook, a folder of notebooks,
the folder of a study or that of a run. The pages ask no other machine for anything.`,
		Example: "  nacre site notebooks\n  nacre site out/point-goal --out public",
		Args:    someArgs("notebooks or folders of them, of studies or of runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Paths = args
			return do(cmd.Context(), env, app.Site, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Out, "out", "o", "out/site", "`folder` to write; an earlier site in it is replaced")
	f.StringVar(&o.Programs, "programs", home.Beside("wasm"),
		"`folder` of the programs for the browser, which make site builds")
	f.Lookup("programs").DefValue = "wasm beside nacre"
	f.BoolVar(&o.NoScenes, "no-scenes", false,
		"leave out Meta-World's scenes, 2.1 MB that pages fetch piece by piece when an ML1 family is used")
	jsonFlag(cmd, env)
	return cmd
}
