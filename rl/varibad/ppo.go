package varibad

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"nacre/core"
	"nacre/core/graph"
	"nacre/rl/onpolicy"
)

// batch is the steps of an iteration's trials, one after the other.
type batch struct {
	N      int
	X, Act []float32 // N × (o, μ, log σ²), N × act
	// For each step, Old has the log density of its action under the policy that took it, Advantage the normalised
	// advantage, and Target the advantage plus the value, which the value function must predict.
	Old, Advantage, Target []float32
}

// ppo trains policy and value function. The posterior is part of their input: no gradient goes into the encoder.
type ppo struct {
	nets       Networks
	rows       int // of a minibatch
	look, fit  core.Runner
	batch      *batch // nil while there is none
	x, act     []float32
	old, a     []float32
	target, wt []float32
}

// newPPO makes the programs for batches of at most steps steps.
func newPPO(d core.Device, m core.Memory, n Networks, steps int) (*ppo, error) {
	c := n.cfg
	rows := (steps + c.Minibatches - 1) / c.Minibatches
	u := &ppo{nets: n, rows: rows}
	u.x, u.act = make([]float32, rows*n.policy.Net.In), make([]float32, rows*n.policy.Net.Out)
	for _, x := range []*[]float32{&u.old, &u.a, &u.target, &u.wt} {
		*x = make([]float32, rows)
	}
	_, err := core.LoadAll(d, m,
		core.Loading{Run: &u.look, Make: func() (*core.Program, error) { return n.lookProgram(rows) }},
		core.Loading{Run: &u.fit, Make: func() (*core.Program, error) { return n.ppoProgram(rows) }})
	if err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

// Close gives the programs' buffers back.
func (u *ppo) Close() error { return core.CloseAll(u.look, u.fit) }

// lookProgram gives log_prob and value, rows × 1 each, for x and act.
func (n Networks) lookProgram(rows int) (*core.Program, error) {
	b := core.NewBuilder("varibad.look", 1)
	s := b.Stage("look")
	x := s.Input("x", rows, n.policy.Net.In)
	s.Output("log_prob", n.policy.Apply(s, n.policy.Nodes(s), x).LogProb(s, s.Input("act", rows, n.policy.Net.Out)))
	s.Output("value", n.value.Apply(s, x))
	return b.Compile()
}

// ppoLoss is the loss of policy and value function, 1 × 1: onpolicy.Surrogate + c_v·Σ w·(V(x) − target)² − c_H·entropy,
// with the weights w, one over the steps of the minibatch or 0. The outputs are loss, the policy's part, value,
// entropy, and onpolicy.OutputChange's kl and clipped.
func (n Networks) ppoLoss(s *core.Stage, rows int) *graph.Node {
	c := n.cfg
	x, params := s.Input("x", rows, n.policy.Net.In), n.policy.Nodes(s)
	pi := n.policy.Apply(s, params, x)
	logProb := pi.LogProb(s, s.Input("act", rows, n.policy.Net.Out))
	surrogate, weight := onpolicy.Surrogate(s, logProb, rows, 1, c.Clip)
	off := s.Square(s.Sub(n.value.Apply(s, x), s.Input("target", rows, 1)))
	value, entropy := s.SumAll(s.Mul(weight, off)), pi.MeanEntropy(s, weight)
	policy := s.Sub(surrogate, s.Scale(entropy, c.Entropy))
	s.Output("loss", policy)
	s.Output("value", value)
	s.Output("entropy", entropy)
	onpolicy.OutputChange(s, logProb, rows, 1, c.Clip)
	return s.Add(policy, s.Scale(value, c.ValueWeight))
}

// ppoProgram makes one Adam step of policy and value function on ppoLoss; a further output is the gradient's norm,
// grad.
func (n Networks) ppoProgram(rows int) (*core.Program, error) {
	b := core.NewBuilder("varibad.ppo", 1)
	s := b.Stage("ppo")
	loss := n.ppoLoss(s, rows)
	s.OutputNorm("grad", s.Minimise(loss, core.DefaultAdam(n.cfg.LRPolicy),
		append(n.policy.Nodes(s), n.value.Nodes(s)...)...)...)
	return b.Compile()
}

// set takes the trials to learn from, whose Obs are the policy's inputs. It computes values, advantages over the whole
// trial (with the rewards of later episodes), and the log densities of the actions.
func (u *ppo) set(paths []onpolicy.Path) error {
	in, act, c := u.nets.policy.Net.In, u.nets.policy.Net.Out, u.nets.cfg
	b := &batch{}
	for _, p := range paths {
		if len(p.Obs) != p.Len*in || len(p.Act) != p.Len*act {
			return fmt.Errorf("varibad: a trial of %d steps has %d numbers of input and %d of actions, want %d and %d",
				p.Len, len(p.Obs), len(p.Act), p.Len*in, p.Len*act)
		}
		b.N += p.Len
		b.X, b.Act = append(b.X, p.Obs...), append(b.Act, p.Act...)
	}
	if most := u.rows * c.Minibatches; b.N > most {
		return fmt.Errorf("varibad: %d steps for programs of %d", b.N, most)
	}
	b.Old = make([]float32, b.N)
	values := make([]float32, b.N)
	out := [2][]float32{make([]float32, u.rows), make([]float32, u.rows)}
	for from := 0; from < b.N; from += u.rows {
		to := min(from+u.rows, b.N)
		clear(u.x[copy(u.x, b.X[from*in:to*in]):])
		clear(u.act[copy(u.act, b.Act[from*act:to*act]):])
		err := errors.Join(u.look.Write("x", u.x), u.look.Write("act", u.act), u.look.Run(),
			u.look.Read("log_prob", out[0]), u.look.Read("value", out[1]))
		if err != nil {
			return err
		}
		copy(b.Old[from:to], out[0])
		copy(values[from:to], out[1])
	}
	for i := range paths {
		p := &paths[i]
		scaled := make([]float32, p.Len)
		for t := range scaled {
			scaled[t] = float32(c.RewardScale) * p.Reward[t]
			p.Value[t] = float64(values[t])
		}
		p.Reward, values = scaled, values[p.Len:]
	}
	onpolicy.Advantages(c.Discount, c.GAELambda, paths)
	for _, p := range paths {
		for t, a := range p.Advantage {
			b.Target = append(b.Target, float32(a+p.Value[t]))
		}
	}
	onpolicy.Normalise(onpolicy.Std, paths)
	for _, p := range paths {
		for _, a := range p.Advantage {
			b.Advantage = append(b.Advantage, float32(a))
		}
	}
	u.batch = b
	return nil
}

// PPOFigures holds means over a pass: the policy's loss, the value function's squared error, the mean of log π_old −
// log π, the share of steps whose ratio was outside 1 ± clip, the entropy, and the gradient's norm.
type PPOFigures struct{ Loss, Value, KL, Clipped, Entropy, Grad float64 }

// pass makes a step on each of the minibatches into which r divides the batch.
func (u *ppo) pass(r *rand.Rand) (f PPOFigures, err error) {
	b, order := u.batch, r.Perm(u.batch.N)
	n := u.nets.cfg.Minibatches
	for k := range n {
		part := order[k*b.N/n : (k+1)*b.N/n]
		if len(part) == 0 {
			continue
		}
		if err := u.fitTo(part, float64(len(part))/float64(b.N), &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

// fitTo makes a step on some of the batch's steps and adds the results to f, multiplied by share.
func (u *ppo) fitTo(part []int, share float64, f *PPOFigures) error {
	b, in, act := u.batch, u.nets.policy.Net.In, u.nets.policy.Net.Out
	for _, x := range [][]float32{u.x, u.act, u.old, u.a, u.target, u.wt} {
		clear(x)
	}
	for row, i := range part {
		copy(u.x[row*in:], b.X[i*in:(i+1)*in])
		copy(u.act[row*act:], b.Act[i*act:(i+1)*act])
		u.old[row], u.a[row], u.target[row], u.wt[row] = b.Old[i], b.Advantage[i], b.Target[i], 1/float32(len(part))
	}
	err := errors.Join(u.fit.Write("x", u.x), u.fit.Write("act", u.act), u.fit.Write("old", u.old),
		u.fit.Write("advantage", u.a), u.fit.Write("target", u.target), u.fit.Write("weight", u.wt), u.fit.Run())
	if err != nil {
		return err
	}
	return core.AddScalars(u.fit, share, map[string]*float64{
		"loss": &f.Loss, "value": &f.Value, "kl": &f.KL, "clipped": &f.Clipped, "entropy": &f.Entropy, "grad": &f.Grad,
	})
}
