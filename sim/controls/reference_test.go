package controls

import (
	"context"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nacre/sim"
	"nacre/sim/mujoco"

	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mathext/prng"
)

var referenceFolder = flag.String("reference", "testdata", "folder of reference trajectories made by testdata/reference.py")

// references says how testdata/reference.py starts the trajectories of a family: the noise of the initial state, the
// number of draws that make the task, the task, and by task how much the start is lifted.
var references = []struct {
	family *control
	noise  float64
	draws  int
	height int // index of the height in qpos
	lifts  []float64
	task   func(index int, draws []float64) []float64
}{
	{cheetahVel(), 0.1, 0, 1, []float64{0}, func(int, []float64) []float64 { return []float64{1.5} }},
	{cheetahDir(), 0.1, 0, 1, []float64{0}, func(int, []float64) []float64 { return []float64{-1} }},
	{antDir(true), 0.1, 0, 2, []float64{0, 0.22}, func(k int, _ []float64) []float64 { return []float64{[]float64{0, math.Pi}[k]} }},
	{antGoal(true), 0.1, 2, 2, []float64{0, -0.2}, func(_ int, d []float64) []float64 { return []float64{3 * d[0], 3 * d[1]} }},
	{humanoidDir(true), 0.01, 1, 2, []float64{-0.105, -0.65, 0.615}, func(_ int, d []float64) []float64 { return []float64{math.Pi * (1 + d[0])} }},
	{walkerRandParams(), 0.005, 65, 1, []float64{0, -0.05, 0.74}, func(_ int, d []float64) []float64 {
		for j := range d {
			d[j] = 1 + 0.7*d[j]
		}
		return d
	}},
}

// TestReference steps batches along trajectories of Gymnasium's models with PEARL's formulas.
func TestReference(t *testing.T) {
	needMuJoCo(t)
	tolerance := 1e-9
	if mujoco.Version() != "3.3.0" {
		tolerance = 1e-6 // the reference is of 3.3.0; versions drift apart slowly at first
	}
	for _, c := range references {
		t.Run(c.family.name, func(t *testing.T) {
			f, ref := c.family, readReference(t, c.family.name)
			if ref.tasks != len(c.lifts) || ref.columns != f.obs+2 {
				t.Fatalf("%d tasks of %d columns", ref.tasks, ref.columns)
			}
			b, err := f.newBatch(3)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			worst := 0.0
			for k := range ref.tasks {
				draw := numpyUniform(uint64(100 + k))
				noise := draw(len(b.envs[0].qpos) + len(b.envs[0].qvel))
				f.start = func(e *env, _ *rand.Rand) {
					for j := range e.qpos {
						e.qpos[j] += c.noise * noise[j]
					}
					for j := range e.qvel {
						e.qvel[j] = c.noise * noise[len(e.qpos)+j]
					}
					e.qpos[c.height] += c.lifts[k]
				}
				task := sim.Task{ID: k, Params: c.task(k, draw(c.draws))}
				worst = max(worst, follow(t, b, task, ref, tolerance, draw))
			}
			t.Logf("%d tasks of %d steps, largest difference %g", ref.tasks, ref.steps, worst)
		})
	}
}

// follow steps one environment through the reference's trajectory of task and returns the largest difference.
func follow(t *testing.T, b *batch, task sim.Task, ref reference, tolerance float64, draw func(n int) []float64) (worst float64) {
	t.Helper()
	const at = 1 // a neighbour on each side stays inactive
	f := b.control
	act, obs, out := make([]float64, 3*f.act), make([]float64, 3*f.obs), newResult(3)
	mine := obs[at*f.obs:][:f.obs]
	if err := b.Reset(at, task, nil, mine); err != nil {
		t.Fatal(err)
	}
	for s := range ref.steps + 1 {
		if s > 0 {
			copy(act[at*f.act:], draw(f.act))
			if err := b.Step([]bool{false, true, false}, act, obs, out); err != nil {
				t.Fatal(err)
			}
		}
		if s == 0 && mujoco.Version() != "3.3.0" {
			continue // MuJoCo 2.2.2 makes the noisy quaternion a unit one before the first observation, 3.3.0 after it
		}
		done := 0.0
		if out.Done[at] {
			done = 1
		}
		want := ref.row(task.ID, s)
		for j, got := range append(slices.Clone(mine), out.Reward[at], done) {
			d := math.Abs(got - want[j])
			worst = max(worst, d)
			if !(d <= tolerance) {
				t.Fatalf("task %d, step %d: column %d is %v, the reference has %v", task.ID, s, j, got, want[j])
			}
		}
	}
	return worst
}

