package controls

import (
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/sim"
	"nacre/sim/mujoco"
)

// control is a family on MuJoCo. Its fields hold its differences from the other families; batch holds the common parts.
type control struct {
	name     string
	origin   string // what defines it, for Spec.Source
	xml      func() string
	obs      int
	act      int
	params   int            // length of the task vector
	substeps int            // mj_step per control step
	gain     float64        // control of an actuator at an action of 1
	forces   bool           // contact forces are computed once per control step, after its last mj_step
	vary     []mujoco.Field // fields of the model that the task vector multiplies, in its order

	tasks func(c *control, seed uint64, nTrain, nTest int) (train, test []sim.Task, err error)
	// start adds the noise of an initial state to qpos and qvel of the model's.
	start func(e *env, r *rand.Rand)
	// The reward measures the progress of place, in metres; families that move along x leave y at 0.
	place   func(e *env) [2]float64
	observe func(e *env, obs []float64)
	reward  func(e *env) (r float64, done bool)
}

// Spec implements sim.Family.
func (c *control) Spec() sim.Spec {
	return sim.Spec{
		Name: c.name, ObsDim: c.obs, ActDim: c.act, Horizon: 200, TaskDim: c.params, Source: c.origin +
			" on " + physics(),
		NoSuccess: true,
	}
}

// Available implements sim.Checker.
func (c *control) Available() error { return mujoco.Check() }

// Native implements sim.Native.
func (*control) Native() {}

func (c *control) Tasks(seed uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	return c.tasks(c, seed, nTrain, nTest)
}

func (c *control) NewBatch(n int) (sim.Batch, error) {
	b, err := c.newBatch(n)
	if err != nil {
		return nil, fmt.Errorf("controls: %s: %w", c.name, err)
	}
	return b, nil
}

func (c *control) newBatch(n int) (*batch, error) {
	model, err := mujoco.LoadXML(c.xml())
	if err != nil {
		return nil, err
	}
	b := &batch{control: c, spec: c.Spec(), model: model}
	torso, err := model.Body("torso")
	if err == nil {
		b.chunk, err = model.NewChunk(n, c.vary...)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	if c.forces {
		b.chunk.ContactForces()
	}
	b.ctrl, b.envs = make([]float64, n*c.act), make([]env, n)
	mass := model.Parameters(mujoco.BodyMass)
	for i := range b.envs {
		b.envs[i] = env{
			qpos: b.chunk.QPos(i), qvel: b.chunk.QVel(i), torso: b.chunk.XPos(i, torso), xipos: b.chunk.XIPos(i),
			cinert: b.chunk.CInert(i), cvel: b.chunk.CVel(i), actuators: b.chunk.QFrcActuator(i),
			external: b.chunk.CFrcExt(i), mass: mass, ctrl: b.ctrl[i*c.act : (i+1)*c.act],
			dt: model.Sizes().Timestep * float64(c.substeps),
		}
	}
	return b, nil
}

// env is one environment: its task and MuJoCo's arrays in place. All arrays but qpos and qvel are those of the state
// before the last integration or of its last Runge-Kutta stage: MuJoCo leaves them so and the originals read them so.
type env struct {
	task       sim.Task
	qpos, qvel []float64
	torso      []float64 // its position (3)
	xipos      []float64 // bodies' centres of mass (nbody×3)
	cinert     []float64 // nbody×10
	cvel       []float64 // nbody×6
	actuators  []float64 // actuators' forces on the joints (nv)
	external   []float64 // contact forces on the bodies (nbody×6), zero where they are not computed
	mass       []float64 // of the bodies, as compiled
	ctrl       []float64 // controls of the last step, after clipping and gain
	dt         float64   // seconds per control step

	before, after [2]float64 // place before and after the step
}

// batch implements sim.Batch for every control.
type batch struct {
	control *control
	spec    sim.Spec
	model   *mujoco.Model
	chunk   *mujoco.Chunk
	envs    []env
	ctrl    []float64      // n×act
	shapes  []mujoco.Shape // shapes to draw; nil until a picture is drawn
}

func (b *batch) Len() int { return len(b.envs) }

func (b *batch) Reset(i int, task sim.Task, r *rand.Rand, obs []float64) error {
	e := &b.envs[i]
	e.task = task
	if err := b.control.check(task.Params); err != nil {
		return b.fail(i, err)
	}
	if err := b.chunk.Reset(i); err != nil {
		return b.fail(i, err)
	}
	if b.control.vary != nil {
		for j, v := range task.Params {
			b.chunk.Parameters(i)[j] *= v
		}
	}
	b.control.start(e, r)
	return b.begin(i, obs)
}

// check says what is wrong with a task vector.
func (c *control) check(params []float64) error {
	if len(params) != c.params {
		return fmt.Errorf("the task has %d parameters, expected %d", len(params), c.params)
	}
	for j, v := range params {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the task has the parameters %v; expected a finite number at index %d", params, j)
		}
		if c.vary != nil && v <= 0 {
			return fmt.Errorf("the task has the multiplier %v at index %d; expected a positive number", v, j)
		}
	}
	return nil
}

