//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/rl/replay"
	"nacre/rl/replay/mirror"
	"nacre/sim"
)

const (
	obsDim, actDim = 3, 2
	windowRows     = 9
)

// echo is a program that gives each of its inputs back, and counts its runs in a parameter, so that it steps one.
func echo(t *testing.T, inputs map[string][2]int) *core.Program {
	b := core.NewBuilder("echo", 1)
	s := b.Stage("echo")
	for name, shape := range inputs {
		x := s.WholeInput(name, shape[0], shape[1])
		s.Output("of "+name, s.Affine(x, 1, 0))
	}
	n := s.Param("n", 1, 1)
	s.Minimise(s.SumAll(n), core.DefaultAdam(1), n)
	s.Output("sum", s.SumAll(s.WholeInput("host", 1, 2)))
	p, err := b.Compile()
	must(t, err)
	return p
}

// trajectories adds trajectories of random lengths, up to shortest + longest, to a ring.
func trajectories(t *testing.T, r *rand.Rand, to *replay.Task, n, shortest, longest int) {
	for range n {
		length := shortest + 1 + r.IntN(longest)
		tr := sim.Trajectory{Len: length, Done: r.IntN(2) == 0}
		fill := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			return x
		}
		tr.Obs, tr.Act, tr.Reward, tr.CtxReward = fill((length+1)*obsDim), fill(length*actDim), fill(length), fill(length)
		must(t, to.Add(&tr))
	}
}

// feedCase is a plan and the same draws by package replay, by input.
type feedCase struct {
	plan     feed.Plan
	shortest int // trajectories are longer
	inputs   map[string][2]int
	host     func(r *rand.Rand, stores [][]*replay.Task) (map[string][]float32, feed.Record)
}

const feedSlots, feedRows, feedTasks = 4, 150, 7

// pearlLike draws what PEARL and TCL-PEARL draw: a context of some kind, then transitions, for every slot, then noise.
func pearlLike(choose feed.Choice, d feed.Draw, nextObs bool) feedCase {
	dims := replay.Dims{Obs: obsDim, Act: actDim}
	row, width := feed.Context, dims.ContextWidth(nextObs)
	if nextObs {
		row = feed.ContextNext
	}
	d.Store = 1
	n := feedSlots * feedRows
	table := make([]float32, 2*feedTasks)
	for i := range table {
		table[i] = float32(i) + 0.5
	}
	c := feedCase{
		plan: feed.Plan{Obs: obsDim, Act: actDim, Tasks: feedTasks, Slots: feedSlots, Choose: choose, Stores: 2, Capacity: 1500,
			Draws: []feed.Draw{d, {Kind: feed.Independent, N: feedRows}},
			Noise: []feed.Noise{{Input: "eps_z", N: 12}, {Input: "absent", N: 5}, {Input: "eps_a", N: n * actDim}},
			Fills: []feed.Fill{
				{Input: "context", Field: row}, {Input: "weight", Field: feed.Weight}, {Input: "key", Field: row, Which: 1}, {Input: "key_weight", Field: feed.Weight, Which: 1},
				{Input: "obs", Field: feed.Obs, Draw: 1}, {Input: "act", Field: feed.Act, Draw: 1}, {Input: "rew", Field: feed.Reward, Draw: 1},
				{Input: "done", Field: feed.Done, Draw: 1}, {Input: "next_obs", Field: feed.NextObs, Draw: 1},
				{Input: "task", Field: feed.OfTask, Table: table}, {Input: "mask", Field: feed.SameTask, Value: -7},
			}},
		inputs: map[string][2]int{"context": {feedSlots * d.N, width}, "weight": {feedSlots * d.N, 1}, "obs": {n, obsDim}, "act": {n, actDim}, "rew": {n, 1},
			"done": {n, 1}, "next_obs": {n, obsDim}, "task": {feedSlots, 2}, "mask": {feedSlots, feedSlots}, "eps_z": {feedSlots, 3}, "eps_a": {n, actDim}},
	}
	pair := d.Kind == feed.PairOfTrajectory || d.Kind == feed.PairOfTask
	if pair {
		c.inputs["key"], c.inputs["key_weight"] = c.inputs["context"], c.inputs["weight"]
	}
	c.host = func(r *rand.Rand, stores [][]*replay.Task) (map[string][]float32, feed.Record) {
		var rec feed.Record
		tasks := make([]int, feedSlots)
		if choose == feed.Each {
			for i := range tasks {
				tasks[i] = r.IntN(feedTasks)
			}
		} else {
			copy(tasks, r.Perm(feedTasks))
		}
		rec.Tasks = tasks
		rows, query, key := dims.NewRows(n), dims.NewContext(feedSlots*d.N, nextObs), dims.NewContext(feedSlots*d.N, nextObs)
		for slot, task := range tasks {
			enc, q, k := stores[1][task], query.From(width, slot*d.N), key.From(width, slot*d.N)
			var err error
			switch rule := (replay.CropRule{Window: d.N, ExclusiveEnd: d.Exclusive}); d.Kind {
			case feed.Independent:
				err = enc.Context(r, d.N, nextObs, q)
			case feed.Window:
				_, err = enc.Window(r, rule, nextObs, q)
			default:
				var p replay.PairCrop
				p, err = enc.WindowPair(r, rule, map[feed.Kind]replay.Pair{feed.PairOfTask: replay.SameTask}[d.Kind], nextObs, q, k)
				rec.Pairs++
				rec.Overlap += p.Overlap
				if p.Short() {
					rec.Short++
				}
			}
			if err == nil {
				err = stores[0][task].Transitions(r, feedRows, rows.From(dims, slot*feedRows))
			}
			if err != nil {
				panic(err)
			}
		}
		out := map[string][]float32{"context": query.Rows, "weight": query.Weights, "obs": rows.Obs, "act": rows.Act, "rew": rows.Reward, "done": rows.Done, "next_obs": rows.NextObs}
		if pair {
			out["key"], out["key_weight"] = key.Rows, key.Weights
		}
		for i, a := range tasks {
			out["task"] = append(out["task"], table[2*a:2*a+2]...)
			for j, b := range tasks {
				x := float32(0)
				if i != j && a == b {
					x = -7
				}
				out["mask"] = append(out["mask"], x)
			}
		}
		for _, noise := range c.plan.Noise {
			for range noise.N {
				out[noise.Input] = append(out[noise.Input], float32(r.NormFloat64()))
			}
		}
		return out, rec
	}
	return c
}

