package pearl

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"nacre/core"
	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/actor"
	"nacre/rl/belief"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/rl/replay/mirror"
	"nacre/sim"
)

// Learner is a training run of PEARL on one family: networks, replay, and the three things an iteration is made of,
// Collect, Update and Metrics. All its randomness is addressed by (seed, iteration, …), so its state is its
// parameters, its replay and the counters its caller keeps.
type Learner struct {
	cfg  Config
	spec sim.Spec
	seed uint64
	nets Networks
	aux  belief.Auxiliary

	mem      core.Memory
	device   core.Device
	update   program        // on data from the host; not loaded before it is needed where the device draws
	fed      *mirror.Mirror // nil where the device does not draw
	fedRun   core.Runner
	ahead    *ahead // nil unless Config.CollectAhead
	diagnose program
	actor    *actor.Actor
	infer    *belief.Inference

	pool  protocol.Roller
	tasks []sim.Task // train
	dims  replay.Dims
	buf   *replay.Buffer

	sampler *replay.Sampler
	drawn   feed.Record // of the update last sampled on the host
	last    lastUpdate
	sums    map[string]float64 // of the losses over the iteration's updates
	count   int
	scalars [1]float64
}

// New makes a learner with freshly drawn parameters and empty buffers. Auxiliary makes the extra loss on the encoder, given
// the encoder and the meta-batch, or is nil.
func New(c Config, s rl.Setup, auxiliary func(enc belief.Encoder, metaBatch int) (belief.Auxiliary, error)) (*Learner, error) {
	if err := s.Check(c); err != nil {
		return nil, err
	}
	if len(s.Train) > maxTrain {
		return nil, fmt.Errorf("pearl: %d train tasks of family %s, want at most %d", len(s.Train), s.Spec.Name, maxTrain)
	}
	if !c.TasksWithReplacement && c.MetaBatch > len(s.Train) {
		return nil, fmt.Errorf("pearl.meta_batch = %d without replacement, want at most the %d train tasks", c.MetaBatch, len(s.Train))
	}
	l := &Learner{
		cfg: c, spec: s.Spec, seed: s.Seed, tasks: s.Train, pool: s.Pool, device: s.Device,
		nets: NewNetworks(c, s.Spec.ObsDim, s.Spec.ActDim),
		dims: replay.Dims{Obs: s.Spec.ObsDim, Act: s.Spec.ActDim},
		sums: map[string]float64{},
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
	if l.update.Program, err = UpdateProgram(l.cfg, l.nets, l.aux); err != nil {
		return err
	}
	if err = l.openFeed(s.Device, l.update.Program); err != nil {
		return err
	}
	if l.fed == nil {
		if err = l.loadUpdate(); err != nil {
			return err
		}
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

// loadUpdate prepares updates on data from the host.
func (l *Learner) loadUpdate() (err error) {
	if l.update.Runner == nil {
		l.update, err = load(l.device, l.mem)(l.update.Program, nil)
	}
	return err
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

// Close gives programs and buffers back.
func (l *Learner) Close() error {
	var errs []error
	for _, p := range []program{l.update, l.diagnose} {
		if p.Runner != nil {
			errs = append(errs, p.Runner.Close())
		}
	}
	errs = append(errs, l.fed.Close(), l.ahead.close())
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

// Keeps implements rl.Keeper: the replay buffers with all that is collected, and the encoder's with the newest of a task.
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

// DivergedError says that a loss is no longer a number.
type DivergedError struct {
	Loss              string
	Value             float64
	Iteration, Update int
	Tasks             []int // of the meta-batch, as positions in Setup.Train
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("pearl: %s became %v at iteration %d, update %d (meta-batch tasks %v)", e.Loss, e.Value, e.Iteration, e.Update, e.Tasks)
}

// address is the place of an update in the schedule.
type address struct{ iteration, update int }

// lastUpdate is an update whose losses have not been looked at: a device may still be making it.
type lastUpdate struct {
	running bool
	address
	tasks []int
}

// Update makes gradient update number update of an iteration. A device that works by itself does so while the next
// update's data are drawn; so that a loss that is no longer a number is found one update later, or when metrics or state
// are asked for. It allocates nothing that lasts.
func (l *Learner) Update(iteration, update int) error {
	if err := l.loadUpdate(); err != nil {
		return err
	}
	if err := l.sample(rng.New(l.seed, rng.Replay, uint64(iteration), uint64(update))); err != nil {
		return err
	}
	if err := l.tally(); err != nil {
		return err
	}
	if err := l.sampler.Write(l.update, nil); err != nil {
		return err
	}
	if err := l.update.Run(); err != nil {
		return err
	}
	l.last = lastUpdate{true, address{iteration, update}, append(l.last.tasks[:0], l.drawn.Tasks...)}
	return nil
}

// tally adds the losses of updates that have not been looked at to the sums.
func (l *Learner) tally() error {
	if err := l.fed.Hear(true, l.note); err != nil || !l.last.running {
		return err
	}
	l.last.running = false
	for _, name := range l.scalarNames() {
		if err := l.update.Read64(name, l.scalars[:]); err != nil {
			return err
		}
		if err := l.add(name, l.scalars[0], l.last.address, l.last.tasks); err != nil {
			return err
		}
	}
	l.count++
	return nil
}

// add adds a loss of an update to its sum.
func (l *Learner) add(name string, v float64, at address, tasks []int) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return &DivergedError{Loss: name, Value: v, Iteration: at.iteration, Update: at.update, Tasks: slices.Clone(tasks)}
	}
	l.sums[name] += v
	return nil
}

// sample draws the data of one update on the host.
func (l *Learner) sample(r *rand.Rand) (err error) {
	if l.drawn, err = l.sampler.Sample(r, l.stores()); err != nil {
		return fmt.Errorf("pearl: train %w", err)
	}
	l.counted(l.drawn)
	return nil
}

// counted tells the auxiliary loss what was drawn.
func (l *Learner) counted(r feed.Record) {
	if l.aux != nil {
		l.aux.Count(r)
	}
}
