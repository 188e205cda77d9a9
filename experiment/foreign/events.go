package foreign

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
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

// series are the values of a tag in the order in which they were logged.
type series struct {
	steps   []int64
	values  []float64
	same    float64 // how many values are averaged in the last one; 0 at the beginning of a file
	dropped order   // what a program that resumed has taken back
}

// scalars are the scalars of event files as a table: a row a step, a column a tag.
func scalars(files []string) (*frame.Frame, about, error) {
	a := about{sparse: true, back: map[string]string{}}
	logged := map[string]*series{}
	others, shared := 0, 0
	for _, path := range files {
		e, err := tfevents.Read(path)
		if err != nil {
			return nil, a, err
		}
		if e.Cut != "" {
			a.notes = append(a.notes, filepath.Base(path)+": "+e.Cut)
		}
		others += e.Others
		shared += join(logged, e)
	}
	if shared > 0 {
		a.notes = append(a.notes, fmt.Sprintf("values at a step that another was told of count in its mean: %d",
			shared))
	}
	if others > 0 {
		a.notes = append(a.notes, fmt.Sprintf("summaries that are no scalars are left out: %d", others))
	}
	if len(logged) == 0 {
		return nil, a, fmt.Errorf("no scalar is in it")
	}
	tags := map[string]tagged{}
	for name, s := range logged {
		o := s.order()
		if said := o.String(); said != "" {
			a.back[name] = said
		}
		tags[name] = tagged{}
		for _, k := range o.kept {
			tags[name][s.steps[k]] = s.values[k]
		}
	}
	if n := len(files); n > 1 {
		said := fmt.Sprintf("its %d event files are read as one run, in the order of their names", n)
		if len(a.back) > 0 {
			said += "; if they are several runs, move each file into a folder of its own"
		}
		a.notes = append(a.notes, said)
	}
	f := tabled(tags)
	a.tool = toolOf(f, "TensorBoard")
	return f, a, nil
}

// join adds what a file says. Several values at one step, one after another in a file, as from several environments,
// are averaged; join counts them.
func join(logged map[string]*series, e tfevents.Events) (shared int) {
	for _, s := range logged {
		s.same = 0
	}
	purge := e.Purge
	for i, v := range e.Scalars {
		for len(purge) > 0 && purge[0].At <= i {
			for _, s := range logged {
				s.forget(purge[0].Step)
			}
			purge = purge[1:]
		}
		s := logged[v.Tag]
		if s == nil {
			s = &series{}
			logged[v.Tag] = s
		}
		last := len(s.steps) - 1
		if s.same > 0 && last >= 0 && s.steps[last] == v.Step {
			shared++
			s.same++
			s.values[last] += (v.Value - s.values[last]) / s.same
			continue
		}
		s.steps, s.values, s.same = append(s.steps, v.Step), append(s.values, v.Value), 1
	}
	return shared
}

// forget drops a step and later ones, because the program says that it continues from there.
func (s *series) forget(from int64) {
	o := &s.dropped
	var steps []int64
	var values []float64
	for i, step := range s.steps {
		if step < from {
			steps, values = append(steps, step), append(values, s.values[i])
		}
	}
	if n := len(s.steps) - len(steps); n > 0 {
		if o.backs++; o.backs == 1 {
			o.first = float64(from)
		}
		o.left += n
		s.steps, s.values, s.same = steps, values, 0
	}
}

// order is inOrder of the values, together with what was dropped before.
func (s *series) order() order {
	o := inOrder(s.steps)
	if s.dropped.backs > 0 {
		o.first = s.dropped.first
	}
	o.backs, o.left = o.backs+s.dropped.backs, o.left+s.dropped.left
	return o
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
	for i, step := range steps {
		at[step] = i
	}
	f, _ := frame.Of(map[string][]int64{"step": steps}) // whole numbers are no error
	for _, name := range slices.Sorted(maps.Keys(tags)) {
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
