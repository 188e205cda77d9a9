package discrete

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/sim"
)

// bandit is RL²'s: an episode is so many pulls of arms that pay 1 with the probabilities that make the task, else 0.
// The probabilities are drawn uniformly. There is nothing to observe but the reward.
type bandit struct{ arms, pulls int }

// These are the numbers of tasks if no number is given.
const banditTrain, banditTest = 1000, 100

// Spec implements sim.Family.
func (b bandit) Spec() sim.Spec {
	name, best := fmt.Sprintf("bandit-%d", b.arms), ""
	if b.pulls == 10 {
		best = fmt.Sprintf("; the best mean return is %.3f", bestOf10[b.arms])
	} else {
		name += fmt.Sprintf(":%d", b.pulls)
	}
	return sim.Spec{
		Name: name, ObsDim: 1, ObsChoices: []int{1}, ActDim: b.arms, ActChoices: []int{b.arms}, Horizon: b.pulls,
		TaskDim: b.arms, NoSuccess: true,
		Source: fmt.Sprintf("Bernoulli bandit of RL² (%d pulls), in Go%s", b.pulls, best),
	}
}

// bestOf10 are the values of BestBandit for 10 pulls, by the number of arms.
var bestOf10 = map[int]float64{5: 6.660, 10: 6.714, 50: 6.714}

// Tasks implements sim.Family.
func (b bandit) Tasks(seed uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	if err := negative(b.Spec().Name, nTrain, nTest, banditTrain, banditTest); err != nil {
		return nil, nil, err
	}
	nTrain, nTest = cmp.Or(nTrain, banditTrain), cmp.Or(nTest, banditTest)
	tasks, r := make([]sim.Task, nTrain+nTest), rng.New(seed, rng.Tasks)
	for i := range tasks {
		tasks[i] = sim.Task{ID: i, Params: make([]float64, b.arms)}
		for j := range tasks[i].Params {
			tasks[i].Params[j] = r.Float64()
		}
	}
	return tasks[:nTrain:nTrain], tasks[nTrain:], nil
}

// Act implements sim.Controller: it pulls the best arm.
func (b bandit) Act(task sim.Task, _, act []float64) {
	best := 0
	for j, p := range task.Params {
		if p > task.Params[best] {
			best = j
		}
	}
	b.Spec().Take(act, best)
}

// Blind implements sim.Blinder: to who learns nothing all arms are alike, so it pulls the first.
func (b bandit) Blind() sim.Controller { return first(b) }

type first bandit

// Act implements sim.Controller.
func (f first) Act(_ sim.Task, _, act []float64) { bandit(f).Spec().Take(act, 0) }

// NewBatch implements sim.Family.
func (b bandit) NewBatch(n int) (sim.Batch, error) {
	if n < 1 {
		return nil, fmt.Errorf("sim: %s: batch of %d environments; expected at least 1", b.Spec().Name, n)
	}
	batch := &banditBatch{spec: b.Spec(), task: make([]sim.Task, n), source: make([]rand.PCG, n)}
	for i := range n {
		batch.draw = append(batch.draw, rand.New(&batch.source[i]))
	}
	return batch, nil
}

type banditBatch struct {
	spec   sim.Spec
	task   []sim.Task
	source []rand.PCG
	draw   []*rand.Rand // of the payments, by environment
	chosen [1]int
}

// Len implements sim.Batch.
func (b *banditBatch) Len() int { return len(b.task) }

// Reset implements sim.Batch.
func (b *banditBatch) Reset(i int, task sim.Task, r *rand.Rand, obs []float64) error {
	if len(task.Params) != b.spec.TaskDim {
		return sim.NewError(b.spec.Name, task, i, fmt.Errorf("the task has %d parameters, expected a probability for "+
			"each of %d arms", len(task.Params), b.spec.TaskDim))
	}
	b.task[i] = task
	b.source[i].Seed(r.Uint64(), r.Uint64())
	obs[0] = 0
	return nil
}

// Step implements sim.Batch.
func (b *banditBatch) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	s := &b.spec
	if err := sim.CheckRows(len(b.task), *s, active, act, obs); err != nil {
		return err
	}
	for i, on := range active {
		if !on {
			continue
		}
		a := act[i*s.ActDim : (i+1)*s.ActDim]
		if err := s.CheckAction(a); err != nil {
			return sim.NewError(s.Name, b.task[i], i, err)
		}
		if err := s.Choose(a, b.chosen[:]); err != nil {
			return sim.NewError(s.Name, b.task[i], i, err)
		}
		reward := 0.0
		if b.draw[i].Float64() < b.task[i].Params[b.chosen[0]] {
			reward = 1
		}
		obs[i], out.Reward[i], out.ContextReward[i] = 0, reward, reward
		out.Done[i], out.Success[i] = false, false
	}
	return nil
}

// Close implements sim.Batch.
func (b *banditBatch) Close() error { return nil }
