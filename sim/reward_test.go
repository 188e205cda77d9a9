package sim_test

import (
	"context"
	"math"
	"testing"

	"nacre/sim"
	"nacre/sim/simtest"
)

// The point robot under minus the length of its steps: the same paths, paid for what they are.
func TestWithReward(t *testing.T) {
	base, err := sim.Lookup("point-goal")
	if err != nil {
		t.Fatal(err)
	}
	f := sim.WithReward(base, "point-still", func(_ sim.Task, obs, _, next []float64) float64 {
		return -math.Hypot(next[0]-obs[0], next[1]-obs[1])
	})
	if err := simtest.Check(f); err != nil {
		t.Error(err)
	}
	if _, ok := f.(sim.Gridder); !ok {
		t.Error("it does not spread tasks as the point robot does")
	}
	_, tasks, err := base.Tasks(1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	episodes := []sim.Episode{{Task: tasks[0], Seed: 3}, {Task: tasks[1], Seed: 4}}
	var done [2][]sim.Trajectory
	for k, family := range []sim.Family{base, f} {
		pool, err := sim.NewPool(family, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		if done[k], err = pool.Rollout(context.Background(), episodes, sim.UniformPolicy(episodes, 2), 0); err != nil {
			t.Fatal(err)
		}
	}
	for e, path := range done[1] {
		for i, v := range path.Obs {
			if v != done[0][e].Obs[i] {
				t.Fatalf("episode %d is at %v, without the reward at %v", e, v, done[0][e].Obs[i])
			}
		}
		for s, v := range path.Reward {
			o := path.Obs[2*s:]
			if want := -math.Hypot(float64(o[2]-o[0]), float64(o[3]-o[1])); math.Abs(float64(v)-want) > 1e-6 {
				t.Errorf("step %d of episode %d paid %v, want %v", s, e, v, want)
			}
		}
	}
}
