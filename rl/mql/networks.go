package mql

import (
	"math"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/internal/rng"
)

// Networks are the function approximators; h is a history.
//
//	actor    tanh net(o, context(h))      → act
//	critic   q1, q2(o, a, context(h))     → 1, both with one context
//
// Actor and critics each have their own recurrent unit and a target network of all their parts.
type Networks struct {
	actor, actorTarget   actorNet
	critic, criticTarget criticNet
	window               int // steps of a history
}

type actorNet struct {
	memory nn.GRU
	net    nn.MLP
}

type criticNet struct {
	memory nn.GRU
	q      [2]nn.MLP
}

// NewNetworks names and sizes the networks for the given lengths of observations and actions.
func NewNetworks(c Config, obs, act int) Networks {
	hidden := make([]int, c.Layers)
	for i := range hidden {
		hidden[i] = c.Hidden
	}
	net := func(name string, in, out int) nn.MLP {
		return nn.MLP{Name: name, In: in, Hidden: hidden, Out: out, Act: op.ReLU}
	}
	memory := func(name string) nn.GRU {
		return nn.GRU{Name: name + "/memory", In: obs + act + 1, Hidden: c.Context}
	}
	actor := func(name string) actorNet {
		return actorNet{memory(name), net(name+"/net", obs+c.Context, act)}
	}
	critic := func(name string) criticNet {
		q := func(k string) nn.MLP { return net(name+"/"+k, obs+act+c.Context, 1) }
		return criticNet{memory(name), [2]nn.MLP{q("q1"), q("q2")}}
	}
	return Networks{
		actor: actor("actor"), actorTarget: actor("actor_target"),
		critic: critic("critic"), criticTarget: critic("critic_target"), window: c.History,
	}
}

// Specs implements nn.Network.
func (a actorNet) Specs() []core.ParamSpec { return append(a.memory.Specs(), a.net.Specs()...) }

// Specs implements nn.Network.
func (k criticNet) Specs() []core.ParamSpec {
	return append(append(k.memory.Specs(), k.q[0].Specs()...), k.q[1].Specs()...)
}

func nodes(s *core.Stage, n nn.Network) []*graph.Node {
	var out []*graph.Node
	for _, p := range n.Specs() {
		out = append(out, s.Param(p.Name, p.Rows, p.Cols))
	}
	return out
}

// Specs lists all parameters: the actor's, the critics', and their targets'.
func (n Networks) Specs() (out []core.ParamSpec) {
	for _, net := range []nn.Network{n.actor, n.critic, n.actorTarget, n.criticTarget} {
		out = append(out, net.Specs()...)
	}
	return out
}

// init draws the initial parameters as PyTorch does.
func (n Networks) init(m core.Memory, seed uint64) error {
	for i, g := range []nn.GRU{n.actor.memory, n.critic.memory} {
		if err := nn.InitUniform(m, g, 1/math.Sqrt(float64(g.Hidden)),
			rng.New(seed, rng.Init, 0, uint64(i))); err != nil {
			return err
		}
	}
	for i, net := range []nn.MLP{n.actor.net, n.critic.q[0], n.critic.q[1]} {
		if err := nn.InitTorch(m, net, rng.New(seed, rng.Init, 1, uint64(i))); err != nil {
			return err
		}
	}
	if err := nn.Copy(m, n.actorTarget, n.actor); err != nil {
		return err
	}
	return nn.Copy(m, n.criticTarget, n.critic)
}

// context is the unit's state after a history, rows × window·width.
func (n Networks) context(s *core.Stage, memory nn.GRU, history *graph.Node) *graph.Node {
	states := memory.Unroll(s, history, nil, n.window)
	return states[len(states)-1]
}

// act is the deterministic action.
func (a actorNet) act(s *core.Stage, obs, context *graph.Node) *graph.Node {
	return s.Tanh(a.net.Apply(s, s.ConcatCols(obs, context)))
}

// value is critic k's.
func (k criticNet) value(s *core.Stage, which int, obs, act, context *graph.Node) *graph.Node {
	return k.q[which].Apply(s, s.ConcatCols(obs, act, context))
}
