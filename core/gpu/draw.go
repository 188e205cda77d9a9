package gpu

import (
	"fmt"

	"nacre/core"
	"nacre/core/feed"
)

// Drawing is how a device draws the data of updates by itself: which results every draw leaves and where, how much of
// the stream of random numbers an update takes, and what each input of a program is filled with.
type Drawing struct {
	feed.Recipe
	Picks   []Pick // by draw
	PerSlot int    // integers that the draws of a slot leave
	Noises  int    // normals of an update
	// Raws is how much of the stream is made in advance, all at once. Rejections take more of it, one in a hundred
	// normals and hardly ever an integer; what is beyond is made where it is needed.
	Raws int
}

// Pick is one draw: its results, Draw.Picks integers, stand from At on among those of its slot.
type Pick struct {
	feed.Draw
	At int
}

// NewDrawing plans what p draws; p must be valid.
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

// Walks is how the stream of an update's normals is cut for lanes that walk through it side by side: into blocks of
// BlockSize parts of length numbers, with room for rejections. Parts are short, since a lane goes number by number.
func (d *Drawing) Walks() (blocks, length int) {
	const most, short = 64, 16
	n := d.Noises + d.Noises/16 + 4*BlockSize
	blocks = min(most, max(1, n/(short*BlockSize)))
	return blocks, CeilDiv(n, blocks*BlockSize)
}

// FillKind says what a Fill puts into an input.
type FillKind int

const (
	Columns  FillKind = iota // columns of the drawn rows: from Column on up to Split, then the next observation's
	Weight                   // 1 for a row, 0 for one that a window lacks
	OfTask                   // row of Table of the slot's task
	TaskMask                 // Masked where two slots have one task, else 0
	Noise                    // normals from number Base on
	History                  // columns of Windows rows before each, the last one back by Split
)

// Fill is one input of a program and what it is filled with, Rows×Cols.
type Fill struct {
	Kind       FillKind
	Value      int // the input
	Rows, Cols int

	Pick int // index of Drawing.Picks
	// of a pick's windows; -1 where its rows are independent, which then begin at Skip of the pick's results
	Which         int
	Skip          int
	Column, Split int
	Windows       int
	Base          int
	Masked        float32
	Table         []float32 // Tasks rows of Cols
}

// Fills lists what is to be filled of a program's inputs. The error names the input whose shape is not the plan's.
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

// describe completes a fill.
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
