package maml

import (
	"cmp"
	"fmt"

	"nacre/core"
	"nacre/rl/onpolicy"
	"nacre/sim"
)

// adaptation is the inner step on batches of one shape: advantages, then θ' = θ − α∇L(θ).
type adaptation struct {
	m     model
	value values
	run   core.Runner
	theta []float64 // θ' of the last step
}

func (m model) newAdaptation(d core.Device, mem core.Memory, seed uint64) (*adaptation, error) {
	value, err := m.newValues(d, mem, seed)
	if err != nil {
		return nil, err
	}
	a := &adaptation{m: m, value: value, theta: make([]float64, m.policy.Size())}
	program, err := m.adaptProgram()
	if err == nil {
		a.run, err = d.Load(program, mem)
	}
	if err != nil {
		value.close()
		return nil, err
	}
	return a, nil
}

// prepare makes trajectories of one task a batch with normalised advantages.
func (a *adaptation) prepare(trajectories []sim.Trajectory, learn bool, batch *onpolicy.Batch) error {
	c, paths := a.m.cfg, onpolicy.Paths(trajectories)
	onpolicy.Returns(c.Discount, paths)
	if err := a.value.predict(paths, learn); err != nil {
		return fmt.Errorf("maml: value function: %w", err)
	}
	onpolicy.Advantages(c.Discount, c.GAELambda, paths)
	onpolicy.Normalise(c.Advantages, paths)
	return batch.Set(paths)
}

// step takes the inner step from the parameters in memory and returns its loss. The content of a.theta is valid until
// the next step.
func (a *adaptation) step(batch *onpolicy.Batch) (loss float64, err error) {
	if err := batch.Write(a.run, before, batchInputs...); err != nil {
		return 0, err
	}
	if err := a.run.Run(); err != nil {
		return 0, err
	}
	if err := a.m.policy.Each(a.theta, a.run.Read64); err != nil {
		return 0, err
	}
	return scalar(a.run, "loss")
}

func scalar(run core.Runner, output string) (float64, error) {
	var x [1]float64
	err := run.Read64(output, x[:])
	return x[0], err
}

func (a *adaptation) close() error {
	return cmp.Or(a.run.Close(), a.value.close())
}
