package varibad

import "errors"

// These are the choices of Config.KLTo.
const (
	previous = "previous"
	standard = "standard"
)

// These are the choices of Config.RewardDecoder.
const (
	squared   = "squared"
	bernoulli = "bernoulli"
)

// Config holds every choice of the algorithm that changes a result. Default returns the authors' values for the
// half-cheetah with a target velocity.
type Config struct {
	Latent  int `toml:"latent" range:"[1,256]" comment:"numbers of the task variable"`
	Embed   int `toml:"embed" range:"[1,4096]" comment:"width of the layer between a transition (a, r, o') and the recurrent unit"`
	Memory  int `toml:"memory" range:"[1,4096]" comment:"numbers of the recurrent unit's state"`
	Decoder int `toml:"decoder" range:"[1,4096]" comment:"width of the decoders"`
	Layers  int `toml:"decoder_layers" range:"[1,16]" comment:"hidden layers of those"`

	BufferTrials  int     `toml:"buffer_trials" range:"[1,1e6]" comment:"trials that the encoder learns from: the latest"`
	Trials        int     `toml:"trials" range:"[1,1024]" comment:"trials per update of encoder and decoders"`
	Unroll        int     `toml:"unroll" range:"[1,1000]" comment:"transitions that the gradient goes through; a longer trial is cut into pieces of this length, and one of them is drawn"`
	Posteriors    int     `toml:"posteriors" range:"[0,1e6]" comment:"posteriors of such a piece that are decoded, drawn at random, each with its part of the ELBO; 0: all"`
	Decodes       int     `toml:"decodes" range:"[0,1e6]" comment:"transitions that each of those posteriors decodes, drawn at random; 0: all"`
	RewardWeight  float64 `toml:"reward_weight" range:"[0,1e6]" comment:"coefficient of the rewards' error; 0: no reward decoder"`
	RewardDecoder string  `toml:"reward_decoder" oneof:"squared bernoulli" comment:"squared: a network of (z, o, a, o') predicts the reward, by its squared error; bernoulli: a network of z alone has a head for every o', which must be discrete, and predicts whether the reward there is above 0, by its cross-entropy"`
	StateWeight   float64 `toml:"state_weight" range:"[0,1e6]" comment:"coefficient of the next observations' squared error; 0: no state decoder"`
	KLWeight      float64 `toml:"kl_weight" range:"[0,1e6]" comment:"coefficient of the divergences"`
	KLTo          string  `toml:"kl_to" oneof:"previous standard" comment:"previous: divergence of each posterior from the one before it, of the first from N(0, 1); standard: of every posterior from N(0, 1)"`
	LRVAE         float64 `toml:"lr_vae" range:"(0,1]" comment:"learning rate of Adam, encoder and decoders"`
	VAEUpdates    int     `toml:"vae_updates" range:"[0,1e5]" comment:"updates of encoder and decoders per iteration, after the policy's"`

	PolicyHidden int     `toml:"policy_hidden" range:"[1,4096]" comment:"width of the policy and of the value function"`
	PolicyLayers int     `toml:"policy_layers" range:"[1,16]" comment:"hidden layers of those"`
	InitStd      float64 `toml:"init_std" range:"[1e-6,1e3]" comment:"initial standard deviation of continuous actions"`
	MinStd       float64 `toml:"min_std" range:"[1e-9,1e3]" comment:"its lower bound"`

	MetaBatch int `toml:"meta_batch" range:"[1,1024]" comment:"trials per iteration, each of a task"`
	Episodes  int `toml:"episodes" range:"[1,10000]" comment:"per trial"`

	Discount    float64 `toml:"discount" range:"[0,1]" comment:"γ; it also discounts across the episodes of a trial"`
	GAELambda   float64 `toml:"gae_lambda" range:"[0,1]" comment:"λ of the generalised advantages"`
	RewardScale float64 `toml:"reward_scale" range:"(0,1e6]" comment:"rewards are multiplied by this for the policy and the value function"`
	Clip        float64 `toml:"clip" range:"(0,1]" comment:"bound of the importance ratio's distance from 1"`
	ValueWeight float64 `toml:"value_weight" range:"[0,1e6]" comment:"coefficient of the value function's squared error"`
	Entropy     float64 `toml:"entropy" range:"[0,1e6]" comment:"coefficient of the policy's entropy"`
	LRPolicy    float64 `toml:"lr_policy" range:"(0,1]" comment:"learning rate of Adam, policy and value function"`
	Epochs      int     `toml:"epochs" range:"[1,1e5]" comment:"passes over the steps collected, per iteration"`
	Minibatches int     `toml:"minibatches" range:"[1,1e4]" comment:"gradient steps per pass"`

	Iterations int `toml:"iterations" range:"[1,1e6]" comment:"of collection, updates and evaluation"`
}

// Default is the authors' configuration for the half-cheetah: 16 trials of 2 episodes of 200 steps per iteration.
func Default() Config {
	return Config{
		Latent: 5, Embed: 64, Memory: 128, Decoder: 64, Layers: 2,
		BufferTrials: 10_000, Trials: 10, Unroll: 50, Posteriors: 50, Decodes: 50,
		RewardWeight: 1, RewardDecoder: squared, StateWeight: 0, KLWeight: 1, KLTo: previous,
		LRVAE: 1e-3, VAEUpdates: 1,
		PolicyHidden: 128, PolicyLayers: 2, InitStd: 1, MinStd: 1e-6, MetaBatch: 16, Episodes: 2,
		Discount: 0.97, GAELambda: 0.9, RewardScale: 0.1, Clip: 0.1, ValueWeight: 0.5, Entropy: 0.01,
		LRPolicy: 7e-4, Epochs: 2, Minibatches: 4, Iterations: 15_625,
	}
}

// Validate checks the conditions that struct tags cannot express.
func (c Config) Validate() error {
	if c.RewardWeight == 0 && c.StateWeight == 0 {
		return errors.New("reward_weight = 0 and state_weight = 0: the encoder would learn nothing, expected one of " +
			"them above 0")
	}
	return nil
}

// Updates is the number of calls of Learner.Update in an iteration: first the policy's passes, then the encoder's
// updates.
func (c Config) Updates() int { return c.Epochs + c.VAEUpdates }
