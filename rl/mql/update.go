package mql

import (
	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/rl/auxiliary"
)

// kind says which gradient update a program makes.
type kind struct {
	rows   int
	policy bool // the actor and the targets step too
	lr     float64
	// replay is the second part of adaptation: rows are weighted by their propensity, and |θ−θ₀|² is added.
	replay bool
	// The auxiliary losses on the encoders of critics and actor; nil: none.
	critics, actor *auxiliary.Part
}

// both are the two kinds of an update: the critics only, and with actor and targets.
func (k kind) both() [2]kind {
	critics, all := k, k
	critics.policy, all.policy = false, true
	return [2]kind{critics, all}
}

// UpdateProgram compiles one gradient update of the critics only, or of the critics, the actor and the targets. Inputs,
// by rows: obs, act, rew, done, next_obs, before, after (the histories), eps and weight. Outputs: critic_loss and
// grad_critic, with actor also actor_loss and grad_actor.
func UpdateProgram(c Config, n Networks, actor bool) (*core.Program, error) {
	return updateProgram(c, n, kind{rows: c.Batch, lr: c.LR, policy: actor})
}

// updateProgram compiles one gradient update:
//
//  1. both critics step on  Σ w·Σⱼ(Qⱼ(o,a,h) − y)²,  y = r + (1−d)·γ·minⱼ Q̄ⱼ(o′,a′,h′),
//     a′ = clip(π̄(o′,h′) + clip(σ·ε, ±c), ±1)
//  2. with policy, the actor steps on  −Σ w·Q1(o,π(o,h),h), the critics having stepped, and
//  3. Q̄ ← (1−τ)Q̄ + τQ, π̄ ← (1−τ)π̄ + τπ
//
// The weights w are an input, one over the number of rows in training. In replay updates they are β/rows,
// β = exp(−max(f,−clip)) or 0 if below the least, f the logistic regression's value for the actor's context, and both
// losses have prox·|θ−θ₀|² added.
//
// Inputs, by rows: obs, act, rew, done, next_obs, before, after (the histories), eps, weight. Replay updates have
// propensity (features × 1), intercept and anchor/NAME of every parameter instead of weight. Outputs: critic_loss,
// grad_critic, and with policy actor_loss, grad_actor; of replay updates also beta, the mean weight.
func updateProgram(c Config, n Networks, k kind) (*core.Program, error) {
	b := core.NewBuilder("mql.update", k.rows)
	x := terms{n: n, c: c, k: k}

	s := b.Stage("critic")
	in := x.inputs(s)
	nextObs, after := s.Input("next_obs", k.rows, x.obs()), s.Input("after", k.rows, x.history())
	noise := s.Clamp(s.Scale(s.Input("eps", k.rows, x.act()), c.PolicyNoise), -c.NoiseClip, c.NoiseClip)
	nextAct := s.Clamp(s.Add(n.actorTarget.act(s, nextObs, n.context(s, n.actorTarget.memory, after)), noise), -1, 1)
	future := x.least(s, n.criticTarget, nextObs, nextAct, n.context(s, n.criticTarget.memory, after))
	y := s.StopGrad(s.Add(s.Input("rew", k.rows, 1),
		s.Mul(s.Affine(s.Input("done", k.rows, 1), -1, 1), s.Scale(future, c.Discount))))
	weight, prox := x.weights(s, in)
	act, context := s.Input("act", k.rows, x.act()), n.context(s, n.critic.memory, in.before)
	loss := s.SumAll(s.Mul(weight, s.Add(
		s.Square(s.Sub(n.critic.value(s, 0, in.obs, act, context), y)),
		s.Square(s.Sub(n.critic.value(s, 1, in.obs, act, context), y)))))
	s.Output("critic_loss", loss)
	x.step(s, k.critics.AddTo(s, x.near(s, loss, n.critic, prox)), n.critic, "grad_critic")
	if !k.policy {
		return b.Compile()
	}

	p := b.Stage("actor")
	in = x.inputs(p)
	proposed := n.actor.act(p, in.obs, n.context(p, n.actor.memory, in.before))
	q := n.critic.value(p, 0, in.obs, proposed, n.context(p, n.critic.memory, in.before))
	loss = p.Neg(p.SumAll(p.Mul(p.From(s, weight), q)))
	p.Output("actor_loss", loss)
	if k.replay {
		prox = p.From(s, prox)
	}
	x.step(p, k.actor.AddTo(p, x.near(p, loss, n.actor, prox)), n.actor, "grad_actor")
	nn.EMA(b, n.criticTarget, n.critic, c.TargetTau)
	nn.EMA(b, n.actorTarget, n.actor, c.TargetTau)
	return b.Compile()
}

// terms builds what the stages share.
type terms struct {
	n Networks
	c Config
	k kind
}

type inputs struct{ obs, before *graph.Node }

