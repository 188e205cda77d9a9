package metaworld

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/sim"
	"nacre/sim/mujoco"
	"nacre/sim/verify"
)

// The expected observation is that of Meta-World 3.1.1 with MuJoCo 3.3.0: the first task of ML1("push-v3", seed=0)
// after env.hand_init_pos = [0.03, 0.57, 0.22] and a reset.
func TestAnotherHandStartIsThatOfThePackage(t *testing.T) {
	b, _ := newBatch(t, "ml1/push", 1)
	train, _, err := b.family.Tasks(0, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := &b.envs[0]
	if err := b.begin(0, train[0].Params, train[0].Params, vec3{0.03, 0.57, 0.22}); err != nil {
		t.Fatal(err)
	}
	want := []float64{
		0.03469533191175879, 0.5707211860528721, 0.21515162512983313, 1,
		-0.0124825577474615, 0.689177300078208, 0.019406655827008585,
		-0.00032899087859615566, -7.12139015763531e-05, -2.1938044402967563e-07, 0.9999999433467653,
	}
	tolerance := 1e-9
	if mujoco.Version() != verify.ReferenceVersion { // where objects rest half a millimetre higher
		tolerance = 1e-3
	}
	for j, v := range want {
		if math.Abs(e.now[j]-v) > tolerance {
			t.Errorf("observation %d is %.17g, expected %.17g within %g", j, e.now[j], v, tolerance)
		}
	}
}

// With a varied start the hand begins somewhere else in every episode, within the cube; the cylinder and the goal do
// not.
func TestVariedStart(t *testing.T) {
	f := lookup(t, "ml1/push")
	varied := f.VaryStart().(*family)
	if s := varied.Spec(); s.Name != "ml1/push:hand" || !strings.Contains(s.Source, "hand starts within 5 cm") ||
		f.vary {
		t.Errorf("%+v", s)
	}
	tasks, err := f.Grid(2)
	if err != nil {
		t.Fatal(err)
	}
	var eps []sim.Episode
	for seed := range uint64(6) {
		eps = append(eps, sim.Episode{Task: tasks[1], Seed: seed})
	}
	var want []sim.Trajectory
	for _, size := range [][2]int{{1, 3}, {2, 1}} {
		p, err := sim.NewPool(varied, size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Rollout(context.Background(), eps, sim.UniformPolicy(eps, actDim), 5)
		p.Close()
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !slices.Equal(got[i].Obs, want[i].Obs) {
				t.Errorf("episode %d differs with %d workers of %d environments", i, size[0], size[1])
			}
		}
		want = got
	}
	usual := []float64{0.0046, 0.6014, 0.1951}
	for i, a := range want {
		for j, v := range usual {
			if math.Abs(float64(a.Obs[j])-v) > 0.055 {
				t.Errorf("episode %d: the hand starts at %v, more than 5 cm from %v", i, a.Obs[:3], usual)
			}
		}
		for k := range i {
			if d := math.Abs(float64(a.Obs[0] - want[k].Obs[0])); d < 1e-4 {
				t.Errorf("episodes %d and %d start with the hand %g apart", i, k, d)
			}
		}
		for j, v := range []float64{0, 0.65} {
			if math.Abs(float64(a.Obs[4+j])-v) > 1e-3 {
				t.Errorf("episode %d: the cylinder starts at %v", i, a.Obs[4:7])
			}
		}
	}
	// The usual starts, which are kept, know nothing of it.
	p, err := sim.NewPool(f, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	got, err := p.Rollout(context.Background(), eps[:2], sim.UniformPolicy(eps, actDim), 1)
	if err != nil || !slices.Equal(got[0].Obs[:obsDim], got[1].Obs[:obsDim]) {
		t.Errorf("episodes of the family itself start apart: %v", err)
	}
}
