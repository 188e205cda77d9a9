package mql

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nacre/core"
	"nacre/internal/rng"
	"nacre/rl/benchmark"
)

// Benchmark is a cycle of MQL's training: one update of critics, actor and targets, then updates of the critics until
// the next update of the actor. Weights and transitions come from the random streams of package benchmark. The sizes
// are those of the published half-cheetah velocity configuration and of the TCL paper's column for Meta-World.
type Benchmark struct {
	size    benchmark.Size
	config  Config
	run     [2]core.Runner // critics only; all
	program [2]*core.Program
}

// NewBenchmark loads the updates on the device and sets their weights and inputs.
func NewBenchmark(s benchmark.Size, d core.Device) (*Benchmark, error) {
	c := Default()
	if s.Name == benchmark.MetaWorld.Name {
		c.History, c.Context, c.LR, c.PolicyEvery, c.PolicyNoise = 10, 30, 8e-4, 3, 0.2
	}
	n := NewNetworks(c, s.Obs, s.Act)
	m, err := d.NewMemory(n.Specs())
	if err != nil {
		return nil, err
	}
	// Targets differ from what they follow, so that a mistaken one shows.
	err = benchmark.Fill(m, n.Specs(), func(p core.ParamSpec) float64 {
		if p.Rows == 1 || strings.Contains(p.Name, "/memory/") {
			return 0.1
		}
		return math.Sqrt(1 / float64(p.Rows))
	})
	if err != nil {
		return nil, err
	}
	y := &Benchmark{size: s, config: c}
	for i := range y.run {
		if y.program[i], err = UpdateProgram(c, n, i == 1); err != nil {
			return nil, err
		}
		if y.run[i], err = d.Load(y.program[i], m); err != nil {
			return nil, err
		}
		if err := y.data(y.run[i]); err != nil {
			return nil, err
		}
	}
	return y, nil
}

// data writes the batch: streams 1 to 7.
func (y *Benchmark) data(run core.Runner) error {
	s, n := y.size, y.config.Batch
	history := n * y.config.History * (s.Obs + s.Act + 1)
	return benchmark.Write(run, map[string][]float64{
		"obs": rng.Normal(1, n*s.Obs), "next_obs": rng.Normal(2, n*s.Obs), "act": rng.Uniform(3, n*s.Act, -1, 1),
		"rew":  rng.Normal(4, n),
		"done": benchmark.Ends(n), "before": rng.Normal(6, history), "after": rng.Normal(7, history),
		"weight": slices.Repeat([]float64{1 / float64(n)}, n),
	})
}

// Algorithm is "mql".
func (y *Benchmark) Algorithm() string { return "mql" }

// Size is the size the update was made for.
func (y *Benchmark) Size() benchmark.Size { return y.size }

// Close frees the device's buffers.
func (y *Benchmark) Close() error {
	return cmp.Or(y.run[0].Close(), y.run[1].Close())
}

// Prepare writes the noise of a cycle, the same for all of its updates.
func (y *Benchmark) Prepare(step int) error {
	for _, run := range y.run {
		if err := run.Write64("eps", rng.Normal(1_000_000*uint64(step+1), y.config.Batch*y.size.Act)); err != nil {
			return err
		}
	}
	return nil
}

// Run makes a cycle. It calls Start and then Wait.
func (y *Benchmark) Run() error {
	if err := y.Start(); err != nil {
		return err
	}
	return y.Wait()
}

// Wait waits for the updates that were started.
func (y *Benchmark) Wait() error {
	for _, run := range y.run {
		if _, err := benchmark.Read(run, y.Names()[:1]); err != nil {
			return err
		}
	}
	return nil
}

// Start gives the updates of a cycle to the device.
func (y *Benchmark) Start() error {
	for k := range y.config.PolicyEvery {
		run := y.run[0]
		if k == 0 {
			run = y.run[1]
		}
		if err := run.Run(); err != nil {
			return fmt.Errorf("update %d of a cycle: %w", k, err)
		}
	}
	return nil
}

// FLOPs is the number of floating-point operations of a cycle's matrix products.
func (y *Benchmark) FLOPs() int64 {
	return y.program[1].FLOPs() + int64(y.config.PolicyEvery-1)*y.program[0].FLOPs()
}

// Names lists the names of the figures that Update returns.
func (y *Benchmark) Names() []string {
	return []string{"critic_loss", "actor_loss", "grad_critic", "grad_actor", "last_critic_loss"}
}

// Update makes cycle number step. It returns the losses and gradient norms of the first update, and the critics' loss
// in the last.
func (y *Benchmark) Update(step int) (benchmark.Figures, error) {
	if err := benchmark.Updated(y, step); err != nil {
		return nil, err
	}
	last, err := benchmark.Read(y.run[0], []string{"critic_loss"})
	if err != nil {
		return nil, err
	}
	f, err := benchmark.Read(y.run[1], y.Names()[:4])
	if err != nil {
		return nil, err
	}
	f["last_critic_loss"] = last["critic_loss"]
	return f, nil
}

// expected figures of the first three, by size, computed in float64 by package torch's program for PyTorch 1.13.
var expected = map[string][3]benchmark.Figures{
	"oyster": {
		{"critic_loss": 1.81035943091, "grad_critic": 0.508229683317, "actor_loss": 0.0701788669431,
			"grad_actor": 0.0425684453516, "last_critic_loss": 1.70685196332},
		{"critic_loss": 1.61613977451, "grad_critic": 0.436798726968, "actor_loss": 0.0158118582454,
			"grad_actor": 0.0922103702105, "last_critic_loss": 1.53872835055},
		{"critic_loss": 1.47225426826, "grad_critic": 0.480120615493, "actor_loss": -0.00762913451844,
			"grad_actor": 0.17919251235, "last_critic_loss": 1.40354161091},
	},
	"metaworld": {
		{"critic_loss": 1.78692021084, "grad_critic": 0.428363199695, "actor_loss": 0.0521693854871,
			"grad_actor": 0.0593461779054, "last_critic_loss": 1.66992720966},
		{"critic_loss": 1.62496300437, "grad_critic": 0.336249057791, "actor_loss": 0.0414466635109,
			"grad_actor": 0.0916121270692, "last_critic_loss": 1.54192547837},
		{"critic_loss": 1.50224206508, "grad_critic": 0.355035922532, "actor_loss": 0.0112062725716,
			"grad_actor": 0.143335441013, "last_critic_loss": 1.42806431164},
	},
}

// Expected returns the figures of cycle number step, 0 to 2.
func (y *Benchmark) Expected(step int) benchmark.Figures { return expected[y.size.Name][step] }
