package controls

import (
	"fmt"

	"nacre/sim"
)

// Grid returns n target velocities in the middle of n equal parts of [0, 3] m/s for cheetah-vel, and the two
// directions for cheetah-dir, which has no more.
func (c cheetah) Grid(n int) ([]sim.Task, error) {
	if !c.velocity {
		if n != 2 {
			return nil, fmt.Errorf("controls: %s has 2 tasks; a grid of %d was asked for", c.name(), n)
		}
		return directionTasks(), nil
	}
	if n < 1 {
		return nil, fmt.Errorf("controls: %s: a grid of %d tasks; expected at least 1", c.name(), n)
	}
	tasks := make([]sim.Task, n)
	for i := range tasks {
		tasks[i] = sim.Task{ID: i, Params: []float64{sim.Cell(i, n, 0, 3)}}
	}
	return tasks, nil
}
