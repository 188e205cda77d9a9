package oracle

import (
	"math"

	"nacre/core"
	"nacre/internal/rng"
	"nacre/rl/benchmark"
)

// toldTasks are the train tasks, each with its own temperature.
const toldTasks = 50

// Benchmark is one update of the goal-knowing soft actor-critic: of critics, policy, temperatures and targets. Weights
// and transitions come from the random streams of package benchmark. The update has garage's 1,280 transitions of 10
// tasks. One size is for half-cheetahs with a velocity as the task (3×300), the other for Meta-World with a place as
// the task (3×400).
type Benchmark struct {
	size    benchmark.Size
	config  Config
	program *core.Program
	run     core.Runner
}

// toldWidth is the length of a task's vector at a size.
func toldWidth(s benchmark.Size) int {
	if s.Name == benchmark.MetaWorld.Name {
		return 3
	}
	return 1
}

// NewBenchmark loads the update on the device and sets its weights and inputs.
func NewBenchmark(s benchmark.Size, d core.Device) (*Benchmark, error) {
	c := Default()
	c.Hidden = s.Hidden
	n := NewNetworks(c, s.Obs, s.Act, toldWidth(s), toldTasks)
	m, err := d.NewMemory(n.Specs())
	if err != nil {
		return nil, err
	}
	// Targets differ from what they follow, so that a mistaken one shows.
	err = benchmark.Fill(m, n.Specs(), func(p core.ParamSpec) float64 {
		if p.Rows == 1 {
			return 0.1
		}
		return math.Sqrt(1 / float64(p.Rows))
	})
	if err != nil {
		return nil, err
	}
	y := &Benchmark{size: s, config: c}
	if y.program, err = UpdateProgram(c, n); err != nil {
		return nil, err
	}
	if y.run, err = d.Load(y.program, m); err != nil {
		return nil, err
	}
	return y, y.data()
}

// data writes the batch, streams 1 to 6, of tasks 0, 7, 14 and so on.
func (y *Benchmark) data() error {
	s, t := y.size, y.config.MetaBatch
	n := t * y.config.Batch
	which := make([]float64, t*toldTasks)
	for i := range t {
		which[i*toldTasks+7*i%toldTasks] = 1
	}
	return benchmark.Write(y.run, map[string][]float64{
		"obs": rng.Normal(1, n*s.Obs), "next_obs": rng.Normal(2, n*s.Obs), "act": rng.Uniform(3, n*s.Act, -1, 1),
		"rew":  rng.Normal(4, n),
		"done": benchmark.Ends(n), "task": rng.Normal(6, t*toldWidth(s)), "which": which,
	})
}

// Algorithm is "oracle".
func (y *Benchmark) Algorithm() string { return "oracle" }

// Size is the size the update was made for.
func (y *Benchmark) Size() benchmark.Size { return y.size }

// Close frees the device's buffers.
func (y *Benchmark) Close() error { return y.run.Close() }

// Prepare writes the noise of a step.
func (y *Benchmark) Prepare(step int) error {
	base, n := 1_000_000*uint64(step+1), y.config.MetaBatch*y.config.Batch*y.size.Act
	return benchmark.Write(y.run, map[string][]float64{"eps_a": rng.Normal(base+1, n),
		"eps_next": rng.Normal(base+2, n)})
}

// Run makes one update with the data of Prepare. It calls Start and then Wait.
func (y *Benchmark) Run() error {
	if err := y.Start(); err != nil {
		return err
	}
	return y.Wait()
}

// Start begins a gradient step and returns. A device with a queue is not done when Start returns.
func (y *Benchmark) Start() error { return y.run.Run() }

// Wait returns when the step that Start began is done. It reads an output of the step, and this read waits.
func (y *Benchmark) Wait() error {
	_, err := benchmark.Read(y.run, y.Names()[:1])
	return err
}

// FLOPs is the number of floating-point operations of an update's matrix products.
func (y *Benchmark) FLOPs() int64 { return y.program.FLOPs() }

// Names lists the names of the figures that Update returns, in the order of the update.
func (y *Benchmark) Names() []string {
	return []string{"q_loss", "policy_loss", "entropy", "alpha", "grad_q1", "grad_q2", "grad_policy"}
}

// Update makes update number step, from 0, and returns its figures; alpha is the mean temperature of this update.
func (y *Benchmark) Update(step int) (benchmark.Figures, error) {
	if err := benchmark.Updated(y, step); err != nil {
		return nil, err
	}
	return benchmark.Read(y.run, y.Names())
}

// expected figures of the first three, by size, computed in float64 by package torch's program for PyTorch 1.13.
var expected = map[string][3]benchmark.Figures{
	"oyster": {
		{"q_loss": 31.905443496, "policy_loss": -3.95309994027, "entropy": 3.98886694848, "alpha": 0.979375495349,
			"grad_q1": 12.7008303824, "grad_q2": 13.3129903334, "grad_policy": 1.03815599569},
		{"q_loss": 31.5672914452, "policy_loss": -4.03710653914, "entropy": 4.00819103757, "alpha": 0.979081726771,
			"grad_q1": 12.6813102715, "grad_q2": 13.5348014727, "grad_policy": 0.961308597416},
		{"q_loss": 31.2729319826, "policy_loss": -4.1450264566, "entropy": 4.04941112406, "alpha": 0.978788034165,
			"grad_q1": 12.8966578359, "grad_q2": 13.9936338503, "grad_policy": 0.713517317604},
	},
	"metaworld": {
		{"q_loss": 15.3021424642, "policy_loss": -2.65395427498, "entropy": 2.63233564899, "alpha": 0.979375495349,
			"grad_q1": 9.29478931672, "grad_q2": 9.94938788813, "grad_policy": 1.07119783111},
		{"q_loss": 14.4829854561, "policy_loss": -2.7931176426, "entropy": 2.66925665466, "alpha": 0.979081726773,
			"grad_q1": 9.25105128332, "grad_q2": 9.98553844467, "grad_policy": 0.839095281786},
		{"q_loss": 13.8671314812, "policy_loss": -2.94211333042, "entropy": 2.7092366418, "alpha": 0.978788009907,
			"grad_q1": 9.50129142507, "grad_q2": 10.2905922959, "grad_policy": 0.52135247785},
	},
}

// Expected returns the figures of update number step, 0 to 2.
func (y *Benchmark) Expected(step int) benchmark.Figures { return expected[y.size.Name][step] }
