package pearl

import "fmt"

// Config holds every choice of the algorithm that changes a result. The tags give the ranges and the comments of a
// configuration file. Default returns the values of PEARL's own half-cheetah velocity experiment. Package tclpearl has
// presets of the published tables.
type Config struct {
	Latent        int    `toml:"latent" range:"[1,256]" comment:"dimensions of z"`
	Hidden        int    `toml:"hidden" range:"[1,4096]" comment:"width of the Q, V and policy networks"`
	Layers        int    `toml:"layers" range:"[1,16]" comment:"number of hidden layers of the Q, V and policy networks"`
	EncoderHidden int    `toml:"encoder_hidden" range:"[1,4096]" comment:"width of the context encoder"`
	EncoderLayers int    `toml:"encoder_layers" range:"[1,16]" comment:"number of hidden layers of the context encoder"`
	Init          string `toml:"init" oneof:"oyster fan-in xavier" comment:"oyster (as published): hidden weights uniform in ±1/√outputs; fan-in: uniform in ±1/√inputs; xavier: all layers as in garage, biases 0"`

	MetaBatch     int     `toml:"meta_batch" range:"[1,1024]" comment:"number of tasks per update"`
	Batch         int     `toml:"batch" range:"[1,65536]" comment:"number of transitions per task and update"`
	Context       int     `toml:"context" range:"[1,65536]" comment:"number of context rows per task; with TCL the window is used instead"`
	Discount      float64 `toml:"discount" range:"[0,1]" comment:"discount factor γ"`
	RewardScale   float64 `toml:"reward_scale" range:"(0,1e9]" comment:"factor of rewards, in place of the inverse entropy temperature"`
	Observations  string  `toml:"observations" oneof:"raw standardised" comment:"input of all networks: raw, or standardised with mean and deviation of the initial collection"`
	Rewards       string  `toml:"rewards" oneof:"raw symlog" comment:"input of critics and encoder: raw, or sign(r)·log(1+|r|) for rewards that span orders of magnitude"`
	Critic        string  `toml:"critic" oneof:"value target-q" comment:"targets of Q: a trailing V (as published), or trailing copies of both Q at an action drawn at the next observation"`
	Temperature   string  `toml:"temperature" oneof:"fixed learned per-task" comment:"entropy temperature: 1 (fixed, as published), or learned for a target entropy, as one number or one number per train task"`
	TargetEntropy float64 `toml:"target_entropy" range:"[-1e6,1e6]" comment:"target entropy of a learned temperature, in nats per dimension of the action"`
	AlphaLoss     string  `toml:"alpha_loss" oneof:"log linear" comment:"loss of a learned temperature α: -log α·(log π + H), or -α·(log π + H)"`
	LRAlpha       float64 `toml:"lr_alpha" range:"(0,1]" comment:"learning rate of Adam for the log of a learned temperature"`
	KLWeight      float64 `toml:"kl_weight" range:"[0,1e6]" comment:"λ of the information bottleneck; the KL is a sum over tasks"`
	LRPolicy      float64 `toml:"lr_policy" range:"(0,1]" comment:"learning rate of Adam for the policy"`
	LRQ           float64 `toml:"lr_q" range:"(0,1]" comment:"learning rate of Adam for Q1 and Q2"`
	LRV           float64 `toml:"lr_v" range:"(0,1]" comment:"learning rate of Adam for V"`
	LREncoder     float64 `toml:"lr_encoder" range:"(0,1]" comment:"learning rate of Adam for the context encoder"`
	TargetTau     float64 `toml:"target_tau" range:"[0,1]" comment:"τ in V target ← (1-τ)·V target + τ·V, or the same for both Q"`
	ActorLatent   string  `toml:"actor_latent" oneof:"critic redrawn" comment:"z in the updates of V and the policy: the critics' z, or z inferred again after the encoder's step, with its own noise"`
	MeanReg       float64 `toml:"mean_reg" range:"[0,1e6]" comment:"weight of mean(μ²) of the policy head"`
	StdReg        float64 `toml:"std_reg" range:"[0,1e6]" comment:"weight of mean((log σ)²) of the policy head"`
	PreTanhReg    float64 `toml:"pre_tanh_reg" range:"[0,1e6]" comment:"weight of the mean squared length of the action before tanh"`

	NextObsInContext     bool   `toml:"next_obs_in_context" comment:"context rows (o,a,r,o') instead of (o,a,r)"`
	ContextSampling      string `toml:"context_sampling" oneof:"transitions window" comment:"independent transitions, or consecutive transitions of one trajectory"`
	ContextCrop          string `toml:"context_crop" oneof:"inclusive exclusive" comment:"starts of windows: all possible starts, or all except the last"`
	TasksWithReplacement bool   `toml:"tasks_with_replacement" comment:"draw the meta-batch with replacement, as published"`

	InitialSteps        int  `toml:"initial_steps" range:"[1,1e6]" comment:"number of environment steps per train task before the first iteration"`
	TasksPerIteration   int  `toml:"tasks_per_iteration" range:"[1,100000]" comment:"number of train tasks collected in each iteration"`
	PriorSteps          int  `toml:"prior_steps" range:"[1,1e6]" comment:"number of steps with z from the prior, for both buffers"`
	PosteriorSteps      int  `toml:"posterior_steps" range:"[0,1e6]" comment:"number of steps with z inferred before each trajectory, for both buffers"`
	ExtraPosteriorSteps int  `toml:"extra_posterior_steps" range:"[0,1e6]" comment:"number of steps with z from the posterior, for the replay buffer only"`
	PosteriorFromStart  bool `toml:"posterior_from_start" comment:"the first trajectory of extra_posterior_steps also acts with z from the posterior"`
	CollectAhead        bool `toml:"collect_ahead" comment:"collect the data of an iteration during the updates of the previous iteration, with the networks before these updates; not as published"`
	BufferCapacity      int  `toml:"buffer_capacity" range:"[1,1e9]" comment:"number of transitions per task and buffer"`
	UpdatesPerIteration int  `toml:"updates_per_iteration" range:"[1,1e9]" comment:"number of gradient updates per iteration"`
	Iterations          int  `toml:"iterations" range:"[1,1e6]" comment:"number of iterations of collection, updates and evaluation"`

	CloneQ            bool `toml:"defect_clone_q" comment:"defect of garage: Q2 starts as a copy of Q1, so it always equals Q1"`
	DetachedReg       bool `toml:"defect_detached_reg" comment:"defect of garage: the policy regularisers have no gradient"`
	PooledTemperature bool `toml:"defect_pooled_temperature" comment:"defect of the TCL authors' code: the policy learns with the mean of the tasks' temperatures, and each temperature from the mean entropy of all tasks"`

	// With Points, z is the embedding of a deterministic encoder. The critics see z as a constant, so the encoder
	// learns only from the auxiliary loss. It is not a setting of a configuration file: package pearl/focal sets it.
	Points bool `toml:"-"`
}

