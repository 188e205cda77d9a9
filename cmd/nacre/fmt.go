package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headNotebook, formatCommand) }

func formatCommand(env *app.Env) *cobra.Command {
	var o app.FormatOptions
	cmd := &cobra.Command{
		Use:   "fmt NOTEBOOK.ipynb...",
		Short: "Format the Go of notebooks as gofmt does",
		Long: `Fmt formats the code cells of notebooks as gofmt formats Go, writes the files and prints the names of those that it
changed. Helpers such as %time, lines for a shell and a semicolon that hides a value stay. A cell that does not parse
stays as it is, is named, and makes the exit status 1.`,
		Example: `  nacre fmt quickstart.ipynb
  nacre fmt --check notebooks/*.ipynb   # in tests: changes nothing`,
		Args: someArgs("notebooks"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Files = args
			return do(cmd.Context(), env, app.Format, o)
		},
	}
	cmd.Flags().BoolVar(&o.Check, "check", false, "change nothing; if a cell is not formatted, the exit status is 1")
	return cmd
}
