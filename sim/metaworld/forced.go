package metaworld

import (
	"fmt"
	"math"

	"nacre/sim"
)

// What package verify needs to compare formulas where the physics library is another than the reference's: see
// sim.Forcible.

// ResetFrom implements sim.Forcible: hand is the state one mj_step before the hand arrives at its start.
func (b *batch) ResetFrom(i int, task sim.Task, hand sim.State, obs []float64) error {
	e := &b.envs[i]
	e.task, e.err = task, nil
	if err := b.row.check(task.Params); err != nil {
		return b.fail(i, err)
	}
	e.memo = memo{hand0: b.row.start}
	if err := b.chunk.Reset(i); err != nil {
		return b.fail(i, err)
	}
	b.arrive(e, task.Params, b.row.era.handSteps)
	e.keep(b.chunk.ResetState(i))
	if e.err == nil {
		e.keep(b.SetState(i, hand, obs))
	}
	copy(b.chunk.Warmstart(i), hand.Warmstart)
	b.arrive(e, task.Params, 1)
	e.observe()
	e.before = e.now
	b.row.era.write(e, obs)
	if e.err != nil {
		return b.fail(i, e.err)
	}
	return nil
}

// Evaluate returns the reward of a step with action act that led environment i into its present state.
func (b *batch) Evaluate(i int, act []float64, out *sim.StepResult) error {
	if len(act) != actDim {
		return b.fail(i, fmt.Errorf("an action of %d numbers, expected %d", len(act), actDim))
	}
	if err := sim.CheckAction(act); err != nil {
		return b.fail(i, err)
	}
	for j, v := range act {
		b.envs[i].act[j] = sim.Clip(v)
	}
	return b.judge(i, out)
}

// judge writes reward and success of environment i in the state just observed.
func (b *batch) judge(i int, out *sim.StepResult) error {
	e := &b.envs[i]
	if b.row.era.bounded {
		limit(&e.before)
		limit(&e.now)
	}
	reward := b.row.v1
	if b.family.version == v2 {
		reward = b.row.v2
	}
	r, success := reward(e)
	if e.err == nil && (math.IsNaN(r) || math.IsInf(r, 0)) {
		e.err = fmt.Errorf("the reward is %v; the hand is at %v and the object at %v", r, e.handAt(), e.object())
	}
	if e.err != nil {
		return b.fail(i, e.err)
	}
	out.Reward[i], out.ContextReward[i] = r, r
	out.Done[i], out.Success[i] = false, success
	return nil
}
