package varibad

import (
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/sim"
)

// Adapter returns the agent as it is now. Its belief is updated through all exploration trajectories. Each scored
// trajectory begins with the belief after exploration. If the protocol extends the context, it begins with the belief
// at the end of the trajectory before it.
func (l *Learner) Adapter() protocol.Adapter { return &adapter{l: l} }

type adapter struct {
	l       *Learner
	seeds   []uint64
	members []member
}

// Start implements protocol.Adapter.
func (a *adapter) Start(n int, seeds []uint64) (err error) {
	a.seeds = seeds
	a.members, err = a.l.actor.members(n)
	return err
}

// Policy implements protocol.Adapter.
func (a *adapter) Policy(traj int, explore bool, p protocol.Protocol) (sim.Policy, error) {
	std, err := a.l.actor.std()
	if err != nil {
		return nil, err
	}
	r := &rollout{actor: a.l.actor, members: a.members, std: std, noise: p.Noise(a.seeds, traj)}
	if !explore && !p.Extend {
		r.members = make([]member, len(a.members))
		for i, m := range a.members {
			r.members[i] = m.clone()
		}
	}
	return r, nil
}

// Observe implements protocol.Adapter. All but the last observation has been seen already.
func (a *adapter) Observe(i int, t *sim.Trajectory) error {
	a.members[i].end(t)
	return nil
}

// explorer is a rollout in which every episode is a new trial.
type explorer struct {
	*rollout
	err error
}

// Act implements sim.Policy.
func (e explorer) Act(worker int, episodes, steps []int, obs, act []float64) error {
	if e.err != nil {
		return e.err
	}
	return e.rollout.Act(worker, episodes, steps, obs, act)
}

var _ rl.Encoding = (*Learner)(nil)

// reader is the learner's encoder as an rl.Encoder.
type reader struct {
	*Inference
	actor *actor
}

// Encoder returns the recurrent encoder with its current parameters. Its contexts are transitions in their order.
func (l *Learner) Encoder() rl.Encoder { return reader{l.inference, l.actor} }

func (r reader) NextObs() bool { return true }

// Explorer is the stochastic policy at the beginning of trials.
func (r reader) Explorer(seed uint64, addresses []uint64) sim.Policy {
	members, err := r.actor.members(len(addresses))
	std, failed := r.actor.std()
	if err == nil {
		err = failed
	}
	noise := make([]*rand.Rand, len(addresses))
	for i, a := range addresses {
		noise[i] = rng.New(seed, rng.Action, a)
	}
	return explorer{&rollout{actor: r.actor, members: members, std: std, noise: noise}, err}
}