// reference is an array [tasks, 1+steps, columns]: observation, reward, done.
type reference struct {
	data                  []float64
	tasks, steps, columns int
}

func (r reference) row(task, step int) []float64 {
	return r.data[(task*(r.steps+1)+step)*r.columns:][:r.columns]
}

func readReference(t *testing.T, name string) reference {
	t.Helper()
	file := filepath.Join(*referenceFolder, name+".npy")
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := npyio.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	shape := r.Header.Descr.Shape
	if len(shape) != 3 {
		t.Fatalf("%s has shape %v", file, shape)
	}
	ref := reference{tasks: shape[0], steps: shape[1] - 1, columns: shape[2]}
	if err := r.Read(&ref.data); err != nil {
		t.Fatal(err)
	}
	return ref
}

// numpyUniform draws like 2*numpy.random.RandomState(seed).random_sample(n) - 1.
func numpyUniform(seed uint64) func(n int) []float64 {
	mt := prng.NewMT19937()
	mt.Seed(seed)
	return func(n int) []float64 {
		u := make([]float64, n)
		for i := range u {
			high, low := mt.Uint32()>>5, mt.Uint32()>>6
			u[i] = 2*((float64(high)*(1<<26)+float64(low))/(1<<53)) - 1
		}
		return u
	}
}

// Families without contact forces move like those with them, see zeros and pay nothing for them.
func TestZeroContact(t *testing.T) {
	needMuJoCo(t)
	for _, pair := range [][2]*control{{antDir(true), antDir(false)}, {antGoal(true), antGoal(false)}, {humanoidDir(true), humanoidDir(false)}} {
		eps := episodes(t, pair[0], 3)
		var got [2][]sim.Trajectory
		for k, f := range pair {
			p, err := sim.NewPool(f, 1, 3)
			if err != nil {
				t.Fatal(err)
			}
			got[k], err = p.Rollout(context.Background(), eps, sim.UniformPolicy(eps, f.act), 40)
			if err := errors.Join(err, p.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if want := pair[0].name + "-zero-contact"; pair[1].name != want {
			t.Errorf("%s is called %s", want, pair[1].name)
		}
		forces := pair[0].obs - 84
		seen, paid := 0, 0
		for i, with := range got[0] {
			without := got[1][i]
			for s := range with.Len {
				a, b := with.Obs[(s+1)*pair[0].obs:][:pair[0].obs], without.Obs[(s+1)*pair[0].obs:][:pair[0].obs]
				if pair[0].name == "ant-dir" {
					forces = pair[0].obs // not part of the observation
				}
				if !slices.Equal(a[:forces], b[:forces]) {
					t.Fatalf("%s, episode %d, step %d: different motion", pair[0].name, i, s)
				}
				for j := forces; j < pair[0].obs; j++ {
					if b[j] != 0 {
						t.Fatalf("%s: force %v", pair[1].name, b[j])
					}
					if a[j] != 0 {
						seen++
					}
				}
				if with.Reward[s] > without.Reward[s] {
					t.Errorf("%s, episode %d, step %d: contact pays %v", pair[0].name, i, s, with.Reward[s]-without.Reward[s])
				}
				if with.Reward[s] < without.Reward[s] {
					paid++
				}
			}
		}
		if paid == 0 || (pair[0].name != "ant-dir" && seen == 0) {
			t.Errorf("%s: %d forces seen and %d rewards lower; the test saw no contact", pair[0].name, seen, paid)
		}
	}
}
