package rltest

import (
	"io"
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
