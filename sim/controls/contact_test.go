package controls

import (
	"context"
	"errors"
	"slices"
	"testing"

	"nacre/sim"
)

// Families without contact forces move like those with them, see zeros and pay nothing for them.
func TestZeroContact(t *testing.T) {
	needMuJoCo(t)
	for _, pair := range [][2]*control{{antDir(true), antDir(false)}, {antGoal(true), antGoal(false)},
		{humanoidDir(true), humanoidDir(false)}} {
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
					t.Errorf("%s, episode %d, step %d: contact pays %v", pair[0].name, i, s,
						with.Reward[s]-without.Reward[s])
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
