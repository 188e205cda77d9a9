package oracle

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"nacre/core"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/actor"
	"nacre/rl/offpolicy"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/rl/weights"
	"nacre/sim"
)

// Learner is a training run of the oracle on one family. Its random numbers follow from (seed, iteration, …). So its
// state is its parameters, its replay and the counters that its caller keeps.
type Learner struct {
	cfg   Config
	spec  sim.Spec
	seed  uint64
	nets  Networks
	scale standard

	mem core.Memory
	*offpolicy.Updater
	actor *actor.Actor

	pool  protocol.Roller
	tasks []sim.Task // train
	dims  replay.Dims
	buf   []*replay.Task
}

// New makes a learner with freshly drawn parameters and empty buffers. It is an error if the family's tasks have no
// task vector.
func New(c Config, s rl.Setup) (*Learner, error) {
	if err := s.Check(c); err != nil {
		return nil, err
	}
	if err := rl.Continuous(name, s.Spec); err != nil {
		return nil, err
	}
	if s.Spec.TaskDim < 1 {
		return nil, fmt.Errorf("oracle: the tasks of family %s have no vector that an oracle could be told",
			s.Spec.Name)
	}
	d := replay.Dims{Obs: s.Spec.ObsDim, Act: s.Spec.ActDim}
	l := &Learner{
		cfg: c, spec: s.Spec, seed: s.Seed, tasks: s.Train, pool: s.Pool, dims: d,
		nets: NewNetworks(c, d.Obs, d.Act, s.Spec.TaskDim, len(s.Train)),
	}
	if !c.RawTask {
		l.scale = standardise(s.Train)
	}
	for range s.Train {
		l.buf = append(l.buf, replay.NewTask(d, c.BufferCapacity))
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
	each := int64(c.TasksPerIteration) * int64(c.StepsPerTask)
	rows := tasks*int64(c.InitialSteps) + int64(iterations)*each
	if steps > 0 {
		rows = min(rows, steps+each)
	}
	return l.dims.Bytes(min(rows, tasks*int64(c.BufferCapacity)))
}

func (l *Learner) prepare(s rl.Setup) (err error) {
	if l.mem, err = s.Device.NewMemory(l.nets.Specs()); err != nil {
		return err
	}
	if err = l.nets.init(l.mem, l.cfg, l.seed); err != nil {
		return err
	}
	update, err := UpdateProgram(l.cfg, l.nets)
	if err != nil {
		return err
	}
	if l.Updater, err = offpolicy.New(s.Device, l.mem, offpolicy.Updates{
		Algorithm: name, Seed: l.seed, Plan: l.feedPlan(), Stores: l.stores,
		Programs: []offpolicy.Program{{Program: update, Scalars: l.MetricNames()}},
	}); err != nil {
		return err
	}
	l.actor, err = actor.New(s.Device, l.mem, l.nets.policy, s.Workers, s.Envs)
	return err
}

// Close frees programs and buffers.
func (l *Learner) Close() error {
	errs := []error{l.Updater.Close()}
	if l.actor != nil {
		errs = append(errs, l.actor.Close())
	}
	return errors.Join(errs...)
}

// PolicyTime is the time spent on choosing actions so far, summed over workers.
func (l *Learner) PolicyTime() time.Duration { return l.actor.Busy() }

// Memory holds the parameters, for saving weights and checkpoints.
func (l *Learner) Memory() core.Memory { return l.mem }

// State lists what a checkpoint must hold besides Memory: the replay and the sums of the present iteration.
func (l *Learner) State() []replay.Part {
	parts := []replay.Part{replay.JSONPart("running", func() any {
		return l.Means.Unreported()
	}, func(u offpolicy.Unreported) error {
		l.Means.Restore(u)
		return nil
	}).After(l.Settle)}
	for i, t := range l.buf {
		parts = append(parts, replay.Part{Name: fmt.Sprintf("replay/%d", i), Save: t.Encode, Load: t.Decode})
	}
	return parts
}

// standard scales task vectors to mean 0 and deviation 1 over the train tasks; what does not vary stays as it is.
type standard struct{ mean, deviation []float64 }

func standardise(tasks []sim.Task) standard {
	n, width := float64(len(tasks)), len(tasks[0].Params)
	s := standard{make([]float64, width), make([]float64, width)}
	for j := range width {
		var square float64
		for _, t := range tasks {
			s.mean[j] += t.Params[j] / n
		}
		for _, t := range tasks {
			square += (t.Params[j] - s.mean[j]) * (t.Params[j] - s.mean[j]) / n
		}
		if s.deviation[j] = math.Sqrt(square); s.deviation[j] == 0 {
			s.mean[j], s.deviation[j] = 0, 1
		}
	}
	return s
}

// vector is the task vector as the networks see it.
func (l *Learner) vector(t sim.Task) []float64 {
	g := append([]float64(nil), t.Params...)
	if !l.cfg.RawTask {
		for j := range g {
			g[j] = (g[j] - l.scale.mean[j]) / l.scale.deviation[j]
		}
	}
	return g
}

// Describe implements rl.Described.
func (l *Learner) Describe() weights.Description {
	d := weights.New()
	task := weights.In("task", l.spec.TaskDim)
	d.Networks["policy"] = l.nets.policy.Describe(task.Name)
	for _, net := range slices.Concat(l.nets.q[:], l.nets.target[:]) {
		d.Networks[net.Name] = weights.MLP(net, []weights.Part{weights.In("observation", l.dims.Obs),
			weights.In("action", l.dims.Act), task}, []weights.Part{weights.In("value", 1)})
	}
	if !l.cfg.RawTask {
		view := weights.View{Function: "standardised", Mean: l.scale.mean}
		for _, x := range l.scale.deviation {
			view.Scale = append(view.Scale, 1/x)
		}
		d.Views[task.Name] = view
	}
	return d
}

// Collect collects the data of an iteration with the stochastic policy. It returns the number of environment steps.
func (l *Learner) Collect(ctx context.Context, iteration int) (steps int, err error) {
	if iteration == 0 {
		all := make([]int, len(l.tasks))
		for i := range all {
			all[i] = i
		}
		if steps, err = l.gather(ctx, 0, all, l.cfg.InitialSteps); err != nil {
			return steps, err
		}
	}
	r := rng.New(l.seed, rng.Tasks, uint64(iteration))
	chosen := make([]int, l.cfg.TasksPerIteration)
	for i := range chosen {
		chosen[i] = r.IntN(len(l.tasks))
	}
	n, err := l.gather(ctx, uint64(iteration)+1, chosen, l.cfg.StepsPerTask)
	return steps + n, err
}

// gather runs episodes of at least need steps for every chosen task.
func (l *Learner) gather(ctx context.Context, round uint64, chosen []int, need int) (steps int, err error) {
	left := make([]int, len(chosen))
	for i := range left {
		left[i] = need
	}
	for turn := uint64(0); ; turn++ {
		var owner []int
		var episodes []sim.Episode
		var told [][]float64
		var noise []*rand.Rand
		for i, task := range chosen {
			for k := range (max(left[i], 0) + l.spec.Horizon - 1) / l.spec.Horizon {
				at := []uint64{round, uint64(i), turn, uint64(k)}
				owner = append(owner, i)
				told, noise = append(told, l.vector(l.tasks[task])),
					append(noise, rng.New(l.seed, append([]uint64{rng.Action}, at...)...))
				episodes = append(episodes,
					sim.Episode{Task: l.tasks[task],
						Seed: rng.New(l.seed, append([]uint64{rng.Rollout}, at...)...).Uint64()})
			}
		}
		if len(episodes) == 0 {
			return steps, nil
		}
		trajectories, err := l.pool.Rollout(ctx, episodes, l.actor.Policy(told, noise), l.spec.Horizon)
		if err != nil {
			return steps, err
		}
		for k := range trajectories {
			left[owner[k]] -= trajectories[k].Len
			steps += trajectories[k].Len
			if err := l.buf[chosen[owner[k]]].Add(&trajectories[k]); err != nil {
				return steps, err
			}
		}
	}
}
