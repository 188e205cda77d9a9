package controls

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/mujoco"
)

// Rates are control steps of a family per second of processor time of the whole process, medians over rounds.
type Rates struct {
	Family  string  `json:"family"`
	PlainC  float64 `json:"plain_c"` // plain C loops, one per worker, environment after environment
	Batch   float64 `json:"batch"`   // the same steps through sim.Batch, with observations and rewards
	Ratio   float64 `json:"ratio"`   // median over rounds of Batch/PlainC
	Workers int     `json:"workers"`
	Envs    int     `json:"envs"`  // per worker
	Steps   int     `json:"steps"` // per environment and round
	Rounds  int     `json:"rounds"`
}

// StepRates measures how much stepping a family of this package from Go costs. Each round advances the same
// environments, envs for each of workers goroutines, from the same states with the same random actions through plain C
// loops and through batches, in changing order, so that a change of the machine's speed meets both. Environments are
// stepped on after their task has ended. All four numbers must be at least 1; it is an error if the two ways do not end
// in the same states.
func StepRates(family string, workers, envs, steps, rounds int) (Rates, error) {
	if workers < 1 || envs < 1 || steps < 1 || rounds < 1 {
		return Rates{}, fmt.Errorf("controls: step rates of %d workers, %d environments, %d steps, %d rounds; each must be at least 1",
			workers, envs, steps, rounds)
	}
	f, err := sim.Lookup(family)
	if err != nil {
		return Rates{}, err
	}
	if s, even := f.(spread); even {
		f = s.control
	}
	c, ok := f.(*control)
	if !ok {
		return Rates{}, fmt.Errorf("controls: step rates of %s, which is no family of this package", family)
	}
	tasks, _, err := c.Tasks(1, 0, 0)
	if err != nil {
		return Rates{}, err
	}
	meters := make([]*meter, workers)
	for w := range meters {
		b, err := c.newBatch(envs)
		if err != nil {
			return Rates{}, err
		}
		defer b.Close()
		meters[w] = newMeter(b, tasks, steps, uint64(w))
	}
	plain, batched, ratio := make([]float64, rounds), make([]float64, rounds), make([]float64, rounds)
	for r := range rounds {
		order := []*float64{&plain[r], &batched[r]}
		if r%2 == 1 {
			slices.Reverse(order)
		}
		for _, rate := range order {
			var err error
			if *rate, err = measure(meters, rate == &plain[r]); err != nil {
				return Rates{}, err
			}
		}
		ratio[r] = batched[r] / plain[r]
	}
	return Rates{family, median(plain), median(batched), median(ratio), workers, envs, steps, rounds}, nil
}

// measure runs all meters at once and returns their steps per processor second.
func measure(meters []*meter, plain bool) (float64, error) {
	for _, m := range meters {
		if err := m.reset(); err != nil {
			return 0, err
		}
	}
	errs := make([]error, len(meters))
	steps := 0
	var done sync.WaitGroup
	begin := mujoco.CPUSeconds()
	for i, m := range meters {
		steps += m.steps * m.b.Len()
		done.Go(func() { errs[i] = m.run(plain) })
	}
	done.Wait()
	seconds := mujoco.CPUSeconds() - begin
	for _, m := range meters {
		errs = append(errs, m.compare())
	}
	return float64(steps) / seconds, errors.Join(errs...)
}

// meter steps one batch along one fixed list of actions, either way.
type meter struct {
	b      *batch
	tasks  []sim.Task
	steps  int
	seed   uint64
	act    []float64 // steps×envs×actions
	ctrl   []float64 // the same as controls of the actuators
	active []bool
	obs    []float64
	out    sim.StepResult
	end    []float64 // positions of all environments after the first measurement
}

func newMeter(b *batch, tasks []sim.Task, steps int, seed uint64) *meter {
	n := b.Len()
	m := &meter{
		b: b, tasks: tasks, steps: steps, seed: seed,
		act: make([]float64, steps*n*b.control.act), active: make([]bool, n), obs: make([]float64, n*b.control.obs),
		out: sim.StepResult{
			Reward: make([]float64, n), Done: make([]bool, n), Success: make([]bool, n), ContextReward: make([]float64, n),
		},
	}
	r := rng.New(seed, rng.Action)
	for i := range m.act {
		m.act[i] = 2*r.Float64() - 1
		m.ctrl = append(m.ctrl, b.control.gain*m.act[i])
	}
	for i := range m.active {
		m.active[i] = true
	}
	return m
}

func (m *meter) reset() error {
	for i := range m.b.Len() {
		obs := m.obs[i*m.b.control.obs : (i+1)*m.b.control.obs]
		if err := m.b.Reset(i, m.tasks[i%len(m.tasks)], rng.New(m.seed, rng.Reset, uint64(i)), obs); err != nil {
			return err
		}
	}
	return nil
}

func (m *meter) run(plain bool) error {
	if plain {
		return m.b.chunk.PlainLoop(m.ctrl, m.b.control.substeps)
	}
	row := m.b.Len() * m.b.control.act
	for t := range m.steps {
		if err := m.b.Step(m.active, m.act[t*row:(t+1)*row], m.obs, &m.out); err != nil {
			return err
		}
	}
	return nil
}

func (m *meter) compare() error {
	var end []float64
	for i := range m.b.Len() {
		end = append(end, m.b.chunk.QPos(i)...)
	}
	if m.end == nil {
		m.end = end
	}
	for i, v := range end {
		if v != m.end[i] {
			nq := len(end) / m.b.Len()
			return fmt.Errorf("controls: the plain loop and the batch ended in different states: qpos[%d] of environment %d is %v and %v",
				i%nq, i/nq, m.end[i], v)
		}
	}
	return nil
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
