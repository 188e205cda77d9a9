package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"nacre/server/nbformat"
)

// CleanOptions are the flags of nacre clean.
type CleanOptions struct {
	Files []string  // notebooks that are replaced; if there are none, In is cleaned to the output
	In    io.Reader // standard input
	Name  string    // of the notebook on In, for messages
	Check bool      // whether to change no file and only report
	nbformat.Cleaning
}

// Clean removes outputs, execution counts and the metadata that change with every run from notebooks, and prints the
// names of the files that change.
func Clean(_ context.Context, env *Env, o CleanOptions) error {
	if len(o.Files) == 0 {
		b, err := io.ReadAll(o.In)
		if err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
		cleaned, err := nbformat.Clean(b, o.Cleaning)
		if err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
		_, err = env.Out.Write(cleaned)
		return err
	}
	var failed []error
	changed := 0
	for _, file := range o.Files {
		b, err := os.ReadFile(file)
		if err != nil {
			failed = append(failed, missingFile(file, err))
			continue
		}
		cleaned, err := nbformat.Clean(b, o.Cleaning)
		switch {
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", file, err))
		case !bytes.Equal(cleaned, b):
			changed++
			fmt.Fprintln(env.Out, file)
			if !o.Check {
				failed = append(failed, replaceFile(file, cleaned))
			}
		}
	}
	if o.Check && changed > 0 {
		failed = append(failed, fmt.Errorf("notebooks that are not clean: %d; nacre clean cleans them", changed))
	}
	return errors.Join(failed...)
}
