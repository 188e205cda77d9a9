package tcl_test

import (
	"encoding/json"
	"testing"

	"nacre/internal/rng"
	"nacre/rl/replay"
	"nacre/sim"
	"nacre/tcl"
)

// trajectory makes one of n steps whose context rows are all of the same posterior.
func trajectory(g gaussian, n int) *sim.Trajectory {
	tr := &sim.Trajectory{Len: n, Obs: make([]float32, n+1), Act: make([]float32, n), Reward: make([]float32, n), CtxReward: make([]float32, n)}
	for i := range n {
		tr.Obs[i], tr.Act[i] = float32(g.mean), float32(before(g.variance))
	}
	return tr
}

// draw draws a window pair for each slot, from buffers of one trajectory of one step, and writes the queries.
func (b *bench) draw(tasks []int, gs []gaussian) {
	b.t.Helper()
	for slot, g := range gs {
		enc := replay.NewTask(replay.Dims{Obs: 1, Act: 1}, 10)
		check(b.t, enc.Add(trajectory(g, 1)))
		c := replay.Context{Rows: make([]float32, 3), Weights: make([]float32, 1)}
		check(b.t, b.aux.Draw(rng.New(1), slot, tasks[slot], enc, c))
	}
	b.write("", gs)
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
	b.draw([]int{5, 8, 8}, gs)
	check(t, b.aux.Write(b.run))
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
	if n := b.aux.ContextRows(); n != 4 {
		t.Errorf("%d context rows, want 4", n)
	}
	context := replay.Context{Rows: make([]float32, 12), Weights: make([]float32, 4)}
	for slot, length := range []int{4, 3} {
		enc := replay.NewTask(replay.Dims{Obs: 1, Act: 1}, 10)
		check(t, enc.Add(trajectory(gaussian{1, 1}, length)))
		check(t, b.aux.Draw(rng.New(1), slot, slot, enc, context))
		if got := context.Valid(); got != length {
			t.Errorf("trajectory of %d: %d valid rows", length, got)
		}
	}
	saved, err := json.Marshal(b.aux)
	check(t, err)
	other := newBench(t, 2, func(c *tcl.Config) { c.Window = 4 })
	check(t, json.Unmarshal(saved, other.aux))
	for name, x := range map[string]*bench{"counted": b, "restored": other} {
		check(t, x.run.Run())
		if got := x.diagnose(); got["tcl_overlap"] != 3.5 || got["tcl_short_windows"] != 1 {
			t.Errorf("%s: overlap %v, short windows %v, want 3.5 and 1", name, got["tcl_overlap"], got["tcl_short_windows"])
		}
		if got := x.diagnose(); got["tcl_overlap"] != 0 || got["tcl_short_windows"] != 0 {
			t.Errorf("%s: overlap %v and short windows %v after a report, want 0", name, got["tcl_overlap"], got["tcl_short_windows"])
		}
	}
}

// The printed code's crop never draws the last start of a trajectory, ours does.
func TestCropReachesReplay(t *testing.T) {
	enc := replay.NewTask(replay.Dims{Obs: 1, Act: 1}, 10)
	tr := trajectory(gaussian{0, 1}, 3)
	copy(tr.Obs, []float32{0, 1, 2})
	check(t, enc.Add(tr))
	for crop, want := range map[string]map[float32]bool{"inclusive": {0: true, 1: true}, "exclusive": {0: true}} {
		b := newBench(t, 2, func(c *tcl.Config) { c.Window, c.Crop = 2, crop })
		r, got := rng.New(5), map[float32]bool{}
		context := replay.Context{Rows: make([]float32, 6), Weights: make([]float32, 2)}
		for range 50 {
			check(t, b.aux.Draw(r, 0, 0, enc, context))
			got[context.Rows[0]] = true
		}
		if len(got) != len(want) || !got[0] {
			t.Errorf("%s: window starts %v, want %v", crop, got, want)
		}
	}
}

// An empty buffer is an error, not a window of zeros.
func TestDrawFromNothing(t *testing.T) {
	b := newBench(t, 2, nil)
	enc := replay.NewTask(replay.Dims{Obs: 1, Act: 1}, 10)
	if err := b.aux.Draw(rng.New(1), 0, 0, enc, replay.Context{Rows: make([]float32, 3), Weights: make([]float32, 1)}); err == nil {
		t.Error("no error")
	}
}
