package pearl

import (
	"errors"
	"fmt"

	"nacre/core"
	"nacre/core/feed"
	"nacre/rl"
	"nacre/rl/actor"
	"nacre/rl/belief"
	"nacre/rl/offpolicy"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/rl/weights"
	"nacre/sim"
)

// Learner is a training run of PEARL on one family. It has the networks, the replay and the three parts of an
// iteration: Collect, Update and Metrics. All random numbers follow from (seed, iteration, …). So the state of a
// Learner is its parameters, its replay and the counters that its caller keeps.
type Learner struct {
	cfg  Config
	spec sim.Spec
	seed uint64
	nets Networks
	aux  belief.Auxiliary

	mem    core.Memory
	device core.Device
	*offpolicy.Updater
	ahead    *ahead // nil unless Config.CollectAhead
	diagnose program
	actor    *actor.Actor
	infer    *belief.Inference

	pool  protocol.Roller
	tasks []sim.Task // train
	dims  replay.Dims
	buf   *replay.Buffer
}

// New makes a learner with freshly drawn parameters and empty buffers. The argument auxiliary makes a further loss on
// the encoder, from the encoder and the meta-batch; it may be nil.
func New(c Config, s rl.Setup, auxiliary func(enc belief.Encoder, metaBatch int) (belief.Auxiliary, error)) (
	*Learner, error) {
	if err := s.Check(c); err != nil {
		return nil, err
	}
	if err := rl.Continuous("pearl", s.Spec); err != nil {
		return nil, err
	}
	if len(s.Train) > maxTrain {
		return nil, fmt.Errorf("pearl: %d train tasks of family %s, want at most %d", len(s.Train),
			s.Spec.Name, maxTrain)
	}
	if c.Points && auxiliary == nil {
		return nil, errors.New("pearl: an encoder of points learns from an auxiliary loss alone, and there is none")
	}
	if !c.TasksWithReplacement && c.MetaBatch > len(s.Train) {
		return nil, fmt.Errorf("pearl.meta_batch = %d without replacement, want at most the %d train tasks",
			c.MetaBatch, len(s.Train))
	}
	l := &Learner{
		cfg: c, spec: s.Spec, seed: s.Seed, tasks: s.Train, pool: s.Pool, device: s.Device,
		nets: NewNetworks(c, s.Spec.ObsDim, s.Spec.ActDim).ForTasks(len(s.Train)),
		dims: replay.Dims{Obs: s.Spec.ObsDim, Act: s.Spec.ActDim},
	}
	var err error
	if l.buf, err = replay.NewBuffer(l.dims, len(s.Train), c.BufferCapacity); err != nil {
		return nil, err
	}
	specs := l.nets.Specs()
	if auxiliary != nil {
		aux, err := auxiliary(l.nets.Encoder, c.MetaBatch)
		if err != nil {
			return nil, err
		}
		l.aux = aux
		specs = append(specs, aux.Params()...)
	}
	if err := l.prepare(s, specs); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// prepare draws the parameters and loads the programs.
func (l *Learner) prepare(s rl.Setup, specs []core.ParamSpec) (err error) {
	if l.mem, err = s.Device.NewMemory(specs); err != nil {
		return err
	}
	if err = l.nets.Init(l.mem, l.cfg, l.seed); err != nil {
		return err
	}
	if l.aux != nil {
		if err = l.aux.Init(l.mem); err != nil {
			return err
		}
	}
	update, err := UpdateProgram(l.cfg, l.nets, l.aux)
	if err != nil {
		return err
	}
	if l.Updater, err = offpolicy.New(s.Device, l.mem, l.updates(update)); err != nil {
		return err
	}
	if l.diagnose, err = load(s.Device, l.mem)(DiagnosticsProgram(l.cfg, l.nets, l.aux)); err != nil {
		return err
	}
	if l.actor, err = actor.New(s.Device, l.mem, l.nets.Policy, s.Workers, s.Envs); err != nil {
		return err
	}
	if l.infer, err = belief.NewInference(s.Device, l.mem, l.nets.Encoder); err != nil || !l.cfg.CollectAhead {
		return err
	}
	l.ahead, err = l.newAhead(s)
	return err
}

// updates describes the updates to what makes them.
func (l *Learner) updates(update *core.Program) offpolicy.Updates {
	return offpolicy.Updates{
		Algorithm: "pearl", Seed: l.seed, Plan: feedPlan(l.cfg, l.nets, l.aux, len(l.tasks)), Stores: l.stores,
		Programs: []offpolicy.Program{{Program: update, Scalars: l.scalarNames()}},
		Count:    l.counted,
	}
}

// counted tells the auxiliary loss what was drawn.
func (l *Learner) counted(r feed.Record) {
	if l.aux != nil {
		l.aux.Count(r)
	}
}

// program is a compiled program with its runner.
type program struct {
	core.Runner
	*core.Program
}

// load continues a compilation by loading its result.
func load(d core.Device, m core.Memory) func(*core.Program, error) (program, error) {
	return func(p *core.Program, err error) (program, error) {
		if err != nil {
			return program{}, err
		}
		run, err := d.Load(p, m)
		return program{run, p}, err
	}
}

// Close frees programs and buffers.
func (l *Learner) Close() error {
	errs := []error{l.Updater.Close(), l.ahead.close()}
	if l.diagnose.Runner != nil {
		errs = append(errs, l.diagnose.Close())
	}
	if l.actor != nil {
		errs = append(errs, l.actor.Close())
	}
	if l.infer != nil {
		errs = append(errs, l.infer.Close())
	}
	return errors.Join(errs...)
}

// Memory holds the parameters, for saving weights and checkpoints.
func (l *Learner) Memory() core.Memory { return l.mem }

// Keeps implements rl.Keeper. The replay buffers keep all data; the encoder's buffers keep only the newest data of a
// task.
func (l *Learner) Keeps(iterations int, steps int64) int64 {
	c, tasks := l.cfg, int64(len(l.tasks))
	both := int64(c.PriorSteps) + int64(c.PosteriorSteps)
	each := int64(c.TasksPerIteration) * (both + int64(c.ExtraPosteriorSteps))
	rows := tasks*int64(c.InitialSteps) + int64(iterations)*each
	if steps > 0 {
		rows = min(rows, steps+each)
	}
	capacity := int64(c.BufferCapacity)
	return l.dims.Bytes(min(rows, tasks*capacity) + tasks*min(max(both, int64(c.InitialSteps)), capacity))
}

// Replay holds the data, for checkpoints.
func (l *Learner) Replay() *replay.Buffer { return l.buf }

// Networks describes the networks.
func (l *Learner) Networks() Networks { return l.nets }

// Describe implements rl.Described.
func (l *Learner) Describe() weights.Description { return l.nets.Describe() }

// DivergedError is rl.DivergedError.
//
// Deprecated: use rl.DivergedError. The next release removes this name.
type DivergedError = rl.DivergedError