func (x terms) obs() int     { return x.n.actor.net.In - x.n.actor.memory.Hidden }
func (x terms) act() int     { return x.n.actor.net.Out }
func (x terms) history() int { return x.n.window * x.n.actor.memory.In }

func (x terms) inputs(s *core.Stage) inputs {
	return inputs{s.Input("obs", x.k.rows, x.obs()), s.Input("before", x.k.rows, x.history())}
}

// least is the smaller of both critics.
func (x terms) least(s *core.Stage, k criticNet, obs, act, context *graph.Node) *graph.Node {
	return s.Min(k.value(s, 0, obs, act, context), k.value(s, 1, obs, act, context))
}

// step makes an Adam step of a network and outputs the gradient's norm.
func (x terms) step(s *core.Stage, loss *graph.Node, net nn.Network, norm string) {
	s.OutputNorm(norm, s.Minimise(loss, core.DefaultAdam(x.k.lr), nodes(s, net)...)...)
}

// weights is each row's weight in the losses and, in replay updates, the weight of the proximal term, 1×1.
func (x terms) weights(s *core.Stage, in inputs) (weight, prox *graph.Node) {
	if !x.k.replay {
		return s.Input("weight", x.k.rows, 1), nil
	}
	seen := x.n.context(s, x.n.actor.memory, in.before)
	if x.c.PropensityObs {
		seen = s.ConcatCols(in.obs, seen)
	}
	f := s.Dense(seen, s.WholeInput("propensity", features(x.c, x.obs()), 1), s.WholeInput("intercept", 1, 1),
		op.Linear)
	beta := s.Exp(s.Neg(s.Max(f, s.Const(-x.c.BetaClip))))
	beta = s.StopGrad(s.Mul(beta, s.Less(s.Const(x.c.BetaMin), beta)))
	s.Output("beta", s.MeanAll(beta))
	return s.Scale(beta, 1/float64(x.k.rows)), x.proxWeight(s, beta)
}

// features is how many numbers the logistic regression sees of a row.
func features(c Config, obs int) int {
	if c.PropensityObs {
		return obs + c.Context
	}
	return c.Context
}

// proxWeight is Config.Prox or, with ProxESS, 1 − (Σβ)²/(Σβ²·n) where that is above 0.
func (x terms) proxWeight(s *core.Stage, beta *graph.Node) *graph.Node {
	fixed := s.Const(x.c.Prox)
	if !x.c.ProxESS {
		return fixed
	}
	const small = 1e-7
	ess := s.Div(s.Square(s.SumAll(beta)), s.Shift(s.SumAll(s.Square(beta)), small))
	spread := s.Affine(ess, -1/float64(x.k.rows), 1)
	valid := s.Less(s.Const(small), spread)
	return s.StopGrad(s.Add(s.Mul(valid, spread), s.Mul(s.Affine(valid, -1, 1), fixed)))
}

// near adds prox·|θ−θ₀|² to the loss of a network in replay updates.
func (x terms) near(s *core.Stage, loss *graph.Node, net nn.Network, prox *graph.Node) *graph.Node {
	if !x.k.replay {
		return loss
	}
	var moved *graph.Node
	for _, p := range net.Specs() {
		d := s.SumAll(s.Square(s.Sub(s.Param(p.Name, p.Rows, p.Cols), s.WholeInput(anchor(p.Name), p.Rows, p.Cols))))
		if moved == nil {
			moved = d
		} else {
			moved = s.Add(moved, d)
		}
	}
	return s.Add(loss, s.Mul(prox, moved))
}

func anchor(param string) string { return "anchor/" + param }

// contextProgram gives what the logistic regression sees of rows rows: features, rows × n.
func contextProgram(c Config, n Networks, rows int) (*core.Program, error) {
	b := core.NewBuilder("mql.context", rows)
	s := b.Stage("context")
	x := terms{n: n, c: c, k: kind{rows: rows}}
	seen := n.context(s, n.actor.memory, s.Input("before", rows, x.history()))
	if c.PropensityObs {
		seen = s.ConcatCols(s.Input("obs", rows, x.obs()), seen)
	}
	s.Output("features", seen)
	return b.Compile()
}

// actProgram gives the deterministic actions of rows observations with their histories.
func actProgram(n Networks, rows int) (*core.Program, error) {
	b := core.NewBuilder("mql.act", rows)
	s := b.Stage("act")
	x := terms{n: n, k: kind{rows: rows}}
	in := x.inputs(s)
	s.Output("act", n.actor.act(s, in.obs, n.context(s, n.actor.memory, in.before)))
	return b.Compile()
}

// names of the outputs of an update.
func (k kind) outputs() []string {
	out := []string{"critic_loss", "grad_critic"}
	if k.policy {
		out = append(out, "actor_loss", "grad_actor")
	}
	if k.replay {
		out = append(out, "beta")
	}
	return out
}
