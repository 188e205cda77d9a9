package sim

import (
	"context"
	"fmt"
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/sim/scene"
)

// Visible is implemented by batches whose environments can be drawn.
type Visible interface {
	Stateful

	// Scene returns what environment i looks like in the episode it was last Reset to: solids, colours and signs of
	// the task.
	Scene(i int) (*scene.Scene, error)

	// Poses writes where every solid of that scene is. It is called after Reset or SetState; after Step, poses may be
	// those before the last integration, as with everything MuJoCo computes from a state.
	Poses(i int, poses []scene.Pose) error
}

// Film turns the states of an episode of task into a recording for pictures and playback. The error of a family that
// cannot be drawn says so.
func Film(f Family, task Task, states []State) (*scene.Recording, error) {
	name := f.Spec().Name
	b, err := f.NewBatch(1)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	v, ok := b.(Visible)
	if !ok {
		return nil, fmt.Errorf("sim: family %s cannot be drawn: its batches do not implement sim.Visible", name)
	}
	obs := make([]float64, f.Spec().ObsDim)
	// The start is drawn only to be replaced by the first state.
	if err := v.(Batch).Reset(0, task, rng.New(0, rng.Reset), obs); err != nil {
		return nil, err
	}
	s, err := v.Scene(0)
	if err != nil {
		return nil, fmt.Errorf("sim: scene of %s: %w", name, err)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	r := &scene.Recording{Scene: s}
	poses := make([]scene.Pose, len(s.Solids))
	for t, state := range states {
		if err := v.SetState(0, state, obs); err != nil {
			return nil, fmt.Errorf("sim: frame %d of %s: %w", t, name, err)
		}
		if err := v.Poses(0, poses); err != nil {
			return nil, fmt.Errorf("sim: frame %d of %s: %w", t, name, err)
		}
		if err := r.Append(poses); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Recorder runs episodes of a family like a Pool, one after the other, and keeps the states they go through.
type Recorder struct {
	pool   *Pool
	states [][]State
}

// NewRecorder makes a recorder. It is an error if the states of the family's environments cannot be read.
func NewRecorder(f Family) (*Recorder, error) {
	r := &Recorder{}
	var err error
	r.pool, err = NewPool(recorded{f, r}, 1, 1)
	return r, err
}

// Rollout is Pool.Rollout with the same trajectories.
func (r *Recorder) Rollout(ctx context.Context, episodes []Episode, policy Policy, horizon int) ([]Trajectory, error) {
	r.states = nil
	return r.pool.Rollout(ctx, episodes, policy, horizon)
}

// States returns the states of every episode of the last Rollout: Len+1 each, like observations.
func (r *Recorder) States() [][]State { return r.states }

// Close frees the environments.
func (r *Recorder) Close() error { return r.pool.Close() }

// recorded is a family whose batches tell the recorder every state.
type recorded struct {
	Family
	to *Recorder
}

func (f recorded) NewBatch(n int) (Batch, error) {
	b, err := f.Family.NewBatch(n)
	if err != nil {
		return nil, err
	}
	s, ok := b.(Stateful)
	if !ok {
		b.Close()
		return nil, fmt.Errorf("sim: family %s cannot be recorded: its batches do not implement sim.Stateful", f.Spec().Name)
	}
	return &recordedBatch{b, s, f.to}, nil
}

type recordedBatch struct {
	Batch
	stateful Stateful
	to       *Recorder
}

func (b *recordedBatch) Reset(i int, task Task, r *rand.Rand, obs []float64) error {
	if err := b.Batch.Reset(i, task, r, obs); err != nil {
		return err
	}
	b.to.states = append(b.to.states, []State{b.stateful.State(i)})
	return nil
}

func (b *recordedBatch) Step(active []bool, act, obs []float64, out *StepResult) error {
	if err := b.Batch.Step(active, act, obs, out); err != nil {
		return err
	}
	last := &b.to.states[len(b.to.states)-1]
	*last = append(*last, b.stateful.State(0))
	return nil
}
