package gpu

import (
	"fmt"

	"nacre/core"
	"nacre/core/feed"
)

// Drawing is how a device draws the data of updates by itself: which results every draw leaves and where, how much of the
// stream of random numbers an update takes, and what each input of a program is filled with.
type Drawing struct {
	feed.Plan
	Picks   []Pick // by draw
	PerSlot int    // integers that the draws of a slot leave
	Noises  int    // normals of an update
	// Raws is how much of the stream is made in advance, all at once. Rejections take more of it, one in a hundred normals
	// and hardly ever an integer; what is beyond is made where it is needed.
	Raws int
}

// Pick is one draw: its results stand from At on among those of its slot. They are rows, or of a window its first row
// and its length.
type Pick struct {
	feed.Draw
	At int
}

// NewDrawing plans what p draws; p must be valid.
func NewDrawing(p feed.Plan) (*Drawing, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	d := &Drawing{Plan: p}
	for _, draw := range p.Draws {
		d.Picks = append(d.Picks, Pick{draw, d.PerSlot})
		switch draw.Kind {
		case feed.Independent:
			d.PerSlot += draw.N
		case feed.Window:
			d.PerSlot += 2
		default:
			d.PerSlot += 4
		}
	}
	for _, n := range p.Noise {
		d.Noises += n.N
	}
	d.Raws = p.Tasks + p.Slots*(1+d.PerSlot) + d.Noises*17/16 + 1024
	return d, nil
}

// FillKind says what a Fill puts into an input.
type FillKind int

const (
	Columns     FillKind = iota // columns of the drawn rows: from Column on up to Split, then the next observation's
	Weights                     // 1 for a row, 0 for one that a window lacks
	TaskTable                   // row of Table of the slot's task
	TaskPairs                   // Same where two slots have one task, else 0
	NoiseFrom                   // normals from number Base on
	PastColumns                 // of Windows rows before each, the last one back by Split
)

// Fill is one input of a program and what it is filled with, Rows×Cols.
type Fill struct {
	Kind       FillKind
	Value      int // the input
	Rows, Cols int

	Pick          int // index of Drawing.Picks
	Which         int // of a pick's windows; -1 where its rows are independent
	Column, Split int
	Windows       int
	Base          int
	Same          float32
	Table         []float32 // Tasks rows of Cols
}

// Fills lists what is to be filled of a program's inputs. The error names the input whose shape is not the plan's.
func (d *Drawing) Fills(p *core.Program) ([]Fill, error) {
	var out []Fill
	base := 0
	for _, n := range d.Noise {
		if v, ok := p.Inputs[n.Input]; ok {
			f := newFill(p, v)
			f.Kind, f.Base = NoiseFrom, base
			if f.Rows*f.Cols != n.N {
				return nil, fmt.Errorf("input %q holds %d×%d numbers, noise is %d", n.Input, f.Rows, f.Cols, n.N)
			}
			out = append(out, f)
		}
		base += n.N
	}
	for _, from := range d.Plan.Fills {
		v, ok := p.Inputs[from.Input]
		if !ok {
			continue
		}
		f := newFill(p, v)
		rows, cols, err := d.describe(&f, from)
		if err != nil {
			return nil, err
		}
		if f.Rows != rows || cols > 0 && f.Cols != cols {
			return nil, fmt.Errorf("input %q is %d×%d, the plan fills %d×%d", from.Input, f.Rows, f.Cols, rows, cols)
		}
		out = append(out, f)
	}
	return out, nil
}

func newFill(p *core.Program, v int) Fill {
	x := p.Values[v]
	return Fill{Value: v, Rows: x.Rows, Cols: x.Cols, Which: -1, Windows: 1}
}

// describe completes a fill and tells the shape the plan means; 0 columns are any number.
func (d *Drawing) describe(to *Fill, f feed.Fill) (rows, cols int, err error) {
	switch f.Field {
	case feed.OfTask:
		to.Kind, to.Table = TaskTable, f.Table
		if len(f.Table) != d.Tasks*to.Cols {
			return 0, 0, fmt.Errorf("input %q: a table of %d numbers for %d tasks, %d each", f.Input, len(f.Table), d.Tasks, to.Cols)
		}
		return d.Slots, to.Cols, nil
	case feed.SameTask:
		to.Kind, to.Same = TaskPairs, f.Value
		return d.Slots, d.Slots, nil
	}
	draw := d.Draws[f.Draw]
	to.Pick = f.Draw
	if draw.Kind != feed.Independent {
		to.Which = f.Which
	}
	rows = d.Slots * draw.N
	columns := func(from, n int) (int, int, error) {
		to.Column, to.Split = from, n
		return rows, n, nil
	}
	switch f.Field {
	case feed.Obs:
		return columns(0, d.Obs)
	case feed.Act:
		return columns(d.Obs, d.Act)
	case feed.Reward:
		return columns(d.Context(), 1)
	case feed.Done:
		return columns(d.Context()+1, 1)
	case feed.Context:
		return columns(0, d.Context())
	case feed.ContextNext:
		columns(0, d.Context())
		return rows, d.Context() + d.Obs, nil
	case feed.NextObs:
		return rows, d.Obs, nil
	case feed.Weight:
		to.Kind = Weights
		return rows, 1, nil
	case feed.Before, feed.After:
		to.Kind, to.Windows = PastColumns, to.Cols/d.Context()
		if f.Field == feed.Before {
			to.Split = 1
		}
		return rows, to.Windows * d.Context(), nil
	}
	return 0, 0, fmt.Errorf("input %q: no field has the number %d", f.Input, f.Field)
}
