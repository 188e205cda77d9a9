package controls

import (
	"fmt"
	"math"

	"nacre/sim"
)

// spread is a control whose tasks can be spread evenly over their range; it implements sim.Gridder.
type spread struct {
	*control
	at func(i, n int) []float64 // task i of n
}

// Grid returns n evenly spread tasks: target velocities in the middle of n equal parts of [0, 3] m/s, directions at n
// equal angles, goals at n equal angles on the circle of radius 2 m.
func (s spread) Grid(n int) ([]sim.Task, error) {
	if n < 1 {
		return nil, fmt.Errorf("controls: %s: a grid of %d tasks; expected at least 1", s.name, n)
	}
	tasks := make([]sim.Task, n)
	for i := range tasks {
		tasks[i] = sim.Task{ID: i, Params: s.at(i, n)}
	}
	return tasks, nil
}

// evenly adds the spread of the families that have one. The families of two tasks have no more, and the walker's 65
// multipliers have no line to be spread along.
func evenly(c *control) sim.Family {
	switch c.name {
	case "cheetah-vel":
		return spread{c, func(i, n int) []float64 { return []float64{sim.Cell(i, n, 0, 3)} }}
	case "humanoid-dir", "humanoid-dir" + zeroContact:
		return spread{c, func(i, n int) []float64 { return []float64{sim.Cell(i, n, 0, 2*math.Pi)} }}
	case "ant-goal", "ant-goal" + zeroContact:
		return spread{c, func(i, n int) []float64 {
			sin, cos := math.Sincos(sim.Cell(i, n, 0, 2*math.Pi))
			return []float64{2 * cos, 2 * sin}
		}}
	}
	return c
}
