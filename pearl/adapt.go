package pearl

import (
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/rl/belief"
	"nacre/rl/protocol"
	"nacre/sim"
)

// Adapter lets the current policy and encoder adapt to tasks under an evaluation protocol: exploration trajectories act
// with z from the prior, later trajectories with z from the posterior of all transitions seen so far. Every adaptation
// has its own belief. It begins with the prior or with the belief that Carry kept.
type Adapter struct {
	l        *Learner
	seeds    []uint64
	contexts [][]float32
	first    belief.Gaussian   // what exploration acts on
	last     []belief.Gaussian // what was acted on after it
}

var _ protocol.Carrier = (*Adapter)(nil)

// Adapter returns the agent in its present state.
func (l *Learner) Adapter() protocol.Adapter {
	return &Adapter{l: l, first: belief.Prior(l.cfg.Latent)}
}

// Start implements protocol.Adapter.
func (a *Adapter) Start(n int, seeds []uint64) error {
	a.seeds = seeds
	a.contexts, a.last = make([][]float32, n), nil
	return nil
}

// Carry implements protocol.Carrier.
func (a *Adapter) Carry() error {
	if len(a.last) > 0 {
		a.first = a.last[0]
	}
	return nil
}

// Policy implements protocol.Adapter.
func (a *Adapter) Policy(traj int, explore bool, p protocol.Protocol) (sim.Policy, error) {
	n := len(a.seeds)
	beliefs := make([]belief.Gaussian, n)
	if explore {
		for i := range beliefs {
			beliefs[i] = a.first
		}
	} else {
		contexts, err := a.cropped(traj, p.ContextLimit)
		if err != nil {
			return nil, err
		}
		if beliefs, err = a.l.infer.Posteriors(contexts); err != nil {
			return nil, err
		}
		a.last = beliefs
	}
	z := make([][]float64, n)
	var noise []uint64
	for i, b := range beliefs {
		if !explore && (p.Z == "mean" || a.l.cfg.Points) {
			z[i] = b.Mean
		} else {
			z[i] = b.Sample(a.stream(i, rng.Latent, traj))
		}
		if !p.Deterministic {
			noise = append(noise, a.stream(i, rng.Action, traj).Uint64())
		}
	}
	return policy(a.l.actor, z, 0, noise), nil // noise addresses come from each adaptation's own seed
}

// stream is the random stream of adaptation i for one purpose and trajectory.
func (a *Adapter) stream(i int, purpose uint64, traj int) *rand.Rand {
	return rng.New(a.seeds[i], rng.Eval, purpose, uint64(traj))
}

// cropped returns each adaptation's context, limited to a random subset of limit rows where limit is not 0, so that
// the posterior is as wide as those seen in training.
func (a *Adapter) cropped(traj, limit int) ([][]float32, error) {
	w := a.l.nets.Encoder.Width()
	out := make([][]float32, len(a.contexts))
	for i, c := range a.contexts {
		out[i] = c
		if rows := len(c) / w; limit > 0 && rows > limit {
			out[i] = make([]float32, 0, limit*w)
			for _, row := range a.stream(i, rng.Window, traj).Perm(rows)[:limit] {
				out[i] = append(out[i], c[row*w:(row+1)*w]...)
			}
		}
	}
	return out, nil
}

// Observe implements protocol.Adapter.
func (a *Adapter) Observe(i int, t *sim.Trajectory) error {
	a.contexts[i] = a.l.dims.AppendContext(a.contexts[i], t, a.l.cfg.NextObsInContext)
	return nil
}
