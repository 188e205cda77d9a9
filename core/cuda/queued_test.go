//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/feed"
	"nacre/core/ref"
)

// few draws n numbers.
func few(seed, n int) []float64 {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(float32(r.NormFloat64()))
	}
	return x
}

// Runs that nobody waits for compute with the inputs and parameters that were there when they were started, and what is
// read behind them, by the host's own small programs too, is what they have left.
func TestQueued(t *testing.T) {
	fakecuda.Use(t)
	b := core.NewBuilder("small", 1)
	s := b.Stage("sum")
	s.Output("sum", s.SumAll(s.Param("w", 33, 40)))
	small, err := b.Compile()
	must(t, err)
	p := line(t)
	train := func(wait bool) (out []float64) {
		d := newDevice(t, cuda.Options{Host: ref.Device})
		mem, err := d.NewMemory(p.ParamSpecs())
		must(t, err)
		r, err := d.Load(p, mem)
		must(t, err)
		defer r.Close()
		on, err := d.Load(small, mem)
		must(t, err)
		defer on.Close()
		read := func(from interface {
			Read64(string, []float64) error
		}, name string, n int) {
			x := make([]float64, n)
			must(t, from.Read64(name, x))
			out = append(out, x...)
		}
		must(t, mem.Write("w", few(1, 33*40)))
		for i := range 12 {
			must(t, r.Write64("x", few(10+i, 64*33)))
			must(t, r.Write64("y", few(30+i, 64*40)))
			must(t, r.Run())
			if wait {
				must(t, r.Read64("loss", make([]float64, 1)))
			}
			switch i {
			case 3:
				must(t, mem.Write("w", few(2, 33*40)))
			case 5, 7:
				graphs := cuda.Graphs(d)
				must(t, on.Run())
				read(on, "sum", 1)
				w, sum := make([]float64, 33*40), 0.0
				must(t, mem.Read("w", w))
				for _, x := range w {
					sum += x
				}
				if got := out[len(out)-1]; !(math.Abs(got-sum) < 1e-3) || cuda.Graphs(d) != graphs {
					t.Errorf("the host's sum is %g, the parameters' %g; %d graphs were launched for it", got, sum,
						cuda.Graphs(d)-graphs)
				}
			case 9:
				x := make([]float64, 33*40)
				must(t, mem.Read("trail", x))
				out = append(out, x...)
			}
		}
		read(r, "loss", 1)
		return out
	}
	if got, want := train(false), train(true); !slices.Equal(got, want) {
		t.Errorf("runs that were queued leave %g…, one by one they leave %g…", got[:2], want[:2])
	}
}

// fedLine is the program line on data that the device draws: windows of two tasks' trajectories.
type fedLine struct {
	mem  core.Memory
	feed feed.Feed
	run  core.Runner
	plan feed.Recipe
}

func openFed(t *testing.T, d core.Device) *fedLine {
	t.Helper()
	p := line(t)
	mem, err := d.NewMemory(p.ParamSpecs())
	must(t, err)
	x := &fedLine{mem: mem, plan: feed.Recipe{Obs: 33, Act: 40, Tasks: 2, Slots: 1, Choose: feed.WithReplacement,
		Stores: 1, Capacity: 100,
		Draws: []feed.Draw{{Kind: feed.Window, N: 64}}, Noise: []feed.Noise{{Input: "y", N: 64 * 40}},
		Fills: []feed.Fill{{Input: "x", Field: feed.Obs}}}}
	x.feed, err = d.(feed.Device).NewFeed(mem, x.plan)
	must(t, err)
	x.run, err = x.feed.Load(p, []string{"loss"})
	must(t, err)
	must(t, mem.Write("w", few(3, 33*40)))
	return x
}

// put writes other rows.
func (x *fedLine) put(t *testing.T, seed int) {
	for task := range 2 {
		var rows []float32
		for _, y := range few(seed+100*task, 90*x.plan.Stride()) {
			rows = append(rows, float32(y))
		}
		must(t, x.feed.Put(0, task, 0, rows))
	}
}

// set says which of them belong to a trajectory.
func (x *fedLine) set(t *testing.T, first int) {
	for task := range 2 {
		must(t, x.feed.Set(0, task, feed.Ring{Length: 90, Spans: []feed.Span{{First: int32(first), N: 70}}}))
	}
}

// updates are started; wait waits for each.
func (x *fedLine) updates(t *testing.T, n int, wait bool) {
	for range n {
		must(t, x.run.Run())
		if wait {
			must(t, x.run.Read("loss", make([]float32, 1)))
		}
	}
}

// left returns what the updates have kept and changed; everything is closed.
func (x *fedLine) left(t *testing.T) string {
	records, err := x.feed.Records(true)
	must(t, err)
	w := make([]float64, 33*40)
	must(t, x.mem.Read("w", w))
	must(t, x.run.Close())
	must(t, x.feed.Close())
	return fmt.Sprint(records, w)
}

