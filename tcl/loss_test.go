package tcl_test

import (
	"math"
	"slices"
	"testing"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl/replay"
	"nacre/tcl"
)

// With equal posteriors every key is as near as every other.
func TestEqualPosteriorsGiveLogN(t *testing.T) {
	for _, n := range []int{2, 16} {
		gs := make([]gaussian, n)
		for i := range gs {
			gs[i] = gaussian{0.3, 0.7}
		}
		near(t, "loss", newBench(t, n, nil).loss(gs, gs), math.Log(float64(n)))
	}
}

func TestSeparatedPosteriorsGiveZero(t *testing.T) {
	gs := []gaussian{{0, 1}, {30, 1}, {-30, 1}, {60, 1}}
	if loss := newBench(t, 4, nil).loss(gs, gs); !(loss >= 0 && loss < 1e-300) {
		t.Errorf("loss %v, want 0", loss)
	}
	wrong := []gaussian{{30, 1}, {0, 1}, {60, 1}, {-30, 1}}
	near(t, "loss with pairs swapped", newBench(t, 4, nil).loss(gs, wrong), (900+900+8100+8100)/4.0)
}

// Queries N(0, 1), N(1, 4), keys N(3, 4), N(1, 9): the squared distance of means plus that of the spreads.
func TestSimilarityByHand(t *testing.T) {
	queries, keys := []gaussian{{0, 1}, {1, 4}}, []gaussian{{3, 4}, {1, 9}}
	for sigma, want := range map[string][]float64{
		"std": {-(9 + 1), -(1 + 4), -(4 + 0), -(0 + 1)},
		"var": {-(9 + 9), -(1 + 64), -(4 + 0), -(0 + 25)},
	} {
		b := newBench(t, 2, func(c *tcl.Config) { c.Sigma = sigma })
		loss := b.loss(queries, keys)
		got := b.output("tcl_similarity", 4)
		for i := range want {
			near(t, sigma+" similarity", got[i], want[i])
		}
		near(t, sigma+" loss", loss, crossEntropy([][]float64{want[:2], want[2:]}))
	}
}

// The temperature divides the logits, the scale multiplies the loss the encoder is stepped on; neither touches the
// reported similarities.
func TestTemperatureAndScale(t *testing.T) {
	queries, keys := []gaussian{{0, 1}, {1, 4}}, []gaussian{{3, 4}, {1, 9}}
	b := newBench(t, 2, func(c *tcl.Config) { c.Temperature, c.Scale = 4, 3 })
	want := crossEntropy([][]float64{{-10.0 / 4, -5.0 / 4}, {-4.0 / 4, -1.0 / 4}})
	near(t, "loss", b.loss(queries, keys), want)
	near(t, "weighted loss", b.output("loss", 1)[0], 3*want)
	near(t, "similarity", b.output("tcl_similarity", 4)[0], -10)
}

// Tasks 0 and 1 of the meta-batch are the same: neither is a negative of the other, but each keeps its positive.
func TestMaskOfSameTask(t *testing.T) {
	b := newBench(t, 3, func(c *tcl.Config) { c.Negatives = "mask-same-task" })
	gs := []gaussian{{0, 1}, {0.5, 1}, {2, 1}}
	draws, fills := b.aux.Feed()
	s, err := replay.NewSampler(feed.Recipe{Obs: 1, Act: 1, Tasks: 2, Slots: 3, Choose: feed.WithReplacement, Stores: 1,
		Capacity: 10,
		Draws:    draws, Fills: fills})
	check(t, err)
	enc := []*replay.Task{replay.NewTask(replay.Dims{Obs: 1, Act: 1}, 10),
		replay.NewTask(replay.Dims{Obs: 1, Act: 1}, 10)}
	for _, task := range enc {
		check(t, task.Add(trajectory(gs[0], 1)))
	}
	for seed, tasks := uint64(0), []int(nil); tasks == nil || tasks[0] != tasks[1] || tasks[1] == tasks[2]; seed++ {
		record, err := s.Sample(rng.New(seed), [][]*replay.Task{enc})
		check(t, err)
		tasks = record.Tasks
	}
	check(t, s.Write(b.run, b.program))
	drop := math.Inf(-1)
	want := crossEntropy([][]float64{{0, drop, -4}, {drop, 0, -2.25}, {-4, -2.25, 0}})
	near(t, "loss", b.loss(gs, gs), want)

	b = newBench(t, 3, nil)
	want = crossEntropy([][]float64{{0, -0.25, -4}, {-0.25, 0, -2.25}, {-4, -2.25, 0}})
	near(t, "loss with literal negatives", b.loss(gs, gs), want)
}

