package controls

import (
	"fmt"
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/sim"
)

// pair makes the two tasks that are all of a family, the same for training and test.
func pair(first, second float64) func(*control, uint64, int, int) (train, test []sim.Task, err error) {
	list := func() []sim.Task {
		return []sim.Task{{ID: 0, Params: []float64{first}}, {ID: 1, Params: []float64{second}}}
	}
	return func(c *control, _ uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
		if count(nTrain, 2) != 2 || count(nTest, 2) != 2 {
			return nil, nil, sizeError(c.name, nTrain, nTest,
				"2 and 2: backward and forward are all there is, for both")
		}
		return list(), list(), nil
	}
}

// drawn makes tasks of families whose originals draw them without a seed. A task depends on the seed, on train or
// test, and on its position there, so asking for more tasks keeps the earlier ones.
func drawn(train, test int, draw func(r *rand.Rand) []float64) func(*control, uint64, int, int) (
	_, _ []sim.Task, err error) {
	return func(c *control, seed uint64, nTrain, nTest int) (_, _ []sim.Task, err error) {
		if nTrain < 0 || nTest < 0 {
			return nil, nil, sizeError(c.name, nTrain, nTest, fmt.Sprintf("at least 1 of each, or 0 for %d and %d",
				train, test))
		}
		nTrain, nTest = count(nTrain, train), count(nTest, test)
		tasks := make([]sim.Task, 0, nTrain+nTest)
		for part, n := range []int{nTrain, nTest} {
			for i := range n {
				r := rng.New(seed, rng.Tasks, uint64(part), uint64(i))
				tasks = append(tasks, sim.Task{ID: len(tasks), Params: draw(r)})
			}
		}
		return tasks[:nTrain:nTrain], tasks[nTrain:], nil
	}
}

// count returns n, or def where n is 0.
func count(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

func sizeError(name string, nTrain, nTest int, expected string) error {
	return fmt.Errorf("controls: %s: %d train and %d test tasks; expected %s", name, nTrain, nTest, expected)
}
