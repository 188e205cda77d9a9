package maml

import (
	"nacre/rl"
	"nacre/rl/onpolicy"
	"nacre/rl/weights"
)

var _ rl.Described = (*Learner)(nil)

// baselines are the names that descriptions have for the choices of Config.Value.
var baselines = map[string]string{linear: weights.LeastSquares, mlp: weights.OfNetwork, mlpOnce: weights.Restarted}

// Describe implements rl.Described.
func (l *Learner) Describe() weights.Description {
	c, p := l.cfg, l.model.policy
	d := weights.NewInner(weights.Inner{Rate: c.InnerLR, Discount: c.Discount, Lambda: c.GAELambda,
		Advantages: c.Advantages, Baseline: baselines[c.Value], Ridge: c.Ridge}, p.Choices, p.Scale)
	observation := []weights.Part{weights.In("observation", p.Net.In)}
	name, out := "logits", []weights.Part(nil)
	if !p.Discrete() {
		name, out = "mean", append(out, weights.Constant("log_std", p.LogStd().Name, p.Net.Out, p.MinLogStd,
			onpolicy.LogStdMax))
	}
	out = append([]weights.Part{weights.In(name, p.Net.Out)}, out...)
	d.Networks[p.Net.Name] = weights.MLP(p.Net, observation, out)
	if c.Value == mlp {
		value := valuePolicy(c, l.spec.ObsDim).Net
		d.Networks[value.Name] = weights.MLP(value, observation, []weights.Part{weights.In("value", 1)})
	}
	return d
}
