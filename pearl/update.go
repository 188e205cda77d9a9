package pearl

import (
	G "gorgonia.org/gorgonia"

	"nacre/core"
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
//  6. with a learned temperature α, which then stands before log π in 3 and 5, log α steps on
//     −mean(log α · (log π(a') + H)), H the target entropy (Haarnoja et al. 2018, Soft actor-critic algorithms and
//     applications, eq. 18, in log α)
//
// V and the policy see z as a constant: the encoder learns from the critics (and the auxiliary loss) only.
//
// Inputs, T tasks of B transitions and W context rows: context (T·W)×row, context_weight (T·W)×1, obs, act, rew,
// done, next_obs (T·B)×…, eps_z T×latent, eps_a (T·B)×act. Outputs: the losses, the gradient norms grad_encoder,
// grad_q1, grad_q2, grad_v, grad_policy, and posterior_mean, posterior_var T×latent.
func UpdateProgram(c Config, n Networks, aux belief.Auxiliary) (*core.Program, error) {
	b := core.NewBuilder("pearl.update", c.MetaBatch)
	rows := contextRows(c, aux)

	s := b.Stage("critic")
	l := n.critic(s, c, rows)
	loss := s.Add(s.Scale(l.kl, c.KLWeight), l.q)
	if aux != nil {
		loss = s.Add(loss, aux.Loss(s, l.posterior))
	}
	step(s, loss, n.Q1, c.LRQ, "grad_q1")
	step(s, loss, n.Q2, c.LRQ, "grad_q2")
	step(s, loss, n.Encoder.Net, c.LREncoder, "grad_encoder")
	s.Output("kl", l.kl)
	s.Output("q_loss", l.q)
	s.Output("posterior_mean", l.posterior.Mean)
	s.Output("posterior_var", l.posterior.Var)
	if aux != nil {
		aux.AfterStep(b)
	}

	v := b.Stage("value")
	obsZ, a, qMin := n.improve(v, c, s, l.z)
	target := v.StopGrad(v.Sub(qMin, n.weighed(v, a.LogProb)))
	vLoss := v.MeanAll(v.Square(v.Sub(n.V.Apply(v, obsZ), target)))
	step(v, vLoss, n.V, c.LRV, "grad_v")
	v.Output("v_loss", vLoss)
	nn.EMA(b, n.VTarget, n.V, c.TargetTau)

	p := b.Stage("policy")
	_, a, qMin = n.improve(p, c, s, l.z)
	pLoss := p.Add(p.MeanAll(p.Sub(n.weighed(p, a.LogProb), qMin)), n.regularisers(p, c, a))
	step(p, pLoss, n.Policy.Net, c.LRPolicy, "grad_policy")
	p.Output("policy_loss", pLoss)

	if n.learned {
		t := b.Stage("temperature")
		missing := t.StopGrad(t.Shift(t.From(p, a.LogProb), c.TargetEntropy*float64(n.act)))
		logAlpha := t.Param(logAlpha, 1, 1)
		t.Output("alpha", t.Exp(logAlpha))
		t.Minimise(t.Neg(t.Mul(logAlpha, t.MeanAll(missing))), core.DefaultAdam(c.LRAlpha), logAlpha)
	}
	return b.Compile()
}

// weighed is α log π, rows×1, with α a constant.
func (n Networks) weighed(s *core.Stage, logProb *G.Node) *G.Node {
	if !n.learned {
		return logProb
	}
	return s.Mul(s.StopGrad(s.Exp(s.Param(logAlpha, 1, 1))), logProb)
}

// step makes an Adam step of a network along the gradient of loss and outputs the gradient's norm.
func step(s *core.Stage, loss *G.Node, net nn.MLP, lr float64, norm string) {
	s.OutputNorm(norm, s.Minimise(loss, core.DefaultAdam(lr), net.Nodes(s)...)...)
}

// criticTerms holds the terms of the encoder's and the critics' loss.
type criticTerms struct {
	posterior belief.Posterior
	z         *G.Node // tasks × latent
	kl, q     *G.Node // 1×1
}

// critic builds step 1 and the losses of step 2.
func (n Networks) critic(s *core.Stage, c Config, rows int) criticTerms {
	t, nb := c.MetaBatch, c.MetaBatch*c.Batch
	var l criticTerms
	l.posterior = n.Encoder.Infer(s,
		s.Input("context", t*rows, n.Encoder.Width()), s.Input("context_weight", t*rows, 1), rows)
	l.z = l.posterior.Sample(s, s.Input("eps_z", t, n.z))
	z := s.RepeatRows(l.z, c.Batch)

	obs, act := n.view.observation(s, s.Input("obs", nb, n.obs)), s.Input("act", nb, n.act)
	vNext := n.VTarget.Apply(s, s.ConcatCols(n.view.observation(s, s.Input("next_obs", nb, n.obs)), s.StopGrad(z)))
	notDone := s.Affine(s.Input("done", nb, 1), -1, 1)
	y := s.StopGrad(s.Add(
		s.Scale(n.view.reward(s, s.Input("rew", nb, 1)), c.RewardScale),
		s.Mul(notDone, s.Scale(vNext, c.Discount))))

	obsActZ := s.ConcatCols(obs, act, z)
	l.q = s.Add(
		s.MeanAll(s.Square(s.Sub(n.Q1.Apply(s, obsActZ), y))),
		s.MeanAll(s.Square(s.Sub(n.Q2.Apply(s, obsActZ), y))))
	l.kl = l.posterior.KL(s)
	return l
}

// improve builds what steps 3 and 5 share: the policy's actions at the batch's observations and the smaller Q value
// there, given z as a constant from the critic's stage. Compiled once however many stages ask for it.
func (n Networks) improve(s *core.Stage, c Config, critic *core.Stage, zTask *G.Node) (obsZ *G.Node, a actor.Sample, qMin *G.Node) {
	nb := c.MetaBatch * c.Batch
	obs := n.view.observation(s, s.Input("obs", nb, n.obs))
	z := s.RepeatRows(s.From(critic, zTask), c.Batch)
	obsZ = s.ConcatCols(obs, z)
	a = n.Policy.Sample(s, obsZ, s.Input("eps_a", nb, n.act))
	obsActZ := s.ConcatCols(obs, a.Action, z)
	return obsZ, a, s.Min(n.Q1.Apply(s, obsActZ), n.Q2.Apply(s, obsActZ))
}

// regularisers keep the policy head small: MeanReg·mean(μ²) + StdReg·mean(logσ²) + PreTanhReg·mean Σ u².
func (n Networks) regularisers(s *core.Stage, c Config, a actor.Sample) *G.Node {
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

// DiagnosticsProgram compiles the three parts of the encoder's gradient apart, on the inputs of UpdateProgram and
// without stepping anything: grad_encoder_kl, grad_encoder_q and, with an auxiliary loss, grad_encoder_aux and
// the outputs that loss declares.
func DiagnosticsProgram(c Config, n Networks, aux belief.Auxiliary) (*core.Program, error) {
	b := core.NewBuilder("pearl.diagnose", c.MetaBatch)
	rows := contextRows(c, aux)
	part := func(name string, loss func(s *core.Stage, l criticTerms) *G.Node) {
		s := b.Stage(name)
		l := n.critic(s, c, rows)
		s.OutputNorm("grad_encoder_"+name, s.Gradients(loss(s, l), n.Encoder.Net.Nodes(s)...)...)
	}
	part("kl", func(s *core.Stage, l criticTerms) *G.Node { return s.Scale(l.kl, c.KLWeight) })
	part("q", func(_ *core.Stage, l criticTerms) *G.Node { return l.q })
	if aux != nil {
		part("aux", func(s *core.Stage, l criticTerms) *G.Node { return aux.Loss(s, l.posterior) })
	}
	return b.Compile()
}
