package controls

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/mathext/prng"

	"nacre/sim"
	"nacre/sim/mujoco"
)

const (
	cheetahSubsteps = 5    // mj_step per control step
	cheetahControl  = 0.05 // weight of the control cost
	cheetahObs      = 20
	cheetahAct      = 6
)

// cheetah is the half-cheetah of PEARL, velocity or direction.
//
// Observation (20): qpos[1:9], qvel[0:9] and the world position of the torso, which MuJoCo leaves at the state before
// the last integration; it includes the absolute x. With x = qpos[0] and v = (x_after - x_before)/0.05 s,
//
//	cheetah-vel: r = -|v - v*| - 0.05·|a|²        v* in m/s
//	cheetah-dir: r = s·v - 0.05·|a|²              s = ±1
//
// An episode starts at qpos0 + U[-0.1, 0.1] per joint, in metres and radians, with velocities 0.1·N(0,1); it never
// ends by itself. Rewards are raw: PEARL multiplies them by 5 in its learner.
type cheetah struct {
	velocity bool
}

func (c cheetah) name() string {
	if c.velocity {
		return "cheetah-vel"
	}
	return "cheetah-dir"
}

func (c cheetah) Spec() sim.Spec {
	return sim.Spec{
		Name: c.name(), ObsDim: cheetahObs, ActDim: cheetahAct, Horizon: 200, TaskDim: 1,
		Source: "oyster half-cheetah on " + physics(),
	}
}

// Available implements sim.Checker.
func (c cheetah) Available() error { return mujoco.Check() }

func (c cheetah) Tasks(_ uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	if c.velocity {
		return velocityTasks(nTrain, nTest)
	}
	if count(nTrain, 2) != 2 || count(nTest, 2) != 2 {
		return nil, nil, sizeError(c.name(), nTrain, nTest, "2 and 2: backward and forward are all there is, for both")
	}
	return directionTasks(), directionTasks(), nil
}

func directionTasks() []sim.Task {
	return []sim.Task{{ID: 0, Params: []float64{-1}}, {ID: 1, Params: []float64{1}}}
}

// velocityTasks cuts the published list: the first nTrain velocities train, the last nTest test. At 100 and 30 these
// are PEARL's own tasks, whatever the seed.
func velocityTasks(nTrain, nTest int) (train, test []sim.Task, err error) {
	list := publishedVelocities()
	tr, te := count(nTrain, 100), count(nTest, 30)
	if tr < 1 || te < 1 || tr+te > len(list) {
		return nil, nil, sizeError("cheetah-vel", nTrain, nTest,
			fmt.Sprintf("at least 1 of each (0 for 100 and 30) and at most %d together, the length of the published list", len(list)))
	}
	cut := func(from, to int) []sim.Task {
		tasks := make([]sim.Task, 0, to-from)
		for i := from; i < to; i++ {
			tasks = append(tasks, sim.Task{ID: i, Params: []float64{list[i]}})
		}
		return tasks
	}
	return cut(0, tr), cut(len(list)-te, len(list)), nil
}

// publishedVelocities returns PEARL's 130 target velocities in m/s, as drawn by NumPy's
// RandomState(1337).uniform(0, 3, 130): Mersenne Twister words in pairs, 27 and 26 bits of them a double in [0,1).
var publishedVelocities = sync.OnceValue(func() []float64 {
	mt := prng.NewMT19937()
	mt.Seed(1337)
	list := make([]float64, 130)
	for i := range list {
		high, low := mt.Uint32()>>5, mt.Uint32()>>6
		list[i] = 3 * ((float64(high)*(1<<26) + float64(low)) / (1 << 53))
	}
	return list
})

