package sim

import (
	"fmt"
	"math"
)

// Grid places goals in the middle of n equal arcs of the half circle.
func (p point) Grid(n int) ([]Task, error) {
	if n < 1 {
		return nil, fmt.Errorf("sim: %s: a grid of %d tasks; expected at least 1", p.name, n)
	}
	tasks := make([]Task, n)
	for i := range tasks {
		angle := Cell(i, n, 0, math.Pi)
		tasks[i] = Task{ID: i, Params: []float64{math.Cos(angle), math.Sin(angle)}}
	}
	return tasks, nil
}

// Cell returns the middle of cell i if [lo, hi] is cut into n equal cells.
func Cell(i, n int, lo, hi float64) float64 { return lo + (hi-lo)*(float64(i)+0.5)/float64(n) }
