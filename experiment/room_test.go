package experiment

import (
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/pearl"
	"nacre/rl"
)

// What a learner says it will keep is what it keeps, but for the trajectories that its collections end with, and a run
// that needs more than there is room for is refused before it begins.
func TestFits(t *testing.T) {
	for name, held := range map[string]func(l rl.Learner, steps int) int{
		"pearl": func(l rl.Learner, steps int) (n int) {
			for _, task := range slices.Concat(l.(*pearl.Learner).Replay().RL, l.(*pearl.Learner).Replay().Enc) {
				n += task.Len()
			}
			return n
		},
		"oracle": func(_ rl.Learner, steps int) int { return steps },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := short(t, name)
			a, err := NewAgent(cfg, Host{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			const iterations = 3
			steps := 0
			for k := range iterations {
				n, err := a.Learner.Collect(t.Context(), k)
				if err != nil {
					t.Fatal(err)
				}
				steps += n
			}
			row := float64(4*(a.Spec.ObsDim+a.Spec.ActDim+2) + 1)
			said := float64(a.Learner.(rl.Keeper).Keeps(iterations, 0)) / row
			if got := float64(held(a.Learner, steps)); got > 1.3*said || got < 0.5*said {
				t.Errorf("after %d steps it keeps %v transitions and said %v", steps, got, said)
			}
			if most := a.Learner.(rl.Keeper).Keeps(math.MaxInt32, 1000); float64(most) > 20*1000*row {
				t.Errorf("a run of 1,000 steps would keep %d bytes", most)
			}
			if err := a.fits(math.MaxInt64); err != nil {
				t.Error(err)
			}
			if err := a.fits(100); err == nil || !strings.Contains(err.Error(), "buffer_capacity") {
				t.Errorf("with room for 100 bytes: %v", err)
			}
		})
	}
}
