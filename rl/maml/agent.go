package maml

import (
	"fmt"
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/rl/protocol"
	"nacre/sim"
)

// Adapter returns the current agent: it explores with θ and takes one inner step on all explored data.
func (l *Learner) Adapter() protocol.Adapter { return &agent{l: l} }

// agent adapts to several tasks at a time.
type agent struct {
	l       *Learner
	seeds   []uint64
	context [][]sim.Trajectory // by adaptation
	fresh   bool               // the slots hold θ' of the current contexts
}

// Start implements protocol.Adapter.
func (a *agent) Start(n int, seeds []uint64) error {
	theta, err := a.l.meta.theta()
	if err != nil {
		return err
	}
	a.seeds, a.context, a.fresh = seeds, make([][]sim.Trajectory, n), false
	return a.l.actor.Load(0, theta)
}

// Policy implements protocol.Adapter.
func (a *agent) Policy(traj int, explore bool, p protocol.Protocol) (sim.Policy, error) {
	slots := make([]int, len(a.context))
	if !explore && len(a.context[0]) > 0 {
		if err := a.adapt(p); err != nil {
			return nil, err
		}
		for i := range slots {
			slots[i] = 1 + i
		}
	}
	var noise []*rand.Rand
	if explore || !p.Deterministic { // at the mean action the inner step has no gradient of the mean
		for _, seed := range a.seeds {
			noise = append(noise, rng.New(seed, rng.Eval, rng.Action, uint64(traj)))
		}
	}
	return a.l.actor.Policy(slots, noise), nil
}

// adapt takes the inner step of every adaptation from θ on its context, if contexts have changed since.
func (a *agent) adapt(p protocol.Protocol) (err error) {
	if a.fresh {
		return nil
	}
	m, step := a.l.model, a.l.adapt
	m.paths = len(a.context[0])
	if p.Horizon > 0 {
		m.horizon = p.Horizon
	}
	if m.paths != a.l.model.paths || m.horizon != a.l.model.horizon {
		if step, err = m.newAdaptation(a.l.device, a.l.mem, a.l.seed); err != nil {
			return err
		}
		defer step.close()
	}
	batch := m.newBatch()
	for i, context := range a.context {
		if err := step.prepare(crop(context, p.ContextLimit), false, batch); err != nil {
			return fmt.Errorf("adaptation %d: %w", i, err)
		}
		if _, err := step.step(batch); err != nil {
			return err
		}
		if err := a.l.actor.Load(1+i, step.theta); err != nil {
			return err
		}
	}
	a.fresh = true
	return nil
}

// crop keeps the first limit transitions of a context; 0 keeps all.
func crop(context []sim.Trajectory, limit int) []sim.Trajectory {
	if limit == 0 {
		return context
	}
	var out []sim.Trajectory
	for _, t := range context {
		t.Len = min(t.Len, limit)
		if limit -= t.Len; t.Len > 0 {
			out = append(out, t)
		}
	}
	return out
}

// Observe implements protocol.Adapter.
func (a *agent) Observe(i int, t *sim.Trajectory) error {
	a.context[i], a.fresh = append(a.context[i], *t), false
	return nil
}
