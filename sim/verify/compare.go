package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/mujoco"
)

// Result says how far a family is from its reference.
type Result struct {
	Family    string `json:"family"`
	Reference string `json:"reference"` // name of its file
	Reward    string `json:"reward,omitempty"`
	// "free": one trajectory from the reset on; "forced": put into the reference's states
	Mode  string `json:"mode"`
	Tasks int    `json:"tasks"`
	Steps int    `json:"steps"` // number of compared steps, over all tasks
	Poses int    `json:"poses"` // number of compared single states
	// The largest absolute differences over all numbers and steps compared.
	Observation Difference `json:"observation"`
	RewardDiff  Difference `json:"reward_difference"`
	// The same after one control step from each state into which the environment was put, in forced mode.
	StepObservation Difference `json:"step_observation"`
	StepReward      Difference `json:"step_reward"`
	Flags           int        `json:"flags"` // steps with another success or done
	// TaskVectors is how many of the package's task vectors (by seed) were compared. OtherTaskVectors is how many of
	// them differ from the family's in any bit.
	TaskVectors      int     `json:"task_vectors"`
	OtherTaskVectors int     `json:"other_task_vectors"`
	Tolerance        float64 `json:"tolerance"`
	Error            string  `json:"error,omitempty"` // why the comparison stopped before its end
	Passed           bool    `json:"passed"`
}

// Difference is the largest difference and its place.
type Difference struct {
	Largest float64 `json:"largest"`
	Task    int     `json:"task"` // index of the task; for a pose it is -1, and Step is then the pose's number
	Step    int     `json:"step"`
	Column  int     `json:"column"`
}

// see takes note of the difference of got and want.
func (d *Difference) see(got, want float64, task, step, column int) {
	if diff := math.Abs(got - want); !(diff <= d.Largest) { // NaN counts as larger than everything
		*d = Difference{diff, task, step, column}
	}
}

// split says which file and which of its reward functions is the reference of the family called name: ml1/push:v2:500
// has the second of push-v3, ml1-2020/push the only one of push-v1, a control the only one of its own name.
func split(name string) (file string, reward int) {
	if base, ok := strings.CutPrefix(name, "ml1-2020/"); ok {
		return base + "-v1", 0
	}
	base, ml1 := strings.CutPrefix(name, "ml1/")
	if !ml1 {
		return name, 0
	}
	base, endings, _ := strings.Cut(base, ":")
	if endings == "v2" || strings.HasPrefix(endings, "v2:") {
		reward = 1
	}
	return base + "-v3", reward
}

// Of returns the names that have a reference, one for each reward function. Variants that differ only in their horizon
// are left out.
func (r References) Of(names []string) []string {
	type reference struct {
		file   string
		reward int
	}
	seen := map[reference]bool{}
	var out []string
	for _, name := range names {
		file, reward := split(name)
		if _, err := fs.Stat(r.files, file+".npz"); err != nil || seen[reference{file, reward}] {
			continue
		}
		seen[reference{file, reward}] = true
		out = append(out, name)
	}
	return out
}

// About describes the reference of the family called name in a word, such as "3×150 steps". It is "" if the family has
// none.
func (r References) About(name string) (string, error) {
	file, _ := split(name)
	ref, err := r.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d×%d steps", len(ref.Runs), len(ref.Runs[0].Act)), nil
}

// Tolerances of what should be equal, and of one step of a MuJoCo that is not the reference's.
const (
	Exact   = 1e-9
	OneStep = 1e-6
)

// Check compares family with its reference in the way that fits the version of MuJoCo (see the package's comment). The
// argument forced puts it into the reference's states with any version. Only the runs numbered in tasks are compared,
// or all runs if tasks is empty. The error is about the reference; differences of the family are in the result.
func (r References) Check(family sim.Family, forced bool, tasks ...int) (Result, error) {
	file, reward := split(family.Spec().Name)
	ref, err := r.Load(file)
	if err != nil {
		return Result{}, err
	}
	if reward >= len(ref.Rewards) {
		return Result{}, fmt.Errorf("verify: the reference %s has %d rewards; %s needs number %d", file,
			len(ref.Rewards), family.Spec().Name, reward+1)
	}
	if len(tasks) > 0 {
		var runs []Run
		for _, k := range tasks {
			if k < 0 || k >= len(ref.Runs) {
				return Result{}, fmt.Errorf("verify: the reference %s has %d tasks; number %d was asked for", file,
					len(ref.Runs), k)
			}
			runs = append(runs, ref.Runs[k])
		}
		ref.Runs = runs
	}
	same := mujoco.Version() == ReferenceVersion
	if ref.Runs[0].States != nil && ref.Runs[0].Start == nil && (forced || !same) {
		return Forced(family, ref, reward), nil
	}
	tolerance := Exact
	if !same {
		tolerance = OneStep
	}
	return Free(family, ref, reward, tolerance), nil
}

