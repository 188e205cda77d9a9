package metaworld

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"nacre/sim"
	"nacre/sim/mujoco"
)

const (
	substeps  = 5    // mj_step per control step of 1/80 s
	moveScale = 0.01 // metres the hand's target moves at an action of 1
)

// downwards is the orientation the hand keeps.
var downwards = quat{1, 0, 1, 0}

// batch implements sim.Batch for every family.
type batch struct {
	family *family
	spec   sim.Spec
	row    *row
	model  *mujoco.Model // shared
	sizes  mujoco.Sizes
	chunk  *mujoco.Chunk
	envs   []env
	ctrl   []float64 // n×(2 fingers, 3 mocap position, 4 mocap quaternion)
	ids    [kinds]map[string]int
}

// NewBatch implements sim.Family.
func (f *family) NewBatch(n int) (sim.Batch, error) {
	b, err := f.newBatch(n)
	if err != nil {
		return nil, fmt.Errorf("metaworld: %s: %w", f.name(), err)
	}
	return b, nil
}

func (f *family) newBatch(n int) (*batch, error) {
	if err := mujoco.Check(); err != nil {
		return nil, err
	}
	model, err := f.scene.open()
	if err != nil {
		return nil, err
	}
	b := &batch{family: f, spec: f.Spec(), row: f.row, model: model, sizes: model.Sizes()}
	if b.chunk, err = model.NewChunk(n, mujoco.BodyPos, mujoco.SitePos); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	if b.sizes.NU != 2 || b.sizes.NMocap != 1 {
		return nil, errors.Join(fmt.Errorf("the scene %s has %d actuators and %d mocap bodies, expected 2 and 1",
			f.row.scene, b.sizes.NU, b.sizes.NMocap), b.Close())
	}
	b.chunk.DriveMocap()
	if f.row.era.forward {
		b.chunk.ForwardAfterStep()
	}
	b.ctrl, b.envs = make([]float64, n*controls), make([]env, n)
	for k := range b.ids {
		b.ids[k] = map[string]int{}
	}
	for i := range b.envs {
		if err := b.bind(i); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	return b, nil
}

const controls = 2 + 7

// bind takes the views of environment i.
func (b *batch) bind(i int) error {
	e := &b.envs[i]
	e.batch, e.i = b, i
	body := func(name string) []float64 { return b.chunk.XPos(i, e.id(bodies, name)) }
	site := func(name string) []float64 { return b.chunk.SiteXPos(i, e.id(sites, name)) }
	e.hand = body("hand")
	if b.row.era.pads {
		e.leftClaw, e.rightClaw, e.leftPad, e.rightPad = body("leftclaw"), body("rightclaw"), body("leftpad"),
			body("rightpad")
	}
	e.leftFinger, e.rightFinger = site("leftEndEffector"), site("rightEndEffector")
	e.qpos, e.qvel, e.ctrl = b.chunk.QPos(i), b.chunk.QVel(i), b.chunk.Ctrl(i)
	e.mocap, e.mocapQuat = b.chunk.MocapPos(i), b.chunk.MocapQuat(i)
	return e.err
}

// Len implements sim.Batch.
func (b *batch) Len() int { return len(b.envs) }

// Reset implements sim.Batch. The random stream is used only where the hand's start varies or the vector is drawn anew:
// else a task has one start.
func (b *batch) Reset(i int, task sim.Task, r *rand.Rand, obs []float64) error {
	e := &b.envs[i]
	e.task, e.err = task, nil
	if err := b.row.check(task.Params); err != nil {
		return b.fail(i, err)
	}
	var err error
	switch {
	case b.family.vary:
		err = b.begin(i, task.Params, task.Params, b.row.startNear(r))
	case b.family.redraw:
		uniform := func(low, high float64) float64 { return low + float64((high-low)*r.Float64()) }
		before := b.row.draw(uniform)
		err = b.begin(i, before, b.row.draw(uniform), b.row.start)
	default:
		err = b.usual(i)
	}
	if err != nil {
		return b.fail(i, err)
	}
	e.before = e.now
	b.row.era.write(e, obs)
	return nil
}

// usual puts environment i at the start of its task, which is made once and kept.
func (b *batch) usual(i int) error {
	e, scene := &b.envs[i], b.family.scene
	k := keyOf(e.task.Params)
	if known, ok := scene.known(k); ok {
		e.memo, e.now = known.memo, known.now
		return b.chunk.Restore(i, known.snapshot)
	}
	if err := b.begin(i, e.task.Params, e.task.Params, b.row.start); err != nil {
		return err
	}
	snapshot, err := b.chunk.Save(i)
	if err != nil {
		return err
	}
	scene.keep(k, start{snapshot, e.memo, e.now})
	return nil
}

// begin makes the start of vector v in environment i with the hand at a point. It goes through the reset of the Python
// class twice, clearing the state in between: what the first pass, with the vector of the episode before, moves in the
// model, the second finds already computed.
func (b *batch) begin(i int, before, v []float64, hand vec3) error {
	e := &b.envs[i]
	e.memo = memo{hand0: hand}
	if err := b.chunk.Reset(i); err != nil {
		return err
	}
	b.arrive(e, before, b.row.era.handSteps)
	e.keep(b.chunk.ResetState(i))
	b.arrive(e, v, b.row.era.handSteps)
	e.observe()
	return e.err
}

// startNear draws where the hand starts when that varies.
func (w *row) startNear(r *rand.Rand) vec3 {
	at, low := w.start, w.handBox()
	for j := range at {
		at[j] = clamp(at[j]+handSpread*(2*r.Float64()-1), low[j], handHigh[j])
	}
	return at
}

// handBox is the lower corner of the hand's box; handHigh is the upper one of all.
func (w *row) handBox() vec3 {
	if w.handLow == (vec3{}) {
		return handLow
	}
	return w.handLow
}

// arrive is one pass of the reset: the hand goes to its start with an open gripper, in so many mj_step, then the scene
// is set for vector v.
func (b *batch) arrive(e *env, v []float64, steps int) {
	copy(e.mocap, e.hand0[:])
	copy(e.mocapQuat, downwards[:])
	e.ctrl[0], e.ctrl[1] = -1, 1
	e.advance(steps)
	e.tcp0 = e.tcp()
	b.row.reset(e, v)
}

// Step implements sim.Batch.
func (b *batch) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	if err := sim.CheckRows(len(b.envs), b.spec, active, act, obs); err != nil {
		return err
	}
	for i, on := range active {
		if !on {
			continue
		}
		if err := b.aim(i, act[i*actDim:(i+1)*actDim]); err != nil {
			return b.fail(i, err)
		}
	}
	if err := b.chunk.Step(active, b.ctrl, substeps); err != nil {
		if at, ok := errors.AsType[*mujoco.StepError](err); ok {
			return b.fail(at.Env, err)
		}
		return fmt.Errorf("metaworld: %s: %w", b.family.name(), err)
	}
	for i, on := range active {
		if !on {
			continue
		}
		e := &b.envs[i]
		e.observe()
		if err := b.judge(i, out); err != nil {
			return err
		}
		b.row.era.write(e, obs[i*b.spec.ObsDim:(i+1)*b.spec.ObsDim])
	}
	return nil
}

