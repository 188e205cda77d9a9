package mql

import (
	"slices"
	"testing"

	"nacre/core"
	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl/belief"
	"nacre/rl/replay"
	"nacre/rl/rltest"
)

// The encoders keep the contract, and make of a context as long as a history what the networks make of the history.
func TestEncoders(t *testing.T) {
	c := Default()
	c.Context, c.Hidden, c.Layers, c.History = 4, 3, 1, 6
	const obs, act, n = 3, 2, 2
	nets := NewNetworks(c, obs, act)
	actor, critic := nets.Encoders()
	for _, e := range []belief.Recurrent{actor, critic} {
		rltest.ContextEncoder(t, e, replay.Dims{Obs: obs, Act: act})
		b := core.NewBuilder("encode", n)
		s := b.Stage("encode")
		in := belief.Contexts{Input: "rows", Weight: "weights", N: n, Rows: c.History}
		s.Output("embedding", e.Encode(s, in).Mean)
		s.Output("context", nets.context(s, e.Memory, s.Input("rows", n, c.History*e.Width())))
		p, err := b.Compile()
		check(t, err)
		m, err := ref.Device.NewMemory(nets.Specs())
		check(t, err, nets.init(m, 1))
		run, err := ref.Device.Load(p, m)
		check(t, err, run.Write64("rows", rng.Normal(1, n*c.History*e.Width())),
			run.Write64("weights", slices.Repeat([]float64{1}, n*c.History)), run.Run())
		got, want := make([]float64, n*c.Context), make([]float64, n*c.Context)
		check(t, run.Read64("embedding", got), run.Read64("context", want))
		if !slices.Equal(got, want) {
			t.Errorf("%s: embeddings %v, contexts of the networks %v", e.Memory.Name, got, want)
		}
	}
}
