package kernel

import (
	"go/token"
	"maps"
	"slices"

	"nacre/kernel/internal/cells"
)

// history holds what must be known of the runs of a session to say which cells are stale. Runs and moves of controls
// are numbered together, from 1. It is guarded by session.info.
type history struct {
	clock int
	cells map[string]*ran              // the last run of each of the notebook's cells
	wrote map[string]map[string][2]int // last two runs that changed a name, by name and cell, the latest first
	moved map[string]map[string]int    // last time that a control changed a name, by name and cell
	held  map[string]cells.Effects     // effects of calls of the functions in each variable
}

// ran is the last run of a cell.
type ran struct {
	code     string
	declares map[string]string // by its text
	number   int
	cells.Effects
}

func newHistory() history {
	return history{cells: map[string]*ran{}, wrote: map[string]map[string][2]int{}, moved: map[string]map[string]int{},
		held: map[string]cells.Effects{}}
}

// note keeps what the run of a cell reads and changes. If a cell uses a variable with functions, note assumes that it
// calls them.
func (h *history) note(cell, code string, declares map[string]string, e cells.Effects) {
	h.clock++
	var called []string
	for name := range e.Uses {
		if _, own := e.Held[name]; !own { // the functions that it writes down are looked at where they stand
			called = append(called, name)
		}
	}
	seen := map[string]bool{}
	for len(called) > 0 {
		name := called[0]
		if called = called[1:]; seen[name] {
			continue
		}
		seen[name] = true
		if f, ok := h.held[name]; ok {
			e.Add(f)
			called = slices.AppendSeq(called, maps.Keys(f.Uses))
		}
	}
	for name := range e.Whole {
		delete(h.held, name)
	}
	for name, f := range e.Held {
		if before, more := h.held[name]; more {
			f.Add(before)
		}
		h.held[name] = f
	}
	if cell != "" {
		h.cells[cell] = &ran{code, declares, h.clock, e}
	}
	for name := range e.Writes {
		if h.wrote[name] == nil {
			h.wrote[name] = map[string][2]int{}
		}
		h.wrote[name][cell] = [2]int{h.clock, h.wrote[name][cell][0]}
	}
}

// refused keeps that a cell did not compile. A change of any of its names may help it.
func (h *history) refused(cell, code string) {
	e := cells.Effects{Reads: map[string]bool{}}
	for tok, text := range cells.Names(code) {
		if tok == token.IDENT {
			e.Reads[text] = true
		}
	}
	var declares map[string]string // what it declared when it last ran is still there
	if r := h.cells[cell]; r != nil {
		declares = r.declares
	}
	h.note(cell, code, declares, e)
}

// move notes that a control of a cell has changed variables.
func (h *history) move(cell string, names []string) {
	h.clock++
	for _, name := range names {
		if h.moved[name] == nil {
			h.moved[name] = map[string]int{}
		}
		h.moved[name][cell] = h.clock
	}
}

// changed returns the names that have changed since the run of a cell that read them. A name's value is true if only
// the cell's own controls have changed it. A change by a cell below counts only if that cell has run twice after this
// run. So a run of all cells from the top leaves no cell stale.
func (h *history) changed(cell string, r *ran, position int, at map[string]int) map[string]bool {
	because := map[string]bool{}
	for name := range r.Reads {
		for writer, runs := range h.wrote[name] {
			if writer == cell || runs[0] <= r.number {
				continue
			}
			if k, here := at[writer]; here && k > position && (runs[1] <= r.number || r.Writes[name]) {
				continue
			}
			because[name] = false
		}
		for mover, number := range h.moved[name] {
			if mover != cell && number > r.number {
				because[name] = false
			}
		}
	}
	for name := range r.Reads {
		if h.gone(name, at) {
			because[name] = false
		}
	}
	for name := range r.Uses {
		if _, known := because[name]; !known && h.moved[name][cell] > r.number {
			because[name] = true
		}
	}
	return because
}

// gone reports whether cells defined a name that none of the notebook defines any more.
func (h *history) gone(name string, at map[string]int) bool {
	for cell := range h.wrote[name] {
		r := h.cells[cell]
		_, here := at[cell]
		if cell == "" || here && r != nil && r.declares[name] != "" { // a console's has no text
			return false
		}
	}
	return h.wrote[name] != nil
}

// pending is the cell above, stale or edited, that is to change a name; "" if there is none.
func (h *history) pending(name string, above []Source, out []Staleness) string {
	for k, c := range slices.Backward(above) {
		r := h.cells[c.ID]
		if r == nil || !r.Writes[name] {
			continue
		}
		if out[k].Edited || len(out[k].Because) > 0 && !out[k].Own {
			return c.ID
		}
		if r.Whole[name] {
			return ""
		}
	}
	return ""
}
