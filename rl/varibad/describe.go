package varibad

import (
	"nacre/rl"
	"nacre/rl/weights"
)

var _ rl.Described = (*Learner)(nil)

// Describe implements rl.Described. The decoders and the value function are left out: no agent acts with them.
func (l *Learner) Describe() weights.Description {
	p, e := l.nets.policy, l.nets.Encoder
	d := weights.NewRecurrent(weights.OfBelief, p.Choices)
	embedding, state := weights.In("embedding", e.embed.Out), weights.In("state", e.memory.Hidden)
	embedded := embedding
	embedded.Function = "relu"
	d.Networks[e.embed.Name] = weights.MLP(e.embed, []weights.Part{weights.In("action", e.act),
		weights.In("reward", 1), weights.In("next_observation", e.obs)}, []weights.Part{embedded})
	d.Networks[e.memory.Name] = weights.Unit(e.memory, []weights.Part{embedding})
	mean, logVar := weights.In("mean", e.latent), weights.Within("log_var", e.latent, minLogVar, maxLogVar)
	d.Networks[e.head.Name] = weights.MLP(e.head, []weights.Part{state}, []weights.Part{mean, logVar})
	out := []weights.Part{weights.In(l.actor.out, p.Net.Out)}
	if !p.Discrete() {
		std := p.LogStd().Name
		out = append(out, weights.Constant("log_std", std, p.Net.Out, p.MinLogStd, maxLogStd))
	}
	d.Networks[p.Net.Name] = weights.MLP(p.Net, []weights.Part{weights.In("observation", e.obs), mean,
		weights.In("log_var", e.latent)}, out)
	return d
}

// maxLogStd is the bound that package onpolicy has in its graphs.
const maxLogStd = 20
