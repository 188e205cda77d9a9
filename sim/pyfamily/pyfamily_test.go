//go:build unix

package pyfamily

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/internal/python"
	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/simtest"
)

// plainPython skips a test where there is no Python; no package is needed.
func plainPython(t *testing.T) {
	t.Helper()
	if _, err := python.Find(); err != nil {
		t.Skip(err)
	}
}

func openFamily(t *testing.T, name string) *Family {
	t.Helper()
	plainPython(t)
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.release)
	return f
}

// release ends the process that waits.
func (f *Family) release() {
	f.mu.Lock()
	w := f.spare
	f.spare = nil
	f.mu.Unlock()
	if w != nil {
		w.close()
	}
}

func rollout(t *testing.T, f *Family, workers, envs, n int) ([]sim.Trajectory, error) {
	t.Helper()
	train, test, err := f.Tasks(1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	tasks := append(train, test...)
	episodes := make([]sim.Episode, n)
	for i := range episodes {
		episodes[i] = sim.Episode{Task: tasks[i%len(tasks)], Seed: uint64(i)}
	}
	pool, err := sim.NewPool(f, workers, envs)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	return pool.Rollout(context.Background(), episodes, sim.RandomPolicy(f, episodes), 0)
}

func TestNames(t *testing.T) {
	file, err := filepath.Abs("testdata/plain.py")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]target{
		"py:testdata/plain.py:Point":         {File: file, Attr: "Point"},
		"py:mypackage.envs:Point":            {Module: "mypackage.envs", Attr: "Point"},
		`py:metaworld:ML1("push-v3",seed=1)`: {Module: "metaworld", Attr: "ML1", Args: `"push-v3",seed=1`},
		"py:envs:Point(n=3),horizon=9":       {Module: "envs", Attr: "Point", Args: "n=3"},
		"gymnasium.make(Pendulum-v1)":        {Make: true, Args: `"Pendulum-v1"`},
		`gymnasium.make("Ant-v5", xml="a")`:  {Make: true, Args: `"Ant-v5", xml="a"`},
		"py:envs:Point,hide=goal,seconds=5":  {Module: "envs", Attr: "Point"},
	} {
		got, err := parse(name)
		got.Options, got.silence = nil, 0
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	got, err := parse("py:envs:Point,hide=a+b,seconds=5,horizon=30")
	want := map[string]string{"hide": "a+b", "seconds": "5", "horizon": "30"}
	if err != nil || got.silence != 5*time.Second || !reflect.DeepEqual(got.Options, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, want := range map[string]string{
		"py:":                            "expected a file or a module, a colon and a class",
		"py:point.py":                    "expected a file or a module",
		"py:envs:a-b":                    "expected a file or a module",
		"py:there/is/none.py:Point":      "there is no file /",
		"py:envs:Point(3":                "a parenthesis is open",
		"py:envs:Point,second=3":         `"seconds"`,
		"py:envs:Point,horizon=0":        "whole number from 1",
		"py:envs:Point,horizon=many":     "whole number from 1",
		"py:envs:Point,hide":             `"hide"`,
		"gymnasium.make(Ant-v5),steps=2": `"steps=2"`,
	} {
		if _, err := parse(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
}

func TestClassKeepsTheContractOfAFamily(t *testing.T) {
	heavy.Skip(t, "Python starts for every class")
	for _, class := range []string{"Point", "Options", "Old", "SetTask", "Indices", "Lists", "Maker", "Once", "Two"} {
		t.Run(class, func(t *testing.T) { simtest.Family(t, openFamily(t, "py:testdata/plain.py:"+class)) })
	}
}

func TestConventions(t *testing.T) {
	for class, want := range map[string]struct {
		how          string
		horizon, dim int
		train, test  int
		succeeds     bool
	}{
		"Point":      {"sample_tasks, set by reset_task", 20, 2, 40, 10, true},
		"SetTask":    {"sample_tasks, set by set_task", 20, 2, 40, 10, true},
		"Options":    {`sample_tasks, set by reset(options={"task": …})`, 20, 2, 40, 10, true},
		"Indices":    {"get_all_task_idx and reset_task, set by reset_task", 20, 2, 8, 2, false},
		"Indices(5)": {"get_all_task_idx and reset_task, set by reset_task", 20, 2, 4, 1, false},
		"Lists":      {"train_tasks and test_tasks, set by set_task", 20, 1, 3, 2, true},
		"Maker":      {`sample_tasks, set by reset(options={"task": …})`, 15, 2, 40, 10, true},
		"Old":        {"one task", 20, 0, 1, 1, false},
		"Garage":     {"sample_tasks, set by reset_task", 20, 2, 40, 10, true},
		"Specified":  {"sample_tasks, set by reset_task", 15, 2, 40, 10, true},
		"Wrapper":    {"sample_tasks, set by reset_task", 20, 2, 40, 10, true},
		"Two":        {"sample_tasks, set by set_task", 20, 2, 2, 2, true},
		"function":   {"get_all_task_idx and reset_task, set by reset_task", 7, 2, 2, 1, false},
	} {
		f := openFamily(t, "py:testdata/plain.py:"+class)
		d, s := f.Describe(), f.Spec()
		train, test, err := f.Tasks(3, 0, 0)
		if err != nil || d.Convention != want.how || s.Horizon != want.horizon || s.TaskDim != want.dim ||
			len(train) != want.train || len(test) != want.test || s.NoSuccess == want.succeeds {
			t.Errorf("%s: %q, %+v, %d and %d tasks, %v", class, d.Convention, s, len(train), len(test), err)
		}
		f.release()
	}
}

func TestTasksAreTheClasss(t *testing.T) {
	heavy.Skip(t, "Python starts for every class")
	f := openFamily(t, "py:testdata/plain.py:Lists")
	train, test, err := f.Tasks(1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	// Tasks are bytes, which set a goal of [len, first/100]: the reward tells that they came as they are.
	for i, want := range map[int]string{0: "a", 1: "bc", 2: "d", 3: "xyz", 4: "q"} {
		task := append(train, test...)[i]
		b, err := f.NewBatch(1)
		if err != nil {
			t.Fatal(err)
		}
		reward, at := step(t, b, task)
		goal := [2]float64{float64(len(want)), float64(want[0]) / 100}
		if dx, dy := at[0]-goal[0], at[1]-goal[1]; reward*reward-dx*dx-dy*dy > 1e-12 {
			t.Errorf("task %d: reward %v at %v; want the distance to %v", i, reward, at, goal)
		}
		b.Close()
	}
	for _, n := range [][2]int{{4, 1}, {0, 3}} {
		if _, _, err := f.Tasks(1, n[0], n[1]); err == nil || !strings.Contains(err.Error(), "tasks were asked for") {
			t.Errorf("%v: %v", n, err)
		}
	}
	// A task that the class did not make is made of its numbers, where tasks are numbers.
	p := openFamily(t, "py:testdata/plain.py:SetTask")
	b, err := p.NewBatch(1)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	reward, at := step(t, b, sim.Task{Params: []float64{3, 4}})
	if dx, dy := at[0]-3, at[1]-4; reward > 0 || reward*reward-dx*dx-dy*dy > 1e-12 {
		t.Errorf("reward %v at %v; want the distance to [3 4]", reward, at)
	}
}

// step is the reward of one step without a movement, and where it ended.
func step(t *testing.T, b sim.Batch, task sim.Task) (float64, []float64) {
	t.Helper()
	out := sim.StepResult{Reward: make([]float64, 1), Done: make([]bool, 1), Success: make([]bool, 1),
		ContextReward: make([]float64, 1)}
	obs := make([]float64, 2)
	if err := b.Reset(0, task, rng.New(1, rng.Reset), obs); err != nil {
		t.Fatal(err)
	}
	if err := b.Step([]bool{true}, []float64{0, 0}, obs, &out); err != nil {
		t.Fatal(err)
	}
	return out.Reward[0], obs
}

func TestActionsAreRescaled(t *testing.T) {
	f := openFamily(t, "py:testdata/plain.py:Scaled")
	b, err := f.NewBatch(1)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	out := sim.StepResult{Reward: make([]float64, 1), Done: make([]bool, 1), Success: make([]bool, 1),
		ContextReward: make([]float64, 1)}
	obs := make([]float64, 2)
	if err := b.Reset(0, sim.Task{}, rng.New(1, rng.Reset), obs); err != nil {
		t.Fatal(err)
	}
	// The bounds are [-2, 6] and [1, 4].
	for _, c := range [][4]float64{{-1, -1, -2, 1}, {1, 1, 6, 4}, {0, 0, 2, 2.5}, {9, -9, 6, 1}, {0.5, -0.5, 4, 1.75}} {
		if err := b.Step([]bool{true}, c[:2], obs, &out); err != nil || obs[0] != c[2] || obs[1] != c[3] {
			t.Errorf("%v leads to %v, %v; want %v", c[:2], obs, err, c[2:])
		}
	}
}

func TestEndsAreKeptApart(t *testing.T) {
	f := openFamily(t, "py:testdata/plain.py:Ends")
	out, err := rollout(t, f, 1, 4, 12)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, tr := range out {
		if tr.Len != 3 && tr.Len != 5 || tr.Done != (tr.Len == 3) {
			t.Errorf("an episode of %d steps, Done %v; want an end after 3 steps and a cut after 5", tr.Len, tr.Done)
		}
		seen[tr.Len] = true
	}
	if len(seen) != 2 {
		t.Errorf("all episodes have one length: %v", seen)
	}
	// gym's four values: TimeLimit.truncated is a cut; garage's TERMINAL an end and its TIMEOUT a cut.
	for _, class := range []string{"Garage", "Old"} {
		if _, err := rollout(t, openFamily(t, "py:testdata/plain.py:"+class), 1, 4, 8); err != nil {
			t.Error(err)
		}
	}
	out, err = rollout(t, openFamily(t, "py:testdata/plain.py:Garage"), 1, 4, 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range out {
		if tr.Len > 15 || tr.Len == 15 && tr.Done != (tr.Obs[2*tr.Len] > 1) {
			t.Errorf("an episode of %d steps, Done %v", tr.Len, tr.Done)
		}
	}
}

func TestBadClassesAreRefused(t *testing.T) {
	heavy.Skip(t, "Python starts for every class")
	plainPython(t)
	for name, want := range map[string]string{
		"py:testdata/missing.py:Point":     "No module named 'nothing_of_this_name' (testdata/missing.py, line 1",
		"py:testdata/broken.py:Point":      "SyntaxError",
		"py:nothing_of_this_name:Point":    "activate the environment that has the module, or set NACRE_PYTHON",
		"py:testdata/plain.py:Pint":        "there is no Pint in it; it has Base, Box",
		"py:testdata/plain.py:goals":       "TypeError: goals() missing 2 required positional arguments",
		"py:testdata/plain.py:math":        "math is a module; expected a class or a function",
		"py:testdata/plain.py:Indices(x)":  "expected Python's literals",
		"py:testdata/plain.py:Indices(n=":  "a parenthesis is open",
		"py:os:getcwd":                     "getcwd is a builtin_function_or_method; expected a class or a function",
		"py:subprocess:Popen(\"true\")":    "Popen has no method step, make or train_classes",
		"py:testdata/bad.py:NoStep":        "NoStep has no method step, make or train_classes",
		"py:testdata/bad.py:NoReset":       "has no reset",
		"py:testdata/bad.py:NoSpaces":      "has no action_space",
		"py:testdata/bad.py:NeedsArgument": "missing 1 required positional argument: 'size'",
		"py:testdata/bad.py:Raises":        "RuntimeError: no licence was found (testdata/bad.py, line",
		"py:testdata/bad.py:Choosing":      "its actions are Sequence(3); expected a Box, a Discrete or",
		"py:testdata/bad.py:Seeing":        "its observations are images",
		"py:testdata/bad.py:Unsettable": "no way to set one: expected set_task, reset_task, or a reset that " +
			"takes options",
		"py:testdata/bad.py:Lock":              "cannot be pickled (TypeError",
		"py:testdata/bad.py:FewTasks":          "sample_tasks(50) returned 1 tasks",
		"py:testdata/bad.py:NoList":            "sample_tasks(50) returned 3; expected a list or an array of 50",
		"py:testdata/plain.py:Point,hide=goal": "which has no keys",
	} {
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
	for class, want := range map[string]string{
		"Ragged":   "train task 1 has 3 numbers, others have 2",
		"Infinite": "expected finite numbers",
	} {
		if _, _, err := openFamily(t, "py:testdata/bad.py:"+class).Tasks(1, 0, 0); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", class, err, want)
		}
	}
}

func TestBeginningThatNeverEnds(t *testing.T) {
	heavy.Skip(t, "waits for seconds")
	plainPython(t)
	before := beginning
	beginning = 5 * time.Second
	defer func() { beginning = before }()
	if _, err := Open("py:testdata/bad.py:SleepsAtStart,seconds=1"); err == nil ||
		!strings.Contains(err.Error(), "Python was silent for 5s") {
		t.Error(err)
	}
}

func cwd(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// What goes wrong in the third step, or in a reset, is one error with family, task, episode and step.
func TestFailuresHaveTheirPlace(t *testing.T) {
	for class, want := range map[string]string{
		"NanReward":        "step 2: the reward is NaN; expected a finite number",
		"InfiniteReward":   "step 2: the reward is -Inf; expected a finite number",
		"NoReward":         "step 2: the reward is None; expected a number",
		"ListReward":       "step 2: the reward is [1.0, 2.0]; expected a number",
		"TextReward":       "step 2: the reward is 'much'; expected a number",
		"NanObservation":   "step 2: the observation has the value NaN at index 1",
		"LongObservation":  "step 2: an observation has 3 numbers; expected 2",
		"ShortObservation": "step 2: an observation has 1 numbers; expected 2",
		"NoObservation":    "step 2: an observation is None; expected 2 numbers",
		"TextObservation":  "step 2: an observation is ['a', 'b']; expected 2 numbers",
		"ThreeValues":      "step 2: step returned 3 values; expected observation, reward",
		"OneValue":         "; expected observation, reward, terminated",
		"Divides":          "step 2: in step: ZeroDivisionError: float division by zero (testdata/bad.py, line",
		"Asserts":          "step 2: in step: AssertionError: the robot fell over (testdata/bad.py, line",
		"Leaves":           "step 2: it called exit(3) (testdata/bad.py, line",
		"LeavesWord":       "step 2: it called exit('enough') (",
		"LeavesAtOnce":     "step 2: the process of Python ended: exit status 7",
		"Aborts":           "step 2: the process of Python ended: signal: aborted",
		"Killed":           "step 2: the process of Python ended: signal: killed",
		"Spawns":           "step 2: the process of Python ended: exit status 1",
		"Sleeps,seconds=5": "step 2: Python was silent for 5s at " + cwd(t) + "/testdata/bad.py, line",
		"Spins,seconds=5":  "step 2: Python was silent for 5s at " + cwd(t) + "/testdata/bad.py, line",
		"Deadlocks,seconds=5": "step 2: Python was silent for 5s at " + cwd(t) +
			"/testdata/bad.py, line",
		"SleepsInReset,seconds=5": "Python was silent for 5s at " + cwd(t) + "/testdata/bad.py, line",
	} {
		t.Run(class, func(t *testing.T) {
			if class != "NanReward" && class != "LongObservation" && class != "Divides" && class != "Killed" {
				heavy.Skip(t, "Python starts for every class")
			}
			t.Parallel()
			f := openFamily(t, "py:testdata/bad.py:"+class)
			pool, err := sim.NewPool(f, 1, 2)
			if err != nil {
				t.Fatal(err)
			}
			train, _, err := f.Tasks(1, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // after an error the pool can be used again
				episodes := []sim.Episode{{Task: train[0], Seed: 1}, {Task: train[1], Seed: 2}}
				_, err = pool.Rollout(context.Background(), episodes, sim.UniformPolicy(episodes, 2), 0)
				var at *sim.Error
				if !errors.As(err, &at) || !strings.Contains(err.Error(), want) || at.Family != f.Spec().Name {
					t.Errorf("%v; want a *sim.Error with %q", err, want)
				}
			}
			if err := pool.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What an environment prints, and a child that comes back from a fork, are no answers.
func TestNothingBreaksTheProtocol(t *testing.T) {
	want, err := rollout(t, openFamily(t, "py:testdata/plain.py:Point"), 1, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range []string{"plain.py:Printing", "bad.py:Forks", "bad.py:ForksInReset"} {
		f := openFamily(t, "py:testdata/"+class)
		shown, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		f.print.out, f.print.shown = shown, map[string]bool{}
		got, err := rollout(t, f, 1, 2, 4)
		if err != nil {
			t.Errorf("%s: %v", class, err)
			continue
		}
		for i := range got {
			if !reflect.DeepEqual(got[i].Obs, want[i].Obs) || !reflect.DeepEqual(got[i].Reward, want[i].Reward) {
				t.Errorf("%s: episode %d is another than that of Point", class, i)
			}
		}
		text, err := os.ReadFile(shown.Name())
		expected := map[string]string{"plain.py:Printing": "a line\nand another\n"}[class]
		if class != "plain.py:Printing" {
			expected = "the child was ended"
		}
		if err != nil || !strings.Contains(string(text), expected) {
			t.Errorf("%s: printed %q, %v", class, text, err)
		}
	}
}

// children are the processes that another one has begun and that have not ended, where the system tells.
func children(t *testing.T, of int) []string {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, path := range entries {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(of) && fields[0] != "Z" {
			out = append(out, filepath.Base(filepath.Dir(path)))
		}
	}
	return out
}

func TestPlacesAreUnescaped(t *testing.T) {
	got := stuckAt([]string{"Current thread 0x0 (most recent call first):",
		`  File "/tmp/gr\xf6\xdfe \xf1 \u6587 \U0001f600/a.py", line 3, in sch\xf6n`, `  File "<string>", line 1, in main`})
	if want := "/tmp/größe ñ 文 😀/a.py, line 3, in schön"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
