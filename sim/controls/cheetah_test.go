package controls

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/mujoco"

	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mathext/prng"
)

var (
	referenceFile = flag.String("reference", "testdata/cheetah.npy", "reference trajectories made by testdata/cheetah.py")
	writeXML      = flag.String("write-xml", "", "write the half-cheetah's MJCF to this file")
)

func needMuJoCo(t testing.TB) {
	t.Helper()
	if err := mujoco.Check(); errors.Is(err, sim.ErrUnavailable) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// The digest is that of numpy.random.RandomState(1337).uniform(0, 3, 130) as little-endian doubles, NumPy 2.4.6.
func TestVelocitiesAreNumPys(t *testing.T) {
	list := publishedVelocities()
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, list); err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != "50324908bd37d04c679e06e370db72781df6ec635adff9c826c3c002f8d20169" {
		t.Errorf("digest %s", got)
	}
	for i, want := range map[int]float64{0: 0x1.92784b6b9f286p-1, 1: 0x1.e77a2751a2372p-2, 100: 0x1.0685d5baf2724p+1, 129: 0x1.1ddc6c5ede595p-1} {
		if list[i] != want {
			t.Errorf("velocity %d is %v, NumPy draws %v", i, list[i], want)
		}
	}
}

func TestVelocityTasks(t *testing.T) {
	list := publishedVelocities()
	for _, c := range []struct{ nTrain, nTest, train, test int }{{0, 0, 100, 30}, {100, 30, 100, 30}, {8, 4, 8, 4}, {129, 1, 129, 1}} {
		train, test, err := cheetah{velocity: true}.Tasks(99, c.nTrain, c.nTest)
		if err != nil || len(train) != c.train || len(test) != c.test {
			t.Fatalf("%+v: %d train, %d test, %v", c, len(train), len(test), err)
		}
		for i, task := range train {
			if task.ID != i || task.Params[0] != list[i] {
				t.Errorf("%+v: train task %d is %+v", c, i, task)
			}
		}
		for i, task := range test {
			if want := 130 - c.test + i; task.ID != want || task.Params[0] != list[want] {
				t.Errorf("%+v: test task %d is %+v", c, i, task)
			}
		}
	}
	for _, c := range [][2]int{{120, 11}, {-1, 30}, {100, -2}} {
		if _, _, err := (cheetah{velocity: true}).Tasks(0, c[0], c[1]); err == nil || !strings.Contains(err.Error(), "130") {
			t.Errorf("%v: error %v does not name the limit", c, err)
		}
	}
}

func TestDirectionTasks(t *testing.T) {
	train, test, err := cheetah{}.Tasks(3, 0, 2)
	if err != nil || len(train) != 2 || len(test) != 2 {
		t.Fatal(train, test, err)
	}
	for i, want := range []float64{-1, 1} {
		if train[i].Params[0] != want || test[i].Params[0] != want || train[i].ID != i || test[i].ID != i {
			t.Errorf("task %d: train %+v, test %+v", i, train[i], test[i])
		}
	}
	if _, _, err := (cheetah{}).Tasks(0, 5, 2); err == nil || !strings.Contains(err.Error(), "5 train") {
		t.Errorf("5 train tasks: %v", err)
	}
}

