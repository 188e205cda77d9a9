package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headTrain, packCommand) }

func packCommand(env *app.Env) *cobra.Command {
	var o app.PackOptions
	cmd := &cobra.Command{
		Use:   "pack FOLDER",
		Short: "Write a run, a study or a folder of runs as one .zip file",
		Long: `Pack writes the folder of a run, a study or a sweep, or a folder of such, as one .zip file. The commands runs,
curves, table, report, eval, embed, tsne, render, study check and site and the pages /runs and /embeddings can
read this file like the folder. A run in it is named as in the folder: FILE.zip/NAME, or FILE.zip/runs/NAME of a
study or a sweep. The file is only read: nothing is trained or written in it.

Checkpoints are left out. For a study, the .zip contains the same files as "nacre study --pack" writes. Equal
folders give equal bytes.`,
		Example: `  nacre pack out/push
  nacre pack runs/point -o point.zip
  nacre curves point.zip`,
		Args: oneArg("a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			return app.Pack(cmd.Context(), env, o)
		},
	}
	cmd.Flags().StringVarP(&o.Out, "out", "o", "", "`file` to write (default the folder's name with .zip, beside it)")
	jsonFlag(cmd, env)
	return cmd
}
