package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/internal/rng"
)

// Environment is one environment of a family from Of. It is a type of your own with two methods.
type Environment interface {
	// Reset starts an episode of the task with these parameters (TaskDim) and writes the first observation (ObsDim).
	// All randomness comes from r. Nothing of earlier episodes remains. The environment may keep task until the next
	// Reset and does not write to it.
	Reset(task []float64, r *rand.Rand, obs []float64)

	// Step makes one control step with the action act, in [-1,1]^ActDim or discrete as Spec.ActChoices says, and writes
	// the next observation. It does not change act. It returns the reward, whether the task is achieved (false if the
	// family has no notion of success), and whether the episode ends here. It does not count steps towards the horizon.
	Step(act, obs []float64) (reward float64, success, done bool)
}

// These are the numbers of tasks of a family from Of if no number is given. They equal those of the point robot.
const ownTrain, ownTest = 40, 10

// Of returns a family of your own. The argument spec holds its name and sizes. The argument draw draws the parameters
// of one task (TaskDim numbers) from r. The argument environment makes one Environment, which one goroutine uses at a
// time. Spec's Source may be empty. Actions are clipped to [-1,1] before Step sees them. A rollout ends with an *Error
// if an action, observation or reward is not finite, if a discrete action does not choose, or if a task has another
// length than TaskDim.
func Of(spec Spec, draw func(r *rand.Rand) []float64, environment func() Environment) Family {
	spec.Source = cmp.Or(spec.Source, "a family of one's own")
	return own{spec, draw, environment}
}

type own struct {
	spec        Spec
	draw        func(r *rand.Rand) []float64
	environment func() Environment
}

func (f own) Spec() Spec { return f.spec }

func (f own) Tasks(seed uint64, nTrain, nTest int) (train, test []Task, err error) {
	if nTrain < 0 || nTest < 0 {
		return nil, nil, fmt.Errorf("sim: %s: %d train and %d test tasks; expected at least 1, or 0 for %d and %d",
			f.spec.Name, nTrain, nTest, ownTrain, ownTest)
	}
	nTrain = cmp.Or(nTrain, ownTrain)
	nTest = cmp.Or(nTest, ownTest)
	tasks, r := make([]Task, nTrain+nTest), rng.New(seed, rng.Tasks)
	for i := range tasks {
		tasks[i] = Task{ID: i, Params: f.draw(r)}
		if err := f.checkTask(tasks[i]); err != nil {
			return nil, nil, fmt.Errorf("sim: %s: a task that was drawn: %w", f.spec.Name, err)
		}
	}
	return tasks[:nTrain:nTrain], tasks[nTrain:], nil
}

func (f own) checkTask(t Task) error {
	if len(t.Params) != f.spec.TaskDim {
		return fmt.Errorf("the task has %d parameters, expected %d, the TaskDim of the family", len(t.Params),
			f.spec.TaskDim)
	}
	return nil
}

func (f own) NewBatch(n int) (Batch, error) {
	if n < 1 {
		return nil, fmt.Errorf("sim: %s: batch of %d environments; expected at least 1", f.spec.Name, n)
	}
	if err := check(f.spec); err != nil {
		return nil, err
	}
	b := &ownBatch{of: f, env: make([]Environment, n), task: make([]Task, n), clipped: make([]float64, f.spec.ActDim)}
	for i := range b.env {
		if b.env[i] = f.environment(); b.env[i] == nil {
			return nil, fmt.Errorf("sim: %s: an environment that was made is nil; expected a value with Reset and Step",
				f.spec.Name)
		}
	}
	return b, nil
}

type ownBatch struct {
	of      own
	env     []Environment
	task    []Task
	clipped []float64
}

func (b *ownBatch) Len() int { return len(b.env) }

func (b *ownBatch) Reset(i int, task Task, r *rand.Rand, obs []float64) error {
	err := b.of.checkTask(task)
	if err == nil {
		b.task[i] = task
		b.env[i].Reset(task.Params, r, obs)
		err = checkObs(obs)
	}
	if err != nil {
		return NewError(b.of.spec.Name, task, i, err)
	}
	return nil
}

func (b *ownBatch) Step(active []bool, act, obs []float64, out *StepResult) error {
	s := &b.of.spec
	if err := CheckRows(len(b.env), *s, active, act, obs); err != nil {
		return err
	}
	for i, on := range active {
		if !on {
			continue
		}
		a, next := act[i*s.ActDim:(i+1)*s.ActDim], obs[i*s.ObsDim:(i+1)*s.ObsDim:(i+1)*s.ObsDim]
		if err := s.CheckAction(a); err != nil {
			return NewError(s.Name, b.task[i], i, err)
		}
		for j, v := range a {
			b.clipped[j] = Clip(v)
		}
		reward, success, done := b.env[i].Step(b.clipped, next)
		if err := checkObs(next); err != nil {
			return NewError(s.Name, b.task[i], i, err)
		}
		if math.IsNaN(reward) || math.IsInf(reward, 0) {
			return NewError(s.Name, b.task[i], i, fmt.Errorf("the reward is %v; expected a finite number", reward))
		}
		out.Reward[i], out.ContextReward[i], out.Success[i], out.Done[i] = reward, reward, success, done
	}
	return nil
}

func (b *ownBatch) Close() error { return nil }

// checkObs returns an error naming the first element of an observation that is not finite.
func checkObs(obs []float64) error {
	for j, v := range obs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("observation %v has the value %v at index %d; expected a finite number", obs, v, j)
		}
	}
	return nil
}
