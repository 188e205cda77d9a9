// Package cell tells code in a notebook about the cell it runs in. Pass its context to a function that takes one, such
// as a training run. Then interrupting the cell ends that function:
//
//	result, err := study.Run(cell.Context(), dir, plan, host, show)
//
// Package display shows its values through the same Cell. Outside a notebook there is no Cell.
package cell

import (
	"context"
	"sync/atomic"
)

// Cell is the running cell as seen from the goroutines that belong to it.
type Cell interface {
	// Context ends when the cell is interrupted.
	Context() context.Context

	// Show shows v. With an id, v is kept under that id; with update, it replaces what was shown under it. If a value
	// cannot be shown, Show returns an error. If it has an id, the error is shown in its place.
	Show(v any, id string, update bool) error

	// Stream prints text to "stdout" or "stderr" of the cell.
	Stream(name, text string)

	// Captured calls fill when a cell that begins with %%capture has ended, with what it printed and showed.
	Captured(fill func(stdout, stderr string, shown []map[string]any))

	// Clear removes everything that the cell has shown so far. With wait it does so when the cell next shows something.
	Clear(wait bool)

	// Input asks the user for a line. If the line is a password, it is not shown while it is typed. Input returns an
	// error if there is nobody to ask.
	Input(prompt string, password bool) (string, error)

	// Control registers a control that the cell shows. The function called set takes the value that the user chose, as
	// JSON. The function called now returns how the control is to be shown, and whether its variable has changed since
	// the last call. Both are called only between cells. Control returns the id under which the control is shown, and
	// the earlier state of a control with the same label, nil if there was none.
	Control(label string, set func(value []byte) error, now func() (shown any, changed bool)) (id string, was []byte)
}

var current atomic.Pointer[func() Cell]

// SetCurrent is called by the code that runs cells. From then on f is used to find the cell of the calling goroutine. f
// returns nil if there is none.
func SetCurrent(f func() Cell) { current.Store(&f) }

// Current is the cell to which the calling goroutine belongs, nil outside cells. Goroutines that a cell started belong
// to it, even after it has ended.
func Current() Cell {
	if f := current.Load(); f != nil {
		return (*f)()
	}
	return nil
}

// Context is the context of the current cell: it ends when the cell is interrupted. Outside a notebook it is
// context.Background().
func Context() context.Context {
	if c := Current(); c != nil {
		return c.Context()
	}
	return context.Background()
}
