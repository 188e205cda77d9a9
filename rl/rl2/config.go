package rl2

// The choices of Config.EntropyMode.
const (
	maxEntropy  = "max"
	regularized = "regularized"
)

// Config holds every choice of the algorithm that changes a result. Default returns garage's values for Meta-World,
// without garage's defects.
type Config struct {
	Hidden  int     `toml:"hidden" range:"[1,4096]" comment:"length of the policy's state"`
	InitStd float64 `toml:"init_std" range:"[1e-6,1e3]" comment:"initial standard deviation of continuous actions"`
	MinStd  float64 `toml:"min_std" range:"[1e-9,1e3]" comment:"lower bound of the standard deviation of continuous actions"`

	MetaBatch int `toml:"meta_batch" range:"[1,1024]" comment:"number of trials per iteration, each of one task"`
	Episodes  int `toml:"episodes" range:"[1,10000]" comment:"number of episodes per trial"`

	Discount    float64 `toml:"discount" range:"[0,1]" comment:"discount factor γ; it continues across the episodes of a trial"`
	GAELambda   float64 `toml:"gae_lambda" range:"[0,1]" comment:"λ of the generalised advantages"`
	Advantages  string  `toml:"advantages" oneof:"std raw" comment:"std: scaled to mean 0 and deviation 1; raw: as they are (as in garage)"`
	Ridge       float64 `toml:"ridge" range:"(0,1e9]" comment:"ridge coefficient of the linear baseline"`
	Clip        float64 `toml:"clip" range:"(0,1]" comment:"largest distance of the importance ratio from 1"`
	Entropy     float64 `toml:"entropy" range:"[0,1e6]" comment:"coefficient of the policy's entropy"`
	EntropyMode string  `toml:"entropy_mode" oneof:"max regularized" comment:"max: entropy is added to the rewards, and passes no gradient (as in garage); regularized: it is added to the loss"`
	LR          float64 `toml:"lr" range:"(0,1]" comment:"learning rate of Adam"`
	Epochs      int     `toml:"epochs" range:"[1,100000]" comment:"number of steps per iteration, each on all trials"`
	Chunk       int     `toml:"chunk" range:"[2,1000]" comment:"number of steps between states kept for the gradient; it changes only rounding"`

	Iterations int `toml:"iterations" range:"[1,1e6]" comment:"number of iterations of collection, updates and evaluation"`

	FitFirst    bool `toml:"fit_first" comment:"fit the baseline to a batch before it is used on this batch, as in garage; advantages are then biased towards 0"`
	ResetInputs bool `toml:"reset_inputs" comment:"hide the last action, the last reward and the end of an episode from the first step of the next, as in garage"`
}

// Default is garage's RL²-PPO. An iteration has 10 trials of 10 episodes. With a horizon of 200 these are 20,000
// environment steps, so 50 iterations are a million steps.
func Default() Config {
	return Config{
		Hidden: 64, InitStd: 1, MinStd: 1e-6, MetaBatch: 10, Episodes: 10,
		Discount: 0.99, GAELambda: 0.95, Advantages: "raw", Ridge: 1e-5, Clip: 0.2, Entropy: 0.02,
		EntropyMode: maxEntropy,
		LR:          1e-3, Epochs: 10, Chunk: 50, Iterations: 50,
	}
}
