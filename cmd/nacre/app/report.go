package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"nacre/experiment"
	"nacre/experiment/runs"
)

// ReportRunOptions are the flags of nacre report.
type ReportRunOptions struct {
	Dir string
	Out string // name of the page; "": report.html in the run folder, or beside the archive
}

// RunReport is the output of nacre report.
type RunReport struct {
	File string `json:"file"`
}

// ReportRun makes a page about one run.
func ReportRun(_ context.Context, env *Env, o ReportRunOptions) error {
	out := cmp.Or(o.Out, productOf(o.Dir, runs.ReportFile))
	if filepath.Ext(out) != ".html" {
		return Usagef("--out %s: expected a name that ends in .html", out)
	}
	if _, err := experiment.View(o.Dir); err != nil { // checked before a folder is made
		return fmt.Errorf("report: %w", err)
	}
	if err := makeParent(out); err != nil {
		return err
	}
	if err := runs.WriteReport(o.Dir, out); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	r := RunReport{File: out}
	return env.Print(r, r.WriteText)
}

// WriteText prints the path of the page.
func (r RunReport) WriteText(w io.Writer) error {
	_, err := fmt.Fprintln(w, r.File)
	return err
}
