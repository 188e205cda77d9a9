package pearl

import (
	"errors"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/rl/actor"
	"nacre/rl/belief"
)

// UpdateProgram compiles one gradient update, in the order of the public implementation:
//
//  1. z ~ q(z|c) from the context, one per task
//  2. encoder, Q1 and Q2 step on  λ·KL + Σ_j mean (Q_j − y)² [+ auxiliary],  y = scale·r + (1−d)·γ·V̄(o', z)
//  3. V steps on   mean (V − sg[min_j Q_j(o, a', z) − log π(a')])²  with the Q networks already stepped
//  4. V̄ ← (1−τ)V̄ + τV
//  5. the policy steps on  mean(log π(a') − min_j Q_j(o, a', z)) + regularisers
//  6. if the temperature α is learned, log α steps on −mean(log α · (log π(a') + H)), H the target entropy (Haarnoja
//     et al. 2018, Soft actor-critic algorithms and applications, eq. 18, in log α), or on −mean(α · (log π(a') + H))
//
// If α is learned, it stands before log π in steps 3 and 5.
//
// V and the policy see z as a constant: the encoder learns only from the critics and the auxiliary loss. With Points
// the critics also see z as a constant, z is the posterior's mean, and there is no KL term.
//
// With Critic target-q there is no V. Step 2 has y = scale·r + (1−d)·γ·(min_j Q̄_j(o', a″, z) − α log π(a″)), with a″
// drawn at o'. There is no step 3. Step 4 is Q̄_j ← (1−τ)Q̄_j + τQ_j and comes after step 6 (the same paper, eq. 2 to
// 6).
//
// For T tasks of B transitions and W context rows, the inputs are context (T·W)×row, context_weight (T·W)×1, obs, act,
// rew, done, next_obs (T·B)×…, eps_z T×latent and eps_a (T·B)×act. With target-q there is also eps_next (T·B)×act. If
// ActorLatent is redrawn, there is also eps_z_actor T×latent. With one temperature per task there is also an input
// called "which", T×train, with 1 at the place of a slot's task.
//
// The outputs are the losses; the gradient norms grad_encoder, grad_q1, grad_q2, grad_v and grad_policy; the mean alpha
// if it is learned; and posterior_mean and posterior_var, T×latent.
func UpdateProgram(c Config, n Networks, aux belief.Auxiliary) (*core.Program, error) {
	if n.temperatures() < 1 {
		return nil, errors.New("pearl: a temperature per task, but of how many tasks is not known: call " +
			"Networks.ForTasks")
	}
	b := core.NewBuilder("pearl.update", c.MetaBatch)
	x := shared{n: n, c: c, rows: contextDraw(c, aux).N}

	s := b.Stage("critic")
	l := x.critic(s)
	x.from, x.z = s, l.z
	loss := l.q
	if !c.Points {
		loss = s.Add(s.Scale(l.kl, c.KLWeight), l.q)
	}
	if aux != nil {
		loss = s.Add(loss, aux.Loss(s, l.posterior))
	}
	step(s, loss, n.Q1, c.LRQ, "grad_q1")
	step(s, loss, n.Q2, c.LRQ, "grad_q2")
	step(s, loss, n.Encoder.Net, c.LREncoder, "grad_encoder")
	if aux != nil {
		belief.StepOwn(s, aux, loss)
	}
	if !c.Points {
		s.Output("kl", l.kl)
	}
	s.Output("q_loss", l.q)
	s.Output("posterior_mean", l.posterior.Mean)
	s.Output("posterior_var", l.posterior.Var)
	if aux != nil {
		aux.AfterStep(b)
	}

	if c.Critic != targetQ {
		v := b.Stage("value")
		obsZ, a, qMin := x.improve(v)
		target := v.StopGrad(v.Sub(qMin, x.weighed(v, a.LogProb)))
		vLoss := v.MeanAll(v.Square(v.Sub(n.V.Apply(v, obsZ), target)))
		step(v, vLoss, n.V, c.LRV, "grad_v")
		v.Output("v_loss", vLoss)
		nn.EMA(b, n.VTarget, n.V, c.TargetTau)
	}

	p := b.Stage("policy")
	_, a, qMin := x.improve(p)
	pLoss := p.Add(p.MeanAll(p.Sub(x.weighedByPolicy(p, a.LogProb), qMin)), n.regularisers(p, c, a))
	step(p, pLoss, n.Policy.Net, c.LRPolicy, "grad_policy")
	p.Output("policy_loss", pLoss)

	if c.Temperature != "fixed" {
		t := b.Stage("temperature")
		missing := t.StopGrad(t.Shift(t.From(p, a.LogProb), c.TargetEntropy*float64(n.act)))
		t.Output("alpha", x.alpha(t))
		t.Minimise(t.Neg(x.alphaTerm(t, missing)), core.DefaultAdam(c.LRAlpha), t.Param(logAlpha, n.temperatures(), 1))
	}
	if c.Critic == targetQ {
		nn.EMA(b, n.Q1Target, n.Q1, c.TargetTau)
		nn.EMA(b, n.Q2Target, n.Q2, c.TargetTau)
	}
	return b.Compile()
}

