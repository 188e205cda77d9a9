// Package cell tells code in a notebook about the cell it runs in. Pass its context to anything that takes one, such
// as a training run, and interrupting the cell ends it:
//
//	result, err := study.Run(cell.Context(), dir, plan, host, show)
package cell

import (
	"context"

	"nacre/internal/notebook"
)

// Context is the context of the running cell: it ends when the cell is interrupted. Goroutines that a cell started get
// that of their cell, also when the cell has ended. Outside a notebook it is context.Background().
func Context() context.Context {
	if c := notebook.Current(); c != nil {
		return c.Context()
	}
	return context.Background()
}
