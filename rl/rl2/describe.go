package rl2

import (
	"nacre/rl"
	"nacre/rl/weights"
)

var _ rl.Described = (*Learner)(nil)

// Describe implements rl.Described.
func (l *Learner) Describe() weights.Description {
	p, act := l.policy, weights.In("last_action", l.policy.act)
	d := weights.NewRecurrent(weights.OfPolicy, p.choices)
	d.ResetInputs = l.cfg.ResetInputs
	d.Networks[p.memory.Name] = weights.Unit(p.memory, []weights.Part{weights.In("observation", p.obs), act,
		weights.In("last_reward", 1), weights.In("last_end", 1)})
	out := []weights.Part{weights.In(p.out(), p.act)}
	if !p.discrete() {
		out = append(out, weights.Constant("log_std", logStd, p.act, p.least, maxLogStd))
	}
	d.Networks[p.mean.Name] = weights.MLP(p.mean, []weights.Part{weights.In("state", p.memory.Hidden)}, out)
	return d
}
