package pyfamily

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"nacre/internal/rng"
	"nacre/sim"
)

// Finding is what a check found out about a family.
type Finding struct {
	What   string `json:"what"`
	Says   string `json:"says"`
	Broken bool   `json:"broken,omitempty"` // runs cannot be repeated, or an agent is told its task
}

// Check tests properties that families in Go have by construction, but that package sim cannot enforce for a class in
// Python. It tests whether the seed determines the tasks and an episode, also after other episodes, whether the first
// observation or reward reveals the task, and whether the global generators of random numbers are used. It makes some
// hundred steps.
// It returns an error only if tasks or environments cannot be made or stepped.
func Check(f sim.Family) ([]Finding, error) {
	train, test, err := f.Tasks(1, 0, 0)
	if err != nil {
		return nil, err
	}
	tasks := slices.CompactFunc(slices.Concat(train, test), func(a, b sim.Task) bool {
		return slices.Equal(a.Params, b.Params)
	})
	c := &checker{family: f, spec: f.Spec(), tasks: tasks[:min(len(tasks), 30)], train: train}
	if c.batch, err = f.NewBatch(1); err != nil {
		return nil, err
	}
	out, err := c.all()
	return out, errors.Join(err, c.batch.Close())
}

// Contract is what simtest.Check says of a family, as a finding.
func Contract(f sim.Family, err error) Finding {
	if err == nil {
		return Finding{What: "contract", Says: "kept: sizes, tasks, wrong actions, workers, horizon"}
	}
	says := strings.ReplaceAll(err.Error(), "simtest: "+f.Spec().Name+": ", "")
	return Finding{What: "contract", Says: says, Broken: true}
}

type checker struct {
	family sim.Family
	spec   sim.Spec
	tasks  []sim.Task
	train  []sim.Task // all of seed 1
	batch  sim.Batch
}

func (c *checker) all() (out []Finding, err error) {
	for _, check := range []func() (Finding, error){c.drawing, c.seeding, c.again, c.firstObservation, c.firstReward,
		c.globals} {
		f, err := check()
		if err != nil {
			return out, err
		}
		if f.Says != "" {
			out = append(out, f)
		}
	}
	return out, nil
}

// checkedSteps is how many steps of an episode are compared.
const checkedSteps = 50

// episode is what a batch of one environment gives: observations and rewards, from the reset on.
func (c *checker) episode(b sim.Batch, task sim.Task, seed uint64, steps int) (seen [][]float64, err error) {
	obs := make([]float64, c.spec.ObsDim)
	out := sim.StepResult{Reward: make([]float64, 1), Done: make([]bool, 1), Success: make([]bool, 1),
		ContextReward: make([]float64, 1), Truncated: make([]bool, 1)}
	if err := b.Reset(0, task, rng.New(seed, rng.Reset), obs); err != nil {
		return nil, err
	}
	seen = append(seen, slices.Clone(obs))
	act := make([]float64, c.spec.ActDim)
	for k := range min(steps, c.spec.Horizon) {
		c.spec.RandomAction(rng.New(seed, rng.Action, uint64(k)), act)
		if err := b.Step([]bool{true}, act, obs, &out); err != nil {
			return nil, err
		}
		seen = append(seen, append(slices.Clone(obs), out.Reward[0]))
		if out.Done[0] || out.Truncated[0] {
			break
		}
	}
	return seen, nil
}

// apart is the step in which two episodes differ, 0 for their start; -1 where they do not.
func apart(a, b [][]float64) int {
	for k := range max(len(a), len(b)) {
		if k >= len(a) || k >= len(b) || !slices.Equal(a[k], b[k]) {
			return k
		}
	}
	return -1
}

func where(k int) string {
	if k == 0 {
		return "the first observation"
	}
	return fmt.Sprintf("step %d", k)
}

// drawing compares the tasks with those that another process makes of the same seed.
func (c *checker) drawing() (Finding, error) {
	f := Finding{What: "tasks"}
	b, is := c.batch.(*batch)
	if !is || c.spec.TaskDim == 0 {
		return f, nil
	}
	w, err := b.of.openWorker(false)
	if err != nil {
		return f, err
	}
	defer w.close()
	var answer struct{ Train []pickled }
	if err := w.ask(request{Op: "tasks", Seed: 1}, &answer); err != nil {
		return f, err
	}
	if !slices.EqualFunc(c.train, answer.Train, func(a sim.Task, b pickled) bool {
		return slices.Equal(a.Params, b.Numbers)
	}) {
		f.Broken = true
		f.Says = "the seed does not determine them: two processes make different ones; draw them from a generator " +
			"that sample_tasks(n, seed) seeds, or from np.random"
		return f, nil
	}
	f.Says = "are determined by the seed: two processes make the same ones"
	return f, nil
}

