package feed_test

import (
	"fmt"
	"strings"
	"testing"

	"nacre/core/feed"
)

// Sixteen tasks of fifty, 256 transitions of each, and noise for their actions.
func Example() {
	p := feed.Recipe{Obs: 3, Act: 2, Tasks: 50, Slots: 16, Choose: feed.WithoutReplacement, Stores: 1,
		Capacity: 1_000_000,
		Draws:    []feed.Draw{{Kind: feed.Transitions, N: 256}},
		Noise:    []feed.Noise{{Input: "eps", N: 16 * 256 * 2}},
		Fills:    []feed.Fill{{Input: "obs", Field: feed.Obs}, {Input: "rew", Field: feed.Reward}},
	}
	fmt.Println(p.Validate(), p.Stride(), p.Context())
	// Output: <nil> 12 6
}

func TestValidate(t *testing.T) {
	good := func() feed.Recipe {
		return feed.Recipe{Obs: 1, Act: 1, Tasks: 2, Slots: 2, Stores: 2, Capacity: 5, Draws: []feed.Draw{{N: 1}},
			Fills: []feed.Fill{{Input: "x"}}}
	}
	for want, spoil := range map[string]func(*feed.Recipe){
		"0 observations":                   func(p *feed.Recipe) { p.Obs = 0 },
		"stores of -1 rows":                func(p *feed.Recipe) { p.Capacity = -1 },
		"3 slots of 2 tasks":               func(p *feed.Recipe) { p.Slots = 3 },
		"draw 0: transitions of 0 rows":    func(p *feed.Recipe) { p.Draws[0].N = 0 },
		"draw 0 is of store 2 of 2":        func(p *feed.Recipe) { p.Draws[0].Store = 2 },
		"draw 0: kind 4: kinds are 0 to 3": func(p *feed.Recipe) { p.Draws[0].Kind = 4 },
		"draw 0: window pair -1":           func(p *feed.Recipe) { p.Draws[0].Pair = -1 },
		"2 rows of each trajectory are left": func(p *feed.Recipe) {
			p.Draws[0].Kind, p.Draws[0].Skip = feed.Window, 2
		},
		"windows of 2 rows of store 0, of which windows of 1": func(p *feed.Recipe) {
			p.Draws = []feed.Draw{{Kind: feed.Window, N: 1}, {Kind: feed.WindowPair, N: 2}}
		},
		`input "x" is filled from window 1 of 1`: func(p *feed.Recipe) { p.Fills[0].Which = 1 },
		`input "x" holds field 12`:               func(p *feed.Recipe) { p.Fills[0].Field = feed.TaskMask + 1 },
		`input "x" holds histories of 0 rows`:    func(p *feed.Recipe) { p.Fills[0].Field = feed.Before },
		`input "x" has a table of 3 numbers`: func(p *feed.Recipe) {
			p.Fills[0].Field, p.Fills[0].Table = feed.OfTask, make([]float32, 3)
		},
		`input "x" is filled from draw 1 of 1`: func(p *feed.Recipe) { p.Fills[0].Draw = 1 },
	} {
		p := good()
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(&p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestPairNames(t *testing.T) {
	for _, p := range []feed.Pair{feed.SameTrajectory, feed.SameTask} {
		text, err := p.MarshalText()
		var back feed.Pair
		if err != nil || back.UnmarshalText(text) != nil || back != p {
			t.Errorf("%v is written %q and read as %v", p, text, back)
		}
	}
	if err := new(feed.Pair).UnmarshalText([]byte("same")); err == nil {
		t.Error("an unknown name was read")
	}
}
