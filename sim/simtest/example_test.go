package simtest_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/sim"
	"nacre/sim/simtest"
)

// pointMass is a mass on a line that an action pushes towards the task's goal: v += a/10, then x += v/10.
type pointMass struct{}

func (pointMass) Spec() sim.Spec {
	return sim.Spec{Name: "point-mass", ObsDim: 2, ActDim: 1, Horizon: 100, TaskDim: 1,
		Source: "a mass on a line, in Go"}
}

func (pointMass) Tasks(seed uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	if nTrain < 0 || nTest < 0 {
		return nil, nil, fmt.Errorf("point-mass: %d train and %d test tasks; expected at least 1, or 0 for 20 and 5",
			nTrain, nTest)
	}
	nTrain, nTest = cmp.Or(nTrain, 20), cmp.Or(nTest, 5)
	r := rand.New(rand.NewPCG(seed, 0))
	tasks := make([]sim.Task, nTrain+nTest)
	for i := range tasks {
		tasks[i] = sim.Task{ID: i, Params: []float64{2*r.Float64() - 1}}
	}
	return tasks[:nTrain:nTrain], tasks[nTrain:], nil
}

func (pointMass) NewBatch(n int) (sim.Batch, error) {
	return &masses{x: make([]float64, n), v: make([]float64, n), task: make([]sim.Task, n)}, nil
}

// Act is optional: it makes pointMass a sim.Controller.
func (pointMass) Act(task sim.Task, obs, act []float64) {
	act[0] = sim.Clip(10*(task.Params[0]-obs[0]) - 5*obs[1])
}

// masses are the environments of one worker.
type masses struct {
	x, v []float64
	task []sim.Task
}

func (b *masses) Len() int { return len(b.x) }

func (b *masses) Reset(i int, task sim.Task, r *rand.Rand, obs []float64) error {
	if len(task.Params) != 1 {
		return sim.NewError("point-mass", task, i, fmt.Errorf("the task has %d parameters, expected a goal of 1",
			len(task.Params)))
	}
	b.task[i], b.x[i], b.v[i] = task, r.Float64()-0.5, 0
	obs[0], obs[1] = b.x[i], b.v[i]
	return nil
}

func (b *masses) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	if err := sim.CheckRows(len(b.x), pointMass{}.Spec(), active, act, obs); err != nil {
		return err
	}
	for i, on := range active {
		if !on {
			continue
		}
		if err := sim.CheckAction(act[i : i+1]); err != nil {
			return sim.NewError("point-mass", b.task[i], i, err)
		}
		b.v[i] += sim.Clip(act[i]) / 10
		b.x[i] += b.v[i] / 10
		obs[2*i], obs[2*i+1] = b.x[i], b.v[i]
		far := math.Abs(b.x[i] - b.task[i].Params[0])
		out.Reward[i], out.ContextReward[i] = -far, -far
		out.Done[i], out.Success[i] = false, far < 0.05
	}
	return nil
}

func (b *masses) Close() error { return nil }

// A whole family, and the suite's word on it. To make it one of the program, register it in its package's init with
// sim.Builtin and put the package into sim/families; a cell calls sim.Define.
func Example() {
	fmt.Println(simtest.Check(pointMass{}))
	// Output: <nil>
}
