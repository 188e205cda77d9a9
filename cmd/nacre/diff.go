package main

import (
	"cmp"
	"os"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headNotebook, diffCommand) }

func diffCommand(env *app.Env) *cobra.Command {
	var o app.DiffOptions
	cmd := &cobra.Command{
		Use:   "diff A.ipynb B.ipynb",
		Short: "Show what differs between two notebooks, also for git",
		Long: `Diff pairs the cells of two notebooks by their ids, then by likeness. It shows their text line by line.
For outputs and for metadata, one line says what differs. The exit status is 0 if the notebooks are the same, 1 if
they differ and 2 if they cannot be compared.

"nacre diff --git" prints the lines that make git use nacre in a repository: "git diff" shows notebooks as above, "git
log -p" and "git blame" compare them as text, and "git add" leaves outputs, execution counts and times out (nacre
clean). Git compares what is no notebook as text. For git difftool: git difftool -x "nacre diff".`,
		Example: `  nacre diff before.ipynb after.ipynb
  nacre diff --sources before.ipynb after.ipynb   # texts of cells alone
  nacre diff --git                                # what to paste, to use nacre in git`,
		Args: func(_ *cobra.Command, args []string) error { return diffArgs(&o, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Files = args
			if err := cmp.Or(between("context", o.Context, 0, 1e6), knownColour(o.When)); err != nil {
				return err
			}
			return do(cmd.Context(), env, app.Diff, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Sources, "sources", false, "compare the texts of cells alone")
	f.BoolVar(&o.Whole, "whole", false, "show outputs and metadata line by line")
	f.IntVarP(&o.Context, "context", "U", 3, "`number` of lines around a change that are shown")
	f.StringVar(&o.When, "color", "auto", "use colours: auto (on a terminal and in git's pager), always or never")
	f.BoolVar(&o.Text, "text", false, "print one notebook as text, as git's textconv needs it")
	f.BoolVar(&o.Git, "git", false, "print the lines that make git use nacre for notebooks")
	return cmd
}

// diffArgs checks how many files there are: git gives seven arguments, or nine for a renamed file; for a file whose
// merge is not finished it gives one.
func diffArgs(o *app.DiffOptions, args []string) error {
	n := len(args)
	switch {
	case o.Git && n > 0:
		return app.Usagef("--git: expected no notebooks, got %d arguments", n)
	case o.Text && n != 1:
		return app.Usagef("--text: expected a notebook, got %d arguments", n)
	case o.Git, o.Text, n == 2, n == 7, n == 9, n == 1 && os.Getenv("GIT_DIFF_PATH_COUNTER") != "":
		return nil
	}
	return app.Usagef("expected two notebooks, got %d arguments", n)
}

func knownColour(c string) error {
	if c != "auto" && c != "always" && c != "never" {
		return app.Usagef("--color %q: expected auto, always or never", c)
	}
	return nil
}
