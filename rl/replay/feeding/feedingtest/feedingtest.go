// Package feedingtest tests whether a device draws the same training data as package replay. A device that draws by
// itself (feed.Device) runs it in one line of its tests.
//
//	func TestFeed(t *testing.T) { feedingtest.Run(t, func(t testing.TB) core.Device { return newDevice(t) }, nil) }
package feedingtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nacre/core"
	"nacre/core/feed"
	"nacre/internal/fatal"
	"nacre/internal/rng"
	"nacre/rl/replay"
	"nacre/rl/replay/feeding"
	"nacre/sim"
)

var must = fatal.On

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
		tr.Obs, tr.Act, tr.Reward, tr.CtxReward = fill((length+1)*obsDim), fill(length*actDim), fill(length),
			fill(length)
		must(t, to.Add(&tr))
	}
}

const feedRows = 150

// pearlLike makes the draws of PEARL and TCL-PEARL: for every slot a context of some kind and then transitions, at the
// end noise.
func pearlLike(choose feed.Choice, d feed.Draw, row feed.Field) feed.Recipe {
	const tasks, slots = 7, 4
	d.Store = 1
	table := make([]float32, 2*tasks)
	for i := range table {
		table[i] = float32(i) + 0.5
	}
	p := feed.Recipe{Obs: obsDim, Act: actDim, Tasks: tasks, Slots: slots, Choose: choose, Stores: 2, Capacity: 1500,
		Draws: []feed.Draw{d, {Kind: feed.Transitions, N: feedRows}},
		Noise: []feed.Noise{{Input: "eps_z", N: 12}, {Input: "absent", N: 5},
			{Input: "eps_a", N: slots * feedRows * actDim}},
		Fills: []feed.Fill{
			{Input: "context", Field: row}, {Input: "weight", Field: feed.Weight},
			{Input: "obs", Field: feed.Obs, Draw: 1}, {Input: "act", Field: feed.Act, Draw: 1},
			{Input: "rew", Field: feed.Reward, Draw: 1},
			{Input: "done", Field: feed.Done, Draw: 1}, {Input: "next_obs", Field: feed.NextObs, Draw: 1},
			{Input: "task", Field: feed.OfTask, Table: table}, {Input: "mask", Field: feed.TaskMask, Value: -7},
		}}
	if d.Sets() == 2 {
		p.Fills = append(p.Fills, feed.Fill{Input: "key", Field: row, Which: 1},
			feed.Fill{Input: "key_weight", Field: feed.Weight, Which: 1})
	}
	return p
}

// mqlLike draws n transitions of one ring with their histories, leaving out the first skip of each trajectory.
func mqlLike(n, skip int) feed.Recipe {
	return feed.Recipe{Obs: obsDim, Act: actDim, Tasks: 1, Slots: 1, Stores: 1, Capacity: 1500,
		Draws: []feed.Draw{{N: n, Skip: skip}},
		Noise: []feed.Noise{{Input: "eps", N: 77}},
		Fills: []feed.Fill{{Input: "obs", Field: feed.Obs}, {Input: "before", Field: feed.Before, History: 5},
			{Input: "after", Field: feed.After, History: 5}}}
}

// anyPlan is one of all that can be described, of small sizes: every rule of choosing tasks, rows and windows, every
// field.
func anyPlan(r *rand.Rand) feed.Recipe {
	p := feed.Recipe{Obs: obsDim, Act: actDim, Tasks: 1 + r.IntN(6), Stores: 1 + r.IntN(2), Capacity: 40 + r.IntN(1500),
		Choose: feed.Choice(r.IntN(3)),
		Noise:  []feed.Noise{{Input: "eps", N: 1 + r.IntN(3000)}}}
	p.Slots = 1 + r.IntN(p.Tasks)
	if p.Choose != feed.NoTasks {
		p.Slots = 1 + r.IntN(2*p.Tasks)
	}
	for q := range 1 + r.IntN(4) {
		d := feed.Draw{Kind: feed.Kind(r.IntN(4)), Store: r.IntN(p.Stores), N: 1 + r.IntN(70),
			Pair: feed.Pair(r.IntN(2)), ExclusiveEnd: r.IntN(2) == 0}
		fields := []feed.Field{feed.Obs, feed.Act, feed.Reward, feed.Done, feed.NextObs, feed.Context, feed.ContextNext,
			feed.Weight}
		if d.Kind == feed.Transitions {
			d.N, d.Skip = 1+r.IntN(400), max(0, r.IntN(6)-2)
			fields = append(fields, feed.Before, feed.After)
		} else if w := p.Window(d.Store); w > 0 && w != d.Least() {
			d.Kind, d.N = feed.Window, w // a store's windows have one length
		}
		p.Draws = append(p.Draws, d)
		for which := range d.Sets() {
			for _, field := range fields {
				if r.IntN(3) > 0 {
					p.Fills = append(p.Fills, feed.Fill{Input: fmt.Sprint("in", len(p.Fills)), Field: field, Draw: q,
						Which: which, History: 1 + r.IntN(7)})
				}
			}
		}
	}
	table := make([]float32, 3*p.Tasks)
	for i := range table {
		table[i] = r.Float32()
	}
	p.Fills = append(p.Fills, feed.Fill{Input: "task", Field: feed.OfTask, Table: table},
		feed.Fill{Input: "mask", Field: feed.TaskMask, Value: r.Float32()})
	return p
}

