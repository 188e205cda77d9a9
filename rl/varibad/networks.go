package varibad

import (
	"errors"
	"math"

	"nacre/core"
	"nacre/core/graph"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/internal/rng"
	"nacre/rl/auxiliary"
	"nacre/rl/onpolicy"
)

// Networks holds the encoder, the decoders, the policy and its value function, with the sizes of a family.
type Networks struct {
	Encoder Encoder
	reward  nn.MLP // (z, o, a, o') → r; or z → logits, a head for every o'
	state   nn.MLP // (z, o, a) → o'
	policy  onpolicy.Policy
	value   nn.MLP // of the policy's input (o, μ, log σ²)
	cfg     Config

	cells []int           // of the Bernoulli decoder: sim.Spec.ObsChoices; else nil
	heads int             // their product
	aux   *auxiliary.Part // the auxiliary loss on the encoder; nil: none
	// what a Contrast adds; nil: the ELBO trains the encoder
	contrasting *contrasting
}

// NewNetworks makes the networks for observations of obs numbers and actions of act numbers. If actions are discrete,
// choices are sim.Spec.ActChoices.
func NewNetworks(c Config, obs, act int, choices ...int) Networks {
	layers := func(n, width int) (out []int) {
		for range n {
			out = append(out, width)
		}
		return out
	}
	decoder, acting := layers(c.Layers, c.Decoder), layers(c.PolicyLayers, c.PolicyHidden)
	in := obs + 2*c.Latent
	return Networks{
		Encoder: NewEncoder(c, obs, act),
		reward:  nn.MLP{Name: "decoder/reward", In: c.Latent + 2*obs + act, Hidden: decoder, Out: 1, Act: op.ReLU},
		state:   nn.MLP{Name: "decoder/state", In: c.Latent + obs + act, Hidden: decoder, Out: obs, Act: op.ReLU},
		policy: onpolicy.Policy{
			Net: nn.MLP{Name: "policy", In: in, Hidden: acting, Out: act, Act: op.Tanh}, MinLogStd: math.Log(c.MinStd),
			Choices: choices,
		},
		value: nn.MLP{Name: "value", In: in, Hidden: acting, Out: 1, Act: op.Tanh},
		cfg:   c,
	}
}

// Specs lists the parameters. A decoder that has no weight in the loss has no parameters.
func (n Networks) Specs() []core.ParamSpec {
	out := n.Encoder.Specs()
	for _, d := range n.decoders() {
		out = append(out, d.Specs()...)
	}
	if n.contrasting != nil {
		for _, c := range n.contrasting.nets() {
			out = append(out, c.Specs()...)
		}
	}
	return append(append(out, n.policy.Specs()...), n.value.Specs()...)
}

func (n Networks) decoders() (out []nn.MLP) {
	if n.contrasting != nil {
		return nil
	}
	if n.cfg.RewardWeight > 0 {
		out = append(out, n.reward)
	}
	if n.cfg.StateWeight > 0 {
		out = append(out, n.state)
	}
	return out
}

// vaeNodes are the parameters that the ELBO trains.
func (n Networks) vaeNodes(s *core.Stage) []*graph.Node {
	out := n.Encoder.nodes(s)
	for _, d := range n.decoders() {
		out = append(out, d.Nodes(s)...)
	}
	return out
}

// init draws the weights: the policy's and the value function's by Xavier, the others as PyTorch does.
func (n Networks) init(m core.Memory, seed uint64) error {
	errs := []error{n.Encoder.init(m, rng.New(seed, rng.Init, 0))}
	for i, d := range n.decoders() {
		errs = append(errs, nn.InitTorch(m, d, rng.New(seed, rng.Init, 1, uint64(i))))
	}
	if n.contrasting != nil {
		errs = append(errs, n.contrasting.init(m, seed))
	}
	return errors.Join(append(errs,
		n.policy.Init(m, n.cfg.InitStd, rng.New(seed, rng.Init, 2)),
		nn.InitXavier(m, n.value, rng.New(seed, rng.Init, 3)))...)
}
