package verify_test

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"nacre/internal/rng"
	"nacre/sim"
)

// faulty are families of every kind.
var faulty = []string{"point-goal", "cheetah-vel", "ant-goal", "humanoid-dir", "walker-rand-params", "ml1/push",
	"ml1/coffee-push:v2", "ml1/door-lock"}

// Whatever goes wrong in a step or a reset is an error that names it; the batch can be used again after a reset, and
// MuJoCo leaves no log file.
func TestFaultsAreErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range faulty {
		t.Run(name, func(t *testing.T) { faults(t, name) })
	}
	if files, _ := os.ReadDir("."); len(files) != 0 {
		t.Errorf("files were left: %v", files)
	}
}

func faults(t *testing.T, name string) {
	family := lookup(t, name)
	spec := family.Spec()
	train, _, err := family.Tasks(0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := family.NewBatch(2)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	act, obs := make([]float64, 2*spec.ActDim), make([]float64, 2*spec.ObsDim)
	out := sim.StepResult{Reward: make([]float64, 2), Done: make([]bool, 2), Success: make([]bool, 2),
		ContextReward: make([]float64, 2)}
	reset := func(i int) {
		t.Helper()
		if err := b.Reset(i, train[i], rng.New(1, rng.Reset, uint64(i)),
			obs[i*spec.ObsDim:][:spec.ObsDim]); err != nil {
			t.Fatal(err)
		}
	}
	step := func() error { return b.Step([]bool{false, true}, act, obs, &out) }
	expect := func(what string, err error, words ...string) {
		t.Helper()
		for _, w := range append(words, spec.Name) {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %v; expected one with %q", what, err, w)
				return
			}
		}
	}
	reset(0)
	reset(1)
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		act[spec.ActDim] = bad
		err := step()
		expect("action", err, "index 0", "environment 1")
		var at *sim.Error
		if !errors.As(err, &at) || at.Env != 1 {
			t.Errorf("the error is %#v", err)
		}
	}
	act[spec.ActDim] = 0
	if err := step(); err != nil {
		t.Errorf("after a refused action: %v", err)
	}
	expect("short actions", b.Step([]bool{false, true}, act[1:], obs, &out), "numbers of actions")
	expect("short observations", b.Step([]bool{false, true}, act, obs[1:], &out), "numbers of observations")
	expect("one flag", b.Step([]bool{true}, act, obs, &out), "flags")
	if spec.TaskDim > 0 {
		short := sim.Task{Params: train[0].Params[1:]}
		expect("short task", b.Reset(1, short, rng.New(1), obs[spec.ObsDim:]), "parameters")
	}
	if name != "point-goal" { // its goals are not checked
		broken := sim.Task{Params: slices.Clone(train[0].Params)}
		broken.Params[0] = math.NaN()
		expect("task NaN", b.Reset(1, broken, rng.New(1), obs[spec.ObsDim:]), "NaN")
	}
	if s, ok := b.(sim.Stateful); ok && len(s.State(1).QVel) > 0 {
		diverge(t, s, reset, step, expect, obs[spec.ObsDim:])
	}
	reset(1)
	if err := step(); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

// diverge puts the environment into states that MuJoCo cannot go on from.
func diverge(t *testing.T, b sim.Stateful, reset func(int), step func() error, expect func(string, error, ...string),
	obs []float64) {
	for what, spoil := range map[string]func(s *sim.State){
		"velocity 1e15": func(s *sim.State) { s.QVel[0] = 1e15 },
		"position NaN":  func(s *sim.State) { s.QPos[len(s.QPos)-1] = math.NaN() },
	} {
		reset(1)
		s := b.State(1)
		spoil(&s)
		err := b.SetState(1, s, obs)
		if err == nil {
			err = step()
		}
		expect(what, err, "MuJoCo", "environment 1")
	}
	reset(1)
	s := b.State(1)
	s.QPos = s.QPos[1:]
	expect("a short state", b.SetState(1, s, obs), "positions")
}

// Without the scenes a family of Meta-World is known, and says what to do.
func TestMissingScenes(t *testing.T) {
	lookup(t, "cheetah-vel") // needs MuJoCo only
	t.Setenv("NACRE_METAWORLD", t.TempDir())
	_, err := sim.Lookup("ml1/push")
	if !errors.Is(err, sim.ErrUnavailable) || !strings.Contains(err.Error(), "NACRE_METAWORLD") {
		t.Errorf("error %v", err)
	}
}

// An error in the middle of a rollout names episode and step, and the pool goes on.
func TestFaultsOfARollout(t *testing.T) {
	family := lookup(t, "ml1/push")
	train, _, err := family.Tasks(0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := sim.NewPool(family, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var episodes []sim.Episode
	for _, task := range train[:5] {
		episodes = append(episodes, sim.Episode{Task: task})
	}
	_, err = pool.Rollout(context.Background(), episodes, breaks{episode: 3, step: 7}, 10)
	var at *sim.Error
	if !errors.As(err, &at) || at.Episode != 3 || at.Step != 7 || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("error %v", err)
	}
	if _, err := pool.Rollout(context.Background(), episodes, breaks{episode: -1}, 10); err != nil {
		t.Errorf("after the error: %v", err)
	}
}

// breaks is a policy that does nothing but give a NaN at one step of one episode.
type breaks struct{ episode, step int }

func (p breaks) Act(_ int, episodes, steps []int, _, act []float64) error {
	clear(act)
	for k, e := range episodes {
		if e == p.episode && steps[k] == p.step {
			act[k*4+2] = math.NaN()
		}
	}
	return nil
}
