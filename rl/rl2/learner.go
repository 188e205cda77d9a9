package rl2

import (
	"errors"
	"fmt"

	"nacre/core"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/onpolicy"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// Learner is a training run on one family. Its random numbers follow from (seed, iteration, …). So its state is its
// parameters, its baseline, the trials of the present iteration and the counters that its caller keeps.
type Learner struct {
	cfg    Config
	spec   sim.Spec
	seed   uint64
	policy Policy

	mem   core.Memory
	ppo   *PPO
	actor *actor

	pool     protocol.Roller
	tasks    []sim.Task // train
	baseline *onpolicy.Linear
	sums     map[string]float64
	epochs   int

	aux       *auxiliary.Attachment // nil: no auxiliary loss
	onEncoder *auxiliary.Part
}

// New makes a learner with freshly drawn parameters.
func New(c Config, s rl.Setup) (*Learner, error) { return newLearner(c, s, nil) }

// newLearner is New with an auxiliary loss on the policy's recurrent unit, which may be nil.
func newLearner(c Config, s rl.Setup, aux *auxiliary.Attachment) (*Learner, error) {
	if err := s.Check(c); err != nil {
		return nil, err
	}
	p := NewPolicy(c, s.Spec.ObsDim, s.Spec.ActDim, s.Spec.ActChoices...)
	l := &Learner{
		cfg: c, spec: s.Spec, seed: s.Seed, policy: p, tasks: s.Train, pool: s.Pool,
		baseline: onpolicy.NewLinear(p.memory.In, c.Ridge), sums: map[string]float64{}, aux: aux,
	}
	if err := l.prepare(s); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Learner) prepare(s rl.Setup) (err error) {
	if l.onEncoder, err = l.aux.On(l.policy.Encoder(), ""); err != nil {
		return err
	}
	if l.mem, err = s.Device.NewMemory(append(l.policy.Specs(), l.aux.Params()...)); err != nil {
		return err
	}
	if err = l.policy.init(l.mem, l.cfg, l.seed); err != nil {
		return err
	}
	if err = l.aux.Open(s.Device, l.mem); err != nil {
		return err
	}
	if l.ppo, err = NewPPO(s.Device, l.mem, l.policy, l.cfg, l.cfg.Episodes*l.spec.Horizon); err != nil {
		return err
	}
	l.actor, err = newActor(s.Device, l.mem, l.policy, s.Workers, s.Envs)
	return err
}

// Close frees programs and buffers.
func (l *Learner) Close() error {
	errs := []error{l.aux.Close()}
	if l.actor != nil {
		errs = append(errs, l.actor.Close())
	}
	if l.ppo != nil {
		errs = append(errs, l.ppo.Close())
	}
	return errors.Join(errs...)
}

// Memory holds the parameters, for saving weights and checkpoints.
func (l *Learner) Memory() core.Memory { return l.mem }

// State lists what a checkpoint must hold besides Memory: the baseline, the sums of the present iteration, and its
// trials during the updates.
func (l *Learner) State() []replay.Part {
	return append([]replay.Part{
		replay.JSONPart("running", func() any {
			return running{l.sums, l.epochs, l.baseline.Weights(), l.ppo.batch != nil}
		}, func(r running) error {
			if len(r.Baseline) != len(l.baseline.Weights()) {
				return fmt.Errorf("rl2: a baseline of %d numbers; expected %d", len(r.Baseline),
					len(l.baseline.Weights()))
			}
			l.sums, l.epochs, l.ppo.batch = r.Sums, r.Epochs, nil
			if r.Collected {
				l.ppo.batch = new(batch)
			}
			copy(l.baseline.Weights(), r.Baseline)
			return nil
		}),
		onpolicy.Held("trials", func() *batch { return l.ppo.batch }),
	}, l.aux.State()...)
}

// running is the part of State that is not trials.
type running struct {
	Sums      map[string]float64
	Epochs    int
	Baseline  []float64
	Collected bool
}

// Update makes epoch number update of an iteration: one step on all of its trials.
func (l *Learner) Update(iteration, update int) error {
	if l.ppo.batch == nil {
		return fmt.Errorf("rl2: update %d of iteration %d before its collection", update, iteration)
	}
	if err := l.onEncoder.Compute(iteration, update); err != nil {
		return err
	}
	f, err := l.ppo.step(l.onEncoder)
	if err != nil {
		return err
	}
	if err := l.onEncoder.Follow(); err != nil {
		return err
	}
	for figure, v := range map[string]float64{"loss": f.Loss, "kl": f.KL, "clipped": f.Clipped, "grad": f.Grad} {
		if err := rl.Finite(name, figure, v, iteration, update, nil); err != nil {
			return err
		}
		l.sums[figure] += v
	}
	l.epochs++
	return nil
}

// MetricNames lists the names of the values that Metrics returns, in order.
func (l *Learner) MetricNames() []string {
	return append(l.ownNames(), l.aux.MetricNames()...)
}

func (*Learner) ownNames() []string {
	return []string{"loss", "kl", "clipped", "grad", "entropy", "collected_first", "collected_last"}
}

// Metrics returns the means over the epochs since the last call. It also returns the mean return of the first episodes
// of the collected trials, and of the last. It ends the iteration and drops its trials.
func (l *Learner) Metrics(iteration int, record func(name string, value float64)) error {
	for _, name := range l.ownNames()[:4] {
		record(name, l.sums[name]/float64(max(l.epochs, 1)))
	}
	for _, name := range l.ownNames()[4:] {
		record(name, l.sums[name])
	}
	clear(l.sums)
	l.epochs, l.ppo.batch = 0, nil
	return l.aux.Metrics(iteration, record)
}
