package rltest

import (
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nacre/core"
	"nacre/internal/fatal"
	"nacre/rl"
	"nacre/sim"
)

// Point returns a setup on point-goal with 5 train tasks, its pool with 4 environments per worker, and 2 test tasks.
func Point(t testing.TB, d core.Device, workers int) (rl.Setup, *sim.Pool, []sim.Task) {
	t.Helper()
	family, err := sim.Lookup("point-goal")
	check(t, err)
	return setup(t, family, d, workers)
}

// Choosing is a family of discrete actions of two components, of three choices and of two. A robot walks on a line,
// left, right or not at all, in steps of one length or the other, to the task's place.
var Choosing = sim.Of(
	sim.Spec{Name: "choosing", ObsDim: 1, ActDim: 5, ActChoices: []int{3, 2}, Horizon: 20, TaskDim: 1},
	func(r *rand.Rand) []float64 { return []float64{2*r.Float64() - 1} },
	func() sim.Environment { return new(walker) })

type walker struct{ at, goal float64 }

func (w *walker) Reset(task []float64, r *rand.Rand, obs []float64) {
	w.at, w.goal = r.Float64()-0.5, task[0]
	obs[0] = w.at
}

func (w *walker) Step(act, obs []float64) (reward float64, success, done bool) {
	w.at += (act[0] - act[1]) * (0.05 + 0.1*act[4])
	obs[0] = w.at
	return -math.Abs(w.at - w.goal), math.Abs(w.at-w.goal) < 0.1, false
}

// setup is Point's for a family.
func setup(t testing.TB, family sim.Family, d core.Device, workers int) (rl.Setup, *sim.Pool, []sim.Task) {
	t.Helper()
	train, test, err := family.Tasks(1, 5, 2)
	check(t, err)
	const envs = 4
	pool, err := sim.NewPool(family, workers, envs)
	check(t, err)
	t.Cleanup(func() { check(t, pool.Close()) })
	return rl.Setup{
		Spec: family.Spec(), Train: train, Seed: 3, Device: d, Pool: pool, Workers: workers, Envs: envs,
	}, pool, test
}

// Refused checks that the configuration good makes a learner. Then it applies each change to good; making a learner
// must then fail, with an error of one line that contains the change's key.
func Refused[C any, L io.Closer](t *testing.T, open func(C, rl.Setup) (L, error), good C, s rl.Setup,
	changes map[string]func(*C)) {
	t.Helper()
	l, err := open(good, s)
	check(t, err)
	check(t, l.Close())
	for want, change := range changes {
		c := good
		change(&c)
		l, err := open(c, s)
		if err == nil {
			l.Close()
			t.Errorf("no error about %s", want)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q, want one line with %q", err, want)
		}
	}
}

var check = fatal.On