// Run checks that a device draws, bit for bit, the same data as package replay from the same stream: tasks, rows,
// windows, weights and noise. It does so over updates and iterations between which the rings grow, overflow and are
// emptied.
//
// open makes a device; between, which may be nil, is called before every iteration with its number.
func Run(t *testing.T, open func(testing.TB) core.Device, between func(iteration int)) {
	if between == nil {
		between = func(int) {}
	}
	for name, p := range map[string]feed.Recipe{
		"rows": pearlLike(feed.WithoutReplacement, feed.Draw{Kind: feed.Transitions, N: 30}, feed.Context),
		"rows, next": pearlLike(feed.WithReplacement, feed.Draw{Kind: feed.Transitions, N: 140},
			feed.ContextNext),
		"windows": pearlLike(feed.WithoutReplacement, feed.Draw{Kind: feed.Window, N: windowRows},
			feed.ContextNext),
		"pairs": pearlLike(feed.WithReplacement, feed.Draw{Kind: feed.WindowPair, N: windowRows},
			feed.Context),
		"pairs of the task": pearlLike(feed.WithoutReplacement, feed.Draw{Kind: feed.WindowPair, Pair: feed.SameTask,
			N: windowRows, ExclusiveEnd: true}, feed.Context),
		"pairs of rows": pearlLike(feed.WithReplacement, feed.Draw{Kind: feed.RowPair, N: windowRows},
			feed.ContextNext),
		"histories": mqlLike(200, 1),
		// most of the stream, and all normals, come after the part that is made in advance
		"many rejected": mqlLike(6000, 25),
	} {
		t.Run(name, func(t *testing.T) { check(t, open(t), between, p, 9) })
	}
	for seed := range uint64(24) {
		t.Run(fmt.Sprint("any ", seed), func(t *testing.T) {
			check(t, open(t), between, anyPlan(rand.New(rand.NewPCG(1, seed))), seed)
		})
	}
}

func check(t *testing.T, d core.Device, between func(iteration int), plan feed.Recipe, seed uint64) {
	dims := replay.Dims{Obs: plan.Obs, Act: plan.Act}
	stores := make([][]*replay.Task, plan.Stores)
	r := rand.New(rand.NewPCG(5, 6))
	for s := range stores {
		for range plan.Tasks {
			stores[s] = append(stores[s], replay.NewTask(dims, plan.Capacity))
		}
	}
	inputs, shortest := map[string][2]int{}, 0
	for _, f := range plan.Fills {
		inputs[f.Input] = [2]int{plan.Rows(f), plan.Cols(f)}
	}
	for _, n := range plan.Noise {
		if n.Input != "absent" {
			inputs[n.Input] = [2]int{n.N, 1}
		}
	}
	for _, d := range plan.Draws {
		shortest = max(shortest, d.Skip)
	}
	host, err := replay.NewSampler(plan)
	must(t, err)
	p := echo(t, inputs)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	m, err := feeding.New(d, mem, plan, func() [][]*replay.Task { return stores })
	must(t, err)
	defer m.Close()
	run, err := m.Load(p, []string{"sum"})
	must(t, err)
	must(t, run.Write("host", []float32{3, 4}))
	var made []feeding.Update
	fromHost := 0
	way := feeding.Way{
		Run:  func(int) core.Runner { return run },
		Host: func(int, int) error { fromHost++; return nil },
		Note: func(u feeding.Update) error { made = append(made, u); return nil },
	}
	must(t, m.Make(seed, 0, 0, 2, way))
	if fromHost != 2 {
		t.Fatalf("%d of 2 updates from the host with nothing collected", fromHost)
	}
	for iteration := range uint64(4) {
		between(int(iteration))
		for s := range stores {
			for _, task := range stores[s] {
				if s == 1 && iteration != 2 {
					task.Clear()
				}
				longest := 60
				if iteration == 3 { // windows are then shorter than asked
					longest = 8
				}
				trajectories(t, r, task, 3+20*int(iteration), shortest, longest)
			}
		}
		for update := iteration % 2; update < 3; update++ { // also from within an iteration
			made = nil
			must(t, m.Make(seed, int(iteration), int(update), 1, way))
			wantRecord, err := host.Sample(rng.New(seed, rng.Replay, iteration, update), stores)
			must(t, err)
			for input := range inputs {
				w := host.Input(input)
				got := make([]float32, len(w))
				must(t, run.Read("of "+input, got))
				for i := range w {
					if math.Float32bits(got[i]) != math.Float32bits(w[i]) && got[i] != w[i] {
						t.Fatalf("iteration %d, update %d: number %d of %s is %g, want %g", iteration, update, i, input,
							got[i], w[i])
					}
				}
			}
			must(t, m.Hear(true, way.Note))
			wantRecord.Scalars = []float32{7}
			if wanted := fmt.Sprint(
				[]feeding.Update{{Iteration: int(iteration), Number: int(update), Record: wantRecord}}); fmt.Sprint(
				made) != wanted {
				t.Fatalf("finished %v, want %v", made, wanted)
			}
		}
	}
	if fromHost != 2 {
		t.Fatalf("%d updates from the host after data were there", fromHost-2)
	}
}

// Normals draws a million normal numbers, enough to reach the rectangles, the wedges and the tail of the ziggurat. It
// checks that they equal those of math/rand/v2.
func Normals(t *testing.T, d core.Device) {
	const n = 100_000
	c := feed.Recipe{Obs: 1, Act: 1, Tasks: 1, Slots: 1, Stores: 1, Capacity: 4,
		Noise: []feed.Noise{{Input: "eps", N: n}}}
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
