//go:build unix && cgo && mujoco

package families_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"nacre/internal/fatal"
	"nacre/internal/home"
	"nacre/internal/python/pythontest"
	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/controls"
)

// A half-cheetah in Python, of the native one's model, goes where the native one goes: from the same state by the same
// actions. Of Gymnasium's own model, which has the same numbers in other words, it does so to rounding, step by step.
func TestBridgedCheetahIsTheNativeOne(t *testing.T) {
	pythontest.Clients(t, "numpy", "gymnasium[mujoco]", "mujoco=="+home.MuJoCoVersion)
	model := filepath.Join(t.TempDir(), "cheetah.xml")
	fatal.On(t, os.WriteFile(model, []byte(controls.HalfCheetahXML()), 0o600))
	for _, c := range []struct {
		name string
		same bool // whether both stay together; else the native one begins each step where the bridged one is
	}{
		{fmt.Sprintf("py:testdata/cheetah.py:Cheetah(xml=%q)", model), true},
		{"py:testdata/cheetah.py:Cheetah", false},
	} {
		t.Run(c.name, func(t *testing.T) { beside(t, c.name, c.same) })
	}
}

func beside(t *testing.T, name string, same bool) {
	bridged, native := one(t, name), one(t, "cheetah-vel")
	tasks, _, err := bridged.family.Tasks(7, 3, 1)
	fatal.On(t, err)
	r := rng.New(5)
	worst := 0.0
	for _, task := range tasks {
		p := task.Params
		fatal.On(t, bridged.batch.Reset(0, task, rng.New(1), bridged.obs))
		fatal.On(t, native.batch.Reset(0, sim.Task{Params: p[:1]}, rng.New(1), native.obs))
		state := sim.State{QPos: p[1:10], QVel: p[10:19]}
		fatal.On(t, native.batch.(sim.Stateful).SetState(0, state, native.obs))
		act := make([]float64, 6)
		for step := range 1000 {
			for k := range act {
				act[k] = float64(float32(2*r.Float64() - 1)) // as the action space of the class has it
			}
			bridged.step(t, act)
			native.step(t, act)
			off := math.Abs(bridged.out.Reward[0] - native.out.Reward[0])
			for k, v := range native.obs {
				if same || k < 17 { // the torso's place has another x
					off = max(off, math.Abs(v-bridged.obs[k]))
				}
			}
			if worst = max(worst, off); off > 1e-9 {
				t.Fatalf("step %d of task %d: %v apart; expected at most 1e-9", step, task.ID, off)
			}
			if !same {
				at := sim.State{QPos: append([]float64{0}, bridged.obs[:8]...), QVel: bridged.obs[8:17]}
				fatal.On(t, native.batch.(sim.Stateful).SetState(0, at, native.obs))
			}
		}
	}
	t.Logf("at most %.3g apart in %d steps", worst, 1000*len(tasks))
}

// cheetah is a batch of one environment with room for what it gives.
type cheetah struct {
	family sim.Family
	batch  sim.Batch
	obs    []float64
	out    sim.StepResult
}

func one(t *testing.T, name string) *cheetah {
	t.Helper()
	f, err := sim.Lookup(name)
	fatal.On(t, err)
	b, err := f.NewBatch(1)
	fatal.On(t, err)
	t.Cleanup(func() { b.Close() })
	return &cheetah{f, b, make([]float64, f.Spec().ObsDim), sim.StepResult{Reward: make([]float64, 1),
		Done: make([]bool, 1), Truncated: make([]bool, 1), Success: make([]bool, 1), ContextReward: make([]float64, 1)}}
}

func (c *cheetah) step(t *testing.T, act []float64) {
	t.Helper()
	fatal.On(t, c.batch.Step([]bool{true}, act, c.obs, &c.out))
}
