package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/experiment/checkpoint"
	"nacre/rl"
	"nacre/rl/config"
	"nacre/rl/protocol"
	"nacre/rl/weights"
	"nacre/sim"
	"nacre/sim/mujoco"
)

// Agent is a configured algorithm on its family: networks, environments, tasks. Training also needs a schedule and a
// folder; evaluation and embedding need only an agent.
type Agent struct {
	Config     Config
	Spec       sim.Spec
	Family     sim.Family
	TrainTasks []sim.Task
	TestTasks  []sim.Task
	Learner    rl.Learner

	algorithm rl.Algorithm
	described string // the networks' description; empty if the learner has none

	pool   *sim.Pool
	device core.Device
	notice string // message about the device
	half   string // message about weights of less precision
}

// NewAgent makes an agent with freshly drawn parameters. If a family, preset or value does not exist, the error names
// it and the nearest one that exists.
func NewAgent(cfg Config, host Host) (*Agent, error) {
	if err := config.Check(&cfg); err != nil {
		return nil, err
	}
	if cfg.Family == "" {
		return nil, errors.New("no family is chosen; \"nacre envs\" lists them")
	}
	family, err := sim.Lookup(cfg.Family)
	if err != nil {
		return nil, err
	}
	algorithm, err := rl.Lookup(cfg.Algorithm)
	if err != nil {
		return nil, err
	}
	a := &Agent{Config: cfg, Family: family, Spec: family.Spec(), algorithm: algorithm}
	if err := algorithm.Accepts(a.Spec); err != nil {
		return nil, err
	}
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
	a.Learner, err = algorithm.New(cfg, rl.Setup{
		Spec: a.Spec, Train: a.TrainTasks, Seed: cfg.Seed, Device: a.device, Pool: a.pool, Workers: workers, Envs: envs,
	})
	if err != nil {
		a.pool.Close()
		return nil, err
	}
	if d, ok := a.Learner.(rl.Described); ok {
		if a.described, err = d.Describe().Text(); err != nil {
			a.Close()
			return nil, err
		}
	}
	if _, carries := a.Learner.Adapter().(protocol.Carrier); cfg.Evaluation.Protocol.CarryBelief && !carries {
		a.Close()
		return nil, fmt.Errorf("evaluation.protocol.carry_belief = true with %s, want false: it has no belief that a "+
			"task could begin with", cfg.Algorithm)
	}
	return a, nil
}

// LoadAgent makes the agent of a run folder with the weights that training left there: the final weights, or those of
// the last checkpoint.
func LoadAgent(dir string, host Host) (*Agent, error) { return loadAgent(dir, WeightsFile, host) }

func loadAgent(dir, file string, host Host) (*Agent, error) {
	run, err := View(dir)
	if err != nil {
		return nil, err
	}
	cfg := Default()
	if _, err := run.ReadConfig(&cfg); err != nil {
		return nil, err
	}
	a, err := NewAgent(cfg, host)
	if err != nil {
		return nil, ofNotebook(err, cfg, dir)
	}
	metadata, err := LoadWeights(run.Path(file), a.Learner.Memory())
	if err == nil {
		err = a.sees(run.Path(file), metadata)
	}
	if typ := metadata[halfPrecision]; typ != "" {
		a.half = fmt.Sprintf("%s has weights of type %s, half of float32's precision: figures are of these, not of "+
			"the weights that training left", run.Path(file), typ)
	}
	if err != nil {
		a.Close()
		return nil, fmt.Errorf("%w (a run has weights once its first collection is complete; of shipped studies only "+
			"the first seed has)", err)
	}
	if e, ok := a.Learner.(rl.Experienced); ok {
		if err := loadExperience(run, cfg, e); err != nil {
			a.Close()
			return nil, err
		}
	}
	return a, nil
}

// sees returns an error if weights are of networks that see their inputs in another way than this agent's do.
func (a *Agent) sees(file string, metadata map[string]string) error {
	of, described, err := weights.Parse(metadata)
	d, describes := a.Learner.(rl.Described)
	if err != nil || !described || !describes {
		return err
	}
	if have, want := of.Seen(), d.Describe().Seen(); have != want {
		return fmt.Errorf("weights: the networks in %s see %s; those of %s see %s: one of the two files was changed",
			file, have, ConfigFile, want)
	}
	return nil
}

// loadExperience reads the data that an agent collected from its run's checkpoint.
func loadExperience(run *Run, cfg Config, e rl.Experienced) error {
	_, err := checkpoint.Restore(run.Path(CheckpointFile), "", func(r *checkpoint.Reader) error {
		if err := run.continued(r.Header(), cfg); err != nil {
			return err
		}
		return loadParts(r, e.Experience())
	})
	return err
}

// Evaluate adapts the agent to tasks under a protocol. Equal seeds give equal results.
func (a *Agent) Evaluate(ctx context.Context, tasks []sim.Task, p protocol.Protocol,
	seed uint64) (protocol.Result, error) {
	return protocol.Evaluate(ctx, a.pool, tasks, p, a.Learner.Adapter(), seed)
}

