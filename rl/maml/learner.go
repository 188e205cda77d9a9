package maml

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/onpolicy"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// Learner is a training run of MAML-TRPO on one family. Its randomness depends on (seed, iteration, …). So its state is
// its parameters and, between Collect and Update, the batches.
type Learner struct {
	cfg    Config
	spec   sim.Spec
	seed   uint64
	model  model
	device core.Device
	mem    core.Memory

	adapt *adaptation
	meta  *MetaUpdate
	actor *onpolicy.Actor // slot 0: θ; slot 1+i: θ' of task i

	pool      protocol.Roller
	tasks     []sim.Task // train tasks
	collected bool       // the batches belong to the running iteration
	metrics   map[string]float64
}

// New makes a learner with freshly drawn parameters.
func New(c Config, s rl.Setup) (*Learner, error) {
	if err := s.Check(c); err != nil {
		return nil, err
	}
	if c.MinStd > c.InitStd {
		return nil, fmt.Errorf("maml: init_std = %g, want at least min_std = %g", c.InitStd, c.MinStd)
	}
	hidden := make([]int, c.Layers)
	for i := range hidden {
		hidden[i] = c.Hidden
	}
	policy := onpolicy.Policy{
		Net:       nn.MLP{Name: "policy", In: s.Spec.ObsDim, Hidden: hidden, Out: s.Spec.ActDim, Act: op.Tanh},
		MinLogStd: math.Log(c.MinStd), Scale: c.ActionScale, Choices: s.Spec.ActChoices,
	}
	l := &Learner{
		cfg: c, spec: s.Spec, seed: s.Seed, device: s.Device, pool: s.Pool, tasks: s.Train,
		metrics: map[string]float64{},
		model:   model{policy: policy, cfg: c, paths: c.Episodes, horizon: s.Spec.Horizon},
	}
	if err := l.prepare(s); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// prepare makes the parameters and loads the programs.
func (l *Learner) prepare(s rl.Setup) (err error) {
	policy, value := l.model.policy, valuePolicy(l.cfg, l.spec.ObsDim)
	specs := policy.Specs()
	if l.cfg.Value == mlp {
		specs = append(specs, value.Specs()...)
	}
	if l.mem, err = s.Device.NewMemory(specs); err != nil {
		return err
	}
	if err = policy.Init(l.mem, l.cfg.InitStd, rng.New(l.seed, rng.Init, 0)); err != nil {
		return err
	}
	if l.cfg.Value == mlp {
		if err = value.Init(l.mem, 1, rng.New(l.seed, rng.Init, 1)); err != nil {
			return err
		}
	}
	if l.adapt, err = l.model.newAdaptation(s.Device, l.mem, l.seed); err != nil {
		return err
	}
	if l.meta, err = NewMetaUpdate(s.Device, l.mem, policy, l.cfg, l.spec.Horizon); err != nil {
		return err
	}
	l.actor, err = onpolicy.NewActor(s.Device, policy, s.Workers, s.Envs)
	return err
}

// Close frees programs and buffers.
func (l *Learner) Close() error {
	var errs []error
	if l.meta != nil {
		errs = append(errs, l.meta.Close())
	}
	if l.adapt != nil {
		errs = append(errs, l.adapt.close())
	}
	if l.actor != nil {
		errs = append(errs, l.actor.Close())
	}
	return errors.Join(errs...)
}

// Memory holds the parameters, for saving weights and checkpoints.
func (l *Learner) Memory() core.Memory { return l.mem }

// Collect gathers the data of an iteration: for every task of a meta-batch, episodes under θ and episodes under the
// task's θ'. It returns the environment steps it took.
func (l *Learner) Collect(ctx context.Context, iteration int) (steps int, err error) {
	theta, err := l.meta.theta()
	if err != nil {
		return 0, err
	}
	if err := l.actor.Load(0, theta); err != nil {
		return 0, err
	}
	chosen := l.choose(iteration)
	first, err := l.rollout(ctx, iteration, 0, chosen)
	if err != nil {
		return 0, err
	}
	var loss float64
	for i, trajectories := range first {
		if err := l.adapt.prepare(trajectories, true, l.meta.before[i]); err != nil {
			return 0, err
		}
		x, err := l.adapt.step(l.meta.before[i])
		if err != nil {
			return 0, err
		}
		loss += x / float64(len(first))
		if err := l.actor.Load(1+i, l.adapt.theta); err != nil {
			return 0, err
		}
	}
	second, err := l.rollout(ctx, iteration, 1, chosen)
	if err != nil {
		return 0, err
	}
	for i, trajectories := range second {
		if err := l.adapt.prepare(trajectories, true, l.meta.after[i]); err != nil {
			return 0, err
		}
	}
	l.collected = true
	var n, m int
	l.metrics["return_before"], n = meanReturn(first)
	l.metrics["return_after"], m = meanReturn(second)
	l.metrics["inner_loss"] = loss
	return n + m, nil
}

// choose draws the tasks of a meta-batch, with repetitions if there are too few.
func (l *Learner) choose(iteration int) []sim.Task {
	order := rng.New(l.seed, rng.Tasks, uint64(iteration)).Perm(len(l.tasks))
	out := make([]sim.Task, l.cfg.MetaBatch)
	for i := range out {
		out[i] = l.tasks[order[i%len(order)]]
	}
	return out
}

// rollout runs the episodes of one phase, 0 under θ and 1 under each task's θ'.
func (l *Learner) rollout(ctx context.Context, iteration, phase int, tasks []sim.Task) ([][]sim.Trajectory, error) {
	var episodes []sim.Episode
	var slots []int
	var noise []*rand.Rand
	for i, task := range tasks {
		for k := range l.cfg.Episodes {
			at := []uint64{uint64(iteration), uint64(phase), uint64(i), uint64(k)}
			episodes = append(episodes,
				sim.Episode{Task: task, Seed: rng.New(l.seed, append([]uint64{rng.Rollout}, at...)...).Uint64()})
			noise = append(noise, rng.New(l.seed, append([]uint64{rng.Action}, at...)...))
			slots = append(slots, phase*(1+i))
		}
	}
	all, err := l.pool.Rollout(ctx, episodes, l.actor.Policy(slots, noise), l.spec.Horizon)
	if err != nil {
		return nil, err
	}
	out := make([][]sim.Trajectory, len(tasks))
	for i := range out {
		out[i] = all[i*l.cfg.Episodes : (i+1)*l.cfg.Episodes]
	}
	return out, nil
}

// meanReturn returns the mean return of all episodes, and the number of their steps.
func meanReturn(tasks [][]sim.Trajectory) (mean float64, steps int) {
	n := 0.0
	for _, trajectories := range tasks {
		for _, t := range trajectories {
			mean, n, steps = mean+t.Return, n+1, steps+t.Len
		}
	}
	return mean / n, steps
}

// State lists what a checkpoint must hold besides Memory: the metrics and, between Collect and Update, the batches.
func (l *Learner) State() []replay.Part {
	return []replay.Part{
		replay.JSONPart("running", func() any { return running{l.metrics, l.collected} }, func(r running) error {
			l.metrics, l.collected = r.Metrics, r.Collected
			return nil
		}),
		{Name: "batches", Save: l.saveBatches, Load: l.loadBatches},
	}
}

// running is the part of an iteration that is not yet reported.
type running struct {
	Metrics   map[string]float64
	Collected bool
}
