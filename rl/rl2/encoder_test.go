package rl2

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

// The encoder keeps the contract, and its embedding is the state that the policy itself would be in: its inputs are
// written out here step by step as in a rollout.
func TestEncoder(t *testing.T) {
	c := Default()
	c.Hidden = 5
	const obs, act, n, rows = 3, 2, 2, 4
	p := NewPolicy(c, obs, act)
	e := p.Encoder()
	rltest.ContextEncoder(t, e, replay.Dims{Obs: obs, Act: act})
	context := rng.Normal(1, n*rows*e.Width())
	var inputs []float64
	for i := range n {
		state := p.newState(c)
		for k := range rows + 1 {
			row := context[(i*rows+min(k, rows-1))*e.Width():][:e.Width()]
			seen := row[:obs] // each row's observation: the one before's next
			if k == rows {
				seen = row[obs+act+1:]
			}
			if k < rows && k > 0 {
				copy(row, context[(i*rows+k-1)*e.Width()+obs+act+1:][:obs])
			}
			x := make([]float64, p.memory.In)
			state.input(x, seen, k == 0)
			inputs = append(inputs, x...)
			copy(state.last, row[obs:])
			state.begun = true
		}
	}
	b := core.NewBuilder("encode", n)
	s := b.Stage("encode")
	s.Output("embedding", e.Encode(s, belief.Contexts{Input: "rows", Weight: "weights", N: n, Rows: rows}).Mean)
	states := p.memory.Unroll(s, s.Input("x", n, (rows+1)*p.memory.In), nil, rows+1)
	s.Output("state", states[rows])
	program, err := b.Compile()
	check(t, err)
	m, err := ref.Device.NewMemory(p.Specs())
	check(t, err, p.init(m, c, 1))
	run, err := ref.Device.Load(program, m)
	check(t, err, run.Write64("rows", context), run.Write64("weights", slices.Repeat([]float64{1}, n*rows)),
		run.Write64("x", inputs), run.Run())
	got, want := make([]float64, n*c.Hidden), make([]float64, n*c.Hidden)
	check(t, run.Read64("embedding", got), run.Read64("state", want))
	if !slices.Equal(got, want) {
		t.Errorf("embeddings %v, states of the policy %v", got, want)
	}
}
