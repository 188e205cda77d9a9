package recording_test

import (
	"context"
	"reflect"
	"testing"

	"nacre/internal/fatal"
	"nacre/sim"
	_ "nacre/sim/discrete"
	"nacre/sim/recording"
)

var check = fatal.On

// A policy that learns from its rewards acts in a recording as in a pool.
func TestPoliciesAreToldTheirRewards(t *testing.T) {
	family, err := sim.Lookup("bandit-5:100")
	check(t, err)
	train, _, err := family.Tasks(1, 2, 1)
	check(t, err)
	episodes := []sim.Episode{{Task: train[0], Seed: 1}, {Task: train[1], Seed: 2}}
	play := func(run func(sim.Policy) ([]sim.Trajectory, error)) []sim.Trajectory {
		policy, err := sim.ReferencePolicy(family, "ucb1", episodes)
		check(t, err)
		out, err := run(policy)
		check(t, err)
		return out
	}
	pool, err := sim.NewPool(family, 1, 2)
	check(t, err)
	defer pool.Close()
	want := play(func(p sim.Policy) ([]sim.Trajectory, error) {
		return pool.Rollout(context.Background(), episodes, p, 0)
	})
	rec := recording.Recorder{Family: family}
	defer rec.Close()
	got := play(func(p sim.Policy) ([]sim.Trajectory, error) {
		return rec.Rollout(context.Background(), episodes, p, 0)
	})
	for i := range want {
		if !reflect.DeepEqual(got[i].Act, want[i].Act) || got[i].Return != want[i].Return {
			t.Errorf("episode %d returns %v in a recording, %v in a pool", i, got[i].Return, want[i].Return)
		}
	}
}
