package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"nacre/internal/atomicfile"
	"nacre/kernel"
	"nacre/server/nbformat"
)

// FormatOptions are the flags of nacre fmt.
type FormatOptions struct {
	Files []string
	Check bool // whether files stay as they are
}

// Format formats the Go of notebooks and prints the names of those that change. It returns an error if cells do not
// parse or if a file cannot be read or written; the other files are formatted all the same.
func Format(_ context.Context, env *Env, o FormatOptions) error {
	var failed []error
	changed, refused := 0, 0
	for _, file := range o.Files {
		nb, err := readNotebook(file)
		if err == nil && languageOf(nb) != "go" {
			err = fmt.Errorf("%s says that its cells are %s; nacre fmt formats Go", file, languageOf(nb))
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		edits := 0
		for i, c := range nb.Cells() {
			if c.Type() != "code" {
				continue
			}
			code, err := kernel.Format(c.Source())
			if err != nil {
				env.Notice(fmt.Sprintf("%s: cell %d does not parse and stays as it is: %v", file, i+1, err))
				refused++
			} else if code != c.Source() {
				c.SetSource(code)
				edits++
			}
		}
		if edits == 0 {
			continue
		}
		changed++
		fmt.Fprintln(env.Out, file)
		if !o.Check {
			failed = append(failed, writeNotebook(file, nb))
		}
	}
	if refused > 0 {
		failed = append(failed, fmt.Errorf("cells that do not parse: %d", refused))
	}
	if o.Check && changed > 0 {
		failed = append(failed, fmt.Errorf("notebooks that are not formatted: %d; nacre fmt formats them", changed))
	}
	return errors.Join(failed...)
}

// readNotebook reads a notebook's file. Its error names the file.
func readNotebook(file string) (*nbformat.Notebook, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, missingFile(file, err)
	}
	nb, err := nbformat.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return nb, nil
}

// writeNotebook replaces a notebook's file.
func writeNotebook(file string, nb *nbformat.Notebook) error {
	data, err := nb.Marshal()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return replaceFile(file, data)
}

// replaceFile replaces a file's bytes. A link stays one, and a file keeps its permissions.
func replaceFile(file string, data []byte) error {
	if to, err := filepath.EvalSymlinks(file); err == nil {
		file = to
	}
	open := func(path string) (atomicfile.File, error) {
		f, err := atomicfile.Open(path)
		if info, missing := os.Stat(file); err == nil && missing == nil {
			err = os.Chmod(path, info.Mode().Perm())
		}
		return f, err
	}
	return atomicfile.WriteWith(open, file, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
