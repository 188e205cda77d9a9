//go:build mujoco && cgo

package sim_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/sim"
	"nacre/sim/mujoco"
	"nacre/sim/simtest"
)

const arm = `<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body><joint name="hinge" axis="0 0 1" damping="0.5"/>
  <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05" mass="1"/></body></worldbody><actuator><motor joint="hinge" gear="2"/></actuator></mujoco>`

// turn is a family of our own: turn a damped arm to an angle, which is the task.
type turn struct{}

func (turn) Spec() sim.Spec {
	return sim.Spec{Name: "turn", ObsDim: 2, ActDim: 1, Horizon: 100, TaskDim: 1, Source: "own arm on MuJoCo " +
		mujoco.Version()}
}
func (turn) Tasks(seed uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	if nTrain < 0 || nTest < 0 {
		return nil, nil, fmt.Errorf("turn: %d train and %d test tasks; expected at least 1, or 0 for one",
			nTrain, nTest)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	tasks := make([]sim.Task, max(nTrain, 1)+max(nTest, 1))
	for i := range tasks {
		tasks[i] = sim.Task{ID: i, Params: []float64{math.Pi * (2*r.Float64() - 1)}}
	}
	return tasks[:max(nTrain, 1)], tasks[max(nTrain, 1):], nil
}
func (turn) NewBatch(n int) (sim.Batch, error) {
	model, err := mujoco.LoadXML(arm)
	if err != nil {
		return nil, err
	}
	chunk, err := model.NewChunk(n)
	return &turns{model, chunk, make([]sim.Task, n), make([]float64, n), turn{}.Spec()}, err
}

type turns struct {
	model *mujoco.Model
	chunk *mujoco.Chunk
	task  []sim.Task
	ctrl  []float64
	spec  sim.Spec
}

func (b *turns) Len() int { return len(b.task) }
func (b *turns) Reset(i int, task sim.Task, _ *rand.Rand, obs []float64) error {
	b.task[i] = task
	if len(task.Params) != 1 {
		return sim.NewError("turn", task, i, fmt.Errorf("the task has %d parameters, expected an angle",
			len(task.Params)))
	}
	clear(obs)
	return b.chunk.Reset(i)
}
func (b *turns) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	if err := sim.CheckRows(b.Len(), b.spec, active, act, obs); err != nil {
		return err
	}
	for i, on := range active {
		if !on {
			continue
		}
		if err := sim.CheckAction(act[i : i+1]); err != nil {
			return sim.NewError("turn", b.task[i], i, err)
		}
		b.ctrl[i] = sim.Clip(act[i])
	}
	if err := b.chunk.Step(active, b.ctrl, 5); err != nil {
		return err
	}
	for i := range b.task {
		if angle := b.chunk.QPos(i)[0]; active[i] {
			obs[2*i], obs[2*i+1] = angle, b.chunk.QVel(i)[0]
			out.Reward[i] = -math.Abs(angle - b.task[i].Params[0])
			out.ContextReward[i], out.Success[i], out.Done[i] = out.Reward[i], -out.Reward[i] < 0.05, false
		}
	}
	return nil
}
func (b *turns) Close() error { b.chunk.Close(); b.model.Close(); return nil }
func (turn) Act(task sim.Task, obs, act []float64) { // optional: a controller that is told the task
	act[0] = sim.Clip(5*(task.Params[0]-obs[0]) - 2*obs[1])
}

// A family of one's own from one's own MJCF: a value with Spec, Tasks and NewBatch, and batches with five methods.
func Example_ownFamily() {
	fmt.Println(sim.Define(turn{}), simtest.Check(turn{}))
	pool, _ := sim.NewPool(turn{}, 2, 4)
	defer pool.Close()
	episodes := []sim.Episode{{Task: sim.Task{Params: []float64{2}}}, {Task: sim.Task{Params: []float64{-1}}}}
	policy, _ := sim.GoalPolicy(turn{}, episodes)
	trajectories, _ := pool.Rollout(context.Background(), episodes, policy, 0)
	for _, t := range trajectories {
		fmt.Println(t.Len, t.Success, math.Abs(float64(t.Obs[2*t.Len])-t.Task.Params[0]) < 1e-3)
	}
	// Output:
	// <nil> <nil>
	// 100 true true
	// 100 true true
}
