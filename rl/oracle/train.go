package oracle

import (
	"fmt"
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/rl/protocol"
	"nacre/sim"
)

// MetricNames lists the names of the values that Metrics returns, in order.
func (l *Learner) MetricNames() []string {
	return []string{"q_loss", "policy_loss", "entropy", "alpha", "grad_q1", "grad_q2", "grad_policy"}
}

// Metrics returns the means over the updates since the last call. The means start again after the call.
func (l *Learner) Metrics(_ int, record func(name string, value float64)) error {
	if err := l.Settle(); err != nil {
		return err
	}
	for _, name := range l.MetricNames() {
		mean, _ := l.Means.Of(name)
		record(name, mean)
	}
	clear(l.Means)
	return nil
}

// Adapter returns the agent in its present state. The agent knows each task and does not adapt.
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
			return fmt.Errorf("oracle: task %d has a vector of %d numbers, want %d", t.ID, len(t.Params),
				a.l.spec.TaskDim)
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