// shared holds what the stages of a program share.
type shared struct {
	n    Networks
	c    Config
	rows int // number of rows of a task's context
	// The critics' z, tasks × latent, and the stage that drew it.
	from *core.Stage
	z    *graph.Node
}

// logAlpha is the log temperature: 1×1, or for each row of the batch the log temperature of its task.
func (x shared) logAlpha(s *core.Stage) *graph.Node {
	all := s.Param(logAlpha, x.n.temperatures(), 1)
	if x.c.Temperature != perTask {
		return all
	}
	return s.RepeatRows(s.MatMul(s.Input("which", x.c.MetaBatch, x.n.tasks), all, false, false), x.c.Batch)
}

// alpha is the temperature, 1×1: with one per task the mean over the batch.
func (x shared) alpha(s *core.Stage) *graph.Node {
	if x.c.Temperature != perTask {
		return s.Exp(x.logAlpha(s))
	}
	return s.MeanAll(s.Exp(x.logAlpha(s)))
}

// weighed is α log π, rows×1, with α a constant.
func (x shared) weighed(s *core.Stage, logProb *graph.Node) *graph.Node {
	if x.c.Temperature == "fixed" {
		return logProb
	}
	return s.Mul(s.StopGrad(s.Exp(x.logAlpha(s))), logProb)
}

// weighedByPolicy is the entropy term of the policy's loss. The TCL authors' code (Simon0xzx/tcl, algos/pearl_sac2.py
// and tcl_pearl.py, _optimize_policy) multiplies α of shape N by log π of shape N×1 in this loss and in the
// temperature's loss. So every α is multiplied by every log π, and the mean is the product of the two means.
func (x shared) weighedByPolicy(s *core.Stage, logProb *graph.Node) *graph.Node {
	if x.c.PooledTemperature {
		return s.Mul(s.StopGrad(x.alpha(s)), logProb)
	}
	return x.weighed(s, logProb)
}

// alphaTerm is the mean of log α or α times the missing entropy, 1×1.
func (x shared) alphaTerm(s *core.Stage, missing *graph.Node) *graph.Node {
	w := x.logAlpha(s)
	if x.c.AlphaLoss == "linear" {
		w = s.Exp(w)
	}
	switch {
	case x.c.Temperature != perTask:
		return s.Mul(w, s.MeanAll(missing))
	case x.c.PooledTemperature:
		return s.Mul(s.MeanAll(w), s.MeanAll(missing))
	}
	return s.MeanAll(s.Mul(w, missing))
}

// step makes an Adam step of a network along the gradient of loss and outputs the gradient's norm.
func step(s *core.Stage, loss *graph.Node, net nn.MLP, lr float64, norm string) {
	s.OutputNorm(norm, s.Minimise(loss, core.DefaultAdam(lr), net.Nodes(s)...)...)
}

// criticTerms holds the terms of the encoder's and the critics' loss.
type criticTerms struct {
	posterior belief.Posterior
	z         *graph.Node // tasks × latent
	kl, q     *graph.Node // 1×1
}

// infer builds the posterior of each task's context under the stage's encoder.
func (x shared) infer(s *core.Stage) belief.Posterior {
	t, e := x.c.MetaBatch, x.n.Encoder
	return e.Infer(s, s.Input("context", t*x.rows, e.Width()), s.Input("context_weight", t*x.rows, 1), x.rows)
}

// draw is z, tasks × latent: a draw by the noise of that name, or with Points the mean as a constant.
func (x shared) draw(s *core.Stage, q belief.Posterior, noise string) *graph.Node {
	if x.c.Points {
		return s.StopGrad(q.Mean)
	}
	return q.Sample(s, s.Input(noise, x.c.MetaBatch, x.n.z))
}

// critic builds step 1 and the losses of step 2.
func (x shared) critic(s *core.Stage) criticTerms {
	n, c := x.n, x.c
	nb := c.MetaBatch * c.Batch
	var l criticTerms
	l.posterior = x.infer(s)
	l.z = x.draw(s, l.posterior, "eps_z")
	z := s.RepeatRows(l.z, c.Batch)

	obs, act := n.view.observation(s, s.Input("obs", nb, n.obs)), s.Input("act", nb, n.act)
	next := x.next(s, n.view.observation(s, s.Input("next_obs", nb, n.obs)), s.StopGrad(z))
	notDone := s.Affine(s.Input("done", nb, 1), -1, 1)
	y := s.StopGrad(s.Add(
		s.Scale(n.view.reward(s, s.Input("rew", nb, 1)), c.RewardScale),
		s.Mul(notDone, s.Scale(next, c.Discount))))

	obsActZ := s.ConcatCols(obs, act, z)
	l.q = s.Add(
		s.MeanAll(s.Square(s.Sub(n.Q1.Apply(s, obsActZ), y))),
		s.MeanAll(s.Square(s.Sub(n.Q2.Apply(s, obsActZ), y))))
	if !c.Points {
		l.kl = l.posterior.KL(s)
	}
	return l
}

