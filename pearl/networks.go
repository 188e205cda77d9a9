package pearl

import (
	"math/rand/v2"

	"nacre/core"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/internal/rng"
	"nacre/rl/actor"
	"nacre/rl/belief"
	"nacre/rl/weights"
)

// Networks are PEARL's function approximators (Rakelly et al. 2019; widths by Config).
//
//	encoder  context row          → 2·latent
//	Q1, Q2   (o, a, z)            → 1
//	V, V̄     (o, z)               → 1, where Config.Critic is value
//	Q̄1, Q̄2   (o, a, z)            → 1, where it is target-q
//	policy   (o, z)               → 2·act: mean, log-std before clipping
//	log α    one number, or one per train task, where the temperature is learned
type Networks struct {
	Encoder            belief.Encoder
	Q1, Q2             nn.MLP
	V, VTarget         nn.MLP
	Q1Target, Q2Target nn.MLP
	Policy             actor.Policy
	obs, act, z        int
	critic             string
	temperature        string
	tasks              int // temperatures, where there is one per task
	view               view
}

// logAlpha names the logarithms of the learned temperatures, 1×1 or tasks×1; they start at 0.
const logAlpha = "log_alpha"

// perTask is the Config.Temperature with one temperature per train task. targetQ is the Config.Critic without V.
const (
	perTask = "per-task"
	targetQ = "target-q"
)

// NewNetworks lays out the networks for a family's sizes. A temperature per task also needs ForTasks.
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
			Name: "encoder", In: row, Hidden: repeat(c.EncoderHidden, c.EncoderLayers), Out: 2 * c.Latent,
			Act: op.ReLU}},
		Q1:     net("q1", obs+act+c.Latent, 1),
		Q2:     net("q2", obs+act+c.Latent, 1),
		Policy: actor.Policy{Net: net("policy", obs+c.Latent, 2*act), Obs: obs, Condition: c.Latent, Act: act},
		obs:    obs, act: act, z: c.Latent,
		critic: c.Critic, temperature: c.Temperature,
		view: view{obs: obs, act: act, standard: c.Observations == "standardised", symlog: c.Rewards == "symlog"},
	}
	if c.Points {
		n.Encoder.Points, n.Encoder.Net.Out = true, c.Latent
	}
	if c.Critic == targetQ {
		n.Q1Target, n.Q2Target = n.Q1.As("q1_target"), n.Q2.As("q2_target")
	} else {
		n.V, n.VTarget = net("v", obs+c.Latent, 1), net("v_target", obs+c.Latent, 1)
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

// ForTasks returns the networks of a run on this number of train tasks.
func (n Networks) ForTasks(train int) Networks {
	n.tasks = train
	return n
}

// Trained lists the networks that have an optimiser, in a fixed order.
func (n Networks) Trained() []nn.MLP {
	if n.critic == targetQ {
		return []nn.MLP{n.Encoder.Net, n.Q1, n.Q2, n.Policy.Net}
	}
	return []nn.MLP{n.Encoder.Net, n.Q1, n.Q2, n.V, n.Policy.Net}
}

// trailing lists the networks that follow others, each with the one it follows.
func (n Networks) trailing() [][2]nn.MLP {
	if n.critic == targetQ {
		return [][2]nn.MLP{{n.Q1Target, n.Q1}, {n.Q2Target, n.Q2}}
	}
	return [][2]nn.MLP{{n.VTarget, n.V}}
}

// Specs lists all parameters.
func (n Networks) Specs() []core.ParamSpec {
	var s []core.ParamSpec
	for _, m := range n.Trained() {
		s = append(s, m.Specs()...)
	}
	for _, pair := range n.trailing() {
		s = append(s, pair[0].Specs()...)
	}
	if n.temperature != "fixed" {
		s = append(s, core.ParamSpec{Name: logAlpha, Rows: n.temperatures(), Cols: 1})
	}
	return append(s, n.view.specs()...)
}

// temperatures is how many are learned.
func (n Networks) temperatures() int {
	if n.temperature == perTask {
		return n.tasks
	}
	return 1
}

// initialiser draws the initial parameters of a network.
type initialiser interface {
	Init(m core.Memory, net nn.MLP, r *rand.Rand) error
}

// initialiser returns the initialiser of a network by c.Init. Oyster's (katerakelly/oyster, rlkit/torch/networks.py)
// has output layers uniform in ±3e-3, for the policy in ±1e-3, and hidden biases 0.1. Garage's has normal weights in
// critics and encoder (garage/torch/modules/mlp_module.py) and uniform weights in the policy, whose heads are separate
// layers (garage/torch/policies/tanh_gaussian_mlp_policy.py). Its biases are 0.
func (n Networks) initialiser(net nn.MLP, c Config) initialiser {
	policy := net.Name == n.Policy.Net.Name
	switch {
	case c.Init == "xavier" && policy:
		return nn.Xavier{Heads: 2}
	case c.Init == "xavier":
		return nn.Xavier{Normal: true}
	case policy:
		return nn.Oyster{Last: 1e-3, FanIn: c.Init == "fan-in"}
	}
	return nn.Oyster{Last: 3e-3, FanIn: c.Init == "fan-in"}
}

// Init draws the initial parameters by the rule c.Init. Trailing networks start as copies.
func (n Networks) Init(m core.Memory, c Config, seed uint64) error {
	stream := map[string]uint64{n.Encoder.Net.Name: 0, n.Q1.Name: 1, n.Q2.Name: 2, n.V.Name: 3, n.Policy.Net.Name: 4}
	for _, net := range n.Trained() {
		if err := n.initialiser(net, c).Init(m, net, rng.New(seed, rng.Init, stream[net.Name])); err != nil {
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
	return n.copyTrailing(m)
}

// copyTrailing starts the trailing networks.
func (n Networks) copyTrailing(m core.Memory) error {
	for _, pair := range n.trailing() {
		if err := nn.Copy(m, pair[0], pair[1]); err != nil {
			return err
		}
	}
	return nil
}

// Describe describes the networks to readers of their weights.
func (n Networks) Describe() weights.Description {
	d := weights.New()
	d.Networks["encoder"], d.Belief = n.Encoder.Describe(n.obs, n.act)
	d.Networks["policy"] = n.Policy.Describe("z")
	in := []weights.Part{weights.In("observation", n.obs), weights.In("action", n.act), weights.In("z", n.z)}
	value := []weights.Part{weights.In("value", 1)}
	critics := []nn.MLP{n.Q1, n.Q2}
	if n.critic == targetQ {
		critics = append(critics, n.Q1Target, n.Q2Target)
	} else {
		for _, net := range []nn.MLP{n.V, n.VTarget} {
			d.Networks[net.Name] = weights.MLP(net, []weights.Part{in[0], in[2]}, value)
		}
	}
	for _, net := range critics {
		d.Networks[net.Name] = weights.MLP(net, in, value)
	}
	n.view.describe(d)
	return d
}
