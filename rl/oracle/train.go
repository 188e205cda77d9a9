package oracle

import (
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// staging is one update's data on its way from replay to the program.
type staging struct {
	tasks         []int
	rows          replay.Rows
	task, which   []float32
	epsA, epsNext []float32
}

func newStaging(c Config, d replay.Dims, width, tasks int) staging {
	nb := c.MetaBatch * c.Batch
	return staging{
		tasks: make([]int, c.MetaBatch), rows: d.NewRows(nb),
		task: make([]float32, c.MetaBatch*width), which: make([]float32, c.MetaBatch*tasks),
		epsA: make([]float32, nb*d.Act), epsNext: make([]float32, nb*d.Act),
	}
}

// Update makes gradient update number update of an iteration.
func (l *Learner) Update(iteration, update int) error {
	if err := l.loadUpdate(); err != nil {
		return err
	}
	if err := l.sample(rng.New(l.seed, rng.Replay, uint64(iteration), uint64(update))); err != nil {
		return err
	}
	for _, x := range []struct {
		name string
		data []float32
	}{
		{"obs", l.in.rows.Obs}, {"act", l.in.rows.Act}, {"rew", l.in.rows.Reward}, {"done", l.in.rows.Done},
		{"next_obs", l.in.rows.NextObs}, {"task", l.in.task}, {"which", l.in.which}, {"eps_a", l.in.epsA}, {"eps_next", l.in.epsNext},
	} {
		if err := l.update.Write(x.name, x.data); err != nil {
			return err
		}
	}
	if err := l.update.Run(); err != nil {
		return err
	}
	for _, name := range l.MetricNames() {
		if err := l.update.Read64(name, l.scalars[:]); err != nil {
			return err
		}
		if err := l.add(name, l.scalars[0], iteration, update, l.in.tasks); err != nil {
			return err
		}
	}
	l.count++
	return nil
}

// add adds a scalar of an update to its sum.
func (l *Learner) add(name string, v float64, iteration, update int, tasks []int) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("oracle: %s became %v at iteration %d, update %d (tasks %v)", name, v, iteration, update, tasks)
	}
	l.sums[name] += v
	return nil
}

// sample draws the tasks, transitions and noise of one update; tasks with replacement where there are too few.
func (l *Learner) sample(r *rand.Rand) error {
	clear(l.in.which)
	order := r.Perm(len(l.tasks))
	for slot := range l.in.tasks {
		task := order[slot%len(order)]
		l.in.tasks[slot] = task
		if err := l.buf[task].Transitions(r, l.cfg.Batch, l.in.rows.From(l.dims, slot*l.cfg.Batch)); err != nil {
			return fmt.Errorf("oracle: transitions of train task %d: %w", task, err)
		}
		g := l.vector(l.tasks[task])
		for j, v := range g {
			l.in.task[slot*len(g)+j] = float32(v)
		}
		l.in.which[slot*len(l.tasks)+task] = 1
	}
	for _, eps := range [][]float32{l.in.epsA, l.in.epsNext} {
		for i := range eps {
			eps[i] = float32(r.NormFloat64())
		}
	}
	return nil
}

// MetricNames lists what Metrics reports, in order.
func (l *Learner) MetricNames() []string {
	return []string{"q_loss", "policy_loss", "entropy", "alpha", "grad_q1", "grad_q2", "grad_policy"}
}

// Metrics reports the means over the updates since the last call; the sums start anew.
func (l *Learner) Metrics(_ int, record func(name string, value float64)) error {
	if err := l.Settle(); err != nil {
		return err
	}
	for _, name := range l.MetricNames() {
		record(name, l.sums[name]/float64(max(l.count, 1)))
	}
	clear(l.sums)
	l.count = 0
	return nil
}

// Adapter returns the agent as it is now; it is told each task and has nothing to adapt.
func (l *Learner) Adapter() protocol.Adapter { return &told{l: l} }

type told struct {
	l     *Learner
	tasks []sim.Task
	seeds []uint64
}

// Know implements protocol.GoalKnower.
func (a *told) Know(tasks []sim.Task) error {
	for _, t := range tasks {
		if len(t.Params) != a.l.spec.TaskDim {
			return fmt.Errorf("oracle: task %d has a vector of %d numbers, want %d", t.ID, len(t.Params), a.l.spec.TaskDim)
		}
	}
	a.tasks = tasks
	return nil
}

// Start implements protocol.Adapter.
func (a *told) Start(n int, seeds []uint64) error {
	if len(a.tasks) != n {
		return fmt.Errorf("oracle: %d tasks known for %d adaptations", len(a.tasks), n)
	}
	a.seeds = seeds
	return nil
}

// Policy implements protocol.Adapter.
func (a *told) Policy(traj int, _ bool, p protocol.Protocol) (sim.Policy, error) {
	g := make([][]float64, len(a.tasks))
	var noise []*rand.Rand
	for i, t := range a.tasks {
		g[i] = a.l.vector(t)
		if !p.Deterministic {
			noise = append(noise, rng.New(a.seeds[i], rng.Eval, rng.Action, uint64(traj)))
		}
	}
	return a.l.actor.Policy(g, noise), nil
}

// Observe implements protocol.Adapter.
func (a *told) Observe(int, *sim.Trajectory) error { return nil }
