package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"nacre/experiment"
	"nacre/experiment/runs"
	"nacre/internal/plainfile"
)

// PruneOptions are the flags of nacre runs --prune.
type PruneOptions struct {
	Root    string
	Filters []string // see RunsOptions
	Yes     bool     // remove the files; otherwise they are only listed
}

// Pruned is a finished run with the files that are needed only for further training.
type Pruned struct {
	Run string `json:"run"`
	experiment.Spare
	Removed int64  `json:"removed"` // bytes removed
	Problem string `json:"problem,omitempty"`
}

// PruneReport is the output of nacre runs --prune.
type PruneReport struct {
	Root       string   `json:"root"`
	Runs       []Pruned `json:"runs"`
	Unfinished int      `json:"unfinished"` // number of unfinished runs, which Prune does not touch
	Bytes      int64    `json:"bytes"`      // bytes of all files that are removed, or that would be
	Removed    bool     `json:"removed"`
}

// Prune lists the files of finished runs that are needed only for further training, and removes them if asked. If a run
// cannot be pruned, Prune says so, prunes the others, and returns an error.
func Prune(ctx context.Context, env *Env, o PruneOptions) error {
	index := runs.Open(o.Root)
	if err := index.Refresh(ctx); err != nil {
		return err
	}
	list, err := filtered(index.Runs(), o.Filters)
	if err != nil {
		return err
	}
	report := PruneReport{Root: o.Root, Runs: []Pruned{}, Removed: o.Yes}
	bad := 0
	for _, run := range list {
		p := Pruned{Run: run.Path}
		p.Spare, err = spare(index.Dir(run), o.Yes)
		switch {
		case errors.Is(err, experiment.ErrUnfinished):
			report.Unfinished++
			continue
		case err != nil && run.State != runs.Finished:
			report.Unfinished++ // nothing can be read there that could be pruned
			continue
		case err != nil:
			p.Problem = err.Error()
			bad++
		case p.Bytes() == 0 && p.Checkpoint == 0 && p.States == 0:
			continue
		}
		if err == nil {
			report.Bytes += p.Bytes()
			if o.Yes {
				p.Removed = p.Bytes()
			}
		}
		report.Runs = append(report.Runs, p)
	}
	if err := env.Print(report, report.WriteText); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d finished runs could not be pruned, see above", bad, len(report.Runs))
	}
	return nil
}

func spare(dir string, remove bool) (experiment.Spare, error) {
	run, err := experiment.View(dir)
	if err != nil {
		return experiment.Spare{}, err
	}
	s, err := run.Spare()                                               // checked before a lock is taken
	if err != nil || s.Bytes() == 0 || plainfile.Writable(dir) != nil { // in an archive there is nothing to remove
		return s, err
	}
	if remove {
		return experiment.Prune(dir)
	}
	return s, run.Intact()
}

// WriteText prints the report as text.
func (r PruneReport) WriteText(w io.Writer) error {
	if len(r.Runs) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "checkpoint\tof it replay\tthe one before\tfor branches\tto remove\t run")
		for _, p := range r.Runs {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t %s\n", megabytes(p.Checkpoint), megabytes(p.Replay),
				megabytes(p.Previous), megabytes(p.States),
				megabytes(p.Bytes()), p.Run)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, p := range r.Runs {
		switch {
		case p.Problem != "":
			fmt.Fprintf(w, "%s: left alone: %s\n", p.Run, p.Problem)
		case p.Needed != "":
			fmt.Fprintf(w, "%s keeps its last checkpoint: %s\n", p.Run, p.Needed)
		}
		if p.States > 0 {
			fmt.Fprintf(w, "%s keeps its folder %s for nacre branch: delete it by hand where no branch is wanted\n",
				p.Run, experiment.StatesFolder)
		}
	}
	if r.Unfinished > 0 {
		are := "that are not finished are"
		if r.Unfinished == 1 {
			are = "that is not finished is"
		}
		fmt.Fprintf(w, "%s %s left alone\n", plural(r.Unfinished, "run"), are)
	}
	switch {
	case r.Bytes == 0:
		_, err := fmt.Fprintf(w, "nothing to prune below %s\n", r.Root)
		return err
	case r.Removed:
		_, err := fmt.Fprintf(w, "%s removed; these runs cannot be trained further\n", megabytes(r.Bytes))
		return err
	}
	_, err := fmt.Fprintf(w, "%s in all; nothing was removed: --yes does that, and then these runs cannot be trained "+
		"further\n", megabytes(r.Bytes))
	return err
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
