// Package cell tells code in a notebook about the cell it runs in. Pass its context to anything that takes one, such
// as a training run, and interrupting the cell ends it:
//
//	result, err := study.Run(cell.Context(), dir, plan, host, show)
//
// Package display shows its values through the same Cell. Outside a notebook there is none.
package cell

import (
	"context"
	"sync/atomic"
)

// Cell is the running cell as seen from the goroutines that belong to it.
type Cell interface {
	// Context ends when the cell is interrupted.
	Context() context.Context

	// Show shows v. With an id, it is kept under that id; with update, it replaces what was shown under it. A value
	// that cannot be shown is an error, which is shown in its place where that has an id.
	Show(v any, id string, update bool) error

	// Clear removes what the cell has shown so far; with wait, when it shows something next.
	Clear(wait bool)

	// Input asks the user for a line, not shown while it is typed if it is a password. It fails where there is no one
	// to ask.
	Input(prompt string, password bool) (string, error)

	// Control registers a control that the cell shows: set takes the value that the user chose, as JSON, and now says
	// how the control is to be shown and whether its variable has changed since that was asked last. Both are called
	// between cells only. It returns the id under which the control is shown, and how the notebook had the one of that
	// label before, nil where it had none.
	Control(label string, set func(value []byte) error, now func() (shown any, changed bool)) (id string, was []byte)
}

var current atomic.Pointer[func() Cell]

// SetCurrent is for what runs cells: it makes f the way to the cell of the calling goroutine. f returns nil where there
// is none.
func SetCurrent(f func() Cell) { current.Store(&f) }

// Current is the cell the calling goroutine belongs to, nil outside cells. Goroutines that a cell started belong to it,
// also when it has ended.
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
