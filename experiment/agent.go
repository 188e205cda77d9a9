package experiment

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/experiment/checkpoint"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/rl/config"
	"nacre/rl/maml"
	"nacre/rl/mql"
	"nacre/rl/oracle"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/rl/rl2"
	"nacre/sim"
	"nacre/sim/mujoco"
	"nacre/tcl"
)

// Learner is an algorithm being trained: networks, replay, and the parts of an iteration. All randomness is addressed
// by seed and place in the schedule, so that Memory and State are all a checkpoint needs.
type Learner interface {
	// Collect gathers the data of an iteration and returns the environment steps it took.
	Collect(ctx context.Context, iteration int) (steps int, err error)
	// Update makes gradient update number update of an iteration.
	Update(iteration, update int) error
	// MetricNames lists what Metrics reports of the updates since the last call.
	MetricNames() []string
	Metrics(iteration int, record func(name string, value float64)) error

	Memory() core.Memory
	State() []replay.Part
	// Adapter is the agent as it is now, for evaluation.
	Adapter() protocol.Adapter
	Close() error
}

// Pacer is a Learner that makes another number of updates in some iterations than its schedule says. Updates is asked
// once the iteration's data is collected, and its answer may depend on that.
type Pacer interface{ Updates(iteration int) int }

// Ahead is a Learner that can collect an iteration's data while the updates before it are made, if its configuration says so.
type Ahead interface {
	// Ahead starts that and returns; AwaitAhead waits for its end, before which nothing else may use the environments.
	Ahead(iteration int) error
	AwaitAhead() error
}

// Timed is a Learner that knows how long its workers have spent choosing actions in rollouts, added up.
type Timed interface{ PolicyTime() time.Duration }

// Bulk is a Learner that can make several updates in a row, at most Chunk, without waiting for one another. Settle waits
// for all of them.
type Bulk interface {
	Chunk() int
	UpdateMany(iteration, update, n int) error
	Settle() error
}

// Experienced is a Learner whose adaptation needs what it collected, the parts Experience of its State.
type Experienced interface{ Experience() []replay.Part }

// Encoding is a Learner that infers tasks from contexts, so that its beliefs can be embedded.
type Encoding interface {
	Learner
	Inference() *belief.Inference
	ExplorePolicy(seed uint64, addresses []uint64) sim.Policy
}

// Agent is a configured algorithm on its family: networks, environments, tasks. Training adds a schedule and a
// folder; evaluation and embedding need no more than an agent.
type Agent struct {
	Config     Config
	Spec       sim.Spec
	Family     sim.Family
	TrainTasks []sim.Task
	TestTasks  []sim.Task
	Learner    Learner

	pool   *sim.Pool
	device core.Device
	notice string // about the device
}

// NewAgent makes an agent with freshly drawn parameters. The error of a family, preset or value that does not exist
// names it and the nearest one that does.
func NewAgent(cfg Config, host Host) (*Agent, error) {
	if err := config.Check(&cfg); err != nil {
		return nil, err
	}
	family, err := sim.Lookup(cfg.Family)
	if err != nil {
		return nil, err
	}
	a := &Agent{Config: cfg, Family: family, Spec: family.Spec()}
	if a.TrainTasks, a.TestTasks, err = family.Tasks(cfg.Seed, cfg.TrainTasks, cfg.TestTasks); err != nil {
		return nil, err
	}
	workers, envs := host.Workers, host.Envs
	if workers <= 0 {
		workers = runtime.NumCPU()
	}
	if envs <= 0 {
		envs = sim.ChunkOf(family)
	}
	if err = a.open(host, workers); err != nil {
		return nil, err
	}
	if a.pool, err = sim.NewPool(family, workers, envs); err != nil {
		return nil, err
	}
	if a.Learner, err = a.learner(workers, envs); err != nil {
		a.pool.Close()
		return nil, err
	}
	return a, nil
}

