package varibad

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"nacre/core"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/onpolicy"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// Learner is a training run on one family. Every random number follows from (seed, iteration, …). So the learner's
// state consists of its parameters, the kept trials, the batch of the running iteration, and the counters that its
// caller keeps.
type Learner struct {
	cfg  Config
	seed uint64
	nets Networks

	mem       core.Memory
	objective objective
	ppo       *ppo
	actor     *actor
	inference *Inference

	pool    protocol.Roller
	tasks   []sim.Task // train
	longest int        // steps of a trial
	buffer  trials
	sums    map[string]float64
	aux     *auxiliary.Attachment // nil: no auxiliary loss
	passes  int                   // of PPO, since the last Metrics
	steps   int                   // of the ELBO
}

// New makes a learner with freshly drawn parameters.
func New(c Config, s rl.Setup) (*Learner, error) { return newLearner(c, nil, s, nil) }

// NewContrastive makes a learner whose encoder is trained by a Contrast in place of the ELBO.
func NewContrastive(c Config, of Contrast, s rl.Setup) (*Learner, error) {
	return newLearner(c, &of, s, nil)
}

// newLearner is New with a Contrast in place of the ELBO and an auxiliary loss on the encoder; both may be nil.
func newLearner(c Config, of *Contrast, s rl.Setup, aux *auxiliary.Attachment) (*Learner, error) {
	if err := s.Check(c); err != nil {
		return nil, err
	}
	n := NewNetworks(c, s.Spec.ObsDim, s.Spec.ActDim, s.Spec.ActChoices...)
	if c.RewardWeight > 0 && c.RewardDecoder == bernoulli {
		var err error
		if n, err = n.withHeads(s.Spec); err != nil {
			return nil, err
		}
	}
	if of != nil {
		n.contrasting = newContrasting(*of, n.Encoder)
	}
	l := &Learner{
		cfg: c, seed: s.Seed, nets: n, tasks: s.Train, pool: s.Pool, longest: c.Episodes * s.Spec.Horizon,
		buffer: trials{capacity: c.BufferTrials, width: n.Encoder.Width()}, sums: map[string]float64{}, aux: aux,
	}
	if err := l.prepare(s); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Learner) prepare(s rl.Setup) (err error) {
	if l.nets.aux, err = l.aux.On(l.nets.Encoder, ""); err != nil {
		return err
	}
	if l.mem, err = s.Device.NewMemory(append(l.nets.Specs(), l.aux.Params()...)); err != nil {
		return err
	}
	if err = l.nets.init(l.mem, l.seed); err != nil {
		return err
	}
	if err = l.aux.Open(s.Device, l.mem); err != nil {
		return err
	}
	if l.objective, err = l.newObjective(s.Device); err != nil {
		return err
	}
	if l.ppo, err = newPPO(s.Device, l.mem, l.nets, l.cfg.MetaBatch*l.longest); err != nil {
		return err
	}
	if l.actor, err = newActor(s.Device, l.mem, l.nets, s.Workers, s.Envs); err != nil {
		return err
	}
	l.inference, err = NewInference(s.Device, l.mem, l.nets.Encoder, contexts)
	return err
}

// newObjective loads what trains the encoder.
func (l *Learner) newObjective(d core.Device) (objective, error) {
	if l.nets.contrasting != nil {
		c, err := newContrast(d, l.mem, l.nets, l.longest)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	v, err := newVAE(d, l.mem, l.nets, l.longest)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// contexts is how many contexts Inference reads side by side.
const contexts = 16

// Close gives programs and buffers back.
func (l *Learner) Close() error {
	errs := []error{l.aux.Close()}
	if l.objective != nil {
		errs = append(errs, l.objective.Close())
	}
	if l.ppo != nil {
		errs = append(errs, l.ppo.Close())
	}
	if l.actor != nil {
		errs = append(errs, l.actor.Close())
	}
	if l.inference != nil {
		errs = append(errs, l.inference.Close())
	}
	return errors.Join(errs...)
}

// Memory holds all parameters.
func (l *Learner) Memory() core.Memory { return l.mem }

// running is the part of State that is not data.
type running struct {
	Sums          map[string]float64
	Passes, Steps int
	Collected     bool
}

// State returns the learner's state without the parameters.
func (l *Learner) State() []replay.Part {
	return append([]replay.Part{
		replay.JSONPart("running",
			func() any { return running{l.sums, l.passes, l.steps, l.ppo.batch != nil} },
			func(r running) error {
				l.sums, l.passes, l.steps, l.ppo.batch = r.Sums, r.Passes, r.Steps, nil
				if r.Collected {
					l.ppo.batch = new(batch)
				}
				return nil
			}),
		onpolicy.Held("batch", func() *batch { return l.ppo.batch }),
		{Name: "trials", Save: l.buffer.Encode, Load: func(r io.Reader) error { return l.buffer.Decode(r, l.longest) }},
	}, l.aux.State()...)
}

// Update makes one update of an iteration. The first Config.Epochs updates are passes of PPO over the collected steps.
// The later ones are steps of encoder and decoders, on trials drawn from all kept trials.
func (l *Learner) Update(iteration, update int) error {
	if l.ppo.batch == nil {
		return fmt.Errorf("varibad: update %d of iteration %d before its collection", update, iteration)
	}
	r := rng.New(l.seed, rng.Replay, uint64(iteration), uint64(update))
	var found map[string]float64
	if update < l.cfg.Epochs {
		f, err := l.ppo.pass(r)
		if err != nil {
			return err
		}
		l.passes++
		found = map[string]float64{
			"policy_loss": f.Loss, "value_error": f.Value, "policy_kl": f.KL, "clipped": f.Clipped,
			"entropy": f.Entropy, "policy_grad": f.Grad,
		}
	} else {
		if err := l.objective.set(l.buffer.draw(l.cfg.Trials, r), r); err != nil {
			return err
		}
		if err := l.nets.aux.Compute(iteration, update); err != nil {
			return err
		}
		var err error
		if found, err = l.objective.fit(); err != nil {
			return err
		}
		if err := l.nets.aux.Follow(); err != nil {
			return err
		}
		l.steps++
	}
	for figure, v := range found {
		if err := rl.Finite(name, figure, v, iteration, update, nil); err != nil {
			return err
		}
		l.sums[figure] += v
	}
	return nil
}

// MetricNames lists the names of the values that Metrics reports, in order.
func (l *Learner) MetricNames() []string { return append(l.ownNames(), l.aux.MetricNames()...) }

// ownNames lists the names without those of an auxiliary loss: of PPO, of the encoder's objective, and of collection.
func (l *Learner) ownNames() []string {
	return slices.Concat(ppoNames, l.objective.names(), []string{"collected_first", "collected_last"})
}

var ppoNames = []string{"policy_loss", "value_error", "policy_kl", "clipped", "entropy", "policy_grad"}

// Metrics reports the means over the passes, and over the steps of encoder and decoders, since the last call. For the
// collected trials it reports the mean return of their first episodes and of their last episodes. It ends the iteration
// and drops its batch.
func (l *Learner) Metrics(iteration int, record func(name string, value float64)) error {
	for _, name := range ppoNames {
		record(name, l.sums[name]/float64(max(l.passes, 1)))
	}
	for _, name := range l.objective.names() {
		record(name, l.sums[name]/float64(max(l.steps, 1)))
	}
	for _, name := range []string{"collected_first", "collected_last"} {
		record(name, l.sums[name])
	}
	clear(l.sums)
	l.passes, l.steps, l.ppo.batch = 0, 0, nil
	return l.aux.Metrics(iteration, record)
}
