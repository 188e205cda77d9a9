package replay

import (
	"fmt"
	"math/rand/v2"

	"nacre/core"
	"nacre/core/feed"
)

// Sampler makes the draws of a recipe on the host and hands them to programs. From the same stream a feed.Device draws
// the same. After it is made, a Sampler allocates no memory that stays in use. It is not safe for concurrent use.
type Sampler struct {
	plan  feed.Recipe
	tasks []int
	picks []int       // of a draw of a slot
	found []found     // its rows
	noise []input     // in the plan's order
	rows  [][][]input // by draw and set
	slots []input     // with a row per slot
}

// input is the data of an input, row-major.
type input struct {
	feed.Fill
	cols   int
	data   []float32
	before []float32 // of After, the data of Before of the same rows, where there is one
}

// NewSampler makes room for the inputs of a recipe. Its error is that of Recipe.Validate.
func NewSampler(p feed.Recipe) (*Sampler, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	s := &Sampler{plan: p, tasks: make([]int, p.Slots)}
	most := 0
	for _, d := range p.Draws {
		most = max(most, d.Picks())
		s.rows = append(s.rows, make([][]input, d.Sets()))
	}
	s.picks = make([]int, most)
	for _, n := range p.Noise {
		s.noise = append(s.noise, input{Fill: feed.Fill{Input: n.Input}, data: make([]float32, n.N)})
	}
	for _, f := range p.Fills {
		x := input{Fill: f, cols: p.Cols(f), data: make([]float32, p.Rows(f)*p.Cols(f))}
		if f.OfRows() {
			for _, b := range s.rows[f.Draw][f.Which] {
				if f.Field == feed.After && b.Field == feed.Before && b.History == f.History {
					x.before = b.data
				}
			}
			s.rows[f.Draw][f.Which] = append(s.rows[f.Draw][f.Which], x)
		} else {
			s.slots = append(s.slots, x)
		}
	}
	return s, nil
}

// Sample draws an update's data: the tasks of the slots, for each slot all draws of the recipe, then the noise.
// stores[s][i] is the replay of task i in store s of the recipe. The record's tasks stay valid until the next call. The
// error names a task without data.
func (s *Sampler) Sample(r *rand.Rand, stores [][]*Task) (feed.Record, error) {
	s.drawTasks(r)
	return s.sample(r, stores)
}

// SampleTasks is Sample for tasks that the caller has chosen, one for each slot.
func (s *Sampler) SampleTasks(r *rand.Rand, tasks []int, stores [][]*Task) (feed.Record, error) {
	if len(tasks) != len(s.tasks) {
		return feed.Record{}, fmt.Errorf("replay: %d tasks for %d slots, want one for each", len(tasks), len(s.tasks))
	}
	copy(s.tasks, tasks)
	return s.sample(r, stores)
}

// sample makes the draws for the tasks of the slots.
func (s *Sampler) sample(r *rand.Rand, stores [][]*Task) (feed.Record, error) {
	record := feed.Record{Tasks: s.tasks}
	for slot, task := range s.tasks {
		for q, d := range s.plan.Draws {
			t, picks := stores[d.Store][task], s.picks[:d.Picks()]
			if err := t.Draw(r, d, picks); err != nil {
				return record, fmt.Errorf("task %d: %w", task, err)
			}
			count(&record, d, picks)
			s.fill(t, slot, d, s.rows[q], picks)
		}
	}
	for _, x := range s.noise {
		for i := range x.data {
			x.data[i] = float32(r.NormFloat64())
		}
	}
	s.fillSlots()
	return record, nil
}

// count adds the results of a draw to the counts of pairs.
func count(to *feed.Record, d feed.Draw, picks []int) {
	switch d.Kind {
	case feed.WindowPair:
		to.Pairs++
		to.Overlap += overlap(picks)
		if picks[1] < d.N || picks[3] < d.N {
			to.Short++
		}
	case feed.RowPair:
		to.Pairs++
		if picks[0] == picks[d.N] { // of a single transition
			to.Overlap++
			to.Short++
		}
	}
}

// DrawContext draws by the rule of d and writes the transitions, or the first of the windows, into the first d.N rows
// of dst, which must have weights. Rows that a window lacks are zero with weight 0. The record says how many pairs were
// drawn.
func (t *Task) DrawContext(r *rand.Rand, d feed.Draw, nextObs bool, dst Context) (record feed.Record, err error) {
	if err := t.checkDraw(d, nextObs, dst); err != nil {
		return record, err
	}
	picks := make([]int, d.Picks())
	if err := t.Draw(r, d, picks); err != nil {
		return record, err
	}
	count(&record, d, picks)
	if d.Windows() > 0 {
		t.copyWindow(picks[0], picks[1], d.N, nextObs, dst)
		return record, nil
	}
	width := t.dims.ContextWidth(nextObs)
	for k, row := range picks[:d.N] {
		t.contextRow(t.first+int64(row), nextObs, dst.Rows[k*width:(k+1)*width])
		dst.Weights[k] = 1
	}
	return record, nil
}

