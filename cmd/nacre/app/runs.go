package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"nacre/experiment/runs"
	"nacre/internal/nearest"
	"nacre/internal/shell"
)

// RunsOptions are the flags of nacre runs.
type RunsOptions struct {
	Root    string
	Filters []string // key=value; a key is a field of a run, the dotted key of a setting, or "tag"
	Sort    string   // field, setting or column of the metrics to sort by; with "-" before it, in descending order
	Columns []string // settings and columns of the metrics to print
}

// RunsReport is the output of nacre runs.
type RunsReport struct {
	Root    string      `json:"root"`
	Runs    []*runs.Run `json:"runs"`
	columns []string
	all     int // number of all runs, including those that a filter leaves out
	filters []string
}

// Runs prints the run folders below a root.
func Runs(ctx context.Context, env *Env, o RunsOptions) error {
	index, list, err := listed(ctx, env, o)
	if err != nil {
		return err
	}
	r := RunsReport{Root: o.Root, Runs: list, columns: o.Columns, all: len(index.Runs()), filters: o.Filters}
	return env.Print(r, r.WriteText)
}

// listed returns the runs below a root that pass the filters, in their order.
func listed(ctx context.Context, env *Env, o RunsOptions) (*runs.Index, []*runs.Run, error) {
	index := runs.Open(o.Root)
	index.Links = true
	if err := index.Refresh(ctx); err != nil {
		return nil, nil, err
	}
	for _, line := range index.Notes() {
		env.Notice(line)
	}
	list, err := filtered(index.Runs(), o.Filters)
	if err != nil {
		return nil, nil, err
	}
	if key := strings.TrimPrefix(o.Sort, "-"); key != "" {
		if err := knownField(key, index.Runs()); err != nil {
			return nil, nil, err
		}
		slices.SortStableFunc(list, func(a, b *runs.Run) int {
			order := runs.Compare(a, b, key)
			if key != o.Sort {
				order = -order
			}
			return order
		})
	}
	for _, c := range o.Columns {
		if err := knownField(c, index.Runs()); err != nil {
			return nil, nil, err
		}
	}
	return index, list, nil
}

// filtered returns the runs that pass every filter, key=value.
func filtered(list []*runs.Run, filters []string) ([]*runs.Run, error) {
	for _, f := range filters {
		key, want, ok := strings.Cut(f, "=")
		if !ok {
			return nil, Usagef("--filter %s: expected key=value, such as state=running or pearl.latent=7", f)
		}
		if err := knownField(key, list); err != nil {
			return nil, err
		}
		if key == "state" && !slices.Contains(runs.States, runs.State(want)) {
			return nil, Usagef("--filter %s: no such state%s", f, nearest.Hint(want, states()))
		}
		list = slices.DeleteFunc(list, func(r *runs.Run) bool { return !r.Has(key, want) })
	}
	return list, nil
}

// states returns the words that a filter on the state may have.
func states() (words []string) {
	for _, s := range runs.States {
		words = append(words, string(s))
	}
	return words
}

// knownField returns an error for a key that no run has.
func knownField(key string, list []*runs.Run) error {
	if len(list) == 0 {
		return nil
	}
	known := runs.Fields(list)
	if slices.Contains(known, key) {
		return nil
	}
	return Usagef("%s: no run has a field, setting or metric of that name%s", nearest.Quote(key),
		nearest.Hint(key, known))
}

// WriteText prints the table as text.
func (r RunsReport) WriteText(w io.Writer) error {
	if len(r.Runs) == 0 && r.all > 0 {
		_, err := fmt.Fprintf(w, "none of the %s below %s has %s\n", plural(r.all, "run"), r.Root,
			strings.Join(r.filters, " and "))
		return err
	}
	if len(r.Runs) == 0 {
		_, err := fmt.Fprintf(w, "no run folders below %s\n", r.Root)
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := append([]string{"run", "state", "done", "steps", "return", "changed"}, r.columns...)
	fmt.Fprintln(t, strings.Join(head, "\t"))
	count := map[runs.State]int{}
	for _, run := range r.Runs {
		count[run.State]++
		state := string(run.State)
		if run.Left > 0 {
			state += ", " + (time.Duration(run.Left) * time.Second).String() + " left"
		}
		cells := []string{shell.Line(run.Path), state, fmt.Sprintf("%.0f %%", 100*run.Share), fmt.Sprint(run.EnvSteps),
			run.Value("adapted_return"), ago(run.Changed)}
		for _, c := range r.columns {
			cells = append(cells, shell.Line(run.Value(c)))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var counts []string
	for _, s := range runs.States {
		if count[s] > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	fmt.Fprintln(w, strings.Join(counts, ", "))
	about := map[string]bool{}
	for _, run := range r.Runs {
		if run.Problem != "" {
			fmt.Fprintf(w, "%s: %s: %s\n", shell.Line(run.Path), run.State, shell.Line(run.Problem))
		}
		if run.About != "" && !about[run.About] { // printed once for all runs that share it
			fmt.Fprintln(w, run.About)
			about[run.About] = true
		}
	}
	return nil
}

// ago returns in words how long ago t was.
func ago(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	d := time.Since(t)
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if d >= u.of {
			return fmt.Sprintf("%d %s ago", int(d/u.of), u.name)
		}
	}
	return cmp.Or(fmt.Sprintf("%d s ago", int(d/time.Second)), "now")
}