// mqlLike draws n transitions of one ring with their histories, leaving out the first skip of each trajectory.
func mqlLike(n, skip int) feedCase {
	dims := replay.Dims{Obs: obsDim, Act: actDim}
	const window = 5
	width := window * dims.ContextWidth(false)
	return feedCase{
		shortest: skip,
		plan: feed.Plan{Obs: obsDim, Act: actDim, Tasks: 1, Slots: 1, Stores: 1, Capacity: 1500, Draws: []feed.Draw{{N: n, Skip: skip}},
			Noise: []feed.Noise{{Input: "eps", N: 77}},
			Fills: []feed.Fill{{Input: "obs", Field: feed.Obs}, {Input: "before", Field: feed.Before}, {Input: "after", Field: feed.After}}},
		inputs: map[string][2]int{"obs": {n, obsDim}, "before": {n, width}, "after": {n, width}, "eps": {77, 1}},
		host: func(r *rand.Rand, stores [][]*replay.Task) (map[string][]float32, feed.Record) {
			h := dims.NewHistories(n, window)
			if err := stores[0][0].Histories(r, n, window, skip, h); err != nil {
				panic(err)
			}
			out := map[string][]float32{"obs": h.Obs, "before": h.Before, "after": h.After}
			for range 77 {
				out["eps"] = append(out["eps"], float32(r.NormFloat64()))
			}
			return out, feed.Record{Tasks: []int{0}}
		},
	}
}

// What the device draws is bit for bit what package replay draws from the same stream: tasks, rows, windows, weights and
// noise, over updates and iterations between which the rings grow, overflow and are emptied, in any order of lanes,
// blocks and branches.
func TestFeedDrawsAsReplayDoes(t *testing.T) {
	gpu := fakecuda.Use(t)
	for name, c := range map[string]feedCase{
		"rows":              pearlLike(feed.Permuted, feed.Draw{Kind: feed.Independent, N: 30}, false),
		"rows, next":        pearlLike(feed.Each, feed.Draw{Kind: feed.Independent, N: 140}, true),
		"windows":           pearlLike(feed.Permuted, feed.Draw{Kind: feed.Window, N: windowRows}, true),
		"pairs":             pearlLike(feed.Each, feed.Draw{Kind: feed.PairOfTrajectory, N: windowRows}, false),
		"pairs of the task": pearlLike(feed.Permuted, feed.Draw{Kind: feed.PairOfTask, N: windowRows, Exclusive: true}, false),
		"histories":         mqlLike(200, 1),
		"many rejected":     mqlLike(6000, 25), // most of the stream, and all normals, are past what is made in advance
	} {
		t.Run(name, func(t *testing.T) { checkFeed(t, gpu, c) })
	}
}

