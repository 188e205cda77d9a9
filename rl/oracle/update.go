package oracle

import (
	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/internal/rng"
	"nacre/rl/actor"
)

// Networks are the function approximators; g is the task vector.
//
//	Q1, Q2, Q̄1, Q̄2   (o, a, g) → 1
//	policy            (o, g)    → 2·act
//	log α             one number per train task
type Networks struct {
	q, target [2]nn.MLP
	policy    actor.Policy
	alpha     core.ParamSpec
}

// NewNetworks names and sizes the networks for the given lengths of observations, actions and task vectors. There is
// one temperature per train task.
func NewNetworks(c Config, obs, act, task, tasks int) Networks {
	hidden := make([]int, c.Layers)
	for i := range hidden {
		hidden[i] = c.Hidden
	}
	net := func(name string, in, out int) nn.MLP {
		return nn.MLP{Name: name, In: in, Hidden: hidden, Out: out, Act: op.ReLU}
	}
	n := Networks{
		policy: actor.Policy{Net: net("policy", obs+task, 2*act), Obs: obs, Condition: task, Act: act},
		alpha:  core.ParamSpec{Name: "log_alpha", Rows: tasks, Cols: 1},
	}
	for i, name := range []string{"q1", "q2"} {
		n.q[i], n.target[i] = net(name, obs+act+task, 1), net(name+"_target", obs+act+task, 1)
	}
	return n
}

// Specs lists the parameters: log α, Q1, Q2, Q̄1, Q̄2, policy.
func (n Networks) Specs() []core.ParamSpec {
	s := []core.ParamSpec{n.alpha}
	for _, m := range []nn.MLP{n.q[0], n.q[1], n.target[0], n.target[1], n.policy.Net} {
		s = append(s, m.Specs()...)
	}
	return s
}

// init draws the initial parameters; log α starts at 0.
func (n Networks) init(m core.Memory, c Config, seed uint64) error {
	for i, net := range []nn.MLP{n.q[0], n.q[1], n.policy.Net} {
		draw := nn.Oyster{Last: 3e-3, FanIn: c.Init == "fan-in"}
		if err := draw.Init(m, net, rng.New(seed, rng.Init, uint64(i))); err != nil {
			return err
		}
	}
	for i := range n.q {
		if err := nn.Copy(m, n.target[i], n.q[i]); err != nil {
			return err
		}
	}
	return nil
}

// UpdateProgram compiles one gradient update of soft actor-critic:
//
//  1. Q1 and Q2 step on  Σ_j mean (Q_j(o,a,g) − y)²,  y = scale·r + (1−d)·γ·(min_j Q̄_j(o',a',g) − α log π(a'|o',g))
//  2. the policy steps on  mean(α log π(a|o,g) − min_j Q_j(o,a,g))
//  3. log α steps on  −mean(log α · (log π(a|o,g) + H))
//  4. Q̄ ← (1−τ)Q̄ + τQ
//
// For T tasks of B transitions, the inputs are obs, act, rew, done, next_obs (T·B)×…, task T×|g|, eps_a and eps_next
// (T·B)×act, and an input called "which", T×train, whose rows are 1 at the task's place. The outputs are the losses,
// the gradient norms and alpha T×1.
func UpdateProgram(c Config, n Networks) (*core.Program, error) {
	b := core.NewBuilder("oracle.update", c.MetaBatch)
	x := terms{n: n, c: c, nb: c.MetaBatch * c.Batch}

	s := b.Stage("critic")
	in := x.inputs(s)
	next := n.policy.Sample(s, s.ConcatCols(in.nextObs, in.task), s.Input("eps_next", x.nb, n.policy.Act))
	future := x.least(s, n.target, in.nextObs, next.Action, in.task)
	soft := s.Sub(future, s.Mul(x.alpha(s), next.LogProb))
	y := s.StopGrad(s.Add(s.Scale(s.Input("rew", x.nb, 1), c.RewardScale),
		s.Mul(s.Affine(s.Input("done", x.nb, 1), -1, 1), s.Scale(soft, c.Discount))))
	oag := s.ConcatCols(in.obs, s.Input("act", x.nb, n.policy.Act), in.task)
	qLoss := s.Add(
		s.MeanAll(s.Square(s.Sub(n.q[0].Apply(s, oag), y))),
		s.MeanAll(s.Square(s.Sub(n.q[1].Apply(s, oag), y))))
	step(s, qLoss, n.q[0], c.LRQ, "grad_q1")
	step(s, qLoss, n.q[1], c.LRQ, "grad_q2")
	s.Output("q_loss", qLoss)

	p := b.Stage("policy")
	in = x.inputs(p)
	a := n.policy.Sample(p, p.ConcatCols(in.obs, in.task), p.Input("eps_a", x.nb, n.policy.Act))
	pLoss := p.MeanAll(p.Sub(p.Mul(p.StopGrad(x.alpha(p)), a.LogProb), x.least(p, n.q, in.obs, a.Action, in.task)))
	step(p, pLoss, n.policy.Net, c.LRPolicy, "grad_policy")
	p.Output("policy_loss", pLoss)
	p.Output("entropy", p.Neg(p.MeanAll(a.LogProb)))

	t := b.Stage("temperature")
	short := t.Shift(t.From(p, a.LogProb), c.Entropy*float64(n.policy.Act))
	aLoss := t.Neg(t.MeanAll(t.Mul(x.logAlpha(t), t.StopGrad(short))))
	t.Minimise(aLoss, core.DefaultAdam(c.LRAlpha), t.Param(n.alpha.Name, n.alpha.Rows, 1))
	t.Output("alpha", t.MeanAll(x.alpha(t)))
	for i := range n.q {
		nn.EMA(b, n.target[i], n.q[i], c.TargetTau)
	}
	return b.Compile()
}

// step makes an Adam step of a network along the gradient of loss and outputs the gradient's norm.
func step(s *core.Stage, loss *graph.Node, net nn.MLP, lr float64, norm string) {
	s.OutputNorm(norm, s.Minimise(loss, core.DefaultAdam(lr), net.Nodes(s)...)...)
}

// terms builds what the stages share.
type terms struct {
	n  Networks
	c  Config
	nb int // rows of an update
}

type inputs struct{ obs, nextObs, task *graph.Node }

func (x terms) inputs(s *core.Stage) inputs {
	obs := x.n.policy.Obs
	return inputs{
		obs: s.Input("obs", x.nb, obs), nextObs: s.Input("next_obs", x.nb, obs),
		task: s.RepeatRows(s.Input("task", x.c.MetaBatch, x.n.policy.Condition), x.c.Batch),
	}
}

// logAlpha gives each row its task's log temperature.
func (x terms) logAlpha(s *core.Stage) *graph.Node {
	all := s.Param(x.n.alpha.Name, x.n.alpha.Rows, 1)
	return s.RepeatRows(s.MatMul(s.Input("which", x.c.MetaBatch, x.n.alpha.Rows), all, false, false), x.c.Batch)
}

func (x terms) alpha(s *core.Stage) *graph.Node { return s.Exp(x.logAlpha(s)) }

// least is the smaller of two critics.
func (x terms) least(s *core.Stage, q [2]nn.MLP, obs, act, task *graph.Node) *graph.Node {
	oag := s.ConcatCols(obs, act, task)
	return s.Min(q[0].Apply(s, oag), q[1].Apply(s, oag))
}
