package metaworld

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"nacre/internal/heavy"
	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/mujoco"
)

// lookup returns a family or skips t where this build lacks what it needs.
func lookup(t testing.TB, name string) *family {
	t.Helper()
	f, err := sim.Lookup(name)
	if errors.Is(err, sim.ErrUnavailable) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return f.(*family)
}

func newBatch(t testing.TB, name string, n int) (*batch, []sim.Task) {
	t.Helper()
	f := lookup(t, name)
	b, err := f.newBatch(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	tasks, _, err := f.Tasks(1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return b, tasks
}

func newResult(n int) *sim.StepResult {
	return &sim.StepResult{
		Reward: make([]float64, n), Done: make([]bool, n), Success: make([]bool, n), ContextReward: make([]float64, n),
	}
}

// The names are those of Meta-World's 50 environments.
func TestNames(t *testing.T) {
	want := strings.Fields(`assembly basketball bin-picking box-close button-press button-press-topdown
		button-press-topdown-wall button-press-wall coffee-button coffee-pull coffee-push dial-turn disassemble door-close
		door-lock door-open door-unlock drawer-close drawer-open faucet-close faucet-open hammer hand-insert handle-press
		handle-press-side handle-pull handle-pull-side lever-pull peg-insert-side peg-unplug-side pick-out-of-hole pick-place
		pick-place-wall plate-slide plate-slide-back plate-slide-back-side plate-slide-side push push-back push-wall reach
		reach-wall shelf-place soccer stick-pull stick-push sweep sweep-into window-close window-open`)
	var got []string
	scenes := map[string]bool{}
	for _, w := range rows() {
		got = append(got, w.name)
		scenes[w.scene] = true
		if n := len(w.low); (n != 3 && n != 6) || len(w.high) != n {
			t.Errorf("%s: task vectors from %v to %v", w.name, w.low, w.high)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("families %v", got)
	}
	if len(scenes) != 36 {
		t.Errorf("%d scenes, expected 36", len(scenes))
	}
	variants := map[string]int{}
	for _, s := range sim.Families() {
		if name, ours := strings.CutPrefix(s.Name, "ml1/"); ours {
			base, variant, _ := strings.Cut(name, ":")
			variants[variant]++
			horizon, reward := 200, "reward v1"
			if strings.HasSuffix(variant, "500") {
				horizon = 500
			}
			if strings.HasPrefix(variant, "v2") {
				reward = "reward v2"
			}
			if s.Horizon != horizon || !strings.Contains(s.Source, base+"-v3, "+reward) || s.ObsDim != 39 ||
				s.ActDim != 4 {
				t.Errorf("%+v", s)
			}
		}
	}
	if len(variants) != 4 || variants[""] != 50 || variants["v2"] != 50 || variants["500"] != 50 ||
		variants["v2:500"] != 50 {
		t.Errorf("variants %v", variants)
	}
}

// Expected vectors are those of metaworld.ML1(name + "-v3", seed): the last one for training and for testing. All
// vectors of seeds 0 to 4 are compared where the references are (package verify).
func TestTasks(t *testing.T) {
	for _, c := range []struct {
		name string
		seed uint64
		want string
	}{
		{"push", 0, "[0.0719161672839243 0.6058534922235559 0.02 -0.07683319973982294 0.8457058761331367 " +
			"0.01979962326342309] [0.0015843399890574927 0.6261549551832987 0.02 -0.07838693426055264 " +
			"0.8787551839652508 0.011065838767888012]"},
		{"door-lock", 4294967294,
			"[0.07066307569034502 0.8249667494110862 0.15] [0.07874672691376111 0.846717213354367 0.15]"},
	} {
		f := familyCalled(t, "ml1/"+c.name)
		train, test, err := f.Tasks(c.seed, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(train[49].Params, test[49].Params); got != c.want || len(train) != 50 || len(test) != 50 ||
			test[0].ID != 50 {
			t.Errorf("%s, seed %d: %s, expected %s", c.name, c.seed, got, c.want)
		}
		few, more, err := f.Tasks(c.seed, 3, 60)
		if err != nil || len(few) != 3 || len(more) != 60 || !slices.Equal(few[2].Params, train[2].Params) ||
			!slices.Equal(more[49].Params, test[49].Params) {
			t.Errorf("other numbers of tasks are not from the same list; error %v", err)
		}
	}
	f := familyCalled(t, "ml1/push")
	if _, _, err := f.Tasks(1<<32-1, 0, 0); err == nil || !strings.Contains(err.Error(), "4294967295") {
		t.Errorf("a seed too large: %v", err)
	}
	if _, _, err := f.Tasks(0, -1, 0); err == nil {
		t.Error("-1 tasks were accepted")
	}
}

// familyCalled returns a family whether or not it can be run.
func familyCalled(t *testing.T, name string) *family {
	t.Helper()
	for _, f := range families() {
		if f.name() == name {
			return f
		}
	}
	t.Fatalf("no family %s", name)
	return nil
}

func TestRolloutIsTheSameForAnyPool(t *testing.T) {
	heavy.Skip(t, "simulates the same episodes many times")
	for _, name := range []string{"ml1/push", "ml1/bin-picking:v2", "ml1/stick-pull"} {
		f := lookup(t, name)
		train, _, err := f.Tasks(0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		var eps []sim.Episode
		for i := range 5 {
			eps = append(eps, sim.Episode{Task: train[i%4], Seed: uint64(i)})
		}
		var want []sim.Trajectory
		for _, size := range [][2]int{{1, 1}, {2, 3}, {1, 16}} {
			p, err := sim.NewPool(f, size[0], size[1])
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Rollout(context.Background(), eps, sim.UniformPolicy(eps, actDim), 25)
			if err := errors.Join(err, p.Close()); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			for i := range got {
				if got[i].Return != want[i].Return || !slices.Equal(got[i].Obs, want[i].Obs) {
					t.Errorf("%s: episode %d differs with %d workers of %d environments", name, i, size[0], size[1])
				}
			}
		}
		if slices.Equal(want[0].Obs, want[4].Obs) || !slices.Equal(want[0].Obs[:obsDim], want[4].Obs[:obsDim]) {
			t.Errorf("%s: episodes of one task should start alike and go on differently", name)
		}
	}
}

// A start that is kept, and an environment that has done other things, repeat an episode bit for bit.
func TestResetLeavesNothing(t *testing.T) {
	b, tasks := newBatch(t, "ml1/bin-picking:v2", 1)
	obs, out := make([]float64, obsDim), newResult(1)
	run := func(task, steps int) []float64 {
		if err := b.Reset(0, tasks[task], nil, obs); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(obs[:18], obs[18:36]) || !slices.Equal(obs[36:], []float64{0, 0, 0}) {
			t.Errorf("first observation %v", obs)
		}
		all := slices.Clone(obs)
		r := rng.New(3, rng.Action)
		for range steps {
			act := []float64{2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1}
			before := slices.Clone(obs[:18])
			if err := b.Step([]bool{true}, act, obs, out); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(before[3:], obs[21:36]) {
				t.Fatalf("the past half is %v, expected %v", obs[18:36], before)
			}
			all = append(append(all, obs...), out.Reward[0])
		}
		return all
	}
	want := run(0, 30)
	run(1, 17)
	b.chunk.QPos(0)[9] = math.NaN()
	if err := b.Step([]bool{true}, make([]float64, actDim), obs, out); err == nil ||
		!strings.Contains(err.Error(), "QPOS") {
		t.Errorf("a state that is not finite: %v", err)
	}
	if got := run(0, 30); !slices.Equal(got, want) {
		t.Error("an episode was not repeated by its environment")
	}
	fresh, _ := newBatch(t, "ml1/bin-picking:v2", 1)
	b = fresh
	if got := run(0, 30); !slices.Equal(got, want) {
		t.Error("an episode was not repeated by a new batch")
	}
}

// The mocap body starts where the hand does, moves 1 cm per step and axis, and stays in its box; the hand follows it.
func TestHandFollows(t *testing.T) {
	b, tasks := newBatch(t, "ml1/reach", 1)
	obs, out := make([]float64, obsDim), newResult(1)
	if err := b.Reset(0, tasks[0], nil, obs); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := b.Step([]bool{true}, []float64{7, -0.5, 0, 1}, obs, out); err != nil {
			t.Fatal(err)
		}
	}
	want := []float64{0.2, 0.5, 0.2}
	for j, v := range b.chunk.MocapPos(0) {
		if math.Abs(v-want[j]) > 1e-12 || math.Abs(obs[j]-want[j]) > 0.04 {
			t.Fatalf("after 20 steps the mocap body is at %v and the hand at %v, expected %v", b.chunk.MocapPos(0),
				obs[:3], want)
		}
	}
	for range 60 {
		if err := b.Step([]bool{true}, []float64{-1, -1, -1, -1}, obs, out); err != nil {
			t.Fatal(err)
		}
	}
	want = []float64{-0.4, 0.4, 0.05}
	if got := b.chunk.MocapPos(0); math.Abs(got[0]-want[0]) > 1e-12 || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("the mocap body is at %v, expected %v", got, want)
	}
	if out.Done[0] {
		t.Error("the episode ended")
	}
}

func TestErrorsName(t *testing.T) {
	b, tasks := newBatch(t, "ml1/push", 2)
	t.Chdir(t.TempDir())
	obs, act, out := make([]float64, 2*obsDim), make([]float64, 2*actDim), newResult(2)
	active := []bool{false, true}
	var at *sim.Error
	if err := b.Reset(1, tasks[3], nil, obs[obsDim:]); err != nil {
		t.Fatal(err)
	}
	act[6] = math.Inf(1)
	if err := b.Step(active, act, obs, out); !errors.As(err, &at) || at.Env != 1 || at.Task.ID != 3 ||
		!strings.Contains(err.Error(), "+Inf at index 2") {
		t.Errorf("infinite action: %v", err)
	}
	for what, step := range map[string]error{
		"7 numbers of actions; expected 8":        b.Step(active, act[:7], obs, out),
		"77 numbers of observations; expected 78": b.Step(active, act, obs[:77], out),
		"1 flags; expected 2":                     b.Step(active[:1], act, obs, out),
	} {
		if step == nil || !strings.Contains(step.Error(), what) {
			t.Errorf("expected %q: %v", what, step)
		}
	}
	for what, params := range map[string][]float64{"3 parameters, expected 6": {0, 0, 0},
		"index 1": {0, math.NaN(), 0, 0, 0, 0}} {
		if err := b.Reset(0, sim.Task{Params: params}, nil, obs); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("expected %q: %v", what, err)
		}
	}
	act[6] = 0
	far := sim.Task{Params: []float64{0, 1e11, 0.02, 0, 0.9, 0.02}}
	err := b.Reset(1, far, nil, obs[obsDim:])
	if err == nil {
		err = b.Step(active, act, obs, out)
	}
	if !errors.As(err, &at) || at.Env != 1 || !strings.Contains(err.Error(), "QPOS") {
		t.Errorf("a cylinder at 1e11 m: %v", err)
	}
	if files, _ := os.ReadDir("."); len(files) != 0 {
		t.Errorf("MuJoCo wrote %v", files)
	}
}

func TestWithoutMuJoCo(t *testing.T) {
	if mujoco.Available() {
		t.Skip("there is MuJoCo")
	}
	_, lookup := sim.Lookup("ml1/push")
	_, batch := familyCalled(t, "ml1/push").NewBatch(1)
	for _, err := range []error{lookup, batch} {
		if !errors.Is(err, sim.ErrUnavailable) || !strings.Contains(err.Error(), "MuJoCo is not available here: ") {
			t.Errorf("error %v does not say what to do", err)
		}
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	for _, name := range []string{"ml1/push", "ml1/stick-push:v2", "ml1/dial-turn:v2", "ml1/peg-insert-side:v2"} {
		b, tasks := newBatch(t, name, 2)
		obs, act, out := make([]float64, 2*obsDim), make([]float64, 2*actDim), newResult(2)
		for i := range 2 {
			if err := b.Reset(i, tasks[i], nil, obs[i*obsDim:(i+1)*obsDim]); err != nil {
				t.Fatal(err)
			}
		}
		active := []bool{true, true}
		if n := testing.AllocsPerRun(20, func() {
			if err := b.Step(active, act, obs, out); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations per step", name, n)
		}
	}
}
