package main

import (
	"strings"

	"github.com/spf13/cobra"

	"nacre/app"
)

func tableCommand(env *app.Env) *cobra.Command {
	var o app.TableOptions
	var published bool
	cmd := &cobra.Command{
		Use:   "table " + strings.Join(app.TableNames(), "|") + " --paper",
		Short: "Print a table of the paper and check what the paper says of it",
		Long: `Table prints a table of the paper as published and recomputes, from its cells alone, every statistic the paper
draws from it: which claims hold, under which reading, and by how much.`,
		Example: `  nacre table ml1 --paper
  nacre table ml1-all --paper --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if !published {
				return app.Usagef("table %s: expected --paper; tables of your own runs are not built yet", args[0])
			}
			o.Name = args[0]
			return app.Table(env, o)
		},
	}
	cmd.Flags().BoolVar(&published, "paper", false, "the paper's own figures")
	jsonFlag(cmd, env)
	return cmd
}
