package yardstick

import (
	"math"

	"nacre/core"
	"nacre/rl/oracle"
)

// toldTasks are the train tasks, each with its own temperature.
const toldTasks = 50

// Oracle is one update of the goal-knowing soft actor-critic, critics, policy, temperatures and targets, on weights and
// transitions from the streams: garage's 1,280 transitions of 10 tasks, for half-cheetahs told a velocity (3×300) and for
// Meta-World told a place (3×400).
type Oracle struct {
	size    Size
	config  oracle.Config
	program *core.Program
	run     core.Runner
}

// toldWidth is the length of a task's vector at a size.
func (s Size) toldWidth() int {
	if s.Name == MetaWorld.Name {
		return 3
	}
	return 1
}

// NewOracle loads the update and writes weights and data.
func NewOracle(s Size, d core.Device) (*Oracle, error) {
	c := oracle.Default()
	c.Hidden = s.Hidden
	n := oracle.NewNetworks(c, s.Obs, s.Act, s.toldWidth(), toldTasks)
	m, err := d.NewMemory(n.Specs())
	if err != nil {
		return nil, err
	}
	// Targets differ from what they follow, so that a mistaken one shows.
	err = fill(m, n.Specs(), func(p core.ParamSpec) float64 {
		if p.Rows == 1 {
			return 0.1
		}
		return math.Sqrt(1 / float64(p.Rows))
	})
	if err != nil {
		return nil, err
	}
	y := &Oracle{size: s, config: c}
	if y.program, err = oracle.UpdateProgram(c, n); err != nil {
		return nil, err
	}
	if y.run, err = d.Load(y.program, m); err != nil {
		return nil, err
	}
	return y, y.data()
}

// data writes the batch, streams 1 to 6, of tasks 0, 7, 14 and so on.
func (y *Oracle) data() error {
	s, t := y.size, y.config.MetaBatch
	n := t * y.config.Batch
	which := make([]float64, t*toldTasks)
	for i := range t {
		which[i*toldTasks+7*i%toldTasks] = 1
	}
	return write(y.run, map[string][]float64{
		"obs": normal(1, n*s.Obs), "next_obs": normal(2, n*s.Obs), "act": uniform(3, n*s.Act, -1, 1), "rew": normal(4, n),
		"done": ends(n), "task": normal(6, t*s.toldWidth()), "which": which,
	})
}

// Algorithm is "oracle".
func (y *Oracle) Algorithm() string { return "oracle" }

// Size is the size the update was made for.
func (y *Oracle) Size() Size { return y.size }

// Close gives the device's buffers back.
func (y *Oracle) Close() error { return y.run.Close() }

// Prepare writes the noise of a step.
func (y *Oracle) Prepare(step int) error {
	base, n := 1_000_000*uint64(step+1), y.config.MetaBatch*y.config.Batch*y.size.Act
	return write(y.run, map[string][]float64{"eps_a": normal(base+1, n), "eps_next": normal(base+2, n)})
}

// Run makes one update on what Prepare wrote. Start gives it to the device, Wait waits for all that was given.
func (y *Oracle) Run() error {
	if err := y.Start(); err != nil {
		return err
	}
	return y.Wait()
}

func (y *Oracle) Start() error { return y.run.Run() }

func (y *Oracle) Wait() error {
	_, err := read(y.run, y.Names()[:1])
	return err
}

// FLOPs is the work of an update in matrix products.
func (y *Oracle) FLOPs() int64 { return y.program.FLOPs() }

// Names lists what Update returns, in the order of the update.
func (y *Oracle) Names() []string {
	return []string{"q_loss", "policy_loss", "entropy", "alpha", "grad_q1", "grad_q2", "grad_policy"}
}

// Update makes update number step, from 0, and returns its figures; alpha is the mean temperature it was made with.
func (y *Oracle) Update(step int) (Figures, error) {
	if err := updated(y, step); err != nil {
		return nil, err
	}
	return read(y.run, y.Names())
}
