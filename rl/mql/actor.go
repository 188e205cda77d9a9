package mql

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"nacre/core"
)

// inference is an actor loaded for a number of rows.
type inference struct {
	run              core.Runner
	obs, before, act []float64
}

func newInference(d core.Device, p *core.Program, m core.Memory, n Networks, rows int) (*inference, error) {
	run, err := d.Load(p, m)
	if err != nil {
		return nil, err
	}
	x := terms{n: n}
	return &inference{
		run: run, obs: make([]float64, rows*x.obs()), before: make([]float64, rows*x.history()),
		act: make([]float64, rows*x.act()),
	}, nil
}

// actors are the actor as it is trained, for each simulation worker.
type actors struct {
	nets    Networks
	rows    int // environments per worker at most
	workers []*inference
}

func newActors(d core.Device, m core.Memory, n Networks, workers, rows int) (*actors, error) {
	program, err := actProgram(n, rows)
	if err != nil {
		return nil, err
	}
	a := &actors{nets: n, rows: rows}
	for range workers {
		w, err := newInference(d, program, m, n, rows)
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		a.workers = append(a.workers, w)
	}
	return a, nil
}

// Close gives the runners back.
func (a *actors) Close() error {
	var errs []error
	for _, w := range a.workers {
		errs = append(errs, w.run.Close())
	}
	return errors.Join(errs...)
}

// slot is an actor with its own parameters, for one row at a time.
type slot struct {
	mem core.Memory
	*inference
}

// loadSlot sets the parameters of slot i, in the order of the actor's Specs, and makes the slot if need be.
func (l *Learner) loadSlot(i int, values [][]float64) error {
	specs := l.nets.actor.Specs()
	if i == len(l.slots) {
		program, err := actProgram(l.nets, 1)
		if err != nil {
			return err
		}
		m, err := l.device.NewMemory(specs)
		if err != nil {
			return err
		}
		own, err := newInference(l.device, program, m, l.nets, 1)
		if err != nil {
			return err
		}
		l.slots = append(l.slots, slot{m, own})
	}
	for k, p := range specs {
		if err := l.slots[i].mem.Write(p.Name, values[k]); err != nil {
			return err
		}
	}
	return nil
}

// rollout is the policy of one set of episodes. It implements sim.Watcher: an episode's history grows as it goes.
// Before an episode begins, its history is one row (o₀, a, 0) with a random action a.
type rollout struct {
	actors *actors
	own    []*inference // actor of each episode if actors differ; nil means the worker's actor
	first  [][]float64  // random action at the beginning of each episode's history
	noise  []*rand.Rand // random stream of each episode; nil for deterministic actions
	scale  float64      // deviation of the noise

	history [][]float64 // history of each episode: window × (o, a, r)
	last    [][]float64 // (o, a) of the present step of each episode
}

// newRollout makes the policy of len(seeds) episodes; seeds draw the first row's action.
func (l *Learner) newRollout(seeds []*rand.Rand, noise []*rand.Rand, own []*inference) *rollout {
	x, n := terms{n: l.nets}, len(seeds)
	r := &rollout{actors: l.actors, own: own, noise: noise, scale: l.cfg.ExplorationNoise}
	for i := range n {
		r.first = append(r.first, firstAction(seeds[i], x.act(), l.cfg.ExplorationNoise))
		r.history = append(r.history, make([]float64, x.history()))
		r.last = append(r.last, make([]float64, x.obs()+x.act()))
	}
	return r
}

// firstAction is the random action at the beginning of a history.
func firstAction(r *rand.Rand, n int, deviation float64) []float64 {
	a := make([]float64, n)
	for j := range a {
		a[j] = min(max(deviation*r.NormFloat64(), -1), 1)
	}
	return a
}

// Act implements sim.Policy.
func (r *rollout) Act(worker int, episodes, steps []int, obs, act []float64) error {
	if len(episodes) > r.actors.rows {
		return fmt.Errorf("mql: %d environments in one call, the actor was made for %d", len(episodes), r.actors.rows)
	}
	x := terms{n: r.actors.nets}
	o, a := x.obs(), x.act()
	for k, e := range episodes {
		if steps[k] == 0 {
			clear(r.history[e])
			copy(r.last[e], obs[k*o:(k+1)*o])
			copy(r.last[e][o:], r.first[e])
			r.append(e, 0)
		}
	}
	if r.own == nil {
		if err := r.infer(r.actors.workers[worker], episodes, obs, act); err != nil {
			return err
		}
	} else {
		for k := range episodes {
			if err := r.infer(r.own[episodes[k]], episodes[k:k+1], obs[k*o:(k+1)*o], act[k*a:(k+1)*a]); err != nil {
				return err
			}
		}
	}
	for k, e := range episodes {
		for j := range a {
			if r.noise != nil {
				act[k*a+j] = min(max(act[k*a+j]+r.scale*r.noise[e].NormFloat64(), -1), 1)
			}
		}
		copy(r.last[e], obs[k*o:(k+1)*o])
		copy(r.last[e][o:], act[k*a:(k+1)*a])
	}
	return nil
}

// infer writes the deterministic actions of the rows of episodes.
func (r *rollout) infer(w *inference, episodes []int, obs, act []float64) error {
	copy(w.obs, obs)
	for k, e := range episodes {
		copy(w.before[k*len(r.history[e]):], r.history[e])
	}
	if err := w.run.Write64("obs", w.obs); err != nil {
		return err
	}
	if err := w.run.Write64("before", w.before); err != nil {
		return err
	}
	if err := w.run.Run(); err != nil {
		return err
	}
	if err := w.run.Read64("act", w.act); err != nil {
		return err
	}
	copy(act, w.act)
	return nil
}

// Watch implements sim.Watcher.
func (r *rollout) Watch(_ int, episodes, _ []int, reward []float64) error {
	for k, e := range episodes {
		r.append(e, reward[k])
	}
	return nil
}

// append puts the last step, with its reward, at the end of an episode's history.
func (r *rollout) append(e int, reward float64) {
	h, row := r.history[e], len(r.last[e])+1
	copy(h, h[row:])
	copy(h[len(h)-row:], r.last[e])
	h[len(h)-1] = reward
}
