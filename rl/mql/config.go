package mql

// Config holds every choice of the algorithm that changes a result. Default returns the published half-cheetah velocity
// values.
type Config struct {
	Hidden  int `toml:"hidden" range:"[1,4096]" comment:"width of the actor and the critics"`
	Layers  int `toml:"layers" range:"[1,16]" comment:"hidden layers of those"`
	Context int `toml:"context" range:"[1,1024]" comment:"numbers of the context: the recurrent unit's state"`
	History int `toml:"history" range:"[2,1000]" comment:"steps it is made from"`

	Batch            int     `toml:"batch" range:"[1,65536]" comment:"transitions per update"`
	Discount         float64 `toml:"discount" range:"[0,1]" comment:"γ"`
	LR               float64 `toml:"lr" range:"(0,1]" comment:"learning rate of Adam, actor and critics"`
	TargetTau        float64 `toml:"target_tau" range:"[0,1]" comment:"targets ← (1-τ)·targets + τ·Networks, with each step of the actor"`
	PolicyEvery      int     `toml:"policy_every" range:"[1,1000]" comment:"critic updates per update of the actor and the targets"`
	PolicyNoise      float64 `toml:"policy_noise" range:"[0,10]" comment:"deviation of the noise on target actions"`
	NoiseClip        float64 `toml:"noise_clip" range:"[0,10]" comment:"bound of that noise"`
	ExplorationNoise float64 `toml:"exploration_noise" range:"[0,10]" comment:"deviation of the noise on collecting actions"`

	InitialSteps         int `toml:"initial_steps" range:"[0,1e6]" comment:"uniformly random steps per train task before the first iteration"`
	MinInitialSteps      int `toml:"min_initial_steps" range:"[1,1e9]" comment:"of all tasks together, at least"`
	InitialEpisode       int `toml:"initial_episode" range:"[1,1e6]" comment:"steps at which random episodes are cut"`
	EpisodesPerIteration int `toml:"episodes_per_iteration" range:"[1,1e6]" comment:"episodes collected in each iteration after the first, each of a random train task"`
	UpdatesPerIteration  int `toml:"updates_per_iteration" range:"[1,1e9]" comment:"gradient updates"`
	WarmupTransitions    int `toml:"warmup_transitions" range:"[0,1e9]" comment:"below this replay an iteration makes at most as many updates as episodes were long"`
	BufferCapacity       int `toml:"buffer_capacity" range:"[1,1e9]" comment:"transitions of all tasks together"`
	Snapshot             int `toml:"snapshot" range:"[1,1e9]" comment:"recent transitions kept of each train task, for the propensity"`
	Iterations           int `toml:"iterations" range:"[1,1e6]" comment:"of collection, updates and evaluation"`

	AdaptUpdates  int     `toml:"adapt_updates" range:"[0,1e6]" comment:"updates on the test task's own transitions, all of them each time"`
	ReplayUpdates int     `toml:"replay_updates" range:"[0,1e6]" comment:"updates on the train tasks' replay, weighted"`
	ReplayBatches int     `toml:"replay_batches" range:"[1,1000]" comment:"batches that make one of those"`
	BetaClip      float64 `toml:"beta_clip" range:"[0,100]" comment:"weights are at most exp of this"`
	BetaMin       float64 `toml:"beta_min" range:"[0,1e9]" comment:"smaller weights are 0"`
	PropensityC   float64 `toml:"propensity_c" range:"(0,1e9]" comment:"inverse regularisation of the logistic regression"`
	PropensityObs bool    `toml:"propensity_obs" comment:"the logistic regression sees the observation too"`
	Prox          float64 `toml:"prox" range:"[0,1e9]" comment:"weight of |θ-θ₀|² in the weighted updates"`
	ProxESS       bool    `toml:"prox_ess" comment:"the weight is 1-ESS/n of the batch instead"`

	TorchAdaptLR bool `toml:"torch_adapt_lr" comment:"adapt with 1e-3, PyTorch's default, whatever lr is: a defect of the public code"`
}

// Default returns the published half-cheetah velocity values.
func Default() Config {
	return Config{
		Hidden: 300, Layers: 2, Context: 15, History: 20,
		Batch: 256, Discount: 0.99, LR: 1e-3, TargetTau: 0.005, PolicyEvery: 2,
		PolicyNoise: 0.3, NoiseClip: 0.5, ExplorationNoise: 0.3,
		InitialSteps: 1000, MinInitialSteps: 10_000, InitialEpisode: 50, EpisodesPerIteration: 5,
		UpdatesPerIteration: 200, WarmupTransitions: 100_000, BufferCapacity: 1_000_000, Snapshot: 2000,
		Iterations:   1000,
		AdaptUpdates: 10, ReplayUpdates: 100, ReplayBatches: 5,
		BetaClip: 1, BetaMin: 0.1, PropensityC: 0.1, Prox: 0.1,
	}
}

// adaptLR is the learning rate of the fine-tuning.
func (c Config) adaptLR() float64 {
	if c.TorchAdaptLR {
		return 1e-3
	}
	return c.LR
}
