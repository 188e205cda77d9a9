package pearl

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"nacre/core"
	"nacre/core/feed"
	"nacre/rl"
	"nacre/rl/actor"
	"nacre/rl/belief"
	"nacre/rl/replay"
	"nacre/sim"
)

// ahead collects an iteration's data while the updates of the one before are made. It acts with the networks as they
// were when it was started, and keeps the data apart until they are asked for, so that what a run computes does not
// depend on how fast either side is.
type ahead struct {
	l       *Learner
	mem     core.Memory // policy and encoder as they were
	hands   hands
	recent  map[int]*replay.Task // encoder buffers of the tasks visited
	data    pending
	started bool
	done    chan error // result of the present collection, or nil
}

// pending is a collection that is not in the buffers yet.
type pending struct {
	Iteration, Steps int
	Data             []addition
}

// addition is a change of the buffers of a task. Either the encoder buffer is cleared, or a trajectory is added to both
// buffers or only to the replay buffer.
type addition struct {
	Task        int
	Clear, Both bool
	Trajectory  sim.Trajectory
}

func (l *Learner) newAhead(s rl.Setup) (a *ahead, err error) {
	a = &ahead{l: l}
	specs := append(append(l.nets.Policy.Net.Specs(), l.nets.Encoder.Net.Specs()...), l.nets.view.specs()...)
	if a.mem, err = s.Device.NewMemory(specs); err != nil {
		return a, err
	}
	if a.hands.actor, err = actor.New(s.Device, a.mem, l.nets.Policy, s.Workers, s.Envs); err != nil {
		return a, err
	}
	if a.hands.infer, err = belief.NewInference(s.Device, a.mem, l.nets.Encoder); err != nil {
		return a, err
	}
	a.hands.count = func(feed.Record) {} // metrics are of the updates under way
	a.hands.enc = func(task int) *replay.Task { return a.recent[task] }
	a.hands.clear = func(task int) error {
		a.recent[task] = replay.NewTask(l.dims, l.cfg.BufferCapacity)
		a.data.Data = append(a.data.Data, addition{Task: task, Clear: true})
		return nil
	}
	a.hands.add = func(task int, both bool, tr *sim.Trajectory) error {
		a.data.Data = append(a.data.Data, addition{Task: task, Both: both, Trajectory: *tr})
		if both {
			return a.recent[task].Add(tr)
		}
		return nil
	}
	return a, nil
}

// Ahead starts to collect the data of an iteration with the present networks, and returns. Collect then takes these
// data. Ahead does nothing without Config.CollectAhead or if the data are collected already. Updates may be made during
// the collection. AwaitAhead must be called before anything else uses the environments.
func (l *Learner) Ahead(iteration int) error {
	a := l.ahead
	if a == nil || a.has(iteration) {
		return nil
	}
	for _, s := range a.mem.Params() {
		x := make([]float64, s.Rows*s.Cols)
		if err := l.mem.Read(s.Name, x); err != nil {
			return err
		}
		if err := a.mem.Write(s.Name, x); err != nil {
			return err
		}
	}
	a.started, a.recent, a.data = true, map[int]*replay.Task{}, pending{Iteration: iteration}
	done := make(chan error, 1)
	a.done = done
	go func() {
		var err error
		a.data.Steps, err = l.collect(context.Background(), iteration, a.hands)
		done <- err
	}()
	return nil
}

// CollectsAhead implements rl.Ahead.
func (l *Learner) CollectsAhead() bool { return l.ahead != nil }

// AwaitAhead waits for the collection that Ahead has started.
func (l *Learner) AwaitAhead() error { return l.ahead.wait() }

func (a *ahead) wait() error {
	if a == nil || a.done == nil {
		return nil
	}
	err := <-a.done
	a.done = nil
	return err
}

// has reports whether the data of an iteration are collected, or being collected.
func (a *ahead) has(iteration int) bool {
	return a != nil && a.started && a.data.Iteration == iteration
}

// commit changes the buffers as the collection would have.
func (a *ahead) commit(buf *replay.Buffer) (steps int, err error) {
	if err := a.wait(); err != nil {
		return 0, err
	}
	for i := range a.data.Data {
		d := &a.data.Data[i]
		switch {
		case d.Clear:
			err = buf.ClearEnc(d.Task)
		case d.Both:
			err = buf.AddBoth(d.Task, &d.Trajectory)
		default:
			err = buf.AddRL(d.Task, &d.Trajectory)
		}
		if err != nil {
			return 0, err
		}
	}
	steps = a.data.Steps
	a.started, a.recent, a.data = false, nil, pending{}
	return steps, nil
}

func (a *ahead) save(w io.Writer) error {
	if err := a.wait(); err != nil {
		return err
	}
	return gob.NewEncoder(w).Encode(&a.data)
}

func (a *ahead) load(r io.Reader) error {
	var data pending
	if err := gob.NewDecoder(r).Decode(&data); err != nil {
		return err
	}
	for _, d := range data.Data {
		if d.Task < 0 || d.Task >= len(a.l.tasks) {
			return fmt.Errorf("pearl: data of train task %d, there are %d", d.Task, len(a.l.tasks))
		}
	}
	a.data, a.started = data, len(data.Data) > 0
	return nil
}

func (a *ahead) close() error {
	if a == nil {
		return nil
	}
	a.wait() // its data is not needed any more
	var errs []error
	if a.hands.actor != nil {
		errs = append(errs, a.hands.actor.Close())
	}
	if a.hands.infer != nil {
		errs = append(errs, a.hands.infer.Close())
	}
	return errors.Join(errs...)
}