// Swap measures the agent's swap gain on tasks under a protocol: its return with the belief about the task less that
// with the belief about another of them.
func (a *Agent) Swap(ctx context.Context, tasks []sim.Task, p protocol.Protocol,
	seed uint64) (protocol.Swapped, error) {
	return protocol.Swap(ctx, a.pool, tasks, p, a.Learner.Adapter(), seed)
}

// Adapt adapts the agent to a task under a protocol. What it returns acts until the agent is closed.
func (a *Agent) Adapt(ctx context.Context, task sim.Task, p protocol.Protocol, seed uint64) (*protocol.Adapted, error) {
	return protocol.Adapt(ctx, a.pool, a.Spec, task, p, a.Learner.Adapter(), seed)
}

// Baselines holds the results with which an agent is compared: random actions, standing still (no action at all), the
// goal-blind controller and the goal-knowing controller. The last two are nil if the family has none.
type Baselines struct {
	Random protocol.Result `json:"random"`
	// Still is nil for discrete actions, and in old results, which did not measure standing still.
	Still *protocol.Result `json:"still,omitempty"`
	Blind *protocol.Result `json:"goal_blind,omitempty"`
	Goal  *protocol.Result `json:"goal_knowing,omitempty"`
}

// Foot is the adapted return where Share is 0: that of random actions or of standing still, whichever is greater.
func (b Baselines) Foot() float64 {
	foot := b.Random.Summary.Adapted.Mean
	if b.Still != nil {
		foot = max(foot, b.Still.Summary.Adapted.Mean)
	}
	return foot
}

// Share says where an adapted return lies between Foot (0) and the goal-knowing controller (1). It is nil if there is
// no such controller or if the controller is not above Foot.
func (b Baselines) Share(adapted float64) (*float64, error) {
	if b.Goal == nil || b.Goal.Summary.Adapted.Mean <= b.Foot() {
		return nil, nil
	}
	share, err := protocol.Normalised(adapted, b.Foot(), b.Goal.Summary.Adapted.Mean)
	return &share, err
}

// Standing evaluates standing still. It returns nil if actions are discrete, as none of them is to do nothing.
func (a *Agent) Standing(ctx context.Context, tasks []sim.Task, p protocol.Protocol,
	seed uint64) (*protocol.Result, error) {
	if a.Spec.Discrete() {
		return nil, nil
	}
	r, err := protocol.Evaluate(ctx, a.pool, tasks, p, protocol.Still(), seed)
	return &r, err
}

// Baselines evaluates the baselines under the same protocol as an agent.
func (a *Agent) Baselines(ctx context.Context, tasks []sim.Task, p protocol.Protocol,
	seed uint64) (b Baselines, err error) {
	if b, err = a.Scripted(ctx, tasks, p, seed); err != nil {
		return b, err
	}
	if b.Still, err = a.Standing(ctx, tasks, p, seed); err != nil {
		return b, err
	}
	b.Random, err = protocol.Evaluate(ctx, a.pool, tasks, p, protocol.Random(a.Spec), seed)
	return b, err
}

// Scripted evaluates the controllers only.
func (a *Agent) Scripted(ctx context.Context, tasks []sim.Task, p protocol.Protocol,
	seed uint64) (b Baselines, err error) {
	controller := func(c sim.Controller) (*protocol.Result, error) {
		r, err := protocol.Evaluate(ctx, a.pool, tasks, p, protocol.Scripted(c), seed)
		return &r, err
	}
	if c, ok := a.Family.(sim.Controller); ok {
		if b.Goal, err = controller(c); err != nil {
			return b, err
		}
	}
	if c, ok := a.Family.(sim.Blinder); ok {
		b.Blind, err = controller(c.Blind())
	}
	return b, err
}

// session describes this process for the run's record.
func (a *Agent) session(host Host) Process {
	s := NewProcess()
	s.Device, s.Family = a.device.Name(), a.Spec.Source
	s.CPUKernel, s.Workers = cpu.KernelNameOf(host.processor()), a.pool.Workers()
	if d, ok := a.device.(core.Described); ok {
		about := d.Describe()
		s.CUDA, s.Notices = about.Libraries, append(s.Notices, about.Notices...)
	}
	if a.notice != "" {
		s.Notices = append(s.Notices, a.notice)
	}
	if n, ok := a.Family.(sim.Noticer); ok {
		for _, text := range n.Notices() {
			s.Notices = append(s.Notices, a.Spec.Name+": "+text)
		}
	}
	// The library's version matters only to a run that uses it, which the family's source tells.
	if v := mujoco.Version(); v != "" && strings.Contains(a.Spec.Source, "MuJoCo") {
		s.MuJoCo = v
		if text := mujoco.Notice(); text != "" {
			s.Notices = append(s.Notices, text)
		}
	}
	return s
}

// Close frees environments and buffers.
func (a *Agent) Close() error {
	return cmp.Or(a.Learner.Close(), a.pool.Close())
}

// Device names the device that computes, e.g. "cpu/avx512 ×2".
func (a *Agent) Device() string { return a.device.Name() }

// Notice is a warning about the agent's results, or empty: that another device than the first choice is used, or that
// the stored weights are less precise than those that training computed.
func (a *Agent) Notice() string { return strings.Trim(a.notice+"; "+a.half, "; ") }