// learner makes the configured algorithm.
func (a *Agent) learner(workers, envs int) (Learner, error) {
	cfg := a.Config
	setup := rl.Setup{
		Spec: a.Spec, Train: a.TrainTasks, Seed: cfg.Seed, Device: a.device, Pool: a.pool, Workers: workers, Envs: envs,
	}
	switch cfg.Algorithm {
	case "maml":
		return maml.New(cfg.MAML, setup)
	case "oracle":
		return oracle.New(cfg.Oracle, setup)
	case "rl2":
		return rl2.New(cfg.RL2, setup)
	case "mql":
		return mql.New(cfg.MQL, setup)
	case "tcl-pearl":
		return pearl.New(cfg.Pearl, setup, func(enc belief.Encoder, metaBatch int) (belief.Auxiliary, error) {
			return tcl.New(cfg.TCL, enc, metaBatch)
		})
	}
	return pearl.New(cfg.Pearl, setup, nil)
}

// LoadAgent makes the agent of a run folder with the weights training left there: the final ones, or those of the
// last checkpoint.
func LoadAgent(dir string, host Host) (*Agent, error) {
	run, err := View(dir)
	if err != nil {
		return nil, err
	}
	cfg := Default() // for what the program that made the run did not have yet
	if _, err := run.ReadConfig(&cfg); err != nil {
		return nil, err
	}
	a, err := NewAgent(cfg, host)
	if err != nil {
		return nil, err
	}
	if _, err := LoadWeights(run.Path(WeightsFile), a.Learner.Memory()); err != nil {
		a.Close()
		return nil, fmt.Errorf("%w (a run has weights once its first collection is complete)", err)
	}
	if e, ok := a.Learner.(Experienced); ok {
		if err := loadExperience(run, cfg, e); err != nil {
			a.Close()
			return nil, err
		}
	}
	return a, nil
}

// loadExperience reads what an agent collected from its run's checkpoint.
func loadExperience(run *Run, cfg Config, e Experienced) error {
	hash, err := cfg.fingerprint()
	if err != nil {
		return err
	}
	return checkpoint.Load(run.Path(CheckpointFile), hash, func(r *checkpoint.Reader) error {
		return loadParts(r, e.Experience())
	})
}

// Evaluate adapts the agent to tasks under a protocol. Equal seeds give equal results.
func (a *Agent) Evaluate(ctx context.Context, tasks []sim.Task, p protocol.Protocol, seed uint64) (protocol.Result, error) {
	return protocol.Evaluate(ctx, a.pool, tasks, p, a.Learner.Adapter(), seed)
}

// Baselines evaluates the random policy and, where the family knows one, the goal-knowing controller under the same
// protocol.
func (a *Agent) Baselines(ctx context.Context, tasks []sim.Task, p protocol.Protocol, seed uint64) (random protocol.Result, goal *protocol.Result, err error) {
	if random, err = protocol.Evaluate(ctx, a.pool, tasks, p, protocol.Random(a.Spec), seed); err != nil {
		return random, nil, err
	}
	if c, ok := a.Family.(sim.Controller); ok {
		r, err := protocol.Evaluate(ctx, a.pool, tasks, p, protocol.Oracle(c), seed)
		return random, &r, err
	}
	return random, nil, nil
}

// session describes this process for the run's record.
func (a *Agent) session(host Host) Session {
	s := NewSession()
	s.Device, s.Family = a.device.Name(), a.Spec.Source
	s.CPUKernel, s.Workers = cpu.KernelName(), a.pool.Workers()
	if host.Kernel != "" {
		s.CPUKernel = host.Kernel
	}
	if d, ok := a.device.(core.Described); ok {
		about := d.Describe()
		s.CUDA, s.Notices = about.Libraries, append(s.Notices, about.Notices...)
	}
	if a.notice != "" {
		s.Notices = append(s.Notices, a.notice)
	}
	// Whether the library is in the program says nothing about a run that does not use it; a family's source does.
	if v := mujoco.Version(); v != "" && strings.Contains(a.Spec.Source, "MuJoCo") {
		s.MuJoCo = v
	}
	return s
}

// Close gives environments and buffers back.
func (a *Agent) Close() error {
	err := a.Learner.Close()
	if e := a.pool.Close(); err == nil {
		err = e
	}
	return err
}

// Device names what computes, e.g. "cpu/avx512 ×2".
func (a *Agent) Device() string { return a.device.Name() }

// Notice tells, if not empty, that this is not the device that was asked for first.
func (a *Agent) Notice() string { return a.notice }