func (s *Sampler) drawTasks(r *rand.Rand) {
	switch n := s.plan.Tasks; s.plan.Choose {
	case feed.NoTasks:
		for i := range s.tasks {
			s.tasks[i] = i
		}
	case feed.WithReplacement:
		for i := range s.tasks {
			s.tasks[i] = r.IntN(n)
		}
	case feed.WithoutReplacement:
		order := r.Perm(n)
		for i := range s.tasks {
			s.tasks[i] = order[i%n]
		}
	}
}

// fill writes the rows that were drawn from a slot's task.
func (s *Sampler) fill(t *Task, slot int, d feed.Draw, in [][]input, picks []int) {
	at := slot * d.N
	for which, inputs := range in {
		if d.Windows() == 0 {
			s.found = s.found[:0]
			for _, row := range picks[which*d.N : (which+1)*d.N] {
				s.found = append(s.found, t.find(row))
			}
			t.fill(inputs, at, s.found)
			continue
		}
		from, m := picks[2*which], picks[2*which+1]
		s.found = s.found[:0]
		for k := range m {
			s.found = append(s.found, t.find(from+k))
		}
		t.fill(inputs, at, s.found)
		for _, x := range inputs {
			clear(x.data[(at+m)*x.cols : (at+d.N)*x.cols])
		}
	}
}

// found is a stored row, its number and how the trajectory goes on after it.
type found struct {
	row []float32
	n   int64
	end uint8
}

func (t *Task) find(row int) found {
	n := t.first + int64(row)
	data, end := t.row(n)
	return found{data, n, end}
}

// fill writes rows as rows at, at+1, … of inputs.
func (t *Task) fill(in []input, at int, rows []found) {
	d, width := t.dims, t.dims.ContextWidth(false)
	for i := range in {
		x := &in[i]
		cols, to := x.cols, x.data[at*x.cols:(at+len(rows))*x.cols]
		switch x.Field {
		case feed.Obs, feed.Context: // a stored row begins with both
			for k, f := range rows {
				copy(to[k*cols:(k+1)*cols], f.row)
			}
		case feed.Act:
			for k, f := range rows {
				copy(to[k*cols:(k+1)*cols], f.row[d.Obs:])
			}
		case feed.Reward:
			for k, f := range rows {
				to[k] = f.row[width]
			}
		case feed.Done:
			for k, f := range rows {
				to[k] = 0
				if f.end == terminal {
					to[k] = 1
				}
			}
		case feed.NextObs:
			for k, f := range rows {
				copy(to[k*cols:(k+1)*cols], t.nextObs(f.n, f.end))
			}
		case feed.ContextNext:
			for k, f := range rows {
				copy(to[k*cols:], f.row[:width])
				copy(to[k*cols+width:(k+1)*cols], t.nextObs(f.n, f.end))
			}
		case feed.Weight:
			for k := range rows {
				to[k] = 1
			}
		case feed.Before, feed.After:
			for k, f := range rows {
				if x.before != nil { // the same, except for its oldest row
					dst := to[k*cols : (k+1)*cols]
					copy(dst, x.before[(at+k)*cols+width:(at+k+1)*cols])
					copy(dst[cols-width:], f.row[:width])
					continue
				}
				first, _ := t.kept(t.owner(f.n))
				last := f.n
				if x.Field == feed.Before {
					last--
				}
				t.past(first, last, x.History, to[k*cols:(k+1)*cols])
			}
		}
	}
}

// fillSlots writes the inputs that have a row per slot.
func (s *Sampler) fillSlots() {
	for _, x := range s.slots {
		for i, a := range s.tasks {
			row := x.data[i*x.cols : (i+1)*x.cols]
			if x.Field == feed.OfTask {
				copy(row, x.Table[a*x.cols:])
				continue
			}
			for j, b := range s.tasks {
				row[j] = 0
				if i != j && a == b {
					row[j] = x.Value
				}
			}
		}
	}
}

// inputs yields all inputs.
func (s *Sampler) inputs(yield func(input) bool) {
	lists := [][]input{s.noise, s.slots}
	for _, windows := range s.rows {
		lists = append(lists, windows...)
	}
	for _, list := range lists {
		for _, x := range list {
			if !yield(x) {
				return
			}
		}
	}
}

// Input returns the data that the last Sample drew for an input, row-major; nil if the recipe does not fill the input.
// Do not keep the slice.
func (s *Sampler) Input(name string) []float32 {
	for x := range s.inputs {
		if x.Input == name {
			return x.data
		}
	}
	return nil
}

// Write hands the drawn data to a program. If p is not nil, inputs that p does not have are left out.
func (s *Sampler) Write(run core.Runner, p *core.Program) error {
	for x := range s.inputs {
		if p != nil {
			if _, has := p.Inputs[x.Input]; !has {
				continue
			}
		}
		if err := run.Write(x.Input, x.data); err != nil {
			return err
		}
	}
	return nil
}
