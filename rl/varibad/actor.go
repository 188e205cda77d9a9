package varibad

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/core"
	"nacre/sim"
)

// actor runs encoder and policy during rollouts, one worker of it per simulation worker.
type actor struct {
	nets    Networks
	mem     core.Memory
	rows    int    // environments per worker at most
	out     string // the policy's output
	workers []actorWorker
}

type actorWorker struct {
	belief  *Inference
	act     core.Runner
	x, mean []float64 // mean: or logits
	moved   []*believer
}

// newActor loads the policy's program, x → mean or logits by rows, and the encoder's for every worker.
func newActor(d core.Device, m core.Memory, n Networks, workers, rows int) (*actor, error) {
	b := core.NewBuilder("varibad.act", rows)
	s := b.Stage("act")
	out := n.policy.Parts(rows)[0].Name
	s.Output(out, n.policy.Apply(s, n.policy.Nodes(s), s.Input("x", rows, n.policy.Net.In)).Parts()[0])
	program, err := b.Compile()
	if err != nil {
		return nil, err
	}
	a := &actor{nets: n, mem: m, rows: rows, out: out}
	for range workers {
		w := actorWorker{x: make([]float64, rows*n.policy.Net.In), mean: make([]float64, rows*n.policy.Net.Out)}
		if w.belief, err = NewInference(d, m, n.Encoder, rows); err != nil {
			return nil, errors.Join(err, a.Close())
		}
		w.act, err = d.Load(program, m)
		if err != nil {
			return nil, errors.Join(err, w.belief.Close(), a.Close())
		}
		a.workers = append(a.workers, w)
	}
	return a, nil
}

// Close gives the programs' buffers back.
func (a *actor) Close() error {
	var errs []error
	for _, w := range a.workers {
		errs = append(errs, w.belief.Close(), w.act.Close())
	}
	return errors.Join(errs...)
}

// std reads the standard deviations of the actions; there are none if they are discrete.
func (a *actor) std() ([]float64, error) {
	p := a.nets.policy
	if p.Discrete() {
		return nil, nil
	}
	x := make([]float64, p.Net.Out)
	if err := a.mem.Read(p.LogStd().Name, x); err != nil {
		return nil, err
	}
	for j := range x {
		x[j] = math.Exp(max(x[j], p.MinLogStd))
	}
	return x, nil
}

// member is an agent in a trial: its belief, and the transition the encoder has not seen because its end is not known.
type member struct {
	believer
	row   []float64 // (o, a, r, o')
	open  bool      // row is such a transition
	ended bool      // o' is in it: the episode is over
	seen  []float32 // the policy's inputs, step by step
}

// members makes n agents at the beginning of a trial.
func (a *actor) members(n int) ([]member, error) {
	bs, err := a.workers[0].belief.start(n)
	if err != nil {
		return nil, err
	}
	out := make([]member, n)
	for i, b := range bs {
		out[i] = member{believer: b, row: make([]float64, a.nets.Encoder.Width())}
	}
	return out, nil
}

func (m member) clone() member {
	m.h, m.mean, m.logVar = append([]float64(nil), m.h...), append([]float64(nil), m.mean...),
		append([]float64(nil), m.logVar...)
	m.row, m.seen = append([]float64(nil), m.row...), nil
	return m
}

// end tells the observation that the episode ended with, which no action follows.
func (m *member) end(t *sim.Trajectory) {
	obs := len(t.Obs) / (t.Len + 1)
	for j, v := range t.Obs[t.Len*obs:] {
		m.row[len(m.row)-obs+j] = float64(v)
	}
	m.ended = true
}

// rollout is the policy of the next episode of several trials; it implements sim.Watcher. Episode i moves members[i].
type rollout struct {
	actor   *actor
	members []member
	std     []float64
	noise   []*rand.Rand // one stream per episode; nil: deterministic
	keep    bool         // the policy's inputs
}

// Act implements sim.Policy: the transition before is seen, then the policy acts on the observation and the belief.
func (r *rollout) Act(worker int, episodes, steps []int, obs, act []float64) error {
	w, n := &r.actor.workers[worker], r.actor.nets
	if len(episodes) > r.actor.rows {
		return fmt.Errorf("varibad: %d environments in one call, the actor was made for %d", len(episodes),
			r.actor.rows)
	}
	o, a, width, in := n.Encoder.obs, n.Encoder.act, n.Encoder.Width(), n.policy.Net.In
	w.moved = w.moved[:0]
	for k, e := range episodes {
		m := &r.members[e]
		if !m.open || steps[k] == 0 && !m.ended {
			continue
		}
		if steps[k] > 0 {
			copy(m.row[width-o:], obs[k*o:(k+1)*o])
		}
		copy(w.belief.x[len(w.moved)*width:], m.row)
		w.moved = append(w.moved, &m.believer)
	}
	if len(w.moved) > 0 {
		if err := w.belief.see(w.moved); err != nil {
			return err
		}
	}
	for k, e := range episodes {
		x := w.x[k*in : (k+1)*in]
		m := &r.members[e]
		copy(x[copy(x, obs[k*o:(k+1)*o]):], m.mean)
		copy(x[o+len(m.mean):], m.logVar)
		if r.keep {
			for _, v := range x {
				m.seen = append(m.seen, float32(v))
			}
		}
	}
	if err := errors.Join(w.act.Write64("x", w.x), w.act.Run(), w.act.Read64(r.actor.out, w.mean)); err != nil {
		return err
	}
	for k, e := range episodes {
		m := &r.members[e]
		copy(m.row, obs[k*o:(k+1)*o])
		var noise *rand.Rand
		if r.noise != nil {
			noise = r.noise[e]
		}
		n.policy.Draw(w.mean[k*a:(k+1)*a], r.std, noise, act[k*a:(k+1)*a])
		copy(m.row[o:], act[k*a:(k+1)*a])
		m.open, m.ended = true, false
	}
	return nil
}

// Watch implements sim.Watcher.
func (r *rollout) Watch(_ int, episodes, _ []int, reward []float64) error {
	e := r.actor.nets.Encoder
	for k, i := range episodes {
		r.members[i].row[e.obs+e.act] = reward[k]
	}
	return nil
}
