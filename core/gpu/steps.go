package gpu

import (
	"slices"

	"nacre/core"
)

// Piece is the part of a parameter that one block of the optimiser's launch steps. Without a transposed copy it has N
// numbers, padding included, from number From on. With a copy it has Rows×Cols numbers from From on, and Cols includes
// the padding; in the copy they begin at number Turned.
type Piece struct {
	Param   int // the version that is stepped
	Source  int // the gradient; for a piece that is only an average, the value towards which it moves
	Adam    *core.Adam
	Slot    int     // the slot of the bias corrections; see Slots
	Average int     // the average that follows the parameter after the step, or -1
	Tau     float64 // the rate of the average
	From, N int

	Rows, Cols, Turned int // Rows is 0 if there is no copy
}

const (
	chunk = 1024 // numbers of a piece
	side  = 32   // side of a square piece
)

// Slots gives every bias correction of Adam a number. The key is the version of a parameter that an Adam step makes.
func (pl *Schedule) Slots() map[int]int {
	slot := map[int]int{}
	for _, u := range pl.Units {
		for _, in := range u.Ticks {
			slot[in.Out] = len(slot)
		}
	}
	return slot
}

// Pieces cuts the steps of a launch into pieces. If an average follows a step of the same launch, it belongs to the
// pieces of the step.
func (pl *Schedule) Pieces(steps []core.Instr, slots map[int]int) []Piece {
	var out []Piece
	for _, in := range steps {
		p := Piece{Param: in.Out, Source: in.In[1], Average: -1}
		switch o := in.Op.(type) {
		case core.Adam:
			p.Adam, p.Slot = &o, slots[in.Out]
			if k := averageOf(steps, in.Out); k >= 0 {
				p.Average, p.Tau = steps[k].Out, steps[k].Op.(core.EMA).Tau
			}
		case core.EMA:
			if slices.ContainsFunc(steps, func(s core.Instr) bool {
				_, adam := s.Op.(core.Adam)
				return adam && s.Out == in.In[1]
			}) {
				continue
			}
			p.Tau = o.Tau
		}
		x := pl.Program.Values[in.Out]
		if pl.options.Transposes && Turns(x.Rows, x.Cols) {
			out = append(out, p.squares(x.Rows, x.Cols)...)
			continue
		}
		for n := x.Rows * Pitch(x.Cols); p.From < n; p.From += chunk {
			p.N = min(chunk, n-p.From)
			out = append(out, p)
		}
	}
	return out
}

// squares cuts the steps of a matrix with a transposed copy.
func (p Piece) squares(rows, cols int) (out []Piece) {
	pitch := Pitch(cols)
	for row := 0; row < rows; row += side {
		for col := 0; col < cols; col += side {
			p.From, p.Turned = row*pitch+col, col*Pitch(rows)+row
			p.Rows, p.Cols = min(side, rows-row), min(side, pitch-col)
			p.N = p.Rows * p.Cols
			out = append(out, p)
		}
	}
	return out
}