// Rows, trajectories and streams that change behind updates nobody has waited for do not change what those draw.
func TestQueuedDraws(t *testing.T) {
	fakecuda.Use(t)
	train := func(wait bool) string {
		x := openFed(t, newDevice(t, cuda.Options{}))
		x.put(t, 1)
		x.set(t, 0)
		must(t, x.feed.Begin(1, 2, 0))
		x.updates(t, 3, wait)
		x.put(t, 2)
		x.updates(t, 3, wait)
		x.set(t, 20)
		x.updates(t, 3, wait)
		must(t, x.feed.Begin(3, 4, 5))
		x.updates(t, 3, wait)
		return x.left(t)
	}
	if got, want := train(false), train(true); got != want {
		t.Errorf("updates that were queued leave %.300s…, one by one they leave %.300s…", got, want)
	}
}

// Memories that run as one and draw their own data see their own rows and streams, and keep their own records.
func TestTogetherDraws(t *testing.T) {
	gpu := fakecuda.Use(t)
	const n, updates = 3, 5
	start := func(x *fedLine, seed int) {
		must(t, x.mem.Write("w", few(50+seed, 33*40)))
		x.put(t, seed)
		x.set(t, 5*seed)
		must(t, x.feed.Begin(uint64(seed), 2, uint64(7*seed)))
	}
	for order := range 3 {
		gpu.Order(order)
		d := newDevice(t, cuda.Options{Together: n})
		var all [n]*fedLine
		for seed := range all {
			all[seed] = openFed(t, d)
		}
		before := cuda.Graphs(d)
		var got [n]string
		var done sync.WaitGroup
		for seed, x := range all {
			done.Go(func() {
				start(x, seed)
				x.updates(t, updates, false)
				got[seed] = x.left(t)
			})
		}
		done.Wait()
		if launched := cuda.Graphs(d) - before; launched != updates {
			t.Errorf("%d graphs were launched for %d updates of %d memories", launched, updates, n)
		}
		for seed := range all {
			x := openFed(t, newDevice(t, cuda.Options{}))
			start(x, seed)
			x.updates(t, updates, false)
			if want := x.left(t); got[seed] != want {
				t.Errorf("in order %d seed %d has %.200s… together, %.200s… alone", order, seed, got[seed], want)
			}
		}
	}
}

// Memories that run as one may be given the inputs of several runs before the others come to the first, whoever
// multiplies; one whose companions have gone is run by whoever reads its results, on whatever thread.
func TestTogetherQueued(t *testing.T) {
	gpu := fakecuda.Use(t)
	p := line(t)
	open := func(d core.Device) (core.Memory, core.Runner) {
		mem, err := d.NewMemory(p.ParamSpecs())
		must(t, err)
		r, err := d.Load(p, mem)
		must(t, err)
		return mem, r
	}
	start := func(r core.Runner, seed, update int) {
		must(t, r.Write64("x", few(10*seed+update, 64*33)))
		must(t, r.Write64("y", few(10*seed+update+5, 64*40)))
		must(t, r.Run())
	}
	state := func(mem core.Memory, r core.Runner) []float64 {
		x := make([]float64, 1+33*40)
		must(t, r.Read64("loss", x[:1]))
		must(t, mem.Read("w", x[1:]))
		return x
	}
	const updates = 4
	for order := range 6 {
		gpu.Order(order % 3)
		gpu.Refuses(order % 2 * 3) // our own kernel multiplies
		var want [3][]float64
		for seed := range want {
			mem, r := open(newDevice(t, cuda.Options{}))
			must(t, mem.Write("w", few(seed, 33*40)))
			for i := range updates {
				start(r, seed, i)
			}
			want[seed] = state(mem, r)
			must(t, r.Close())
		}
		d := newDevice(t, cuda.Options{Together: len(want)})
		var mems [len(want)]core.Memory
		var runs [len(want)]core.Runner
		for seed := range want {
			mems[seed], runs[seed] = open(d)
			must(t, mems[seed].Write("w", few(seed, 33*40)))
		}
		var all sync.WaitGroup
		first := make(chan bool)
		for seed := range want {
			all.Go(func() {
				if seed > 0 {
					<-first
				}
				for i := range updates {
					start(runs[seed], seed, i)
					if seed == 0 && i == 0 {
						close(first)
					}
				}
				if got := state(mems[seed], runs[seed]); !slices.Equal(got, want[seed]) {
					t.Errorf("in order %d seed %d has loss %g together, %g alone", order, seed, got[0], want[seed][0])
				}
			})
		}
		all.Wait()
		start(runs[0], 0, 9) // waits for the others
		must(t, runs[1].Close())
		must(t, runs[2].Close())
		gpu.Forget()
		must(t, runs[0].Read64("loss", make([]float64, 1)))
		must(t, runs[0].Close())
	}
}
