package varibad

import (
	"math"
	"slices"
	"testing"

	"nacre/core"
	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl/belief"
	"nacre/rl/replay"
	"nacre/rl/rltest"
)

// The encoder keeps the contract of a ContextEncoder, and encodes in a graph as Inference does outside of training.
func TestEncodeIsInference(t *testing.T) {
	c := Default()
	c.Embed, c.Memory, c.Latent = 4, 5, 3
	const obs, act, n, rows = 3, 2, 2, 4
	e := NewEncoder(c, obs, act)
	rltest.ContextEncoder(t, e, replay.Dims{Obs: obs, Act: act})
	b := core.NewBuilder("encode", n)
	s := b.Stage("encode")
	q := e.Encode(s, belief.Contexts{Input: "rows", Weight: "weights", N: n, Rows: rows})
	s.Output("mean", q.Mean)
	s.Output("variance", q.Var)
	p, err := b.Compile()
	check(t, err)
	m, err := ref.Device.NewMemory(e.Specs())
	check(t, err, e.init(m, rng.New(1)))
	run, err := ref.Device.Load(p, m)
	check(t, err)
	context := rng.Normal(1, n*rows*e.Width())
	contexts := make([][]float32, n)
	for i, x := range context {
		context[i] = float64(float32(x))
		contexts[i/(rows*e.Width())] = append(contexts[i/(rows*e.Width())], float32(x))
	}
	check(t, run.Write64("rows", context), run.Write64("weights", slices.Repeat([]float64{1}, n*rows)), run.Run())
	mean, variance := make([]float64, n*c.Latent), make([]float64, n*c.Latent)
	check(t, run.Read64("mean", mean), run.Read64("variance", variance))
	f, err := NewInference(ref.Device, m, e, n)
	check(t, err)
	want, err := f.Posteriors(contexts)
	check(t, err)
	for i, g := range want {
		for l := range g.Mean {
			at := i*c.Latent + l
			if math.Abs(mean[at]-g.Mean[l]) > 1e-12 || math.Abs(variance[at]-g.Var[l]) > 1e-12 {
				t.Errorf("context %d: N(%v, %v), by inference N(%v, %v)", i, mean[at], variance[at], g.Mean[l],
					g.Var[l])
			}
		}
	}
}
