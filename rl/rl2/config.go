package rl2

// The choices of Config.EntropyMode.
const (
	maxEntropy  = "max"
	regularized = "regularized"
)

// Config holds every choice of the algorithm that changes a result. Default returns garage's values for Meta-World,
// without garage's defects.
type Config struct {
	Hidden  int     `toml:"hidden" range:"[1,4096]" comment:"numbers of the policy's state"`
	InitStd float64 `toml:"init_std" range:"[1e-6,1e3]" comment:"initial standard deviation of the actions"`
	MinStd  float64 `toml:"min_std" range:"[1e-9,1e3]" comment:"its lower bound"`

	MetaBatch int `toml:"meta_batch" range:"[1,1024]" comment:"trials per iteration, each of a task"`
	Episodes  int `toml:"episodes" range:"[1,10000]" comment:"per trial"`

	Discount    float64 `toml:"discount" range:"[0,1]" comment:"γ; the next episode of a trial counts on"`
	GAELambda   float64 `toml:"gae_lambda" range:"[0,1]" comment:"λ of the generalised advantages"`
	Advantages  string  `toml:"advantages" oneof:"std raw" comment:"to mean 0 and deviation 1, or as they are (garage's)"`
	Ridge       float64 `toml:"ridge" range:"(0,1e9]" comment:"of the linear baseline"`
	Clip        float64 `toml:"clip" range:"(0,1]" comment:"bound of the importance ratio's distance from 1"`
	Entropy     float64 `toml:"entropy" range:"[0,1e6]" comment:"coefficient of the policy's entropy"`
	EntropyMode string  `toml:"entropy_mode" oneof:"max regularized" comment:"added to the rewards as a constant (garage's), or to the loss"`
	LR          float64 `toml:"lr" range:"(0,1]" comment:"learning rate of Adam"`
	Epochs      int     `toml:"epochs" range:"[1,100000]" comment:"steps per iteration, each on all trials"`
	Chunk       int     `toml:"chunk" range:"[2,1000]" comment:"steps between states kept for the gradient; only rounding depends on it"`

	Iterations int `toml:"iterations" range:"[1,1e6]" comment:"of collection, updates and evaluation"`

	FitFirst    bool `toml:"fit_first" comment:"the baseline is fitted to a batch before it is used on it, as garage does: advantages then lean towards 0"`
	ResetInputs bool `toml:"reset_inputs" comment:"an episode's first step sees neither the last action and reward nor that an episode ended, as garage does"`
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
