package pearl

import (
	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/internal/rng"
	"nacre/rl/actor"
	"nacre/rl/belief"
)

// Networks are PEARL's function approximators (Rakelly et al. 2019; widths by Config).
//
//	encoder  context row          → 2·latent
//	Q1, Q2   (o, a, z)            → 1
//	V, V̄     (o, z)               → 1
//	policy   (o, z)               → 2·act: mean, log-std before clipping
//	log α    one number, where the temperature is learned
type Networks struct {
	Encoder     belief.Encoder
	Q1, Q2      nn.MLP
	V, VTarget  nn.MLP
	Policy      actor.Policy
	obs, act, z int
	learned     bool // temperature
	view        view
}

// logAlpha names the logarithm of the learned temperature, 1×1; it starts at 0.
const logAlpha = "log_alpha"

// NewNetworks lays out the networks for a family's sizes.
func NewNetworks(c Config, obs, act int) Networks {
	row := obs + act + 1
	if c.NextObsInContext {
		row += obs
	}
	net := func(name string, in, out int) nn.MLP {
		return nn.MLP{Name: name, In: in, Hidden: repeat(c.Hidden, c.Layers), Out: out, Act: op.ReLU}
	}
	n := Networks{
		Encoder: belief.Encoder{Latent: c.Latent, NextObs: c.NextObsInContext, Net: nn.MLP{
			Name: "encoder", In: row, Hidden: repeat(c.EncoderHidden, c.EncoderLayers), Out: 2 * c.Latent, Act: op.ReLU}},
		Q1:      net("q1", obs+act+c.Latent, 1),
		Q2:      net("q2", obs+act+c.Latent, 1),
		V:       net("v", obs+c.Latent, 1),
		VTarget: net("v_target", obs+c.Latent, 1),
		Policy:  actor.Policy{Net: net("policy", obs+c.Latent, 2*act), Obs: obs, Condition: c.Latent, Act: act},
		obs:     obs, act: act, z: c.Latent,
		learned: c.Temperature == "learned",
		view:    view{obs: obs, act: act, standard: c.Observations == "standardised", symlog: c.Rewards == "symlog"},
	}
	if n.view.standard {
		n.Policy.View = n.view.observation
	}
	if n.view.standard || n.view.symlog {
		n.Encoder.View = n.view.context
	}
	return n
}

func repeat(n, k int) []int {
	h := make([]int, k)
	for i := range h {
		h[i] = n
	}
	return h
}

// Trained lists the networks that have an optimiser, in a fixed order.
func (n Networks) Trained() []nn.MLP { return []nn.MLP{n.Encoder.Net, n.Q1, n.Q2, n.V, n.Policy.Net} }

// Specs lists all parameters.
func (n Networks) Specs() []core.ParamSpec {
	var s []core.ParamSpec
	for _, m := range append(n.Trained(), n.VTarget) {
		s = append(s, m.Specs()...)
	}
	if n.learned {
		s = append(s, core.ParamSpec{Name: logAlpha, Rows: 1, Cols: 1})
	}
	return append(s, n.view.specs()...)
}

// Init draws the initial parameters: hidden layers by c.Init, output layers uniform in ±3e-3, the policy's in
// ±1e-3, hidden biases 0.1, and V̄ a copy of V.
func (n Networks) Init(m core.Memory, c Config, seed uint64) error {
	for i, net := range n.Trained() {
		last := 3e-3
		if net.Name == n.Policy.Net.Name {
			last = 1e-3
		}
		init := nn.Oyster{Last: last, FanIn: c.Init == "fan-in"}
		if err := init.Init(m, net, rng.New(seed, rng.Init, uint64(i))); err != nil {
			return err
		}
	}
	if err := n.view.init(m); err != nil {
		return err
	}
	if c.CloneQ {
		if err := nn.Copy(m, n.Q2, n.Q1); err != nil {
			return err
		}
	}
	return nn.Copy(m, n.VTarget, n.V)
}
