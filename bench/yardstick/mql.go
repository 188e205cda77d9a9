package yardstick

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"nacre/core"
	"nacre/rl/mql"
)

// MQL is a cycle of MQL's training: one update of critics, actor and targets, then updates of the critics until the
// actor's turn comes again, on weights and transitions from the streams. The sizes are the published half-cheetah
// velocity and the TCL paper's column for Meta-World.
type MQL struct {
	size    Size
	config  mql.Config
	run     [2]core.Runner // critics only; all
	program [2]*core.Program
}

// NewMQL loads the updates and writes weights and data.
func NewMQL(s Size, d core.Device) (*MQL, error) {
	c := mql.Default()
	if s.Name == MetaWorld.Name {
		c.History, c.Context, c.LR, c.PolicyEvery, c.PolicyNoise = 10, 30, 8e-4, 3, 0.2
	}
	n := mql.NewNetworks(c, s.Obs, s.Act)
	m, err := d.NewMemory(n.Specs())
	if err != nil {
		return nil, err
	}
	// Targets differ from what they follow, so that a mistaken one shows.
	err = fill(m, n.Specs(), func(p core.ParamSpec) float64 {
		if p.Rows == 1 || strings.Contains(p.Name, "/memory/") {
			return 0.1
		}
		return math.Sqrt(1 / float64(p.Rows))
	})
	if err != nil {
		return nil, err
	}
	y := &MQL{size: s, config: c}
	for i := range y.run {
		if y.program[i], err = mql.UpdateProgram(c, n, i == 1); err != nil {
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
func (y *MQL) data(run core.Runner) error {
	s, n := y.size, y.config.Batch
	history := n * y.config.History * (s.Obs + s.Act + 1)
	return write(run, map[string][]float64{
		"obs": normal(1, n*s.Obs), "next_obs": normal(2, n*s.Obs), "act": uniform(3, n*s.Act, -1, 1), "rew": normal(4, n),
		"done": ends(n), "before": normal(6, history), "after": normal(7, history),
		"weight": slices.Repeat([]float64{1 / float64(n)}, n),
	})
}

// Algorithm is "mql".
func (y *MQL) Algorithm() string { return "mql" }

// Size is the size the update was made for.
func (y *MQL) Size() Size { return y.size }

// Close gives the device's buffers back.
func (y *MQL) Close() error {
	err := y.run[0].Close()
	if e := y.run[1].Close(); err == nil {
		err = e
	}
	return err
}

// Prepare writes the noise of a cycle, the same for all of its updates.
func (y *MQL) Prepare(step int) error {
	for _, run := range y.run {
		if err := run.Write64("eps", normal(1_000_000*uint64(step+1), y.config.Batch*y.size.Act)); err != nil {
			return err
		}
	}
	return nil
}

// Run makes a cycle. Start gives it to the device, Wait waits for all that was given.
func (y *MQL) Run() error {
	if err := y.Start(); err != nil {
		return err
	}
	return y.Wait()
}

// Wait waits for the updates that were started.
func (y *MQL) Wait() error {
	for _, run := range y.run {
		if _, err := read(run, y.Names()[:1]); err != nil {
			return err
		}
	}
	return nil
}

// Start gives the updates of a cycle to the device.
func (y *MQL) Start() error {
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

// FLOPs is the work of a cycle in matrix products.
func (y *MQL) FLOPs() int64 {
	return y.program[1].FLOPs() + int64(y.config.PolicyEvery-1)*y.program[0].FLOPs()
}

// Names lists what Update returns.
func (y *MQL) Names() []string {
	return []string{"critic_loss", "actor_loss", "grad_critic", "grad_actor", "last_critic_loss"}
}

// Update makes cycle number step and returns the losses and gradient norms of its first update, and the critics' loss in
// its last.
func (y *MQL) Update(step int) (Figures, error) {
	if err := updated(y, step); err != nil {
		return nil, err
	}
	last, err := read(y.run[0], []string{"critic_loss"})
	if err != nil {
		return nil, err
	}
	f, err := read(y.run[1], y.Names()[:4])
	if err != nil {
		return nil, err
	}
	f["last_critic_loss"] = last["critic_loss"]
	return f, nil
}
