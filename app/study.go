package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"nacre/experiment"
	"nacre/study"
)

// Study trains both arms on the same seeds and reports.
func Study(ctx context.Context, env *Env, o StudyOptions) error {
	change := func(p *study.Plan) {
		if o.Seeds > 0 {
			p.Seeds = o.Seeds
		}
		if o.Windows > 0 {
			p.Windows = o.Windows
		}
		if o.Layouts >= 0 {
			p.Layouts = o.Layouts
		}
		p.Set = append(p.Set, o.Set...)
	}
	host := experiment.Host{Workers: o.Workers}
	if o.Name == study.Quickstart {
		r, err := study.RunQuickstart(ctx, o.Out, change, host, env.Progress)
		if err != nil {
			return o.stopped(err)
		}
		return env.Print(r, o.reported(r.WriteText))
	}
	plan, err := study.Find(o.Name)
	if err != nil {
		return err
	}
	change(&plan)
	r, err := study.Run(ctx, o.Out, plan, host, env.Progress)
	if err != nil {
		return o.stopped(err)
	}
	return env.Print(r, o.reported(r.WriteText))
}

// stopped adds how to go on to the error of an interrupted study.
func (o StudyOptions) stopped(err error) error {
	if errors.Is(err, ErrInterrupted) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; the same command continues where it stopped", err)
	}
	return err
}

// reported prints where the report is after the tables.
func (o StudyOptions) reported(tables func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		if err := tables(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "report: %s\n", filepath.Join(o.Out, study.ReportFile))
		return err
	}
}
