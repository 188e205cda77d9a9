package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"nacre/cmd/nacre/app"
)

func init() { register(headNotebook, cleanCommand) }

func cleanCommand(env *app.Env) *cobra.Command {
	var o app.CleanOptions
	cmd := &cobra.Command{
		Use:   "clean [NOTEBOOK.ipynb...]",
		Short: "Take outputs and execution counts out of notebooks, also as git's filter",
		Long: `Clean takes out of notebooks of any language what changes when they run: outputs, execution counts, and metadata
such as times and states of widgets. Every other byte stays. Without files it reads standard input and writes standard
output, as git's filters do ("nacre diff --git" prints how to set one up). It replaces files and prints the names of
those that it changed. A cell with the tag "keep_output" keeps its outputs. A file that is no notebook is named, and
makes the exit status 1; git then adds it as it is.`,
		Example: `  nacre clean a.ipynb b.ipynb
  nacre clean --check *.ipynb                                  # in tests: changes nothing
  nacre clean --drop metadata.language_info.version < a.ipynb > b.ipynb`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Files, o.In = args, cmd.InOrStdin()
			if err := o.Cleaning.Check(); err != nil {
				return app.Usagef("--drop %w", err)
			}
			if len(args) == 0 && (o.Check || isTerminal(o.In)) {
				return app.Usagef("expected notebooks, or one on standard input")
			}
			return do(cmd.Context(), env, app.Clean, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.KeepOutputs, "keep-outputs", false, "keep outputs")
	f.BoolVar(&o.KeepCounts, "keep-counts", false, "keep execution counts")
	f.BoolVar(&o.KeepMetadata, "keep-metadata", false, "keep the metadata that change with every run")
	f.StringArrayVar(&o.Drop, "drop", nil,
		"also leave out this metadata: a `path` such as metadata.kernelspec or cell.metadata.x; may be repeated")
	f.BoolVar(&o.Check, "check", false, "change nothing; if a file is not clean, the exit status is 1")
	f.StringVar(&o.Name, "name", "standard input", "`name` of the notebook on standard input, for messages")
	return cmd
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
