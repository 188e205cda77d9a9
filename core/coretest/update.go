package coretest

import (
	"nacre/core"
	"nacre/core/graph"
	"nacre/core/op"
)

// Update is a small update with odd sizes, like those of algorithms. It has two critics, an encoder with a contrastive
// loss over all pairs of windows, a policy trained against the critics after their step, a slow copy, and norms of
// gradients.
func Update() (*core.Program, error) {
	const groups, batch, obs, act, latent, hidden = 3, 37, 5, 2, 3, 41
	b := core.NewBuilder("update", groups)
	// which does not blow up the rounding of gradients near zero
	adam := core.Adam{LR: 3e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-4}

	s := b.Stage("critics")
	o, a := s.Input("obs", groups*batch, obs), s.Input("act", groups*batch, act)
	window := s.Input("window", groups*batch, obs)
	e0, e1 := s.Param("encoder/w", obs, latent), s.Param("encoder/b", 1, latent)
	z := s.Scale(s.SumRows(s.Dense(window, e0, e1, op.Tanh), batch), 1.0/batch)
	x := s.ConcatCols(o, a, s.RepeatRows(z, batch))
	target := s.Input("target", groups*batch, 1)
	for _, net := range []string{"q1", "q2"} {
		w0, b0 := s.Param(net+"/w0", obs+act+latent, hidden), s.Param(net+"/b0", 1, hidden)
		w1, b1 := s.Param(net+"/w1", hidden, hidden), s.Param(net+"/b1", 1, hidden)
		w2, b2 := s.Param(net+"/w2", hidden, 1), s.Param(net+"/b2", 1, 1)
		h := s.Dense(s.Dense(x, w0, b0, op.ReLU), w1, b1, op.ReLU)
		loss := s.MeanAll(s.Square(s.Sub(s.Dense(h, w2, b2, op.Linear), target)))
		grads := s.Minimise(loss, adam, w0, b0, w1, b1, w2, b2)
		s.Output(net+" loss", loss)
		s.OutputNorm(net+" gradient", grads...)
	}

	s = b.Stage("encoder")
	e0, e1 = s.Param("encoder/w", obs, latent), s.Param("encoder/b", 1, latent)
	query := s.SumRows(s.Dense(s.Input("window", groups*batch, obs), e0, e1, op.Tanh), batch)
	key := s.SumRows(s.Dense(s.Input("key", groups*batch, obs), e0, e1, op.Tanh), batch)
	logits := s.Scale(s.SquaredDistances(query, key), -0.01)
	loss := s.MeanAll(s.Sub(s.LogSumExp(logits), s.Scale(s.SumCols(s.Square(s.Sub(query, key))), -0.01)))
	s.Minimise(loss, adam, e0, e1)
	s.Output("contrastive loss", loss)

	s = b.Stage("policy")
	w, c := s.Param("policy/w", obs, 2*act), s.Param("policy/b", 1, 2*act)
	out := s.Dense(s.Input("obs", groups*batch, obs), w, c, op.Linear)
	mean, spread := s.SliceCols(out, 0, act), s.Exp(s.Clamp(s.SliceCols(out, act, 2*act), -3, 1))
	action := s.Tanh(s.Add(mean, s.Mul(spread, s.Input("noise", groups*batch, act))))
	x = s.ConcatCols(s.Input("obs", groups*batch, obs), action, s.Input("zeros", groups*batch, latent))
	value := func(net string) *graph.Node {
		h := s.Dense(x, s.Param(net+"/w0", obs+act+latent, hidden), s.Param(net+"/b0", 1, hidden), op.ReLU)
		h = s.Dense(h, s.Param(net+"/w1", hidden, hidden), s.Param(net+"/b1", 1, hidden), op.ReLU)
		return s.Dense(h, s.Param(net+"/w2", hidden, 1), s.Param(net+"/b2", 1, 1), op.Linear)
	}
	entropy := s.MeanAll(s.Log(spread))
	s.Minimise(s.Sub(s.Neg(s.MeanAll(s.Min(value("q1"), value("q2")))), s.Scale(entropy, 0.1)), adam, w, c)
	s.Output("entropy", entropy)

	s.Param("slow/w1", hidden, hidden)
	b.EMA("slow/w1", "q1/w1", 0.05)
	return b.Compile()
}