// Permuting queries together with their keys renames the tasks and changes nothing.
func TestPermutedTasks(t *testing.T) {
	queries := []gaussian{{0, 1}, {1, 2}, {-0.5, 0.3}, {0.2, 0.8}}
	keys := []gaussian{{0.1, 1.5}, {0.7, 2}, {0, 0.1}, {1, 1}}
	perm := []int{2, 0, 3, 1}
	var pq, pk []gaussian
	for _, i := range perm {
		pq, pk = append(pq, queries[i]), append(pk, keys[i])
	}
	b := newBench(t, 4, nil)
	c := newBench(t, 4, nil)
	near(t, "loss", c.loss(pq, pk), b.loss(queries, keys))
}

// Adding a number to a row of logits, its positive included, changes nothing, even one whose exponential is infinite.
func TestInfoNCEIsInvariantToRowShifts(t *testing.T) {
	const n = 3
	b := core.NewBuilder("info-nce", 1)
	s := b.Stage("loss")
	s.Output("loss", tcl.InfoNCE(s, s.WholeInput("logits", n, n), s.WholeInput("positive", n, 1)))
	p, err := b.Compile()
	check(t, err)
	m, err := ref.Device.NewMemory(nil)
	check(t, err)
	run, err := ref.Device.Load(p, m)
	check(t, err)
	logits := [][]float64{{0.25, -1, 3}, {2, 2, -0.5}, {0, 0.75, 1}}
	want := crossEntropy(logits)
	for _, shift := range [][]float64{{0, 0, 0}, {1024, -4096, 8192}, {-1 << 20, 1 << 20, 1}} {
		var flat, positive []float64
		for i, row := range logits {
			for _, x := range row {
				flat = append(flat, x+shift[i])
			}
			positive = append(positive, row[i]+shift[i])
		}
		check(t, run.Write64("logits", flat))
		check(t, run.Write64("positive", positive))
		check(t, run.Run())
		got := make([]float64, 1)
		check(t, run.Read64("loss", got))
		if math.Abs(got[0]-want) > 1e-9 {
			t.Errorf("shifted by %v: loss %v, want %v", shift, got[0], want)
		}
	}
}

// The step of the encoder sees the keys as constants: moving the keys changes the encoder's gradient, and the key
// encoder itself moves by its average only, with no optimiser state.
func TestKeysAreConstants(t *testing.T) {
	queries, keys := []gaussian{{0, 1}, {1, 4}}, []gaussian{{0.5, 1}, {0.8, 2}}
	var grads [2]float64
	for i, bias := range []float64{0, 0.25} {
		b := newBench(t, 2, nil)
		check(t, b.mem.Write("encoder_key/b0", []float64{bias, 0}))
		b.loss(queries, keys)
		grads[i] = b.output("grad", 1)[0]
		for _, p := range b.aux.Params() {
			n := p.Rows * p.Cols
			for _, x := range append(append(b.params(p.Name+".m", n), b.params(p.Name+".v", n)...),
				b.params(p.Name+".t", 1)...) {
				if x != 0 {
					t.Errorf("the optimiser touched %s", p.Name)
				}
			}
		}
	}
	if grads[0] == grads[1] || grads[0] == 0 {
		t.Errorf("the encoder's gradient is %v and, with other keys, %v", grads[0], grads[1])
	}
}

// After the encoder's step key ← (1-τ)·key + τ·query, or as printed key ← τ·key + (1-τ)·query.
func TestMomentum(t *testing.T) {
	for _, literal := range []bool{false, true} {
		b := newBench(t, 2, func(c *tcl.Config) { c.Tau, c.LiteralMomentum = 0.1, literal })
		key := []float64{0.5, 2, -1, 0.25, 3, 1}
		check(t, b.mem.Write("encoder_key/w0", key))
		b.loss([]gaussian{{0, 1}, {1, 4}}, []gaussian{{0.5, 1}, {0.8, 2}})
		query := b.params("encoder/w0", 6)
		if query[0] == unit[0] {
			t.Fatal("the encoder did not move")
		}
		tau := 0.1
		if literal {
			tau = 0.9
		}
		for i, got := range b.params("encoder_key/w0", 6) {
			near(t, "key weight", got, (1-tau)*key[i]+tau*query[i])
		}
	}
}

