package replay_test

import (
	"fmt"

	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/rl/replay"
	"nacre/sim"
)

func Example() {
	d := replay.Dims{Obs: 1, Act: 1}
	buf, err := replay.NewBuffer(d, 1, 1_000_000)
	if err != nil {
		fmt.Println(err)
		return
	}
	tr := &sim.Trajectory{Len: 5, Obs: []float32{0, 1, 2, 3, 4, 5}, Act: make([]float32, 5),
		Reward: make([]float32, 5), CtxReward: make([]float32, 5)}
	if err := buf.AddBoth(0, tr); err != nil {
		fmt.Println(err)
		return
	}
	query, key := d.NewContext(4, false), d.NewContext(4, false)
	pair, err := buf.Enc[0].WindowPair(rng.New(1, rng.Window), feed.Draw{N: 4}, false, query, key)
	fmt.Println(pair.Query.Len, pair.Key.Len, pair.Overlap >= 3, err)
	// Output: 4 4 true <nil>
}
