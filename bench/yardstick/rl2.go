package yardstick

import (
	"nacre/core"
	"nacre/rl/onpolicy"
	"nacre/rl/rl2"
)

// trials and trialSteps are garage's: ten episodes of 200 steps for each of ten tasks.
const (
	trials     = 10
	trialSteps = 2000
)

// RL2 is an epoch of RL²-PPO: the gradient through ten trials of 2,000 steps and Adam's step, on weights and trials from
// the streams.
type RL2 struct {
	size    Size
	memory  core.Memory
	ppo     *rl2.PPO
	figures rl2.Figures
}

// NewRL2 loads the update and writes its weights and trials.
func NewRL2(s Size, d core.Device) (*RL2, error) {
	c := rl2.Default()
	c.MetaBatch = trials
	p := rl2.NewPolicy(c, s.Obs, s.Act)
	m, err := d.NewMemory(p.Specs())
	if err != nil {
		return nil, err
	}
	if err := fill(m, p.Specs(), glorot); err != nil {
		return nil, err
	}
	y := &RL2{size: s, memory: m}
	if y.ppo, err = rl2.NewPPO(d, m, p, c, trialSteps); err != nil {
		return nil, err
	}
	return y, y.ppo.Set(s.trials())
}

// trials are those of streams 10·i + 1, 2, 3.
func (s Size) trials() []onpolicy.Path {
	out, in := make([]onpolicy.Path, trials), s.Obs+s.Act+2
	for i := range out {
		stream := 10 * uint64(i)
		out[i] = onpolicy.NewPath(trialSteps)
		out[i].Obs, out[i].Act = narrow(normal(stream+1, trialSteps*in)), narrow(normal(stream+2, trialSteps*s.Act))
		for t, a := range normal(stream+3, trialSteps) {
			out[i].Advantage[t] = float64(float32(a)) + 1
		}
	}
	return out
}

// Algorithm is "rl2".
func (y *RL2) Algorithm() string { return "rl2" }

// Size is the size the update was made for.
func (y *RL2) Size() Size { return y.size }

// Close gives the device's buffers back.
func (y *RL2) Close() error { return y.ppo.Close() }

// Prepare has nothing to do: every epoch learns from the same trials.
func (y *RL2) Prepare(int) error { return nil }

// Run makes one epoch.
func (y *RL2) Run() (err error) {
	y.figures, err = y.ppo.Step()
	return err
}

// FLOPs is the work of an epoch in matrix products.
func (y *RL2) FLOPs() int64 { return y.ppo.FLOPs() }

// Names lists what Update returns.
func (y *RL2) Names() []string { return []string{"loss", "grad"} }

// Update makes epoch number step and returns its loss and the norm of its gradient.
func (y *RL2) Update(int) (Figures, error) {
	err := y.Run()
	return Figures{"loss": y.figures.Loss, "grad": y.figures.Grad}, err
}
