package pyfamily

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/sim"
)

// batch are the environments of one worker, in a process of their own.
type batch struct {
	of   *Family
	spec sim.Spec
	n    int
	w    *worker // nil once it has ended
	task []sim.Task
	live []bool // by environment: it was reset since the process began

	filmed bool // environments can draw themselves
}

var errNotReset = errors.New("it was not reset; expected a reset before a step")

// begin starts the process.
func (b *batch) begin() (err error) {
	if b.filmed {
		b.w, err = b.of.openWorker(true)
	} else {
		b.w, err = b.of.take()
	}
	if err != nil {
		return err
	}
	clear(b.live)
	if err = b.w.share(b.n, b.spec.ActDim, b.spec.ObsDim); err != nil {
		b.w.close()
		b.w = nil
	}
	return err
}

// Len implements sim.Batch.
func (b *batch) Len() int { return b.n }

// failed ends the process if it can no more be asked.
func (b *batch) failed(err error) error {
	if p := new(problem); !errors.As(err, &p) {
		b.w.close()
		b.w = nil
	}
	return err
}

// Reset implements sim.Batch.
func (b *batch) Reset(i int, task sim.Task, r *rand.Rand, obs []float64) error {
	if len(task.Params) != b.spec.TaskDim {
		return sim.NewError(b.spec.Name, task, i, fmt.Errorf("the task has %d parameters, expected %d",
			len(task.Params), b.spec.TaskDim))
	}
	if b.w == nil {
		if err := b.begin(); err != nil {
			return sim.NewError(b.spec.Name, task, i, err)
		}
	}
	q := request{Op: "reset", I: i, Seed: uint64(r.Uint32() >> 1), Task: b.of.pickleOf(task)}
	if q.Task == nil {
		q.Numbers = task.Params
	}
	if err := b.w.ask(q, nil); err != nil {
		return sim.NewError(b.spec.Name, task, i, b.failed(err))
	}
	b.task[i], b.live[i] = task, true
	row := b.w.obs[i*b.spec.ObsDim : (i+1)*b.spec.ObsDim]
	if err := finite(row); err != nil {
		return sim.NewError(b.spec.Name, task, i, fmt.Errorf("the first %w", err))
	}
	copy(obs, row)
	return nil
}

// Step implements sim.Batch.
func (b *batch) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	s := &b.spec
	if err := sim.CheckRows(b.n, *s, active, act, obs); err != nil {
		return err
	}
	for i, on := range active {
		if !on {
			continue
		}
		if b.w == nil || !b.live[i] {
			return sim.NewError(s.Name, b.task[i], i, errNotReset)
		}
		if err := s.CheckAction(act[i*s.ActDim : (i+1)*s.ActDim]); err != nil {
			return sim.NewError(s.Name, b.task[i], i, err)
		}
	}
	if b.w == nil {
		return nil // no environment is active
	}
	for i, on := range active {
		b.w.active[i] = 0
		if on {
			b.w.active[i] = 1
		}
	}
	copy(b.w.act, act)
	if err := b.w.step(); err != nil {
		i := first(active)
		if p := new(problem); errors.As(err, &p) && p.At >= 0 && p.At < b.n {
			i = p.At
		}
		return sim.NewError(s.Name, b.task[i], i, b.failed(err))
	}
	for i, on := range active {
		if !on {
			continue
		}
		row := b.w.obs[i*s.ObsDim : (i+1)*s.ObsDim]
		if err := finite(row); err != nil {
			return sim.NewError(s.Name, b.task[i], i, fmt.Errorf("the %w", err))
		}
		reward := b.w.reward[i]
		if math.IsNaN(reward) || math.IsInf(reward, 0) {
			return sim.NewError(s.Name, b.task[i], i, fmt.Errorf("the reward is %v; expected a finite number", reward))
		}
		copy(obs[i*s.ObsDim:(i+1)*s.ObsDim], row)
		out.Reward[i], out.ContextReward[i] = reward, reward
		out.Done[i], out.Success[i] = b.w.done[i] != 0, b.w.success[i] != 0
		if out.Truncated != nil {
			out.Truncated[i] = b.w.cut[i] != 0
		}
	}
	return nil
}

func first(active []bool) int {
	for i, on := range active {
		if on {
			return i
		}
	}
	return 0
}

// finite returns an error naming the first element of an observation that is not.
func finite(obs []float64) error {
	for j, v := range obs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("observation has the value %v at index %d; expected finite numbers", v, j)
		}
	}
	return nil
}

// Close implements sim.Batch.
func (b *batch) Close() error {
	if b.w != nil {
		b.w.close()
		b.w = nil
	}
	return nil
}