func (c cheetah) NewBatch(n int) (sim.Batch, error) {
	model, err := mujoco.LoadXML(HalfCheetahXML())
	if err != nil {
		return nil, fmt.Errorf("controls: %s: %w", c.name(), err)
	}
	chunk, err := model.NewChunk(n)
	if err != nil {
		model.Close()
		return nil, fmt.Errorf("controls: %s: %w", c.name(), err)
	}
	torso, err := model.Body("torso")
	if err != nil {
		chunk.Close()
		model.Close()
		return nil, fmt.Errorf("controls: %s: %w", c.name(), err)
	}
	return &cheetahBatch{
		family: c, model: model, chunk: chunk, torso: torso, dt: model.Sizes().Timestep * cheetahSubsteps,
		task: make([]sim.Task, n), ctrl: make([]float64, n*cheetahAct), before: make([]float64, n),
	}, nil
}

type cheetahBatch struct {
	family cheetah
	model  *mujoco.Model
	chunk  *mujoco.Chunk
	torso  int
	dt     float64 // seconds per control step
	task   []sim.Task
	ctrl   []float64 // n×6, clipped
	before []float64 // x before the step
}

func (b *cheetahBatch) Len() int { return len(b.task) }

func (b *cheetahBatch) Reset(i int, task sim.Task, r *rand.Rand, obs []float64) error {
	if len(task.Params) != 1 || math.IsNaN(task.Params[0]) || math.IsInf(task.Params[0], 0) {
		return b.fail(i, task, fmt.Errorf("the task has the parameters %v, expected one finite number", task.Params))
	}
	b.task[i] = task
	if err := b.chunk.Reset(i); err != nil {
		return b.fail(i, task, err)
	}
	qpos, qvel := b.chunk.QPos(i), b.chunk.QVel(i)
	for j := range qpos {
		qpos[j] += 0.2*r.Float64() - 0.1
	}
	for j := range qvel {
		qvel[j] = 0.1 * r.NormFloat64()
	}
	return b.begin(i, obs)
}

// begin computes what follows from the state just written and reads the first observation.
func (b *cheetahBatch) begin(i int, obs []float64) error {
	if err := b.chunk.Forward(i); err != nil {
		return b.fail(i, b.task[i], err)
	}
	b.observe(i, obs)
	return nil
}

func (b *cheetahBatch) observe(i int, obs []float64) {
	n := copy(obs, b.chunk.QPos(i)[1:])
	n += copy(obs[n:], b.chunk.QVel(i))
	copy(obs[n:], b.chunk.XPos(i, b.torso))
}

func (b *cheetahBatch) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	for i, on := range active {
		if !on {
			continue
		}
		a := act[i*cheetahAct : (i+1)*cheetahAct]
		if err := sim.CheckAction(a); err != nil {
			return b.fail(i, b.task[i], err)
		}
		for j, v := range a {
			b.ctrl[i*cheetahAct+j] = sim.Clip(v)
		}
		b.before[i] = b.chunk.QPos(i)[0]
	}
	if err := b.chunk.Step(active, b.ctrl, cheetahSubsteps); err != nil {
		if at, ok := err.(*mujoco.StepError); ok {
			return b.fail(at.Env, b.task[at.Env], err)
		}
		return fmt.Errorf("controls: %s: %w", b.family.name(), err)
	}
	for i, on := range active {
		if !on {
			continue
		}
		b.observe(i, obs[i*cheetahObs:(i+1)*cheetahObs])
		r := b.reward(i)
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return b.fail(i, b.task[i], fmt.Errorf("the reward is %v; x went from %v to %v", r, b.before[i], b.chunk.QPos(i)[0]))
		}
		out.Reward[i], out.ContextReward[i] = r, r
		out.Done[i], out.Success[i] = false, false
	}
	return nil
}

func (b *cheetahBatch) reward(i int) float64 {
	v := (b.chunk.QPos(i)[0] - b.before[i]) / b.dt
	cost := 0.0
	for _, a := range b.ctrl[i*cheetahAct : (i+1)*cheetahAct] {
		cost += a * a
	}
	goal := b.task[i].Params[0]
	if b.family.velocity {
		return -math.Abs(v-goal) - cheetahControl*cost
	}
	return goal*v - cheetahControl*cost
}

func (b *cheetahBatch) Close() error {
	b.chunk.Close()
	b.model.Close()
	return nil
}

func (b *cheetahBatch) fail(i int, task sim.Task, err error) error {
	return sim.NewError(b.family.name(), task, i, err)
}
