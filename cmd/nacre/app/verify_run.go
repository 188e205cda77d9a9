package app

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"nacre/experiment"
	"nacre/internal/shell"
)

// VerifyRunReport is the output of nacre verify run.
type VerifyRunReport struct {
	Run   string               `json:"run"`
	Files []experiment.Finding `json:"files"`
}

// VerifyRun checks the files of a run folder.
func VerifyRun(_ context.Context, env *Env, dir string) error {
	files, err := experiment.Verify(dir)
	if err != nil {
		return err
	}
	r := VerifyRunReport{dir, files}
	if err := env.Print(r, r.WriteText); err != nil {
		return err
	}
	bad, lost := 0, 0
	for _, f := range files {
		if f.State != experiment.Whole {
			bad++
			if !f.Remade {
				lost++
			}
		}
	}
	switch {
	case lost > 0:
		return fmt.Errorf("verify run: %s: %d of %d files are not whole, and %d cannot be made again", dir, bad,
			len(files), lost)
	case bad > 0:
		return fmt.Errorf("verify run: %s: %d of %d files are not whole; this does without them or makes them "+
			"again: %s", dir, bad, len(files), shell.Command("nacre", "resume", shell.Path(dir)))
	}
	return nil
}

// WriteText prints the report as text.
func (r VerifyRunReport) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range r.Files {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.File, f.State, f.About)
	}
	return t.Flush()
}
