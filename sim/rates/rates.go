// Package rates compares the cost of stepping a family with the cost of a plain loop in C that makes the same steps.
//
//	r, err := rates.Measure("cheetah-vel", 1, 16, 200, 11)
//	fmt.Println(r.Batch, r.Ratio) // control steps per second of processor time, and this rate / the plain loop's
package rates

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/mujoco"
)

// Rates are control steps of a family per second of processor time of the whole process. They are medians over rounds.
type Rates struct {
	Family  string  `json:"family"`
	PlainC  float64 `json:"plain_c"` // rate of plain C loops, one per worker, environment after environment
	Batch   float64 `json:"batch"`   // rate of the same steps by sim.Batch, with observations and rewards
	Ratio   float64 `json:"ratio"`   // median over rounds of Batch/PlainC
	Wall    float64 `json:"wall"`    // steps by sim.Batch per second of the clock, all workers together
	Workers int     `json:"workers"`
	Envs    int     `json:"envs"`  // number of environments per worker
	Steps   int     `json:"steps"` // number of steps per environment and round
	Rounds  int     `json:"rounds"`
}

// Measure steps a family whose batches are a sim.PlainStepper. In each round plain C loops and batches advance the same
// environments, from the same states with the same random actions. There are envs environments for each of workers
// goroutines. The order changes from round to round, so that a change of the machine's speed affects both. Environments
// are still stepped after their task has ended. All four numbers must be at least 1; it is an error if the two ways do
// not end in the same states.
func Measure(family string, workers, envs, steps, rounds int) (Rates, error) {
	if workers < 1 || envs < 1 || steps < 1 || rounds < 1 {
		return Rates{}, fmt.Errorf("rates: %d workers, %d environments, %d steps, %d rounds; each must be at least 1",
			workers, envs, steps, rounds)
	}
	f, err := sim.Lookup(family)
	if err != nil {
		return Rates{}, err
	}
	tasks, _, err := f.Tasks(1, 0, 0)
	if err != nil {
		return Rates{}, err
	}
	meters := make([]*meter, workers)
	for w := range meters {
		made, err := f.NewBatch(envs)
		if err != nil {
			return Rates{}, err
		}
		defer made.Close()
		b, ok := made.(sim.PlainStepper)
		if !ok {
			return Rates{}, fmt.Errorf("rates: %s has no plain loop to compare with; expected a family on MuJoCo",
				family)
		}
		if meters[w], err = newMeter(b, f.Spec(), tasks, steps, uint64(w)); err != nil {
			return Rates{}, err
		}
	}
	defer sim.SpareProcessor(workers)()
	plain, batched, ratio, wall := make([]float64, rounds), make([]float64, rounds), make([]float64, rounds),
		make([]float64, rounds)
	for r := range rounds {
		order := []*float64{&plain[r], &batched[r]}
		if r%2 == 1 {
			slices.Reverse(order)
		}
		for _, rate := range order {
			cpu, clock, err := measure(meters, rate == &plain[r])
			if err != nil {
				return Rates{}, err
			}
			*rate = cpu
			if rate == &batched[r] {
				wall[r] = clock
			}
		}
		ratio[r] = batched[r] / plain[r]
	}
	return Rates{
		Family: family, PlainC: median(plain), Batch: median(batched), Ratio: median(ratio), Wall: median(wall),
		Workers: workers, Envs: envs, Steps: steps, Rounds: rounds,
	}, nil
}

// measure runs all meters at once and returns their steps per second of processor time and of the clock.
func measure(meters []*meter, plain bool) (cpu, wall float64, err error) {
	for _, m := range meters {
		if err := m.reset(); err != nil {
			return 0, 0, err
		}
	}
	errs := make([]error, len(meters))
	steps := 0
	var done sync.WaitGroup
	begin, start := mujoco.CPUSeconds(), time.Now()
	for i, m := range meters {
		steps += m.steps * m.b.Len()
		done.Go(func() { errs[i] = m.run(plain) })
	}
	done.Wait()
	seconds, clock := mujoco.CPUSeconds()-begin, time.Since(start).Seconds()
	for _, m := range meters {
		errs = append(errs, m.compare())
	}
	return float64(steps) / seconds, float64(steps) / clock, errors.Join(errs...)
}

// meter steps one batch along one fixed list of actions, either way.
type meter struct {
	b      sim.PlainStepper
	spec   sim.Spec
	tasks  []sim.Task
	steps  int
	seed   uint64
	act    []float64 // steps×envs×actions
	plain  func() error
	active []bool
	obs    []float64
	out    sim.StepResult
	end    []float64 // positions of all environments after the first measurement
}

func newMeter(b sim.PlainStepper, spec sim.Spec, tasks []sim.Task, steps int, seed uint64) (*meter, error) {
	n := b.Len()
	m := &meter{
		b: b, spec: spec, tasks: tasks, steps: steps, seed: seed,
		act: make([]float64, steps*n*spec.ActDim), active: make([]bool, n), obs: make([]float64, n*spec.ObsDim),
		out: sim.StepResult{
			Reward: make([]float64, n), Done: make([]bool, n), Success: make([]bool, n),
			ContextReward: make([]float64, n),
		},
	}
	r := rng.New(seed, rng.Action)
	for i := range m.act {
		m.act[i] = 2*r.Float64() - 1
	}
	for i := range m.active {
		m.active[i] = true
	}
	err := m.reset()
	m.plain = b.Plain(m.act)
	return m, err
}

func (m *meter) reset() error {
	for i := range m.b.Len() {
		obs := m.obs[i*m.spec.ObsDim : (i+1)*m.spec.ObsDim]
		if err := m.b.Reset(i, m.tasks[i%len(m.tasks)], rng.New(m.seed, rng.Reset, uint64(i)), obs); err != nil {
			return err
		}
	}
	return nil
}

func (m *meter) run(plain bool) error {
	if plain {
		return m.plain()
	}
	row := m.b.Len() * m.spec.ActDim
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
		end = append(end, m.b.QPos(i)...)
	}
	if m.end == nil {
		m.end = end
	}
	for i, v := range end {
		if v != m.end[i] {
			nq := len(end) / m.b.Len()
			return fmt.Errorf("rates: the plain loop and the batch ended in different states: qpos[%d] of "+
				"environment %d is %v and %v",
				i%nq, i/nq, m.end[i], v)
		}
	}
	return nil
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
