package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/sim"
)

// Suite is what the quickstart found: one study per family that this build can run.
type Suite struct {
	Dir     string        `json:"dir"`
	Studies []*Result     `json:"studies"`
	Missing []string      `json:"missing,omitempty"` // families left out, and what to do
	Elapsed time.Duration `json:"elapsed"`           // of this call, in nanoseconds
}

// RunQuickstart does every quick plan in a folder of its own under dir, with a report that leads to all of them.
// change, which may be nil, edits each plan first. A family this build cannot run is left out, visibly.
func RunQuickstart(ctx context.Context, dir string, change func(*Plan), host experiment.Host, show progress.Progress) (*Suite, error) {
	started := time.Now()
	out := &Suite{Dir: dir}
	for _, plan := range quick {
		plan.Set = slices.Clone(plan.Set)
		if change != nil {
			change(&plan)
		}
		if _, err := sim.Lookup(plan.Name); errors.Is(err, sim.ErrUnavailable) {
			reason := strings.TrimPrefix(err.Error(), "sim: ")
			out.Missing = append(out.Missing, reason)
			show.Note("left out: " + reason)
			continue
		} else if err != nil {
			return nil, err
		}
		show.Note(fmt.Sprintf("%s: %s", plan.Name, plan.About))
		r, err := Run(ctx, filepath.Join(dir, plan.Name), plan, host, show)
		if err != nil {
			return nil, err
		}
		out.Studies = append(out.Studies, r)
	}
	out.Elapsed = time.Since(started)
	if err := writeText(filepath.Join(dir, ReportFile), out.report()); err != nil {
		return nil, err
	}
	return out, writeJSON(filepath.Join(dir, ResultsFile), out)
}

func (s *Suite) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Quickstart\n\nPEARL and TCL-PEARL, trained briefly with the same seeds on the same tasks, and what their context encoders make of\n%s. The whole took %s. Runs this short show that everything works; they say little about the algorithms.\n",
		"windows of trajectories", duration(s.Elapsed))
	for _, r := range s.Studies {
		link := r.Plan.Name + "/" + ReportFile
		fmt.Fprintf(&b, "\n## [%s](%s)\n\n[![t-SNE of both encoders](%s/tsne.png)](%s)\n\n", r.Family, link, r.Plan.Name, link)
		b.WriteString(r.centroidTables())
		fmt.Fprintf(&b, "\n%sThe [full report](%s) has the adaptation and learning curves and how it was run.\n", r.brief(), link)
	}
	for _, m := range s.Missing {
		fmt.Fprintf(&b, "\nLeft out: %s.\n", m)
	}
	return b.String()
}

// brief is the outcome of adaptation in a sentence or two.
func (r *Result) brief() string {
	var parts []string
	explained := ""
	for _, a := range r.Arms {
		value, share := r.returned(a.Name)
		part := a.Title + " " + value
		if share != "" {
			part += " (" + share + ")"
			explained = " In brackets is the share of the way from random actions to the goal-knowing controller."
		}
		parts = append(parts, part)
	}
	return "Return on new tasks after adaptation: " + strings.Join(parts, ", ") + "." + explained + "\n"
}

// WriteText prints the tables and where the report is.
func (s *Suite) WriteText(w io.Writer) error {
	for _, r := range s.Studies {
		if err := r.WriteText(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, m := range s.Missing {
		fmt.Fprintf(w, "left out: %s\n", m)
	}
	return nil
}
