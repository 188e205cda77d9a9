package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"nacre/internal/shell"
	"nacre/server/nbdiff"
	"nacre/server/nbformat"
)

// ErrDiffer is the result of a comparison that found differences, which have been shown.
var ErrDiffer = errors.New("the notebooks differ")

// CompareError says why notebooks could not be compared.
type CompareError struct{ error }

func (e *CompareError) Unwrap() error { return e.error }

// DiffOptions are the flags of nacre diff.
type DiffOptions struct {
	Files []string // two notebooks; one if Text is set; or the arguments that git gives to a diff program
	Text  bool     // print a notebook as text
	Git   bool     // print what makes git use this program
	When  string   // when colours are used: "auto", "always" or "never"
	nbdiff.Options
}

// Diff compares two notebooks. If they differ, it returns ErrDiffer. If git called it, it does not, because git takes
// an error for a failure.
func Diff(_ context.Context, env *Env, o DiffOptions) error {
	o.Colour = o.When == "always" || o.When == "auto" && coloured(env.Out, !o.Text)
	switch {
	case o.Git:
		return printGitLines(env.Out)
	case o.Text:
		return printText(env.Out, o)
	case len(o.Files) == 2:
		return diffFiles(env.Out, o)
	case len(o.Files) == 1: // git, of a file whose merge is not finished
		_, err := fmt.Fprintf(env.Out, "* %s: its merge is not finished\n", shell.Line(o.Files[0]))
		return err
	}
	return diffForGit(env.Out, o)
}

// coloured reports whether results are read on a terminal, or in the pager that git has started on one.
func coloured(out io.Writer, paged bool) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) || paged && os.Getenv("GIT_PAGER_IN_USE") == "true"
}

// diffFiles compares two notebooks that the user named.
func diffFiles(out io.Writer, o DiffOptions) error {
	a, aBytes, err := readSide(o.Files[0])
	b, bBytes, bErr := readSide(o.Files[1])
	if err = errors.Join(err, bErr); err != nil {
		return &CompareError{err}
	}
	text := nbdiff.Diff(a, b, o.Options)
	if text == "" && !o.Sources && !bytes.Equal(aBytes, bBytes) {
		text = sameNotebooks
	}
	return shown(out, text)
}

// sameNotebooks is said of files that differ only in their form.
const sameNotebooks = "~ the notebooks are the same; their files are written in other ways (indents, order, escapes)\n"

func shown(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil || text == "" {
		return err
	}
	return ErrDiffer
}

// readSide reads a notebook that may be empty or, as git names what is not there, /dev/null.
func readSide(file string) (nbdiff.Side, []byte, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nbdiff.Side{}, nil, missingFile(file, err)
	}
	return sideOf(file, b)
}

func sideOf(file string, b []byte) (side nbdiff.Side, _ []byte, err error) {
	side.Name = file
	if len(bytes.TrimSpace(b)) == 0 {
		return side, b, nil
	}
	if side.Notebook, err = nbformat.Parse(b); err != nil {
		return side, b, fmt.Errorf("%s: %w", file, err)
	}
	return side, b, nil
}

// diffForGit compares what git gives: the path, then file, object name and mode of the old and the new version, and
// for a renamed file its new path and a text about that. Whatever is no notebook is compared as text: an error would
// end git's own command.
func diffForGit(out io.Writer, o DiffOptions) error {
	path, was, is := o.Files[0], o.Files[1], o.Files[4]
	newPath := path
	if len(o.Files) > 7 {
		newPath = o.Files[7]
		if len(o.Files) > 8 {
			fmt.Fprint(out, o.Files[8])
		}
	}
	if oldMode, newMode := o.Files[3], o.Files[6]; oldMode != newMode && oldMode != "." && newMode != "." {
		fmt.Fprintf(out, "old mode %s\nnew mode %s\n", oldMode, newMode)
	}
	a, aBytes, err := readGitSide(was, path)
	b, bBytes, bErr := readGitSide(is, path)
	a.Name, b.Name = "a/"+path, "b/"+newPath
	if was == os.DevNull {
		a.Name = was
	}
	if is == os.DevNull {
		b.Name = is
	}
	if err = errors.Join(err, bErr); err != nil {
		reason := OneLine(strings.NewReplacer(was, a.Name, is, b.Name).Replace(err.Error()))
		text := nbdiff.Texts(a.Name, string(aBytes), b.Name, string(bBytes), reason, o.Options)
		_, err := io.WriteString(out, text)
		return err
	}
	text := nbdiff.Diff(a, b, o.Options)
	if text == "" && !bytes.Equal(aBytes, bBytes) && !o.Sources {
		text = "--- " + a.Name + "\n+++ " + b.Name + "\n" + sameNotebooks
	}
	_, err = io.WriteString(out, text)
	return err
}

// readGitSide reads a version of the notebook at a path. Git gives a file of its own for what it keeps. It gives the
// path for the working file, which is compared as git's filter would leave it.
func readGitSide(file, path string) (nbdiff.Side, []byte, error) {
	if file == path {
		if b, ok := gitFiltered(path); ok {
			return sideOf(path, b)
		}
	}
	return readSide(file)
}

// gitFiltered is a working file after git's filter; ok is false if none is set, or it fails, as git goes on then.
func gitFiltered(path string) (out []byte, ok bool) {
	attribute, err := exec.Command("git", "check-attr", "-z", "filter", "--", path).Output()
	fields := strings.Split(string(attribute), "\x00")
	if err != nil || len(fields) < 3 {
		return nil, false
	}
	command, err := exec.Command("git", "config", "filter."+fields[2]+".clean").Output()
	if err != nil {
		return nil, false
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	clean := exec.Command("sh", "-c", strings.ReplaceAll(strings.TrimSpace(string(command)), "%f", shell.Word(path)))
	clean.Stdin = f
	out, err = clean.Output()
	return out, err == nil
}

// printText prints a notebook as text. Git compares such texts, also of files of the past that are no notebooks, which
// are printed as they are.
func printText(out io.Writer, o DiffOptions) error {
	side, b, err := readSide(o.Files[0])
	switch {
	case err != nil && b == nil:
		return err
	case err != nil:
		_, err = out.Write(b)
	case side.Notebook != nil:
		_, err = io.WriteString(out, nbdiff.Text(side.Notebook, o.Options))
	}
	return err
}

// printGitLines prints the commands by which git compares and cleans notebooks with this program.
func printGitLines(out io.Writer) error {
	name := "nacre"
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if found, err := exec.LookPath(name); err != nil || !sameFile(found, self) {
		name = filepath.ToSlash(self)
	}
	set := func(key string, words ...string) string {
		return shell.Command("git", "config", key, shell.Command(append([]string{name}, words...)...))
	}
	_, err = fmt.Fprintln(out, strings.Join([]string{
		set("diff.nacre.command", "diff"),
		set("diff.nacre.textconv", "diff", "--text"),
		set("filter.nacre.clean", "clean", "--name", "%f"),
		"echo '*.ipynb diff=nacre filter=nacre' >> .gitattributes",
	}, "\n"))
	return err
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}