// Validate checks settings that must fit each other.
func (c Config) Validate() error {
	if c.PooledTemperature && c.Temperature != "per-task" {
		return fmt.Errorf(`defect_pooled_temperature with temperature = %q, want "per-task": there is nothing to pool`,
			c.Temperature)
	}
	return nil
}

// Default is oyster's cheetah-vel configuration.
func Default() Config {
	return Config{
		Latent: 5, Hidden: 300, Layers: 3, EncoderHidden: 200, EncoderLayers: 3, Init: "oyster",
		MetaBatch: 16, Batch: 256, Context: 100, Discount: 0.99, RewardScale: 5, Observations: "raw", Rewards: "raw",
		KLWeight: 0.1,
		Critic:   "value", Temperature: "fixed", TargetEntropy: -1, AlphaLoss: "log", LRAlpha: 3e-4,
		ActorLatent: "critic",
		LRPolicy:    3e-4, LRQ: 3e-4, LRV: 3e-4, LREncoder: 3e-4, TargetTau: 0.005, MeanReg: 1e-3, StdReg: 1e-3,
		ContextSampling: "transitions", ContextCrop: "inclusive", TasksWithReplacement: true,
		InitialSteps: 2000, TasksPerIteration: 5, PriorSteps: 400, ExtraPosteriorSteps: 600,
		BufferCapacity: 1_000_000, UpdatesPerIteration: 2000, Iterations: 500,
	}
}
