package mql

// Config holds every choice of the algorithm that changes a result. Default returns the published half-cheetah velocity
// values.
type Config struct {
	Hidden  int `toml:"hidden" range:"[1,4096]" comment:"width of the actor and the critics"`
	Layers  int `toml:"layers" range:"[1,16]" comment:"number of hidden layers of the actor and the critics"`
	Context int `toml:"context" range:"[1,1024]" comment:"length of the context, which is the recurrent unit's state"`
	History int `toml:"history" range:"[2,1000]" comment:"number of steps from which the context is made"`

	Batch            int     `toml:"batch" range:"[1,65536]" comment:"number of transitions per update"`
	Discount         float64 `toml:"discount" range:"[0,1]" comment:"discount factor γ"`
	LR               float64 `toml:"lr" range:"(0,1]" comment:"learning rate of Adam for the actor and the critics"`
	TargetTau        float64 `toml:"target_tau" range:"[0,1]" comment:"τ in targets ← (1-τ)·targets + τ·networks, with each step of the actor"`
	PolicyEvery      int     `toml:"policy_every" range:"[1,1000]" comment:"number of critic updates per update of the actor and the targets"`
	PolicyNoise      float64 `toml:"policy_noise" range:"[0,10]" comment:"standard deviation of the noise on target actions"`
	NoiseClip        float64 `toml:"noise_clip" range:"[0,10]" comment:"bound of the noise on target actions"`
	ExplorationNoise float64 `toml:"exploration_noise" range:"[0,10]" comment:"standard deviation of the noise on actions in collection"`

	InitialSteps         int `toml:"initial_steps" range:"[0,1e6]" comment:"number of uniformly random steps per train task before the first iteration"`
	MinInitialSteps      int `toml:"min_initial_steps" range:"[1,1e9]" comment:"smallest number of initial steps of all tasks together"`
	InitialEpisode       int `toml:"initial_episode" range:"[1,1e6]" comment:"number of steps after which random episodes are cut"`
	EpisodesPerIteration int `toml:"episodes_per_iteration" range:"[1,1e6]" comment:"number of episodes collected in each iteration after the first, each of a random train task"`
	UpdatesPerIteration  int `toml:"updates_per_iteration" range:"[1,1e9]" comment:"number of gradient updates per iteration"`
	WarmupTransitions    int `toml:"warmup_transitions" range:"[0,1e9]" comment:"with fewer transitions in the replay, an iteration makes at most as many updates as its episodes had steps"`
	BufferCapacity       int `toml:"buffer_capacity" range:"[1,1e9]" comment:"number of transitions of all tasks together"`
	Snapshot             int `toml:"snapshot" range:"[1,1e9]" comment:"number of recent transitions kept of each train task, for the propensity"`
	Iterations           int `toml:"iterations" range:"[1,1e6]" comment:"number of iterations of collection, updates and evaluation"`

	AdaptUpdates  int     `toml:"adapt_updates" range:"[0,1e6]" comment:"number of updates on the test task's own transitions, each with all of them"`
	ReplayUpdates int     `toml:"replay_updates" range:"[0,1e6]" comment:"number of weighted updates on the train tasks' replay"`
	ReplayBatches int     `toml:"replay_batches" range:"[1,1000]" comment:"number of batches of each weighted update"`
	BetaClip      float64 `toml:"beta_clip" range:"[0,100]" comment:"logarithm of the largest weight"`
	BetaMin       float64 `toml:"beta_min" range:"[0,1e9]" comment:"weights below this number are set to 0"`
	PropensityC   float64 `toml:"propensity_c" range:"(0,1e9]" comment:"inverse regularisation of the logistic regression"`
	PropensityObs bool    `toml:"propensity_obs" comment:"the logistic regression sees the observation too"`
	Prox          float64 `toml:"prox" range:"[0,1e9]" comment:"weight of |θ-θ₀|² in the weighted updates"`
	ProxESS       bool    `toml:"prox_ess" comment:"use 1-ESS/n of the batch instead of prox"`

	TorchAdaptLR bool `toml:"torch_adapt_lr" comment:"defect of the public code: adapt with PyTorch's default 1e-3 instead of lr"`
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
