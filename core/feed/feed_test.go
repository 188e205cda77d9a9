package feed_test

import (
	"fmt"
	"strings"
	"testing"

	"nacre/core/feed"
)

// Sixteen tasks of fifty, 256 transitions of each, and noise for their actions.
func Example() {
	p := feed.Plan{Obs: 3, Act: 2, Tasks: 50, Slots: 16, Choose: feed.Permuted, Stores: 1, Capacity: 1_000_000,
		Draws: []feed.Draw{{Kind: feed.Independent, N: 256}},
		Noise: []feed.Noise{{Input: "eps", N: 16 * 256 * 2}},
		Fills: []feed.Fill{{Input: "obs", Field: feed.Obs}, {Input: "rew", Field: feed.Reward}},
	}
	fmt.Println(p.Validate(), p.Stride(), p.Context())
	// Output: <nil> 12 6
}

func TestValidate(t *testing.T) {
	good := func() feed.Plan {
		return feed.Plan{Obs: 1, Act: 1, Tasks: 2, Slots: 2, Stores: 2, Capacity: 5, Draws: []feed.Draw{{N: 1}}, Fills: []feed.Fill{{Input: "x"}}}
	}
	for want, spoil := range map[string]func(*feed.Plan){
		"0 observations":                        func(p *feed.Plan) { p.Obs = 0 },
		"stores of -1 rows":                     func(p *feed.Plan) { p.Capacity = -1 },
		"3 slots of 2 tasks":                    func(p *feed.Plan) { p.Slots = 3 },
		"draw 0: 0 rows":                        func(p *feed.Plan) { p.Draws[0].N = 0 },
		"of store 2, want at least 1 of one of": func(p *feed.Plan) { p.Draws[0].Store = 2 },
		`input "x" is filled from draw 1 of 1`:  func(p *feed.Plan) { p.Fills[0].Draw = 1 },
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
