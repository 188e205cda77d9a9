package rl2

import (
	"nacre/core"
	"nacre/internal/rng"
	"nacre/rl/benchmark"
	"nacre/rl/onpolicy"
)

// trials and trialSteps are garage's: ten episodes of 200 steps for each of ten tasks.
const (
	trials     = 10
	trialSteps = 2000
)

// Benchmark is an epoch of RL²-PPO: the gradient through ten trials of 2,000 steps, and Adam's step. Weights and trials
// come from the random streams of package benchmark.
type Benchmark struct {
	size    benchmark.Size
	memory  core.Memory
	ppo     *PPO
	figures Figures
}

// NewBenchmark loads the update and writes its weights and trials.
func NewBenchmark(s benchmark.Size, d core.Device) (*Benchmark, error) {
	c := Default()
	c.MetaBatch = trials
	p := NewPolicy(c, s.Obs, s.Act)
	m, err := d.NewMemory(p.Specs())
	if err != nil {
		return nil, err
	}
	if err := benchmark.Fill(m, p.Specs(), benchmark.Glorot); err != nil {
		return nil, err
	}
	y := &Benchmark{size: s, memory: m}
	if y.ppo, err = NewPPO(d, m, p, c, trialSteps); err != nil {
		return nil, err
	}
	return y, y.ppo.Set(sampleTrials(s))
}

// sampleTrials returns the trials of streams 10·i + 1, 2, 3.
func sampleTrials(s benchmark.Size) []onpolicy.Path {
	out, in := make([]onpolicy.Path, trials), s.Obs+s.Act+2
	for i := range out {
		stream := 10 * uint64(i)
		out[i] = onpolicy.NewPath(trialSteps)
		out[i].Obs, out[i].Act = benchmark.Narrow(rng.Normal(stream+1, trialSteps*in)),
			benchmark.Narrow(rng.Normal(stream+2, trialSteps*s.Act))
		for t, a := range rng.Normal(stream+3, trialSteps) {
			out[i].Advantage[t] = float64(float32(a)) + 1
		}
	}
	return out
}

// Algorithm is "rl2".
func (y *Benchmark) Algorithm() string { return "rl2" }

// Size is the size the update was made for.
func (y *Benchmark) Size() benchmark.Size { return y.size }

// Close frees the device's buffers.
func (y *Benchmark) Close() error { return y.ppo.Close() }

// Prepare has nothing to do: every epoch learns from the same trials.
func (y *Benchmark) Prepare(int) error { return nil }

// Run makes one epoch.
func (y *Benchmark) Run() (err error) {
	y.figures, err = y.ppo.Step()
	return err
}

// FLOPs is the number of floating-point operations of an epoch's matrix products.
func (y *Benchmark) FLOPs() int64 { return y.ppo.FLOPs() }

// Names lists the names of the figures that Update returns.
func (y *Benchmark) Names() []string { return []string{"loss", "grad"} }

// Update makes epoch number step and returns its loss and the norm of its gradient.
func (y *Benchmark) Update(int) (benchmark.Figures, error) {
	err := y.Run()
	return benchmark.Figures{"loss": y.figures.Loss, "grad": y.figures.Grad}, err
}

// expected figures of the first three, by size, computed in float64 by package torch's program for PyTorch 1.13.
var expected = map[string][3]benchmark.Figures{
	"oyster": {
		{"loss": -1.00139334001, "grad": 1.19064272107},
		{"loss": -1.04913500746, "grad": 0.910236933594},
		{"loss": -1.07330225853, "grad": 0.431370280867},
	},
	"metaworld": {
		{"loss": -1.00139334017, "grad": 0.852772656933},
		{"loss": -1.03087083497, "grad": 0.789284831634},
		{"loss": -1.05032215753, "grad": 0.348811961462},
	},
}

// Expected returns the figures of epoch number step, 0 to 2.
func (y *Benchmark) Expected(step int) benchmark.Figures { return expected[y.size.Name][step] }
