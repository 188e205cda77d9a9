package foreign

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"nacre/analysis/frame"
	"nacre/experiment/tfevents"
)

// events reads TensorBoard's event files. The files of one folder are one run.
type events struct{}

func (events) sources(dir string, names []string) []source {
	var files []string
	for _, name := range names {
		if strings.HasPrefix(name, "events.out.tfevents.") {
			files = append(files, filepath.Join(dir, name))
		}
	}
	if len(files) == 0 {
		return nil
	}
	slices.Sort(files) // in TensorBoard's order
	return []source{{tool: "TensorBoard", files: files, read: func(string) (*frame.Frame, about, error) {
		return scalars(files)
	}}}
}

// tagged are the values of a tag by step.
type tagged map[int64]float64

// scalars are the scalars of event files as a table: a row a step, a column a tag.
func scalars(files []string) (*frame.Frame, about, error) {
	a := about{}
	tags := map[string]tagged{}
	others := 0
	for _, path := range files {
		e, err := tfevents.Read(path)
		if err != nil {
			return nil, a, err
		}
		if e.Cut != "" {
			a.notes = append(a.notes, filepath.Base(path)+": "+e.Cut)
		}
		others += e.Others
		if n := join(tags, e); n > 0 {
			a.notes = append(a.notes, fmt.Sprintf("values at a step that another was told of count in its mean: %d", n))
		}
	}
	if others > 0 {
		a.notes = append(a.notes, fmt.Sprintf("summaries that are no scalars are left out: %d", others))
	}
	if len(tags) == 0 {
		return nil, a, fmt.Errorf("no scalar is in it")
	}
	a.nan = map[string]int{}
	for name, t := range tags {
		for _, v := range t {
			if math.IsNaN(v) {
				a.nan[name]++
			}
		}
	}
	f := tabled(tags)
	a.tool = toolOf(f, "TensorBoard")
	return f, a, nil
}

// join adds what a file says. Several values at one step, as from several environments, are averaged. A value at an
// earlier step, as from a resumed run, replaces the values of this step and later steps.
func join(tags map[string]tagged, e tfevents.Events) (shared int) {
	type place struct {
		step int64
		n    float64
	}
	last := map[string]place{}
	purge := e.Purge
	for i, s := range e.Scalars {
		for len(purge) > 0 && purge[0].At <= i {
			for _, t := range tags {
				t.forget(purge[0].Step)
			}
			purge = purge[1:]
		}
		t := tags[s.Tag]
		if t == nil {
			t = tagged{}
			tags[s.Tag] = t
		}
		before, known := last[s.Tag]
		if known && before.step == s.Step {
			shared++
			before.n++
			t[s.Step] += (s.Value - t[s.Step]) / before.n
			last[s.Tag] = before
			continue
		}
		if known && before.step > s.Step {
			t.forget(s.Step)
		}
		t[s.Step], last[s.Tag] = s.Value, place{s.Step, 1}
	}
	return shared
}

// forget drops a step and what follows it.
func (t tagged) forget(from int64) {
	for step := range t {
		if step >= from {
			delete(t, step)
		}
	}
}

// tabled is a row a step and a column a tag.
func tabled(tags map[string]tagged) *frame.Frame {
	at := map[int64]int{}
	var steps []int64
	for _, t := range tags {
		for step := range t {
			if _, ok := at[step]; !ok {
				at[step] = 0
				steps = append(steps, step)
			}
		}
	}
	slices.Sort(steps)
	column := make([]float64, len(steps))
	for i, step := range steps {
		at[step], column[i] = i, float64(step)
	}
	f := frame.New(frame.Numbers("step", column))
	names := make([]string, 0, len(tags))
	for name := range tags {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if name == "step" {
			continue
		}
		v := missing(len(steps))
		for step, x := range tags[name] {
			v[at[step]] = x
		}
		f = f.With(frame.Numbers(name, v))
	}
	return f
}