// seeding compares an episode with the same one in another process.
func (c *checker) seeding() (Finding, error) {
	f := Finding{What: "seeding"}
	one, err := c.episode(c.batch, c.tasks[0], 1, checkedSteps)
	if err != nil {
		return f, err
	}
	b, err := c.family.NewBatch(1)
	if err != nil {
		return f, err
	}
	two, err := c.episode(b, c.tasks[0], 1, checkedSteps)
	if err = errors.Join(err, b.Close()); err != nil {
		return f, err
	}
	if k := apart(one, two); k >= 0 {
		f.Broken = true
		f.Says = fmt.Sprintf("not exact: with the same task and seed two environments differ from %s on; "+
			"runs cannot be repeated, nor resumed to the same bytes; draw from self.np_random after "+
			"super().reset(seed=seed), and carry nothing over from earlier episodes", where(k))
		return f, nil
	}
	f.Says = fmt.Sprintf("exact: %d steps of the same task and seed are equal in two environments", len(one)-1)
	return f, nil
}

// again compares an episode with the same one after others.
func (c *checker) again() (Finding, error) {
	f := Finding{What: "second episode"}
	one, err := c.episode(c.batch, c.tasks[0], 1, checkedSteps)
	if err != nil {
		return f, err
	}
	if _, err = c.episode(c.batch, c.tasks[len(c.tasks)-1], 2, 5); err != nil {
		return f, err
	}
	two, err := c.episode(c.batch, c.tasks[0], 1, checkedSteps)
	if err != nil {
		return f, err
	}
	if k := apart(one, two); k >= 0 {
		f.Broken = true
		f.Says = fmt.Sprintf("differs from the same one before it from %s on: something of earlier episodes remains",
			where(k))
		return f, nil
	}
	f.Says = "equals the same one before it: nothing of earlier episodes remains"
	return f, nil
}

// firsts are what the first step of every task gives from one seed: the observation before it, and its reward.
func (c *checker) firsts() (obs [][]float64, rewards []float64, err error) {
	for _, t := range c.tasks {
		seen, err := c.episode(c.batch, t, 1, 1)
		if err != nil {
			return nil, nil, err
		}
		obs = append(obs, seen[0])
		rewards = append(rewards, seen[1][c.spec.ObsDim])
	}
	return obs, rewards, nil
}

// firstObservation looks for the task in it.
func (c *checker) firstObservation() (Finding, error) {
	f := Finding{What: "first observation"}
	obs, _, err := c.firsts()
	if err != nil || len(obs) < 2 {
		return f, err
	}
	differ := slices.ContainsFunc(obs, func(o []float64) bool { return !slices.Equal(o, obs[0]) })
	if !differ {
		f.Says = "is the same in all tasks from the same seed: it does not tell the task"
		return f, nil
	}
	f.Says = "differs between tasks from the same seed: it may tell the task"
	for j := range c.spec.ObsDim {
		for k := range c.spec.TaskDim {
			if r := correlation(len(obs), func(i int) (float64, float64) {
				return obs[i][j], c.tasks[i].Params[k]
			}); len(obs) > 4 && math.Abs(r) > 0.999 {
				f.Broken = true
				f.Says = fmt.Sprintf("tells the task: its number %d goes with number %d of the task (correlation %.4f)",
					j, k, r)
				return f, nil
			}
		}
	}
	return f, nil
}

// firstReward reports whether it tells tasks apart.
func (c *checker) firstReward() (Finding, error) {
	f := Finding{What: "first reward"}
	_, rewards, err := c.firsts()
	if err != nil || len(rewards) < 2 {
		return f, err
	}
	f.Says = "differs between tasks: one step tells an agent something of its task"
	if slices.Min(rewards) == slices.Max(rewards) {
		f.Says = "is the same in all tasks: an agent has to go on to learn something of its task"
	}
	return f, nil
}

// globals asks the class whether the global generators of random numbers were used.
func (c *checker) globals() (Finding, error) {
	f := Finding{What: "global generators"}
	b, is := c.batch.(*batch)
	if !is {
		return f, nil
	}
	q := request{Op: "globals", Seed: 1, Steps: checkedSteps, Task: b.of.pickleOf(c.tasks[0])}
	var answer struct{ Reset, Step bool }
	if err := b.w.ask(q, &answer); err != nil {
		return f, err
	}
	switch {
	case answer.Step:
		f.Broken = true
		f.Says = "steps draw from random's or NumPy's: environments of one process share it, so results depend on " +
			"how many there are; draw from self.np_random"
	case answer.Reset:
		f.Says = "a reset draws from random's or NumPy's, which are seeded before it"
	default:
		f.Says = "random's and NumPy's are not used"
	}
	return f, nil
}

// constant reports whether a variance around a mean is of rounding alone.
func constant(variance, mean float64) bool { return math.Sqrt(variance) <= 1e-12*math.Abs(mean) }

// correlation is Pearson's of n pairs; 0 where one side does not vary.
func correlation(n int, pair func(i int) (x, y float64)) float64 {
	var mx, my float64
	for i := range n {
		x, y := pair(i)
		mx, my = mx+x/float64(n), my+y/float64(n)
	}
	var sxx, syy, sxy float64
	for i := range n {
		x, y := pair(i)
		sxx, syy, sxy = sxx+(x-mx)*(x-mx), syy+(y-my)*(y-my), sxy+(x-mx)*(y-my)
	}
	if constant(sxx/float64(n), mx) || constant(syy/float64(n), my) {
		return 0
	}
	return sxy / math.Sqrt(sxx*syy)
}
