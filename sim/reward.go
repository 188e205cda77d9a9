package sim

import (
	"errors"
	"math/rand/v2"
)

// Reward returns the reward of a step. Its arguments are the task, the observation before the action (ObsDim), the
// action in [-1,1]^ActDim and the observation after the action. Several goroutines may call it at a time. It keeps none
// of its slices.
type Reward func(task Task, obs, act, next []float64) float64

// WithReward returns the family f under another name and with another reward. Tasks, dynamics and pictures stay the
// same. The new family has no Controller, because no good policy for the other reward is known.
func WithReward(f Family, name string, reward Reward) Family {
	r := rewarded{f, name, reward}
	if g, ok := f.(Gridder); ok {
		return struct {
			rewarded
			Gridder
		}{r, g}
	}
	return r
}

type rewarded struct {
	of     Family
	name   string
	reward Reward
}

func (r rewarded) Spec() Spec {
	s := r.of.Spec()
	s.Name, s.Source = r.name, s.Source+", with a reward of its own"
	return s
}

func (r rewarded) Tasks(seed uint64, nTrain, nTest int) (train, test []Task, err error) {
	return r.of.Tasks(seed, nTrain, nTest)
}

// Available implements Checker.
func (r rewarded) Available() error {
	if c, ok := r.of.(Checker); ok {
		return c.Available()
	}
	return nil
}

// Chunk implements Chunker.
func (r rewarded) Chunk() int { return ChunkOf(r.of) }

func (r rewarded) NewBatch(n int) (Batch, error) {
	b, err := r.of.NewBatch(n)
	if err != nil {
		return nil, err
	}
	own := &rewardedBatch{Batch: b, name: r.name, reward: r.reward, spec: r.of.Spec(), task: make([]Task, n)}
	own.before, own.clipped = make([]float64, n*own.spec.ObsDim), make([]float64, own.spec.ActDim)
	if v, ok := b.(Visible); ok {
		return &visibleRewarded{own, v}, nil
	}
	return own, nil
}

// rewardedBatch keeps the observations from which the next step starts.
type rewardedBatch struct {
	Batch
	name            string
	reward          Reward
	spec            Spec
	task            []Task
	before, clipped []float64
}

// named gives an error the name of this family.
func (b *rewardedBatch) named(err error) error {
	if err == nil {
		return nil
	}
	if e := new(Error); errors.As(err, &e) {
		own := *e
		own.Family = b.name
		return &own
	}
	return err
}

func (b *rewardedBatch) row(x []float64, i int) []float64 {
	return x[i*b.spec.ObsDim : (i+1)*b.spec.ObsDim]
}

func (b *rewardedBatch) Reset(i int, task Task, r *rand.Rand, obs []float64) error {
	err := b.named(b.Batch.Reset(i, task, r, obs))
	if err == nil {
		b.task[i] = task
		copy(b.row(b.before, i), obs)
	}
	return err
}

func (b *rewardedBatch) Step(active []bool, act, obs []float64, out *StepResult) error {
	if err := b.named(b.Batch.Step(active, act, obs, out)); err != nil {
		return err
	}
	for i, on := range active {
		if !on {
			continue
		}
		for j := range b.clipped {
			b.clipped[j] = Clip(act[i*b.spec.ActDim+j])
		}
		next := b.row(obs, i)
		v := b.reward(b.task[i], b.row(b.before, i), b.clipped, next)
		out.Reward[i], out.ContextReward[i] = v, v
		copy(b.row(b.before, i), next)
	}
	return nil
}

// visibleRewarded is one of a family that can be drawn.
type visibleRewarded struct {
	*rewardedBatch
	Visible
}

// SetState implements Stateful: the next step starts from s.
func (b *visibleRewarded) SetState(i int, s State, obs []float64) error {
	err := b.Visible.SetState(i, s, obs)
	if err == nil {
		copy(b.row(b.before, i), obs)
	}
	return err
}
