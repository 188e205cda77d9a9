package varibad

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl/belief"
	"nacre/rl/rltest"
)

// A Contrast's value and gradients are those of an independent PyTorch program in float64, with trials of which two end
// early (bench/torch/contrabar.py).
func TestContrastIsThatOfPyTorch(t *testing.T) {
	const trials, steps, obs, act, latent, width, ahead = 4, 6, 2, 2, 2, 3, 3
	text, err := os.ReadFile("testdata/contrast.json")
	check(t, err)
	var want struct {
		Loss, Right float64
		Beliefs     []float64
		Params      map[string][]float64
	}
	check(t, json.Unmarshal(text, &want))
	c := newContrasting(Contrast{Ahead: ahead, Embed: width}, Encoder{obs: obs, act: act, latent: latent})
	var specs []core.ParamSpec
	for _, n := range c.nets() {
		specs = append(specs, n.Specs()...)
	}
	if len(specs) != len(want.Params) {
		t.Fatalf("%d parameters, PyTorch has %d", len(specs), len(want.Params))
	}
	m, err := ref.Device.NewMemory(specs)
	check(t, err)
	for i, p := range specs {
		x := rng.Normal(10+uint64(i), p.Rows*p.Cols)
		for j := range x {
			x[j] /= 2
		}
		check(t, m.Write(p.Name, x))
	}
	b := core.NewBuilder("contrast", trials)
	s := b.Stage("loss")
	side := func(name string, cols int) (out []*graph.Node) {
		all := s.Input(name, trials, steps*cols)
		for k := range steps {
			out = append(out, s.SliceCols(all, k*cols, (k+1)*cols))
		}
		return out
	}
	beliefs := side("beliefs", 2*latent)
	loss, right := c.loss(s, beliefs, side("rows", obs+act+1), s.Input("there", trials, steps))
	s.Output("loss", loss)
	s.Output("right", right)
	all := s.Input("beliefs", trials, steps*2*latent)
	for i, g := range s.Gradients(loss, append(belief.Nodes(s, specs), all)...) {
		if i < len(specs) {
			s.Output("d/"+specs[i].Name, g)
		} else {
			s.Output("d/beliefs", g)
		}
	}
	program, err := b.Compile()
	check(t, err)
	run, err := ref.Device.Load(program, m)
	check(t, err)
	defer run.Close()
	var there []float64
	for _, n := range []int{6, 3, 6, 5} {
		there = append(there, slices.Repeat([]float64{1}, n)...)
		there = append(there, make([]float64, steps-n)...)
	}
	check(t, run.Write64("there", there))
	check(t, run.Write64("beliefs", byTrial(rng.Normal(1, steps*trials*2*latent), trials, 2*latent)))
	check(t, run.Write64("rows", byTrial(rng.Normal(2, steps*trials*(obs+act+1)), trials, obs+act+1)))
	check(t, run.Run())
	near := func(output string, want []float64) { t.Helper(); rltest.Near(t, run, output, want) }
	near("loss", []float64{want.Loss})
	near("right", []float64{want.Right})
	near("d/beliefs", byTrial(want.Beliefs, trials, 2*latent))
	for name, g := range want.Params {
		near("d/"+name, g)
	}
}

// byTrial turns numbers by step, trial and column into those of each trial, its steps side by side.
func byTrial(x []float64, trials, cols int) []float64 {
	steps := len(x) / trials / cols
	out := make([]float64, 0, len(x))
	for i := range trials {
		for t := range steps {
			at := (t*trials + i) * cols
			out = append(out, x[at:at+cols]...)
		}
	}
	return out
}

// The state in which a run of a long trial begins is the one after all transitions before it, and the last run is as
// long as the others.
func TestContrastOnLongTrials(t *testing.T) {
	cfg := Default()
	cfg.Embed, cfg.Memory, cfg.Latent, cfg.Trials, cfg.Unroll, cfg.PolicyHidden = 3, 4, 2, 3, 4, 5
	n := NewNetworks(cfg, 2, 1)
	n.contrasting = newContrasting(Contrast{Ahead: 2, Embed: 3}, n.Encoder)
	m, err := ref.Device.NewMemory(n.Specs())
	check(t, err)
	check(t, n.init(m, 1))
	c, err := newContrast(ref.Device, m, n, 10)
	check(t, err)
	defer c.Close()
	r := rand.New(rand.NewPCG(1, 2))
	w := n.Encoder.Width()
	var all []*trial
	for _, length := range []int{10, 3, 6} {
		x := make([]float32, length*w)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		all = append(all, &trial{length, x})
	}
	starts := map[int]bool{}
	for range 30 {
		check(t, c.set(all, r))
		for i, tr := range all {
			from := 0
			for from+min(4, tr.Len) <= tr.Len &&
				!slices.Equal(tr.Rows[from*w:(from+min(4, tr.Len))*w], c.rows[i*4*w:(i*4+min(4, tr.Len))*w]) {
				from++
			}
			if from+min(4, tr.Len) > tr.Len {
				t.Fatalf("trial %d: the rows are none of its runs", i)
			}
			if i == 0 {
				starts[from] = true
			}
			states, err := c.before.start(1)
			check(t, err)
			check(t, c.before.read(states, [][]float32{tr.Rows[:from*w]}))
			if h := states[0].h; !slices.Equal(h, c.first[i*len(h):(i+1)*len(h)]) {
				t.Fatalf("trial %d begins in another state than after %d transitions", i, from)
			}
		}
		if c.there[4] != 1 || c.there[6] != 1 || c.there[7] != 0 {
			t.Fatalf("of three transitions there are %v", c.there[4:8])
		}
	}
	if len(starts) != 3 || !starts[0] || !starts[4] || !starts[6] {
		t.Errorf("runs of ten transitions begin at %v, want 0, 4 and 6", starts)
	}
	_, err = c.fit()
	check(t, err)
	first, _ := c.fit()
	for range 200 {
		_, err = c.fit()
		check(t, err)
	}
	last, _ := c.fit()
	if !(last["cpc_loss"] < first["cpc_loss"]) {
		t.Errorf("the loss goes from %v to %v in 200 steps on the same trials", first["cpc_loss"], last["cpc_loss"])
	}
}
