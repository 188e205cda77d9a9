package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headNotebook, examplesCommand) }

func examplesCommand(env *app.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "examples [FOLDER]",
		Short: "Copy the notebooks that come with nacre into a folder",
		Long: `Examples copies the notebooks that come with nacre into the current folder or the given one. Their data are
copied too if they are beside the program. Existing files are kept.`,
		Example: `  nacre examples my-notebooks
  nacre notebook my-notebooks/quickstart.ipynb`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return app.Usagef("expected a folder, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o := app.ExamplesOptions{Dir: "."}
			if len(args) == 1 {
				o.Dir = args[0]
			}
			return do(cmd.Context(), env, app.Examples, o)
		},
	}
}