func TestHalfCheetahXML(t *testing.T) {
	text := HalfCheetahXML()
	for what, want := range map[string]int{"<body ": 7, "<joint ": 9, "<motor ": 6, "<geom ": 9} {
		if got := strings.Count(text, what); got != want {
			t.Errorf("%d of %q, expected %d", got, what, want)
		}
	}
	if *writeXML != "" {
		if err := os.WriteFile(*writeXML, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	needMuJoCo(t)
	m, err := mujoco.LoadXML(text)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if s := m.Sizes(); s != (mujoco.Sizes{NQ: 9, NV: 9, NU: 6, NBody: 8, Timestep: 0.01}) {
		t.Errorf("sizes %+v", s)
	}
}

// TestReference steps the batch along trajectories of Gymnasium's half-cheetah.
func TestReference(t *testing.T) {
	needMuJoCo(t)
	tolerance := 1e-9
	if mujoco.Version() != "3.3.0" {
		tolerance = 1e-6 // the reference is of 3.3.0; versions drift apart slowly at first
	}
	ref, steps := readReference(t)
	row := func(task, t int) []float64 { return ref[(task*(steps+1)+t)*21:][:21] }
	worst := 0.0
	for k, c := range []struct {
		family cheetah
		goal   float64
	}{{cheetah{velocity: true}, 1.5}, {cheetah{}, -1}} {
		made, err := c.family.NewBatch(3)
		if err != nil {
			t.Fatal(err)
		}
		defer made.Close()
		b := made.(*cheetahBatch)
		const env = 1 // a neighbour on each side stays inactive
		active, act := []bool{false, true, false}, make([]float64, 3*cheetahAct)
		obs, out := make([]float64, 3*cheetahObs), newResult(3)
		mine := obs[env*cheetahObs:][:cheetahObs]
		if err := b.Reset(env, sim.Task{Params: []float64{c.goal}}, rng.New(0), mine); err != nil {
			t.Fatal(err)
		}
		start := row(k, 0)
		copy(b.chunk.QPos(env), append([]float64{start[17]}, start[:8]...))
		copy(b.chunk.QVel(env), start[8:17])
		if err := b.begin(env, mine); err != nil {
			t.Fatal(err)
		}
		actions := numpyUniform(uint64(k))
		for s := range steps + 1 {
			if s > 0 {
				for j := range cheetahAct {
					act[env*cheetahAct+j] = 2*actions() - 1
				}
				if err := b.Step(active, act, obs, out); err != nil {
					t.Fatal(err)
				}
			}
			want := row(k, s)
			got := append(slices.Clone(mine), out.Reward[env])
			for j := range want {
				d := math.Abs(got[j] - want[j])
				worst = max(worst, d)
				if !(d <= tolerance) {
					t.Fatalf("%s, step %d: column %d is %v, the reference has %v", c.family.name(), s, j, got[j], want[j])
				}
			}
		}
	}
	t.Logf("%d steps of two tasks, largest difference %g", steps, worst)
}

func readReference(t *testing.T) (data []float64, steps int) {
	t.Helper()
	f, err := os.Open(*referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := npyio.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Header.Descr.Shape; len(s) != 3 || s[0] != 2 || s[2] != 21 {
		t.Fatalf("%s has shape %v", *referenceFile, s)
	}
	if err := r.Read(&data); err != nil {
		t.Fatal(err)
	}
	return data, r.Header.Descr.Shape[1] - 1
}

// numpyUniform draws like numpy.random.RandomState(seed).random_sample().
func numpyUniform(seed uint64) func() float64 {
	mt := prng.NewMT19937()
	mt.Seed(seed)
	return func() float64 {
		high, low := mt.Uint32()>>5, mt.Uint32()>>6
		return (float64(high)*(1<<26) + float64(low)) / (1 << 53)
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

func TestRolloutIsTheSameForAnyPool(t *testing.T) {
	needMuJoCo(t)
	for _, f := range []sim.Family{cheetah{velocity: true}, cheetah{}} {
		eps := episodes(t, f, 7)
		var want []sim.Trajectory
		for _, size := range [][2]int{{1, 1}, {1, 16}, {2, 3}, {3, 2}} {
			p, err := sim.NewPool(f, size[0], size[1])
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Rollout(context.Background(), eps, sim.UniformPolicy(eps, cheetahAct), 30)
			if err := errors.Join(err, p.Close()); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			for i := range got {
				if !equal(got[i], want[i]) {
					t.Errorf("%s: episode %d differs with %d workers of %d environments", f.Spec().Name, i, size[0], size[1])
				}
			}
		}
		if equal(want[0], want[2]) {
			t.Error("different episodes are equal")
		}
	}
}

func equal(a, b sim.Trajectory) bool {
	return a.Task.ID == b.Task.ID && a.Len == b.Len && a.Return == b.Return && slices.Equal(a.Obs, b.Obs) &&
		slices.Equal(a.Act, b.Act) && slices.Equal(a.Reward, b.Reward)
}

// A batch that has done other things, a bad state among them, must repeat an episode bit for bit.
func TestResetLeavesNothing(t *testing.T) {
	needMuJoCo(t)
	made, err := cheetah{velocity: true}.NewBatch(1)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	b := made.(*cheetahBatch)
	run := func(seed uint64, steps int) []float64 {
		var all []float64
		obs, out, act := make([]float64, cheetahObs), newResult(1), make([]float64, cheetahAct)
		if err := b.Reset(0, sim.Task{Params: []float64{2}}, rng.New(seed, rng.Reset), obs); err != nil {
			t.Fatal(err)
		}
		all = append(all, obs...)
		r := rng.New(seed, rng.Action)
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
	want := run(1, 60)
	run(2, 111)
	b.chunk.QPos(0)[1] = 1e12
	if err := b.Step([]bool{true}, make([]float64, cheetahAct), make([]float64, cheetahObs), newResult(1)); err == nil {
		t.Error("a torso at 1e12 m raised no error")
	}
	if got := run(1, 60); !slices.Equal(got, want) {
		t.Error("the same episode gave other numbers after other episodes")
	}
	for j, v := range want[:8] {
		if math.Abs(v) > 0.1 {
			t.Errorf("initial qpos[%d] = %v is outside ±0.1", j+1, v)
		}
	}
	if z := want[19]; z < 0.6 || z > 0.8 {
		t.Errorf("initial torso height %v is outside 0.7±0.1", z)
	}
}

func TestErrorsNameEnvironmentAndTask(t *testing.T) {
	needMuJoCo(t)
	made, err := cheetah{velocity: true}.NewBatch(2)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	b := made.(*cheetahBatch)
	for name, c := range map[string]struct {
		spoil func(act []float64)
		want  string
	}{
		"action":   {func(act []float64) { act[cheetahAct+2] = math.NaN() }, "NaN at index 2"},
		"position": {func([]float64) { b.chunk.QPos(1)[3] = math.Inf(1) }, "QPOS"},
		"velocity": {func([]float64) { b.chunk.QVel(1)[0] = 1e11 }, "QVEL"},
	} {
		obs := make([]float64, 2*cheetahObs)
		for i := range 2 {
			if err := b.Reset(i, sim.Task{ID: 40 + i, Params: []float64{1}}, rng.New(1), obs); err != nil {
				t.Fatal(err)
			}
		}
		act := make([]float64, 2*cheetahAct)
		c.spoil(act)
		err := b.Step([]bool{true, true}, act, obs, newResult(2))
		var at *sim.Error
		if !errors.As(err, &at) || at.Env != 1 || at.Task.ID != 41 || at.Family != "cheetah-vel" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v; expected one of environment 1, task 41, with %q", name, err, c.want)
		}
	}
}

func TestWithoutMuJoCo(t *testing.T) {
	if mujoco.Available() {
		names := []string{}
		for _, s := range sim.Families() {
			names = append(names, s.Name)
		}
		if !slices.Contains(names, "cheetah-vel") || !slices.Contains(names, "cheetah-dir") {
			t.Errorf("families %v", names)
		}
		if _, err := sim.Lookup("cheetah-vel"); err != nil {
			t.Error(err)
		}
		return
	}
	_, lookup := sim.Lookup("cheetah-vel")
	_, batch := cheetah{}.NewBatch(1)
	_, rates := StepRates(1, 1, 1, 1)
	for _, err := range []error{lookup, batch, rates} {
		if !errors.Is(err, sim.ErrUnavailable) || !strings.Contains(err.Error(), "run `make`") {
			t.Errorf("error %v does not say what to do", err)
		}
	}
}

func TestStepRates(t *testing.T) {
	needMuJoCo(t)
	r, err := StepRates(2, 16, 20, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !(r.PlainC > 0 && r.Batch > 0 && r.Ratio > 0) || r.Workers != 2 || r.Envs != 16 {
		t.Errorf("rates %+v", r)
	}
}

func BenchmarkStepRates(b *testing.B) {
	needMuJoCo(b)
	for _, c := range []struct{ workers, envs int }{{1, 1}, {1, 4}, {1, 16}, {1, 64}, {2, 2}, {2, 16}, {2, 64}} {
		b.Run(fmt.Sprintf("workers=%d/envs=%d", c.workers, c.envs), func(b *testing.B) {
			for b.Loop() {
				r, err := StepRates(c.workers, c.envs, 3200/c.envs, 11)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.PlainC, "C-steps/cpu-s")
				b.ReportMetric(r.Batch, "batch-steps/cpu-s")
				b.ReportMetric(r.Ratio, "batch/C")
			}
		})
	}
}
