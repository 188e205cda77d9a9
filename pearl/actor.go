package pearl

import (
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/belief"
	"nacre/core"
	"nacre/internal/rng"
	"nacre/sim"
)

// Actor runs the policy network during rollouts, one runner per simulation worker, batched over the environments
// the worker steps.
type Actor struct {
	nets    Networks
	rows    int // environments per worker at most
	workers []actorWorker
}

type actorWorker struct {
	run          core.Runner
	obs, z       []float64
	mean, logStd []float64
}

// NewActor loads the policy for the given number of simulation workers of rows environments each.
func NewActor(d core.Device, m core.Memory, n Networks, workers, rows int) (*Actor, error) {
	b := core.NewBuilder("pearl.act", 1)
	s := b.Stage("act")
	mean, logStd := n.head(s, s.ConcatCols(s.Input("obs", rows, n.obs), s.Input("z", rows, n.z)))
	s.Output("mean", mean)
	s.Output("log_std", logStd)
	p, err := b.Compile()
	if err != nil {
		return nil, err
	}
	a := &Actor{nets: n, rows: rows}
	for range workers {
		run, err := d.Load(p, m)
		if err != nil {
			a.Close()
			return nil, err
		}
		a.workers = append(a.workers, actorWorker{
			run: run, obs: make([]float64, rows*n.obs), z: make([]float64, rows*n.z),
			mean: make([]float64, rows*n.act), logStd: make([]float64, rows*n.act),
		})
	}
	return a, nil
}

// Policy acts with latent z[i] in episode i: tanh of the mean, or of a draw where noise is given. noise[i]
// addresses episode i's stream of action noise under seed.
func (a *Actor) Policy(z [][]float64, seed uint64, noise []uint64) sim.Policy {
	p := &rollout{actor: a, z: z}
	for _, n := range noise {
		p.noise = append(p.noise, rng.New(seed, rng.Action, n))
	}
	return p
}

// Close gives the runners back.
func (a *Actor) Close() error {
	var first error
	for _, w := range a.workers {
		if err := w.run.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// rollout is the policy of one set of episodes.
type rollout struct {
	actor *Actor
	z     [][]float64
	noise []*rand.Rand // nil: deterministic
}

// Act implements sim.Policy.
func (p *rollout) Act(worker int, episodes, _ []int, obs, act []float64) error {
	w, n := &p.actor.workers[worker], p.actor.nets
	if len(episodes) > p.actor.rows {
		return fmt.Errorf("pearl: %d environments in one call, the actor was made for %d", len(episodes), p.actor.rows)
	}
	copy(w.obs, obs[:len(episodes)*n.obs])
	for k, e := range episodes {
		copy(w.z[k*n.z:(k+1)*n.z], p.z[e])
	}
	if err := w.infer(); err != nil {
		return err
	}
	for k, e := range episodes {
		for j := range n.act {
			i := k*n.act + j
			u := w.mean[i]
			if p.noise != nil {
				u += math.Exp(w.logStd[i]) * p.noise[e].NormFloat64()
			}
			act[i] = math.Tanh(u)
		}
	}
	return nil
}

func (w *actorWorker) infer() error {
	if err := w.run.Write64("obs", w.obs); err != nil {
		return err
	}
	if err := w.run.Write64("z", w.z); err != nil {
		return err
	}
	if err := w.run.Run(); err != nil {
		return err
	}
	if err := w.run.Read64("mean", w.mean); err != nil {
		return err
	}
	return w.run.Read64("log_std", w.logStd)
}

// ExplorePolicy explores with z from the prior, drawn anew for each episode, and stochastic actions; addresses name
// the episodes' random streams under seed.
func (l *Learner) ExplorePolicy(seed uint64, addresses []uint64) sim.Policy {
	z := make([][]float64, len(addresses))
	for i, a := range addresses {
		z[i] = belief.Prior(l.cfg.Latent).Sample(rng.New(seed, rng.Latent, a))
	}
	return l.actor.Policy(z, seed, addresses)
}
