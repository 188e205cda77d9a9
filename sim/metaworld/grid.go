package metaworld

import (
	"fmt"
	"math"

	"nacre/sim"
)

// varies is how wide a side of a point's box must be for a grid to divide it, in metres. Narrower sides are
// Meta-World's way of writing a fixed number.
const varies = 0.02

// Grid implements sim.Gridder. In vectors of six numbers the goal, which comes last, lies in the middle of n equal
// cells of its box, and the object starts at the middle of its own. A vector of three numbers is one point: the goal,
// or a point from which the goal follows. If the goal is fixed and tasks differ by the object, the cells are those of
// the object's box.
//
// The cells are as near to cubes as n allows: 8 goals of push are 4 by 2. Drawn vectors keep a least distance between
// object and goal, but grids do not: it is smaller in some of 8 tasks of box-close, coffee-push, coffee-pull and
// disassemble.
func (f *family) Grid(n int) ([]sim.Task, error) {
	if n < 1 {
		return nil, fmt.Errorf("metaworld: %s: a grid of %d tasks; expected at least 1", f.name(), n)
	}
	w := f.row
	at := max(0, len(w.low)-3)
	if len(sides(w.low[at:], w.high[at:])) == 0 {
		at = 0
	}
	axes := sides(w.low[at:], w.high[at:])
	lengths := make([]float64, len(axes))
	for k, j := range axes {
		lengths[k] = w.high[at+j] - w.low[at+j]
	}
	cells := divide(n, lengths)
	tasks := make([]sim.Task, n)
	for i := range tasks {
		v := make([]float64, len(w.low))
		for j := range v {
			v[j] = sim.Cell(0, 1, w.low[j], w.high[j])
		}
		rest := i
		for k, j := range axes {
			v[at+j] = sim.Cell(rest%cells[k], cells[k], w.low[at+j], w.high[at+j])
			rest /= cells[k]
		}
		tasks[i] = sim.Task{ID: i, Params: v}
	}
	return tasks, nil
}

// sides are the axes along which a box is wide enough to be divided.
func sides(low, high []float64) []int {
	var axes []int
	for j := range low {
		if high[j]-low[j] > varies {
			axes = append(axes, j)
		}
	}
	return axes
}

// divide says into how many cells to cut each side of a box, n cells in all, so that the longest side of a cell is as
// short as it can be.
func divide(n int, lengths []float64) []int {
	if len(lengths) == 1 {
		return []int{n}
	}
	var best []int
	shortest := math.Inf(1)
	for k := 1; k <= n; k++ {
		if n%k != 0 {
			continue
		}
		rest := divide(n/k, lengths[1:])
		longest := lengths[0] / float64(k)
		for j, m := range rest {
			longest = max(longest, lengths[j+1]/float64(m))
		}
		if longest < shortest-1e-9 {
			best, shortest = append([]int{k}, rest...), longest
		}
	}
	return best
}
