package controls

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/mujoco"
)

func needMuJoCo(t testing.TB) {
	t.Helper()
	if err := mujoco.Check(); errors.Is(err, sim.ErrUnavailable) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

func newResult(n int) *sim.StepResult {
	return &sim.StepResult{
		Reward: make([]float64, n), Done: make([]bool, n), Success: make([]bool, n), ContextReward: make([]float64, n),
	}
}

func episodes(t *testing.T, f sim.Family, n int) []sim.Episode {
	t.Helper()
	train, _, err := f.Tasks(0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	eps := make([]sim.Episode, n)
	for i := range eps {
		eps[i] = sim.Episode{Task: train[i%len(train)], Seed: uint64(1000 + i)}
	}
	return eps
}

// everyFamily runs a test on each family.
func everyFamily(t *testing.T, test func(t *testing.T, f *control)) {
	for _, f := range families() {
		t.Run(f.name, func(t *testing.T) { test(t, f) })
	}
}

func TestRolloutIsTheSameForAnyPool(t *testing.T) {
	needMuJoCo(t)
	everyFamily(t, func(t *testing.T, f *control) {
		eps := episodes(t, f, 7)
		var want []sim.Trajectory
		for _, size := range [][2]int{{1, 1}, {1, 16}, {2, 3}, {3, 2}} {
			p, err := sim.NewPool(f, size[0], size[1])
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Rollout(context.Background(), eps, sim.UniformPolicy(eps, f.act), 30)
			if err := errors.Join(err, p.Close()); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			for i := range got {
				if !equal(got[i], want[i]) {
					t.Errorf("episode %d differs with %d workers of %d environments", i, size[0], size[1])
				}
			}
		}
		if equal(want[0], want[2]) {
			t.Error("different episodes are equal")
		}
	})
}

func equal(a, b sim.Trajectory) bool {
	return a.Task.ID == b.Task.ID && a.Len == b.Len && a.Done == b.Done && a.Return == b.Return &&
		slices.Equal(a.Obs, b.Obs) && slices.Equal(a.Act, b.Act) && slices.Equal(a.Reward, b.Reward)
}

// A batch that has done other things, another task and a bad state among them, must repeat an episode bit for bit.
func TestResetLeavesNothing(t *testing.T) {
	needMuJoCo(t)
	everyFamily(t, func(t *testing.T, f *control) {
		b, err := f.newBatch(1)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		tasks, _, err := f.Tasks(7, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		obs, out, act := make([]float64, f.obs), newResult(1), make([]float64, f.act)
		run := func(task int, steps int) []float64 {
			if err := b.Reset(0, tasks[task], rng.New(1, rng.Reset, uint64(task)), obs); err != nil {
				t.Fatal(err)
			}
			all := slices.Clone(obs)
			r := rng.New(1, rng.Action)
			for range steps {
				for j := range act {
					act[j] = 2*r.Float64() - 1
				}
				if err := b.Step([]bool{true}, act, obs, out); err != nil {
					t.Fatal(err)
				}
				all = append(append(all, obs...), out.Reward[0])
			}
			return all
		}
		want := run(0, 40)
		run(1, 31)
		b.chunk.QPos(0)[1] = 1e12
		if err := b.Step([]bool{true}, act, obs, out); err == nil {
			t.Error("a torso at 1e12 m raised no error")
		}
		if got := run(0, 40); !slices.Equal(got, want) {
			t.Error("the same episode gave other numbers after other episodes")
		}
		if got := run(1, 0); slices.Equal(got, want[:f.obs]) {
			t.Error("another stream gave the same initial state")
		}
	})
}

func TestStepAllocatesNothing(t *testing.T) {
	needMuJoCo(t)
	everyFamily(t, func(t *testing.T, f *control) {
		b, err := f.newBatch(2)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		active, obs, out, act := []bool{true, true}, make([]float64, 2*f.obs), newResult(2), make([]float64, 2*f.act)
		for i, e := range episodes(t, f, 2) {
			if err := b.Reset(i, e.Task, rng.New(e.Seed), obs[i*f.obs:]); err != nil {
				t.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(10, func() {
			if err := b.Step(active, act, obs, out); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("a step allocates %v times", n)
		}
	})
}

// The initial noise of every family, in its widths; the observation leaves out the first element or two of qpos.
func TestInitialStates(t *testing.T) {
	needMuJoCo(t)
	for _, c := range []struct {
		family     *control
		start      []float64 // qpos0
		width      float64
		gauss      bool
		velocities float64
	}{
		{cheetahVel(), make([]float64, 9), 0.1, true, 0.1},
		{antGoal(true), append([]float64{0, 0, 0.75, 1}, make([]float64, 11)...), 0.1, true, 0.1},
		{humanoidDir(true), append([]float64{0, 0, 1.4, 1}, make([]float64, 20)...), 0.01, false, 0.01},
		{walkerRandParams(), append([]float64{0, 1.25}, make([]float64, 7)...), 0.005, false, 0.005},
	} {
		var e env
		var positions, velocities, largest float64
		const n = 2000
		r := rng.New(3)
		for range n {
			e.qpos, e.qvel = slices.Clone(c.start), make([]float64, len(c.start))
			c.family.start(&e, r)
			for j, q := range e.qpos {
				if math.Abs(q-c.start[j]) > c.width {
					t.Fatalf("%s: qpos[%d] starts at %v", c.family.name, j, q)
				}
				positions += (q - c.start[j]) * (q - c.start[j])
			}
			for _, v := range e.qvel {
				velocities += v * v
				largest = max(largest, math.Abs(v))
			}
		}
		count := float64(n * len(c.start))
		if got, want := math.Sqrt(positions/count), c.width/math.Sqrt(3); math.Abs(got/want-1) > 0.03 {
			t.Errorf("%s: positions deviate by %v, expected %v", c.family.name, got, want)
		}
		want := c.velocities
		if !c.gauss {
			want /= math.Sqrt(3)
		}
		if got := math.Sqrt(velocities / count); math.Abs(got/want-1) > 0.03 || (largest <= c.velocities) == c.gauss {
			t.Errorf("%s: velocities deviate by %v, at most by %v; expected %v", c.family.name, got, largest, want)
		}
		b, err := c.family.newBatch(1)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.chunk.Reset(0); err != nil {
			t.Fatal(err)
		}
		if got := b.chunk.QPos(0); !slices.Equal(got, c.start) {
			t.Errorf("%s: the model starts at %v", c.family.name, got)
		}
		b.Close()
	}
}

func TestErrorsNameEnvironmentAndTask(t *testing.T) {
	needMuJoCo(t)
	everyFamily(t, func(t *testing.T, f *control) {
		b, err := f.newBatch(2)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		tasks, _, err := f.Tasks(0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		obs, act := make([]float64, 2*f.obs), make([]float64, 2*f.act)
		check := func(what string, err error, text string) {
			var at *sim.Error
			if !errors.As(err, &at) || at.Env != 1 || at.Task.ID != 41 || at.Family != f.name ||
				!strings.Contains(err.Error(), text) {
				t.Errorf("%s: error %v; expected one of environment 1, task 41, with %q", what, err, text)
			}
		}
		for name, c := range map[string]struct {
			spoil func()
			want  string
		}{
			"action":   {func() { act[f.act+2] = math.NaN() }, "NaN at index 2"},
			"position": {func() { b.chunk.QPos(1)[3] = math.Inf(1) }, "QPOS"},
			"velocity": {func() { b.chunk.QVel(1)[0] = 1e11 }, "QVEL"},
		} {
			for i := range 2 {
				if err := b.Reset(i, sim.Task{ID: 40 + i, Params: tasks[1].Params}, rng.New(1),
					obs[i*f.obs:]); err != nil {
					t.Fatal(err)
				}
			}
			clear(act)
			c.spoil()
			check(name, b.Step([]bool{true, true}, act, obs, newResult(2)), c.want)
		}
		bad := slices.Clone(tasks[1].Params)
		bad[0] = math.NaN()
		check("NaN in the task", b.Reset(1, sim.Task{ID: 41, Params: bad}, rng.New(1), obs), "finite")
		check("long task", b.Reset(1, sim.Task{ID: 41, Params: append(bad, 0)}, rng.New(1), obs), "expected")
	})
}

func TestWithoutMuJoCo(t *testing.T) {
	var names []string
	for _, s := range sim.Families() {
		names = append(names, s.Name)
	}
	for _, f := range families() {
		if !slices.Contains(names, f.name) {
			t.Errorf("%s is not among %v", f.name, names)
		}
		_, lookup := sim.Lookup(f.name)
		if mujoco.Available() {
			if lookup != nil {
				t.Error(lookup)
			}
			continue
		}
		_, batch := f.NewBatch(1)
		for _, err := range []error{lookup, batch} {
			if !errors.Is(err, sim.ErrUnavailable) || !strings.Contains(err.Error(), "MuJoCo is not available here: ") {
				t.Errorf("error %v does not say what to do", err)
			}
		}
	}
}
