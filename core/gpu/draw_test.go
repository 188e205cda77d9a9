package gpu_test

import (
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/gpu"
)

// A context of windows for each of three slots, and noise: where results stand and what inputs are filled with.
func TestDrawing(t *testing.T) {
	d, err := gpu.NewDrawing(feed.Recipe{Obs: 3, Act: 2, Tasks: 7, Slots: 3, Choose: feed.WithReplacement, Stores: 2,
		Capacity: 100,
		Draws: []feed.Draw{{Kind: feed.WindowPair, Pair: feed.SameTask, Store: 1, N: 9},
			{Kind: feed.Transitions, N: 20}},
		Noise: []feed.Noise{{Input: "absent", N: 11}, {Input: "eps", N: 60}},
		Fills: []feed.Fill{{Input: "context", Field: feed.Context, Which: 1},
			{Input: "rew", Field: feed.Reward, Draw: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if d.PerSlot != 24 || d.Picks[1].At != 4 || d.Noises != 71 || d.Raws < 7+3*25+71 {
		t.Errorf("%+v", d)
	}
	program := func(context, rew int) *core.Program {
		b := core.NewBuilder("draws", 3)
		s := b.Stage("sum")
		s.Output("sum", s.Add(s.SumAll(s.Input("context", context, 6)),
			s.Add(s.SumAll(s.Input("rew", rew, 1)), s.SumAll(s.Input("eps", 60, 1)))))
		p, err := b.Compile()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	fills, err := d.Fills(program(27, 60))
	if err != nil {
		t.Fatal(err)
	}
	eps, context, rew := fills[0], fills[1], fills[2]
	if eps.Kind != gpu.Noise || eps.Base != 11 || context.Which != 1 || context.Split != 6 || rew.Column != 6 ||
		rew.Pick != 1 || rew.Which != -1 {
		t.Errorf("%+v", fills)
	}
	if _, err := d.Fills(program(27, 57)); err == nil ||
		!strings.Contains(err.Error(), `input "rew" is 57×1, the plan fills 60×1`) {
		t.Errorf("an input that is too short: %v", err)
	}
	if _, err := gpu.NewDrawing(feed.Recipe{}); err == nil {
		t.Error("an empty plan is drawn")
	}
}