// next is the value of next observations: V̄(o', z), or min_j Q̄_j(o', a″, z) − α log π(a″). rows×1.
func (x shared) next(s *core.Stage, obs, z *graph.Node) *graph.Node {
	n := x.n
	obsZ := s.ConcatCols(obs, z)
	if x.c.Critic != targetQ {
		return n.VTarget.Apply(s, obsZ)
	}
	a := n.Policy.Sample(s, obsZ, s.Input("eps_next", x.c.MetaBatch*x.c.Batch, n.act))
	obsActZ := s.ConcatCols(obs, a.Action, z)
	return s.Sub(s.Min(n.Q1Target.Apply(s, obsActZ), n.Q2Target.Apply(s, obsActZ)), x.weighed(s, a.LogProb))
}

// actorZ is the z that V and the policy learn with, tasks × latent, a constant. The TCL authors' code calls the policy
// again for it (in the same function). The encoder has stepped before this call, and z is another draw.
func (x shared) actorZ(s *core.Stage) *graph.Node {
	if x.c.ActorLatent == "redrawn" {
		return s.StopGrad(x.draw(s, x.infer(s), "eps_z_actor"))
	}
	return s.From(x.from, x.z)
}

// improve builds what steps 3 and 5 share: the policy's actions at the batch's observations and the smaller Q value
// there, given z as a constant. Compiled once however many stages ask for it.
func (x shared) improve(s *core.Stage) (obsZ *graph.Node, a actor.Sample, qMin *graph.Node) {
	n, nb := x.n, x.c.MetaBatch*x.c.Batch
	obs := n.view.observation(s, s.Input("obs", nb, n.obs))
	z := s.RepeatRows(x.actorZ(s), x.c.Batch)
	obsZ = s.ConcatCols(obs, z)
	a = n.Policy.Sample(s, obsZ, s.Input("eps_a", nb, n.act))
	obsActZ := s.ConcatCols(obs, a.Action, z)
	return obsZ, a, s.Min(n.Q1.Apply(s, obsActZ), n.Q2.Apply(s, obsActZ))
}

// regularisers keep the policy head small: MeanReg·mean(μ²) + StdReg·mean(logσ²) + PreTanhReg·mean Σ u².
func (n Networks) regularisers(s *core.Stage, c Config, a actor.Sample) *graph.Node {
	r := s.Add(
		s.Scale(s.MeanAll(s.Square(a.Mean)), c.MeanReg),
		s.Scale(s.MeanAll(s.Square(a.LogStd)), c.StdReg))
	if c.PreTanhReg > 0 {
		r = s.Add(r, s.Scale(s.MeanAll(s.SumCols(s.Square(a.PreTanh))), c.PreTanhReg))
	}
	if c.DetachedReg {
		return s.StopGrad(r)
	}
	return r
}

// DiagnosticsProgram compiles the parts of the encoder's gradient separately. It has the inputs of UpdateProgram and
// changes no parameters. The parts are grad_encoder_kl, grad_encoder_q and, with an auxiliary loss, grad_encoder_aux.
// With an auxiliary loss it also has the outputs that the loss declares.
func DiagnosticsProgram(c Config, n Networks, aux belief.Auxiliary) (*core.Program, error) {
	b := core.NewBuilder("pearl.diagnose", c.MetaBatch)
	x := shared{n: n, c: c, rows: contextDraw(c, aux).N}
	part := func(name string, loss func(s *core.Stage, l criticTerms) *graph.Node) {
		s := b.Stage(name)
		l := x.critic(s)
		s.OutputNorm("grad_encoder_"+name, s.Gradients(loss(s, l), n.Encoder.Net.Nodes(s)...)...)
	}
	if c.Points {
		part("aux", func(s *core.Stage, l criticTerms) *graph.Node { return aux.Loss(s, l.posterior) })
		return b.Compile()
	}
	part("kl", func(s *core.Stage, l criticTerms) *graph.Node { return s.Scale(l.kl, c.KLWeight) })
	part("q", func(_ *core.Stage, l criticTerms) *graph.Node { return l.q })
	if aux != nil {
		part("aux", func(s *core.Stage, l criticTerms) *graph.Node { return aux.Loss(s, l.posterior) })
	}
	return b.Compile()
}