// The key encoder starts as the query encoder.
func TestInitCopiesTheEncoder(t *testing.T) {
	b := newBench(t, 2, nil)
	for i, got := range b.params("encoder_key/w0", 6) {
		if got != unit[i] {
			t.Errorf("key weight %d = %v, want %v", i, got, unit[i])
		}
	}
	if n := len(b.aux.Params()); n != 2 {
		t.Errorf("%d parameters, want a weight and a bias", n)
	}
}

// transitions sets windows of rows (o, a, r), of which a is what the direct encoder gives before softplus, with
// weights.
func (b *bench) transitions(prefix string, means, before, weights []float64) {
	b.t.Helper()
	var rows []float64
	for i := range means {
		rows = append(rows, means[i], before[i], 0)
	}
	for name, x := range map[string][]float64{prefix + "context": rows, prefix + "weight": weights,
		"context_weight": weights} {
		if _, has := b.program.Inputs[name]; has && (prefix == "" || name != "context_weight") {
			check(b.t, b.run.Write64(name, x))
		}
	}
}

// Of single transitions each is a query whose positive stands at its place in the key window. A row that a short window
// lacks, task 1's second key here, is no key and has no query of its own, whatever numbers stand there.
func TestTransitions(t *testing.T) {
	b := newBench(t, 2, func(c *tcl.Config) {
		c.Window, c.Contrast, c.Temperature, c.Sigma = 2, "transitions", 2, "raw"
	})
	queries, keys := [2][]float64{{0, 1, 2, 3}, {1, 4, 1, 1}}, [2][]float64{{0, 2, 3, 500}, {4, 1, 9, 1}}
	b.transitions("", queries[0], queries[1], []float64{1, 1, 1, 1})
	b.transitions("key_", keys[0], keys[1], []float64{1, 1, 1, 0})
	check(t, b.run.Run())
	logits := make([][]float64, 3)
	for i := range logits {
		for j := range 3 {
			m, s := queries[0][i]-keys[0][j], queries[1][i]-keys[1][j]
			logits[i] = append(logits[i], -(m*m+s*s)/2)
		}
	}
	near(t, "loss", b.output("tcl_loss", 1)[0], crossEntropy(logits))
}

// The defect's loss by hand: logits are −d_ij + max_l d_jl, the largest distance of row j in column j. Its gradient,
// which passes the maximum too, is that of finite differences.
func TestColumnMaximum(t *testing.T) {
	queries, keys := [2][]float64{{0, 1, 3}, {1, -2, 0.5}}, [2][]float64{{0.3, 2, 2.5}, {0, 1, -1}}
	run := func(weights, bias []float64) (loss, norm float64) {
		b := newBench(t, 3, func(c *tcl.Config) { c.Contrast, c.Sigma, c.ColumnMaximum = "transitions", "raw", true })
		check(t, b.mem.Write("encoder/w0", weights))
		check(t, b.mem.Write("encoder/b0", bias))
		b.transitions("", queries[0], queries[1], []float64{1, 1, 1})
		b.transitions("key_", keys[0], keys[1], []float64{1, 1, 1})
		check(t, b.run.Run())
		return b.output("tcl_loss", 1)[0], b.output("grad", 1)[0]
	}
	distances, logits := make([][]float64, 3), make([][]float64, 3)
	for i := range distances {
		for j := range 3 {
			m, s := queries[0][i]-keys[0][j], queries[1][i]-keys[1][j]
			distances[i] = append(distances[i], m*m+s*s)
		}
	}
	for i := range logits {
		for j := range 3 {
			logits[i] = append(logits[i], slices.Max(distances[j])-distances[i][j])
		}
	}
	bias := []float64{0, 0}
	loss, norm := run(unit, bias)
	near(t, "loss", loss, crossEntropy(logits))
	square := 0.0
	const h = 1e-6
	for _, x := range [][]float64{slices.Clone(unit), slices.Clone(bias)} {
		for i := range x {
			value := func(by float64) float64 {
				moved := slices.Clone(x)
				moved[i] += by
				if len(x) == len(unit) {
					loss, _ := run(moved, bias)
					return loss
				}
				loss, _ := run(unit, moved)
				return loss
			}
			g := (value(h) - value(-h)) / (2 * h)
			square += g * g
		}
	}
	if math.Abs(norm/math.Sqrt(square)-1) > 1e-7 {
		t.Errorf("the gradient's norm is %.10g, by differences %.10g", norm, math.Sqrt(square))
	}
}
