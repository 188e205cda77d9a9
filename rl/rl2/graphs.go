package rl2

import (
	"nacre/core"
	"nacre/core/graph"
	"nacre/rl/onpolicy"
)

// chunk is a run of steps of several trials as a program takes them, steps side by side:
//
//	x trials × steps·(obs+act+2), h trials × hidden (the state before), act trials × steps·act,
//	old, advantage, weight trials × steps, steps (policy.stepMatrix)
type chunk struct {
	p             Policy
	trials, steps int
}

// unrolled is a chunk in a graph.
type unrolled struct {
	first, last *graph.Node // states, trials × hidden
	logProb     *graph.Node // trials × steps
	entropy     *graph.Node // trials × steps; nil for a Gaussian
}

func (k chunk) unroll(s *core.Stage) unrolled {
	first := s.Input("h", k.trials, k.p.memory.Hidden)
	states := k.p.memory.Unroll(s, s.Input("x", k.trials, k.steps*k.p.memory.In), first, k.steps)
	means := make([]*graph.Node, k.steps)
	for t, h := range states {
		means[t] = k.p.mean.Apply(s, h)
	}
	act := s.Input("act", k.trials, k.steps*k.p.act)
	logProb, entropy := k.p.logProbs(s, means, act, k.steps)
	return unrolled{first, states[k.steps-1], logProb, entropy}
}

// forwardProgram gives the state after the chunk, last, and log_prob, trials × steps.
func (k chunk) forwardProgram() (*core.Program, error) {
	b := core.NewBuilder("rl2.forward", k.trials)
	s := b.Stage("forward")
	u := k.unroll(s)
	s.Output("last", u.last)
	s.Output("log_prob", u.logProb)
	return b.Compile()
}

// backwardProgram computes the chunk forward again and then back. Its part of PPO's loss is onpolicy.Surrogate with the
// weights w, 1 over all trials' steps, or 0 where a trial is over; with the entropy regularised, less
// coefficient·Σw·entropy. Of this plus Σ dlast⊙last, where dlast is the gradient that the later steps have by the state
// after the chunk, it outputs the gradients by every parameter, d/NAME, and by the state before, dfirst; so the
// gradient goes back through any number of chunks. Further outputs are the parts of loss, and onpolicy.OutputChange's
// kl and clipped.
func (k chunk) backwardProgram(c Config) (*core.Program, error) {
	b := core.NewBuilder("rl2.backward", k.trials)
	s := b.Stage("backward")
	u := k.unroll(s)
	loss, weight := onpolicy.Surrogate(s, u.logProb, k.trials, k.steps, c.Clip)
	switch {
	case c.EntropyMode != regularized:
	case u.entropy != nil:
		loss = s.Sub(loss, s.Scale(s.SumAll(s.Mul(weight, u.entropy)), c.Entropy))
	default:
		entropy := s.SumAll(s.Shift(k.p.logStd(s), entropyOfUnit))
		loss = s.Sub(loss, s.Mul(s.SumAll(weight), s.Scale(entropy, c.Entropy)))
	}
	s.Output("loss", loss)
	onpolicy.OutputChange(s, u.logProb, k.trials, k.steps, c.Clip)
	dlast := s.Input("dlast", k.trials, k.p.memory.Hidden)
	specs := k.p.Specs()
	grads := s.Gradients(s.Add(loss, s.SumAll(s.Mul(dlast, u.last))), append(k.p.nodes(s), u.first)...)
	for i, g := range grads[:len(specs)] {
		s.Output(gradient(specs[i].Name), g)
	}
	s.Output("dfirst", grads[len(specs)])
	return b.Compile()
}

// entropyOfUnit is the entropy of a standard normal variable, ½·log 2πe.
const entropyOfUnit = 1.4189385332046727418

func gradient(param string) string { return "d/" + param }

// applyProgram makes an Adam step along given gradients, the inputs d/NAME, and outputs their norm, grad.
func applyProgram(c Config, p Policy) (*core.Program, error) {
	b := core.NewBuilder("rl2.apply", 1)
	s := b.Stage("apply")
	var total *graph.Node
	params := p.nodes(s)
	for i, spec := range p.Specs() {
		// The gradient of Σ d⊙θ by θ is d.
		part := s.SumAll(s.Mul(s.WholeInput(gradient(spec.Name), spec.Rows, spec.Cols), params[i]))
		if total == nil {
			total = part
		} else {
			total = s.Add(total, part)
		}
	}
	s.OutputNorm("grad", s.Minimise(total, core.DefaultAdam(c.LR), params...)...)
	return b.Compile()
}
