package gpu

import (
	"slices"

	"nacre/core"
)

// Piece is the part of a parameter that one block of the optimiser's launch steps: N numbers of its storage, padding
// included, from number From on; or, where a transposed copy is kept beside it, Rows×Cols of it from there on, Cols
// with padding, which stand from Turned on in the copy.
type Piece struct {
	Param   int // the version that is stepped
	Source  int // the gradient, or of a mere average what it moves towards
	Adam    *core.Adam
	Slot    int     // of the bias corrections; see Slots
	Average int     // the parameter that follows after the step, or -1
	Tau     float64 // of the average
	From, N int

	Rows, Cols, Turned int // Rows is 0 where there is no copy
}

const (
	chunk = 1024 // numbers of a piece
	side  = 32   // of a piece that is square
)

// Slots numbers the bias corrections of a plan: by the version of a parameter that an Adam step makes.
func (pl *Schedule) Slots() map[int]int {
	slot := map[int]int{}
	for _, u := range pl.Units {
		for _, in := range u.Ticks {
			slot[in.Out] = len(slot)
		}
	}
	return slot
}

// Pieces cuts the steps of a unit. An average that follows a step of the same unit is part of the step's pieces.
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
