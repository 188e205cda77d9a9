package mql

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"nacre/core"
	"nacre/rl/replay"
)

// tuner holds the programs of adaptation. They run on the learner's parameters, which are put back afterwards.
type tuner struct {
	own     [2]core.Runner // updates on the test task's transitions
	ownIn   batch
	replay  [2]core.Runner // weighted updates on the train tasks' replay
	in      batch
	context core.Runner

	before, obs []float32 // contextRows of its inputs
	features    []float64 // and of its output
}

// contextRows is how many rows the context is computed of at a time.
const contextRows = 128

// tune makes the programs for contexts of at most rows transitions.
func (l *Learner) tune(rows int) error {
	if l.tuner != nil && len(l.tuner.ownIn.weight) == rows {
		return nil
	}
	if l.tuner != nil {
		if err := l.tuner.close(); err != nil {
			return err
		}
	}
	n := l.cfg.Batch * l.cfg.ReplayBatches
	t := &tuner{
		ownIn: newBatch(l.dims, rows, l.cfg.History), in: newBatch(l.dims, n, l.cfg.History),
		before:   make([]float32, contextRows*l.cfg.History*l.dims.ContextWidth(false)),
		obs:      make([]float32, contextRows*l.dims.Obs),
		features: make([]float64, contextRows*features(l.cfg, l.dims.Obs)),
	}
	l.tuner = t
	var err error
	if t.own, err = l.load(kind{rows: rows, lr: l.cfg.adaptLR()}); err != nil {
		return err
	}
	if t.replay, err = l.load(kind{rows: n, lr: l.cfg.adaptLR(), replay: true}); err != nil {
		return err
	}
	p, err := contextProgram(l.cfg, l.nets, contextRows)
	if err != nil {
		return err
	}
	t.context, err = l.device.Load(p, l.mem)
	return err
}

func (t *tuner) close() error {
	return core.CloseAll(t.own[0], t.own[1], t.replay[0], t.replay[1], t.context)
}

// adapt fine-tunes the networks with a test task's transitions and returns the actor's parameters, in the order of its
// Specs. Afterwards the learner's parameters and optimisers are the same as before, to the last bit.
func (l *Learner) adapt(r *rand.Rand, seen *replay.Task, rows int) (actor [][]float64, err error) {
	if err := l.tune(rows); err != nil {
		return nil, err
	}
	before, err := keep(l.mem)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, before.restore(l.mem)) }()
	n, err := l.own(seen)
	if err != nil {
		return nil, err
	}
	propensity, err := l.propensity(r, n)
	if err != nil {
		return nil, err
	}
	l.Means.Add("adapt_accuracy", propensity.accuracy)
	if err := newOptimisers(l.mem); err != nil {
		return nil, err
	}
	if err := l.ownUpdates(r); err != nil {
		return nil, err
	}
	if err := l.replayUpdates(r, before, propensity); err != nil {
		return nil, err
	}
	for _, p := range l.nets.actor.Specs() {
		x := make([]float64, p.Rows*p.Cols)
		if err := l.mem.Read(p.Name, x); err != nil {
			return nil, err
		}
		actor = append(actor, x)
	}
	return actor, nil
}

// own puts everything seen of a test task into the tuner's batch and returns how many transitions that is.
func (l *Learner) own(seen *replay.Task) (n int, err error) {
	in := &l.tuner.ownIn
	width := l.cfg.History * l.dims.ContextWidth(false)
	for i := range seen.Trajectories() {
		m := seen.Trajectory(i).Len - lead
		if n+m > len(in.weight) {
			return n, fmt.Errorf("mql: more than %d transitions of a test task", len(in.weight))
		}
		dst := replay.Histories{Rows: in.rows.From(l.dims, n), Before: in.rows.Before[n*width:],
			After: in.rows.After[n*width:]}
		if err := seen.TrajectoryHistories(i, lead, m, l.cfg.History, dst); err != nil {
			return n, err
		}
		n += m
	}
	for i := range in.weight {
		in.weight[i] = 0
		if i < n {
			in.weight[i] = 1 / float32(n)
		}
	}
	return n, nil
}

