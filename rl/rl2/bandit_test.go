package rl2_test

import (
	"context"
	"testing"

	"nacre/core/cpu"
	"nacre/internal/fatal"
	"nacre/internal/heavy"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/rl/rl2"
	"nacre/sim"
	_ "nacre/sim/discrete"
)

var check = fatal.On

// A third of the quick preset learns the bandit of 5 arms: of ten pulls random ones return 5, the first arm that paid
// about 6, and the best policy 6.66.
func TestLearnsABandit(t *testing.T) {
	heavy.Skip(t, "it trains for some seconds")
	c, err := rl.Preset("quick/bandit-rl2")
	check(t, err)
	family, err := sim.Lookup(c.Family)
	check(t, err)
	train, test, err := family.Tasks(1, c.TrainTasks, 500)
	check(t, err)
	pool, err := sim.NewPool(family, 2, 16)
	check(t, err)
	defer pool.Close()
	d, err := cpu.New(cpu.Options{})
	check(t, err)
	l, err := rl2.New(rl2.Of(c), rl.Setup{Spec: family.Spec(), Train: train, Seed: 1, Device: d, Pool: pool, Workers: 2,
		Envs: 16})
	check(t, err)
	defer l.Close()
	for i := range rl2.Of(c).Iterations / 3 {
		_, err := l.Collect(context.Background(), i)
		check(t, err)
		for epoch := range rl2.Of(c).Epochs {
			check(t, l.Update(i, epoch))
		}
		check(t, l.Metrics(i, func(string, float64) {}))
	}
	p := c.Evaluation.Protocol
	r, err := protocol.Evaluate(context.Background(), pool, test, p, l.Adapter(), 1)
	check(t, err)
	if got := r.Summary.Adapted.Mean; got < 6.1 || got > 7.1 {
		t.Errorf("the mean return of ten pulls is %.2f, want more than 6.1", got)
	}
}