func checkFeed(t *testing.T, gpu *fakecuda.GPU, c feedCase) {
	d := newDevice(t, cuda.Options{})
	dims := replay.Dims{Obs: c.plan.Obs, Act: c.plan.Act}
	stores := make([][]*replay.Task, c.plan.Stores)
	r := rand.New(rand.NewPCG(5, 6))
	for s := range stores {
		for range c.plan.Tasks {
			stores[s] = append(stores[s], replay.NewTask(dims, c.plan.Capacity))
		}
	}
	p := echo(t, c.inputs)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	m, err := mirror.New(d, mem, c.plan, func() [][]*replay.Task { return stores })
	must(t, err)
	defer m.Close()
	run, err := m.Load(p, []string{"sum"})
	must(t, err)
	must(t, run.Write("host", []float32{3, 4}))
	var made []mirror.Update
	fromHost := 0
	way := mirror.Way{
		Run:  func(int) core.Runner { return run },
		Host: func(int, int) error { fromHost++; return nil },
		Note: func(u mirror.Update) error { made = append(made, u); return nil },
	}
	must(t, m.Make(9, 0, 0, 2, way))
	if fromHost != 2 {
		t.Fatalf("%d of 2 updates from the host with nothing collected", fromHost)
	}
	for iteration := range uint64(4) {
		gpu.Order(int(iteration) % 3)
		for s := range stores {
			for _, task := range stores[s] {
				if s == 1 && iteration != 2 {
					task.Clear()
				}
				longest := 60
				if iteration == 3 { // windows are then shorter than asked
					longest = 8
				}
				trajectories(t, r, task, 3+20*int(iteration), c.shortest, longest)
			}
		}
		for update := iteration % 2; update < 3; update++ { // also from within an iteration
			made = nil
			must(t, m.Make(9, int(iteration), int(update), 1, way))
			want, wantRecord := c.host(rng.New(9, rng.Replay, iteration, update), stores)
			for input, w := range want {
				if _, has := c.inputs[input]; !has {
					continue
				}
				got := make([]float32, len(w))
				must(t, run.Read("of "+input, got))
				for i := range w {
					if math.Float32bits(got[i]) != math.Float32bits(w[i]) && got[i] != w[i] {
						t.Fatalf("iteration %d, update %d: number %d of %s is %g, want %g", iteration, update, i, input, got[i], w[i])
					}
				}
			}
			must(t, m.Hear(true, way.Note))
			wantRecord.Scalars = []float32{7}
			if wanted := fmt.Sprint([]mirror.Update{{Iteration: int(iteration), Number: int(update), Record: wantRecord}}); fmt.Sprint(made) != wanted {
				t.Fatalf("finished %v, want %v", made, wanted)
			}
		}
	}
	if fromHost != 2 {
		t.Fatalf("%d updates from the host after data were there", fromHost-2)
	}
}

// A million normals from as many places of the stream's rectangles, wedges and tail.
func TestNormals(t *testing.T) {
	fakecuda.Use(t)
	d := newDevice(t, cuda.Options{})
	const n = 100_000
	c := feed.Plan{Obs: 1, Act: 1, Tasks: 1, Slots: 1, Stores: 1, Capacity: 4, Noise: []feed.Noise{{Input: "eps", N: n}}}
	p := echo(t, map[string][2]int{"eps": {n, 1}})
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	f, err := d.(feed.Device).NewFeed(mem, c)
	must(t, err)
	defer f.Close()
	run, err := f.Load(p, nil)
	must(t, err)
	defer run.Close()
	must(t, f.Put(0, 0, 0, make([]float32, c.Stride())))
	must(t, f.Set(0, 0, feed.Ring{Length: 1}))
	a, b := rng.Address(3, rng.Replay, 1)
	must(t, f.Begin(a, b, 0))
	got := make([]float32, n)
	for update := range uint64(10) {
		must(t, run.Run())
		must(t, run.Read("of eps", got))
		r := rng.New(3, rng.Replay, 1, update)
		for i, x := range got {
			if want := float32(r.NormFloat64()); x != want {
				t.Fatalf("update %d, normal %d is %.9g, want %.9g", update, i, x, want)
			}
		}
	}
}
