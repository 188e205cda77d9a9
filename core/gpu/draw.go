package gpu

import (
	"fmt"

	"nacre/core"
	"nacre/core/feed"
)

// Drawing says how a device draws the data of updates by itself. It says which results every draw has and where they
// lie, how much of the stream of random numbers an update takes, and with what each input of a program is filled.
type Drawing struct {
	feed.Recipe
	Picks   []Pick // one entry for each draw
	PerSlot int    // number of integers that the draws of one slot produce
	Noises  int    // number of normals that an update takes
	// Raws is how many numbers of the stream are made in advance, all at once. Rejected draws take more of the stream:
	// about one normal in a hundred is rejected, an integer hardly ever. Numbers beyond Raws are made when they are
	// needed.
	Raws int
}

// Pick is one draw. Its results are Draw.Picks integers. They begin at number At among the results of the slot.
type Pick struct {
	feed.Draw
	At int
}

// NewDrawing plans the draws of p, which must be valid.
func NewDrawing(p feed.Recipe) (*Drawing, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	d := &Drawing{Recipe: p}
	for _, draw := range p.Draws {
		d.Picks = append(d.Picks, Pick{draw, d.PerSlot})
		d.PerSlot += draw.Picks()
	}
	for _, n := range p.Noise {
		d.Noises += n.N
	}
	blocks, length := d.Walks()
	d.Raws = p.Tasks + p.Slots*(1+d.PerSlot) + blocks*BlockSize*length + 512
	return d, nil
}

// Walks cuts the stream of an update's normals into blocks of BlockSize parts. Each lane walks through one part, number
// by number, so parts are short. Each part has as many numbers as the result length says. Together the parts have more
// numbers than needed, because some are rejected.
func (d *Drawing) Walks() (blocks, length int) {
	const most, short = 64, 16
	n := d.Noises + d.Noises/16 + 4*BlockSize
	blocks = min(most, max(1, n/(short*BlockSize)))
	return blocks, CeilDiv(n, blocks*BlockSize)
}

// FillKind says what a Fill puts into an input.
type FillKind int

const (
	// The drawn rows. Columns below Split are copied from the row, beginning at its column Column. The others are
	// copied from the row's next observation.
	Columns  FillKind = iota
	Weight            // 1 for a row, 0 for one that a window lacks
	OfTask            // the row of Table that belongs to the slot's task
	TaskMask          // Masked if two slots have one task, else 0
	Noise             // normals from number Base on
	// for each drawn row, the context rows before it: Fill.Windows of them side by side, of which the last lies
	// Fill.Split rows before the drawn one
	History
)

// Fill is one input of a program, Rows×Cols, and the data with which it is filled.
type Fill struct {
	Kind       FillKind
	Value      int // the input
	Rows, Cols int

	Pick int // index of Drawing.Picks
	// the number of the pick's window; -1 if the pick has independent rows, which begin at result number Skip of the
	// pick
	Which         int
	Skip          int
	Column, Split int
	Windows       int
	Base          int
	Masked        float32
	Table         []float32 // Tasks rows of Cols numbers
}

// Fills lists the inputs of a program that are to be filled. The error names an input that has another shape than its
// data.
func (d *Drawing) Fills(p *core.Program) ([]Fill, error) {
	var out []Fill
	base := 0
	for _, n := range d.Recipe.Noise {
		if v, ok := p.Inputs[n.Input]; ok {
			f := newFill(p, v)
			f.Kind, f.Base = Noise, base
			if f.Rows*f.Cols != n.N {
				return nil, fmt.Errorf("input %q holds %d×%d numbers, noise is %d", n.Input, f.Rows, f.Cols, n.N)
			}
			out = append(out, f)
		}
		base += n.N
	}
	for _, from := range d.Recipe.Fills {
		v, ok := p.Inputs[from.Input]
		if !ok {
			continue
		}
		f := newFill(p, v)
		d.describe(&f, from)
		if rows, cols := d.Rows(from), d.Cols(from); f.Rows != rows || f.Cols != cols {
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

// describe completes the fill `to`.
func (d *Drawing) describe(to *Fill, f feed.Fill) {
	if f.OfRows() {
		to.Pick = f.Draw
		switch draw := d.Draws[f.Draw]; {
		case draw.Windows() > 0:
			to.Which = f.Which
		default:
			to.Skip = f.Which * draw.N
		}
	}
	switch f.Field {
	case feed.Obs:
		to.Column, to.Split = 0, d.Obs
	case feed.Act:
		to.Column, to.Split = d.Obs, d.Act
	case feed.Reward:
		to.Column, to.Split = d.Context(), 1
	case feed.Done:
		to.Column, to.Split = d.Context()+1, 1
	case feed.NextObs:
		to.Column, to.Split = 0, 0
	case feed.Context, feed.ContextNext:
		to.Column, to.Split = 0, d.Context()
	case feed.Weight:
		to.Kind = Weight
	case feed.Before:
		to.Kind, to.Windows, to.Split = History, f.History, 1
	case feed.After:
		to.Kind, to.Windows = History, f.History
	case feed.OfTask:
		to.Kind, to.Table = OfTask, f.Table
	case feed.TaskMask:
		to.Kind, to.Masked = TaskMask, f.Value
	}
}