// Free steps family along every run of ref, from its own reset on, and compares observations, rewards, success and done
// at every step. The argument reward is the index in ref.Rewards of the reward function that is compared. A batch of
// three is used in which only the middle one is active.
func Free(family sim.Family, ref *Reference, reward int, tolerance float64) Result {
	res := Result{Family: family.Spec().Name, Reference: ref.Name, Reward: ref.Rewards[reward], Mode: "free",
		Tolerance: tolerance}
	if err := res.compareTasks(family, ref.TaskLists); err != nil {
		return res.end(err)
	}
	b, err := family.NewBatch(envs)
	if err != nil {
		return res.end(err)
	}
	for k := range ref.Runs {
		if err = res.follow(b, family.Spec(), &ref.Runs[k], k, reward); err != nil {
			break
		}
		res.Tasks++
	}
	if err == nil {
		err = res.poses(b, family.Spec(), ref, reward)
	}
	return res.end(errors.Join(err, b.Close()))
}

func (res Result) end(err error) Result {
	if err != nil {
		res.Error = err.Error()
	}
	res.Passed = res.SameFormulas() && res.StepObservation.Largest <= OneStep && res.StepReward.Largest <= OneStep
	return res
}

// SameFormulas reports whether observations and rewards of equal states agree. If they do but a forced comparison did
// not pass, this version of MuJoCo moves differently.
func (res Result) SameFormulas() bool {
	return res.Error == "" && res.Steps > 0 && res.Flags == 0 && res.OtherTaskVectors == 0 &&
		res.Observation.Largest <= res.Tolerance && res.RewardDiff.Largest <= res.Tolerance
}

// compareTasks compares the family's tasks for each seed with the package's.
func (res *Result) compareTasks(family sim.Family, lists []TaskList) error {
	for seed, list := range lists {
		train, test, err := family.Tasks(uint64(seed), len(list.Train), len(list.Test))
		if err != nil {
			return err
		}
		want := slices.Concat(list.Train, list.Test)
		for i, task := range slices.Concat(train, test) {
			res.TaskVectors++
			if !slices.Equal(task.Params, want[i]) {
				res.OtherTaskVectors++
			}
		}
	}
	return nil
}

const (
	envs   = 3
	middle = 1
)

// follow steps the middle environment along run k.
func (res *Result) follow(b sim.Batch, s sim.Spec, run *Run, k, reward int) error {
	if len(run.Obs[0]) != s.ObsDim || len(run.Act[0]) != s.ActDim {
		return fmt.Errorf("verify: the reference of %s has %d observations and %d actions; the family %d and %d",
			s.Name, len(run.Obs[0]), len(run.Act[0]), s.ObsDim, s.ActDim)
	}
	act, obs, out := make([]float64, envs*s.ActDim), make([]float64, envs*s.ObsDim), newStepResult(envs)
	mine := obs[middle*s.ObsDim:][:s.ObsDim]
	if err := res.reset(b, run, k, mine); err != nil {
		return err
	}
	res.observe(mine, run.Obs[0], k, 0)
	for t := range run.Act {
		copy(act[middle*s.ActDim:], run.Act[t])
		if err := b.Step([]bool{false, true, false}, act, obs, out); err != nil {
			return fmt.Errorf("task %d, step %d: %w", k, t, err)
		}
		res.observe(mine, run.Obs[t+1], k, t+1)
		res.judge(run, out, k, t, reward)
	}
	return nil
}

func (res *Result) reset(b sim.Batch, run *Run, k int, obs []float64) error {
	if err := b.Reset(middle, sim.Task{ID: k, Params: run.Params}, rng.New(0, rng.Reset), obs); err != nil {
		return fmt.Errorf("task %d, reset: %w", k, err)
	}
	if run.Start == nil {
		return nil
	}
	s, ok := b.(sim.Stateful)
	if !ok {
		return fmt.Errorf("the family's batch is no sim.Stateful, so it cannot start where the reference did")
	}
	return s.SetState(middle, *run.Start, obs)
}

func (res *Result) observe(got, want []float64, task, step int) {
	for j, v := range got {
		res.Observation.see(v, want[j], task, step, j)
	}
}

// judge compares reward, success and done of step t.
func (res *Result) judge(run *Run, out *sim.StepResult, task, t, reward int) {
	res.RewardDiff.see(out.Reward[middle], run.Reward[t][reward], task, t, reward)
	if run.Success != nil && out.Success[middle] != (run.Success[t][reward] != 0) ||
		run.Done != nil && out.Done[middle] != (run.Done[t] != 0) {
		res.Flags++
	}
	res.Steps++
}

func newStepResult(n int) *sim.StepResult {
	return &sim.StepResult{
		Reward: make([]float64, n), Done: make([]bool, n), Success: make([]bool, n), ContextReward: make([]float64, n),
	}
}
