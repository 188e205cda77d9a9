package contrabar_test

import (
	"strings"
	"testing"

	"nacre/core/ref"
	"nacre/rl/contrabar"
	"nacre/rl/rltest"
	"nacre/rl/varibad"
)

func TestContract(t *testing.T) {
	rltest.Learner(t, "contrabar", "varibad.embed=5", "varibad.memory=6", "varibad.policy_hidden=5", "varibad.trials=3",
		"varibad.unroll=6", "varibad.meta_batch=4", "varibad.buffer_trials=20", "varibad.vae_updates=3",
		"contrabar.ahead=3", "contrabar.embed=4")
}

// Settings that leave nothing to contrast are refused before anything is computed.
func TestNothingToContrast(t *testing.T) {
	s, _, _ := rltest.Point(t, ref.Device, 1)
	for about, change := range map[string]func(*varibad.Config, *contrabar.Config){
		"contrabar.ahead = 6, want at most 5": func(v *varibad.Config, _ *contrabar.Config) { v.Unroll = 6 },
		"want at least 2 of each":             func(v *varibad.Config, _ *contrabar.Config) { v.Trials = 1 },
		"ahead":                               func(_ *varibad.Config, c *contrabar.Config) { c.Ahead = 0 },
	} {
		v, c := varibad.PointGoal(), contrabar.Config{Ahead: 6, Embed: 3}
		change(&v, &c)
		l, err := contrabar.New(v, c, s)
		if err == nil || !strings.Contains(err.Error(), about) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, about)
		}
		if l != nil {
			t.Error("a learner was made", l.Close())
		}
	}
}
