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

// Starter is implemented by families whose episodes of one task all start alike and that can draw the start instead.
// Where many episodes of a task are compared, a fixed start makes them more alike than the task does.
type Starter interface {
	// VaryStart returns the family with the start of every episode drawn from the stream that Reset is given. Tasks and
	// what they place stay as they are. The returned family is not registered.
	VaryStart() Family
}

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

// Cell is the middle of cell i of n equal cells of [lo, hi].
func Cell(i, n int, lo, hi float64) float64 { return lo + (hi-lo)*(float64(i)+0.5)/float64(n) }
