// Package notebook connects packages that cells import, such as display, with the kernel that runs the cells. Outside
// a kernel there is no cell, and those packages fall back to the terminal.
package notebook

import (
	"context"
	"sync/atomic"
)

// Cell is the running cell as seen from the goroutines that belong to it.
type Cell interface {
	// Context ends when the cell is interrupted.
	Context() context.Context

	// Show shows v. With an id, it is kept under that id; with update, it replaces what was shown under it.
	Show(v any, id string, update bool)

	Clear(wait bool)
	Input(prompt string, password bool) (string, error)
}

var current atomic.Pointer[func() Cell]

// SetCurrent makes f the way to the cell of the calling goroutine; f returns nil where there is none.
func SetCurrent(f func() Cell) { current.Store(&f) }

// Current is the cell the calling goroutine belongs to, nil outside cells.
func Current() Cell {
	if f := current.Load(); f != nil {
		return (*f)()
	}
	return nil
}
