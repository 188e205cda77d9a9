package mql

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"nacre/core"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/offpolicy"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// Learner is a training run on one family. Its random numbers follow from (seed, iteration, …). So its state is its
// parameters, its replay and the counters that its caller keeps.
type Learner struct {
	cfg  Config
	spec sim.Spec
	seed uint64
	nets Networks

	device core.Device
	mem    core.Memory
	// updater of training, with two programs: one for the critics only, one also for the actor and the targets
	*offpolicy.Updater
	actors *actors
	tuner  *tuner // made when a task is first adapted to
	slots  []slot // the actors of adapted tasks

	pool   protocol.Roller
	tasks  []sim.Task // train
	dims   replay.Dims
	all    *replay.Task   // transitions of all tasks
	recent []*replay.Task // the newest of each task

	aux                *auxiliary.Attachment // nil: no auxiliary loss
	onCritics, onActor *auxiliary.Part

	length float64 // mean length of the episodes collected last
}

// New makes a learner with freshly drawn parameters and empty buffers.
func New(c Config, s rl.Setup) (*Learner, error) { return newLearner(c, s, nil) }

// newLearner is New with an auxiliary loss on the encoders of critics and actor, which may be nil.
func newLearner(c Config, s rl.Setup, aux *auxiliary.Attachment) (*Learner, error) {
	if err := s.Check(c); err != nil {
		return nil, err
	}
	if err := rl.Continuous(name, s.Spec); err != nil {
		return nil, err
	}
	d := replay.Dims{Obs: s.Spec.ObsDim, Act: s.Spec.ActDim}
	l := &Learner{
		cfg: c, spec: s.Spec, seed: s.Seed, device: s.Device, tasks: s.Train, pool: s.Pool, dims: d,
		nets: NewNetworks(c, d.Obs, d.Act), all: replay.NewTask(d, c.BufferCapacity), aux: aux,
	}
	for range s.Train {
		l.recent = append(l.recent, replay.NewTask(d, c.Snapshot))
	}
	if err := l.prepare(s); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Keeps implements rl.Keeper.
func (l *Learner) Keeps(iterations int, steps int64) int64 {
	c, tasks := l.cfg, int64(len(l.tasks))
	each := int64(c.EpisodesPerIteration) * int64(l.spec.Horizon)
	rows := max(tasks*int64(c.InitialSteps), int64(c.MinInitialSteps)) + int64(iterations)*each
	if steps > 0 {
		rows = min(rows, steps+each)
	}
	return l.aux.Bytes(rows) + l.dims.Bytes(min(rows, int64(c.BufferCapacity))+min(rows, tasks*int64(c.Snapshot)))
}

func (l *Learner) prepare(s rl.Setup) (err error) {
	actor, critics := l.nets.Encoders()
	if l.onCritics, err = l.aux.On(critics, "critics"); err != nil {
		return err
	}
	if l.onActor, err = l.aux.On(actor, "actor"); err != nil {
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
	updates, err := l.updates()
	if err != nil {
		return err
	}
	if l.Updater, err = offpolicy.New(s.Device, l.mem, updates); err != nil {
		return err
	}
	l.actors, err = newActors(s.Device, l.mem, l.nets, s.Workers, s.Envs)
	return err
}

// load makes the two programs of an update: critics only, and with actor and targets.
func (l *Learner) load(k kind) (out [2]core.Runner, err error) {
	for i, k := range k.both() {
		p, err := updateProgram(l.cfg, l.nets, k)
		if err != nil {
			return out, err
		}
		if out[i], err = l.device.Load(p, l.mem); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Close frees programs and buffers.
func (l *Learner) Close() error {
	errs := []error{l.Updater.Close(), l.aux.Close()}
	if l.actors != nil {
		errs = append(errs, l.actors.Close())
	}
	if l.tuner != nil {
		errs = append(errs, l.tuner.close())
	}
	for _, s := range l.slots {
		errs = append(errs, s.run.Close())
	}
	return errors.Join(errs...)
}

// Memory holds the parameters, for saving weights and checkpoints.
func (l *Learner) Memory() core.Memory { return l.mem }

// State lists what a checkpoint must hold besides Memory: the replay and the means of the present iteration.
func (l *Learner) State() []replay.Part {
	parts := []replay.Part{replay.JSONPart("running", func() any {
		return running{l.Means, l.length}
	}, func(r running) error {
		l.Means, l.length = r.Means, r.Length
		return nil
	}).After(l.Settle)}
	return slices.Concat(parts, l.Experience(), l.aux.State())
}

// Experience is the part of State that adaptation needs.
func (l *Learner) Experience() []replay.Part {
	parts := []replay.Part{{Name: "replay", Save: l.all.Encode, Load: l.all.Decode}}
	for i, t := range l.recent {
		parts = append(parts, replay.Part{Name: fmt.Sprintf("recent/%d", i), Save: t.Encode, Load: t.Decode})
	}
	return parts
}

// running is the part of State that is not experience.
type running struct {
	Means  offpolicy.Means
	Length float64
}

// Updates is the number of gradient updates of an iteration, after its data is collected. It is smaller while there is
// little data.
func (l *Learner) Updates(int) int {
	if l.all.Len() < l.cfg.WarmupTransitions {
		return min(l.cfg.UpdatesPerIteration, max(1, int(math.Round(l.length))))
	}
	return l.cfg.UpdatesPerIteration
}

// step runs an update of adaptation and adds its outputs to the means under prefix+name.
func (l *Learner) step(run core.Runner, k kind, prefix, where string) error {
	if err := run.Run(); err != nil {
		return err
	}
	var v [1]float64
	for _, output := range k.outputs() {
		if err := run.Read64(output, v[:]); err != nil {
			return err
		}
		if math.IsNaN(v[0]) || math.IsInf(v[0], 0) {
			return fmt.Errorf("mql: %s became %v at %s", output, v[0], where)
		}
		l.Means.Add(prefix+output, v[0])
	}
	return nil
}

// MetricNames lists the names of the values that Metrics returns, in order. The values of adaptation are means over the
// evaluations since the last call of Metrics.
func (l *Learner) MetricNames() []string {
	return slices.Concat([]string{"critic_loss", "actor_loss", "grad_critic", "grad_actor"}, l.EvaluationMetrics(),
		l.aux.MetricNames())
}

// EvaluationMetrics implements rl.Evaluated.
func (*Learner) EvaluationMetrics() []string {
	return []string{"adapt_critic_loss", "adapt_accuracy", "replay_critic_loss", "replay_beta"}
}

// Metrics returns means since the last call, and starts again. Values without data are left out.
func (l *Learner) Metrics(iteration int, record func(name string, value float64)) error {
	if err := l.Settle(); err != nil {
		return err
	}
	for _, name := range l.MetricNames() {
		if mean, ok := l.Means.Of(name); ok {
			record(name, mean)
		}
	}
	clear(l.Means)
	return l.aux.Metrics(iteration, record)
}

// batch is one update's data on its way from replay to a program.
type batch struct {
	rows   replay.Histories
	eps    []float32
	weight []float32
}

func newBatch(d replay.Dims, n, window int) batch {
	return batch{d.NewHistories(n, window), make([]float32, n*d.Act), make([]float32, n)}
}

// shake draws the noise on target actions.
func (b *batch) shake(r *rand.Rand) {
	for i := range b.eps {
		b.eps[i] = float32(r.NormFloat64())
	}
}

// write sets a program's inputs, weight among them if it has that.
func (b *batch) write(run core.Runner, weighted bool) error {
	for _, x := range []struct {
		name string
		data []float32
	}{
		{"obs", b.rows.Obs}, {"act", b.rows.Act}, {"rew", b.rows.Reward}, {"done", b.rows.Done},
		{"next_obs", b.rows.NextObs},
		{"before", b.rows.Before}, {"after", b.rows.After}, {"eps", b.eps}, {"weight", b.weight},
	} {
		if x.name == "weight" && !weighted {
			continue
		}
		if err := run.Write(x.name, x.data); err != nil {
			return err
		}
	}
	return nil
}
