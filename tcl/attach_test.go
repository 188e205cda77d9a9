package tcl_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/rl/replay"
	"nacre/sim"
	"nacre/tcl"
)

// trajectory makes one of n steps whose context rows are all of the same posterior.
func trajectory(g gaussian, n int) *sim.Trajectory {
	tr := &sim.Trajectory{Len: n, Obs: make([]float32, n+1), Act: make([]float32, n), Reward: make([]float32, n),
		CtxReward: make([]float32, n)}
	for i := range n {
		tr.Obs[i], tr.Act[i] = float32(g.mean), float32(before(g.variance))
	}
	return tr
}

// sample draws by the loss's description from a buffer of one trajectory for each slot, hands the program what was
// drawn and tells the loss, as if the slots had these tasks.
func (b *bench) sample(tasks []int, trajectories []*sim.Trajectory) {
	b.t.Helper()
	draws, fills := b.aux.Feed()
	p := feed.Recipe{Obs: 1, Act: 1, Tasks: len(tasks), Slots: len(tasks), Stores: 1, Capacity: 10, Draws: draws,
		Fills: fills}
	s, err := replay.NewSampler(p)
	check(b.t, err)
	var enc []*replay.Task
	for _, tr := range trajectories {
		enc = append(enc, replay.NewTask(replay.Dims{Obs: 1, Act: 1}, 10))
		check(b.t, enc[len(enc)-1].Add(tr))
	}
	record, err := s.Sample(rng.New(1), [][]*replay.Task{enc})
	check(b.t, err)
	check(b.t, s.Write(b.run, b.program))
	record.Tasks = tasks
	b.aux.Count(record)
}

func (b *bench) diagnose() map[string]float64 {
	b.t.Helper()
	got := map[string]float64{}
	var order []string
	check(b.t, b.aux.Diagnose(b.run, func(name string, v float64) { got[name], order = v, append(order, name) }))
	for i, name := range b.aux.MetricNames() {
		if order[i] != name {
			b.t.Errorf("metric %d is %s, MetricNames says %s", i, order[i], name)
		}
	}
	return got
}

// Means 0, 3, 4 of tasks 5, 8, 8, with keys 2 higher: squared distances
//
//	query 0: 4, 25, 36   nearest is key 0, its own task
//	query 3: 1,  4,  9   nearest is key 0, another task
//	query 4: 4,  1,  4   nearest is key 1, its own task though not its own slot
func TestDiagnostics(t *testing.T) {
	b := newBench(t, 3, nil)
	check(t, b.mem.Write("encoder_key/b0", []float64{2, 0}))
	gs := []gaussian{{0, 1}, {3, 1}, {4, 1}}
	var one []*sim.Trajectory
	for _, g := range gs {
		one = append(one, trajectory(g, 1))
	}
	b.sample([]int{5, 8, 8}, one)
	b.write("", gs)
	check(t, b.run.Run())
	got := b.diagnose()
	const float32Rows = 1e-6 // windows are stored in float32
	for name, want := range map[string]float64{
		"tcl_accuracy":          2.0 / 3,
		"tcl_positive_distance": 4,
		"tcl_negative_distance": (25 + 36 + 1 + 4) / 4.0,
		"tcl_overlap":           1,
		"tcl_short_windows":     0,
		"tcl_loss":              crossEntropy([][]float64{{-4, -25, -36}, {-1, -4, -9}, {-4, -1, -4}}),
	} {
		if d := got[name] - want; !(d < float32Rows && d > -float32Rows) {
			t.Errorf("%s = %v, want %v", name, got[name], want)
		}
	}
}

// Windows of 4 from trajectories of 4 overlap entirely; trajectories of 3 are taken whole and counted. Counts survive
// a checkpoint and start anew after they are reported.
func TestCounts(t *testing.T) {
	b := newBench(t, 2, func(c *tcl.Config) { c.Window = 4 })
	b.sample([]int{0, 1}, []*sim.Trajectory{trajectory(gaussian{1, 1}, 4), trajectory(gaussian{1, 1}, 3)})
	saved, err := json.Marshal(b.aux)
	check(t, err)
	other := newBench(t, 2, func(c *tcl.Config) { c.Window = 4 })
	check(t, json.Unmarshal(saved, other.aux))
	for name, x := range map[string]*bench{"counted": b, "restored": other} {
		check(t, x.run.Run())
		if got := x.diagnose(); got["tcl_overlap"] != 3.5 || got["tcl_short_windows"] != 1 {
			t.Errorf("%s: overlap %v, short windows %v, want 3.5 and 1", name, got["tcl_overlap"],
				got["tcl_short_windows"])
		}
		if got := x.diagnose(); got["tcl_overlap"] != 0 || got["tcl_short_windows"] != 0 {
			t.Errorf("%s: overlap %v and short windows %v after a report, want 0", name, got["tcl_overlap"],
				got["tcl_short_windows"])
		}
	}
}

// What the configuration says of pairs is what is drawn: how long, from where, which starts, and which input is filled
// from which draw's which side.
func TestFeed(t *testing.T) {
	const pair = "context0.0 context_weight0.0 key_context0.1 key_weight0.1"
	window, rows := feed.Draw{Kind: feed.Window, N: 64}, feed.Draw{Kind: feed.Transitions, N: 64}
	for _, test := range []struct {
		change func(*tcl.Config)
		draws  []feed.Draw
		fills  string
	}{
		{func(*tcl.Config) {}, []feed.Draw{{Kind: feed.WindowPair, N: 64}}, pair},
		{func(c *tcl.Config) {
			c.Window, c.Pair = 2, feed.SameTask
		}, []feed.Draw{{Kind: feed.WindowPair, N: 2, Pair: feed.SameTask}}, pair},
		{func(c *tcl.Config) {
			c.Crop = "exclusive"
		}, []feed.Draw{{Kind: feed.WindowPair, N: 64, ExclusiveEnd: true}}, pair},
		{func(c *tcl.Config) {
			c.Window, c.Negatives = 7, "mask-same-task"
		}, []feed.Draw{{Kind: feed.WindowPair, N: 7}}, pair + " tcl_mask0.0"},
		{func(c *tcl.Config) { c.Query = "own" }, []feed.Draw{{Kind: feed.WindowPair, N: 64}, window},
			"context1.0 context_weight1.0 key_context0.1 key_weight0.1 query_context0.0 query_weight0.0"},
		{func(c *tcl.Config) { c.Sampling = "rows" }, []feed.Draw{{Kind: feed.RowPair, N: 64}}, pair},
		{func(c *tcl.Config) { c.Sampling, c.Pair = "rows", feed.SameTask }, []feed.Draw{rows, rows},
			"context0.0 context_weight0.0 key_context1.0 key_weight1.0"},
		{func(c *tcl.Config) {
			c.Sampling, c.Pair, c.Query = "rows", feed.SameTask, "own"
		}, []feed.Draw{rows, rows, rows},
			"context2.0 context_weight2.0 key_context1.0 key_weight1.0 query_context0.0 query_weight0.0"},
	} {
		c := tcl.Default()
		test.change(&c)
		aux, err := tcl.New(c, direct, 2)
		check(t, err)
		draws, fills := aux.Feed()
		var inputs []string
		for _, f := range fills {
			inputs = append(inputs, fmt.Sprint(f.Input, f.Draw, ".", f.Which))
		}
		if got := strings.Join(inputs, " "); !slices.Equal(draws, test.draws) || got != test.fills {
			t.Errorf("%+v: draws %+v for %s, want %+v for %s", c, draws, got, test.draws, test.fills)
		}
	}
}
