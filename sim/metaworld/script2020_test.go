package metaworld

import (
	"math"
	"testing"

	"nacre/sim/verify"
)

// ownScripts are the families of 2020 that the repository has no policy for.
var ownScripts = map[string]bool{
	"reach": true, "reach-wall": true, "push": true, "push-wall": true, "pick-place": true, "pick-place-wall": true,
	"bin-picking": true, "peg-insert-side": true, "lever-pull": true, "handle-press-side": true,
	"plate-slide-back-side": true,
	"window-open":           true, "window-close": true,
}

// For every observation of an episode the controller does what the repository's policy did, whose actions were rounded
// to 1/64. This needs no physics.
func TestScripts2020(t *testing.T) {
	refs, err := verify.Open("")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, w := range rows2020() {
		if ownScripts[w.name] {
			continue
		}
		compared++
		ref, err := refs.Load(w.name + "-v1")
		if err != nil {
			t.Fatal(err)
		}
		run, act, differ := ref.Runs[0], make([]float64, actDim), 0
		c := w.script()
		for i, want := range run.Act {
			s := w.era.see(run.Obs[i])
			if c.goal != nil {
				s.goal = c.goal(run.Params)
			}
			c.act(s, act, w.era.kept)
			for j := range act {
				if math.Abs(act[j]-want[j]) > 0.501/64 {
					if differ++; differ == 1 {
						t.Errorf("%s, step %d: action %v; the policy has %v", w.name, i, act, want)
					}
				}
			}
		}
	}
	if compared != 37 {
		t.Errorf("%d families compared; expected 37", compared)
	}
}