// aim turns an action of environment i into a row of controls: where the mocap body goes, which pulls the hand, and how
// the fingers close.
func (b *batch) aim(i int, a []float64) error {
	if err := sim.CheckAction(a); err != nil {
		return err
	}
	e := &b.envs[i]
	for j, v := range a {
		e.act[j] = sim.Clip(v)
	}
	b.row.control(e.act, point(e.mocap), b.ctrl[i*controls:(i+1)*controls])
	return nil
}

// control writes the controls of an action taken while the mocap body is at from.
func (w *row) control(act [actDim]float64, from vec3, to []float64) {
	low := w.handBox()
	to[0], to[1] = act[3], -act[3]
	for j := range 3 {
		to[2+j] = clamp(from[j]+act[j]*moveScale, low[j], handHigh[j])
	}
	copy(to[5:], downwards[:])
}

// QPos returns the joint positions of environment i in place, nq long.
func (b *batch) QPos(i int) []float64 { return b.chunk.QPos(i) }

// Plain implements sim.PlainStepper.
func (b *batch) Plain(act []float64) func() error {
	n := len(b.envs)
	ctrl := make([]float64, len(act)/actDim*controls)
	for i := range b.envs {
		at := point(b.envs[i].mocap)
		for k := i; k < len(act)/actDim; k += n {
			to := ctrl[k*controls : (k+1)*controls]
			b.row.control([actDim]float64(act[k*actDim:]), at, to)
			at = point(to[2:])
		}
	}
	return func() error { return b.chunk.PlainLoop(ctrl, substeps) }
}

// Close implements sim.Batch.
func (b *batch) Close() error {
	if b.chunk != nil {
		b.chunk.Close()
	}
	if b.model != nil {
		b.model = nil
		b.family.scene.close()
	}
	return nil
}

func (b *batch) fail(i int, err error) error {
	var task sim.Task
	if i >= 0 && i < len(b.envs) {
		task = b.envs[i].task
	}
	return sim.NewError(b.family.name(), task, i, err)
}
