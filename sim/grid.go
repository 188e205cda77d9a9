package sim

import (
	"fmt"
	"math"
)

// Gridder is implemented by families that can spread tasks evenly over their range, for pictures and tables of how
// well tasks are told apart: neighbouring tasks are equally far from each other, which randomly drawn ones are not.
type Gridder interface {
	// Grid returns n ≥ 1 evenly spread tasks, with IDs from 0. They are neither train nor test tasks.
	Grid(n int) ([]Task, error)
}

// Grid places dense goals in the middle of the cells of a grid of n cells over [-1,1]², as square as n allows and
// wider than high, and sparse ones in the middle of n equal arcs of the half circle.
func (p point) Grid(n int) ([]Task, error) {
	if n < 1 {
		return nil, fmt.Errorf("sim: %s: a grid of %d tasks; expected at least 1", p.name, n)
	}
	rows := 1
	for r := 2; r*r <= n; r++ {
		if n%r == 0 {
			rows = r
		}
	}
	cols := n / rows
	tasks := make([]Task, n)
	for i := range tasks {
		goal := []float64{Cell(i%cols, cols, -1, 1), Cell(i/cols, rows, -1, 1)}
		if p.sparse {
			a := Cell(i, n, 0, math.Pi)
			goal = []float64{math.Cos(a), math.Sin(a)}
		}
		tasks[i] = Task{ID: i, Params: goal}
	}
	return tasks, nil
}

// Cell is the middle of cell i of n equal cells of [lo, hi].
func Cell(i, n int, lo, hi float64) float64 { return lo + (hi-lo)*(float64(i)+0.5)/float64(n) }