// begin computes what follows from the state just written and reads the first observation.
func (b *batch) begin(i int, obs []float64) error {
	if err := b.chunk.Forward(i); err != nil {
		return b.fail(i, err)
	}
	b.control.observe(&b.envs[i], obs)
	return nil
}

func (b *batch) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	c := b.control
	if err := sim.CheckRows(len(b.envs), b.spec, active, act, obs); err != nil {
		return err
	}
	for i, on := range active {
		if !on {
			continue
		}
		a, e := act[i*c.act:(i+1)*c.act], &b.envs[i]
		if err := sim.CheckAction(a); err != nil {
			return b.fail(i, err)
		}
		for j, v := range a {
			e.ctrl[j] = c.gain * sim.Clip(v)
		}
		e.before = c.place(e)
	}
	if err := b.chunk.Step(active, b.ctrl, c.substeps); err != nil {
		if at, ok := err.(*mujoco.StepError); ok {
			return b.fail(at.Env, err)
		}
		return fmt.Errorf("controls: %s: %w", c.name, err)
	}
	for i, on := range active {
		if !on {
			continue
		}
		e := &b.envs[i]
		e.after = c.place(e)
		c.observe(e, obs[i*c.obs:(i+1)*c.obs])
		r, done := c.reward(e)
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return b.fail(i, fmt.Errorf("the reward is %v; the position went from %v to %v", r, e.before, e.after))
		}
		out.Reward[i], out.ContextReward[i] = r, r
		out.Done[i], out.Success[i] = done, false
	}
	return nil
}

// QPos returns the joint positions of environment i in place, nq long.
func (b *batch) QPos(i int) []float64 { return b.chunk.QPos(i) }

// Plain implements sim.PlainStepper.
func (b *batch) Plain(act []float64) func() error {
	ctrl := make([]float64, len(act))
	for i, v := range act {
		ctrl[i] = b.control.gain * sim.Clip(v)
	}
	return func() error { return b.chunk.PlainLoop(ctrl, b.control.substeps) }
}

func (b *batch) Close() error {
	if b.chunk != nil {
		b.chunk.Close()
	}
	b.model.Close()
	return nil
}

func (b *batch) fail(i int, err error) error {
	var task sim.Task
	if i >= 0 && i < len(b.envs) {
		task = b.envs[i].task
	}
	return sim.NewError(b.control.name, task, i, err)
}

// along is the place of families that move along x.
func along(e *env) [2]float64 { return [2]float64{e.qpos[0]} }

// uniformStart shifts every element of qpos by U[-0.1, 0.1] and draws every velocity from 0.1·N(0,1).
func uniformStart(e *env, r *rand.Rand) {
	shift(e.qpos, 0.1, r)
	for j := range e.qvel {
		e.qvel[j] = 0.1 * r.NormFloat64()
	}
}

// shift adds U[-width, width] to every element of v.
func shift(v []float64, width float64, r *rand.Rand) {
	for j := range v {
		v[j] += width * (2*r.Float64() - 1)
	}
}

// sum adds n terms in NumPy's order, up to its block of 128: eight running sums, these in pairs, then what is left. So
// rewards equal the originals' to the last bit.
func sum(n int, term func(j int) float64) float64 {
	var s [8]float64
	j := 0
	for ; j+8 <= n; j += 8 {
		for k := range s {
			s[k] += term(j + k)
		}
	}
	total := ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
	for ; j < n; j++ {
		total += term(j)
	}
	return total
}

// squares is |v|².
func squares(v []float64) float64 { return sum(len(v), func(j int) float64 { return v[j] * v[j] }) }

// appendTo copies parts one after the other into obs.
func appendTo(obs []float64, parts ...[]float64) {
	for _, p := range parts {
		obs = obs[copy(obs, p):]
	}
}