// propensity fits the classifier that separates the test task's n contexts from contexts of the train tasks. Both sides
// have about the same number of contexts. Each train task has the same number.
func (l *Learner) propensity(r *rand.Rand, n int) (logistic, error) {
	x, err := l.contexts(l.tuner.ownIn.rows, n, nil)
	if err != nil {
		return logistic{}, err
	}
	each := n/len(l.recent) + 2
	draw := l.dims.NewHistories(each, l.cfg.History)
	for i, t := range l.recent {
		if t.Len() == 0 {
			continue
		}
		if err := t.Histories(r, each, l.cfg.History, lead, draw); err != nil {
			return logistic{}, fmt.Errorf("mql: train task %d: %w", i, err)
		}
		if x, err = l.contexts(draw, each, x); err != nil {
			return logistic{}, err
		}
	}
	if len(x) == n {
		return logistic{}, errors.New("mql: nothing of the train tasks to compare the test task with")
	}
	y := make([]float64, len(x))
	for i := range y {
		y[i] = 1
		if i < n {
			y[i] = -1
		}
	}
	return fitLogistic(x, y, l.cfg.PropensityC)
}

// contexts appends what the classifier sees of the first n rows of h to x.
func (l *Learner) contexts(h replay.Histories, n int, x [][]float64) ([][]float64, error) {
	t, obs := l.tuner, l.dims.Obs
	row, width := l.cfg.History*l.dims.ContextWidth(false), len(t.features)/contextRows
	for from := 0; from < n; from += contextRows {
		m := min(contextRows, n-from)
		copy(t.before, h.Before[from*row:(from+m)*row])
		if err := t.context.Write("before", t.before); err != nil {
			return nil, err
		}
		if l.cfg.PropensityObs {
			copy(t.obs, h.Obs[from*obs:(from+m)*obs])
			if err := t.context.Write("obs", t.obs); err != nil {
				return nil, err
			}
		}
		if err := t.context.Run(); err != nil {
			return nil, err
		}
		if err := t.context.Read64("features", t.features); err != nil {
			return nil, err
		}
		for i := range m {
			x = append(x, append([]float64(nil), t.features[i*width:(i+1)*width]...))
		}
	}
	return x, nil
}

// ownUpdates makes the updates on the test task's transitions.
func (l *Learner) ownUpdates(r *rand.Rand) error {
	for u := range l.cfg.AdaptUpdates {
		l.tuner.ownIn.shake(r)
		at := l.choose(u)
		if err := l.tuner.ownIn.write(l.tuner.own[at], true); err != nil {
			return err
		}
		if err := l.step(l.tuner.own[at], kind{policy: at == 1}, "adapt_",
			fmt.Sprintf("update %d on a test task", u)); err != nil {
			return err
		}
	}
	return nil
}

// replayUpdates makes the weighted updates on the train tasks' replay, near the parameters before adaptation.
func (l *Learner) replayUpdates(r *rand.Rand, before kept, p logistic) error {
	t := l.tuner
	for i, run := range t.replay {
		if err := errors.Join(run.Write64("propensity", p.weight),
			run.Write64("intercept", []float64{p.intercept})); err != nil {
			return err
		}
		specs := l.nets.critic.Specs()
		if i == 1 {
			specs = append(specs, l.nets.actor.Specs()...)
		}
		for _, spec := range specs {
			if err := run.Write64(anchor(spec.Name), before[spec.Name]); err != nil {
				return err
			}
		}
	}
	for u := range l.cfg.ReplayUpdates {
		if err := l.all.Histories(r, len(t.in.weight), l.cfg.History, lead, t.in.rows); err != nil {
			return err
		}
		t.in.shake(r)
		at := l.choose(u)
		if err := t.in.write(t.replay[at], false); err != nil {
			return err
		}
		if err := l.step(t.replay[at], kind{policy: at == 1, replay: true}, "replay_",
			fmt.Sprintf("weighted update %d for a test task", u)); err != nil {
			return err
		}
	}
	return nil
}

// kept is the content of a memory by entry.
type kept map[string][]float64

// keep reads all of a memory: parameters, Adam's moments and its step counts.
func keep(m core.Memory) (kept, error) {
	k := kept{}
	for _, p := range m.Params() {
		n := p.Rows * p.Cols
		for _, e := range []struct {
			suffix string
			size   int
		}{{"", n}, {".m", n}, {".v", n}, {".t", 1}} {
			x := make([]float64, e.size)
			if err := m.Read(p.Name+e.suffix, x); err != nil {
				return nil, err
			}
			k[p.Name+e.suffix] = x
		}
	}
	return k, nil
}

// restore writes it back.
func (k kept) restore(m core.Memory) error {
	for name, x := range k {
		if err := m.Write(name, x); err != nil {
			return err
		}
	}
	return nil
}

// newOptimisers sets Adam's state of every parameter to its beginning.
func newOptimisers(m core.Memory) error {
	for _, p := range m.Params() {
		zero := make([]float64, p.Rows*p.Cols)
		if err := errors.Join(m.Write(p.Name+".m", zero), m.Write(p.Name+".v", zero),
			m.Write(p.Name+".t", zero[:1])); err != nil {
			return err
		}
	}
	return nil
}
