package oracle

// Config holds every choice of the algorithm that changes a result. Default returns garage's multi-task SAC.
type Config struct {
	Hidden int    `toml:"hidden" range:"[1,4096]" comment:"width of the Q networks and the policy"`
	Layers int    `toml:"layers" range:"[1,16]" comment:"number of hidden layers of the Q networks and the policy"`
	Init   string `toml:"init" oneof:"oyster fan-in" comment:"oyster: hidden weights uniform in ±1/√outputs; fan-in: uniform in ±1/√inputs"`

	MetaBatch   int     `toml:"meta_batch" range:"[1,1024]" comment:"number of tasks per update"`
	Batch       int     `toml:"batch" range:"[1,65536]" comment:"number of transitions per task and update"`
	Discount    float64 `toml:"discount" range:"[0,1]" comment:"discount factor γ"`
	RewardScale float64 `toml:"reward_scale" range:"(0,1e9]" comment:"factor of rewards; the temperatures adapt to it"`
	LRPolicy    float64 `toml:"lr_policy" range:"(0,1]" comment:"learning rate of Adam for the policy"`
	LRQ         float64 `toml:"lr_q" range:"(0,1]" comment:"learning rate of Adam for Q1 and Q2"`
	LRAlpha     float64 `toml:"lr_alpha" range:"(0,1]" comment:"learning rate of Adam for the temperatures"`
	TargetTau   float64 `toml:"target_tau" range:"[0,1]" comment:"τ in Q targets ← (1-τ)·Q targets + τ·Q"`
	Entropy     float64 `toml:"target_entropy" range:"[-1e6,1e6]" comment:"target entropy of the policy, in nats per dimension of the action"`
	RawTask     bool    `toml:"raw_task" comment:"use the task vector as it is, not standardised over the train tasks"`

	InitialSteps        int `toml:"initial_steps" range:"[1,1e6]" comment:"number of steps of the untrained policy per train task before the first iteration"`
	TasksPerIteration   int `toml:"tasks_per_iteration" range:"[1,100000]" comment:"number of train tasks collected in each iteration"`
	StepsPerTask        int `toml:"steps_per_task" range:"[1,1e6]" comment:"number of steps of each collected task"`
	BufferCapacity      int `toml:"buffer_capacity" range:"[1,1e9]" comment:"number of transitions per task"`
	UpdatesPerIteration int `toml:"updates_per_iteration" range:"[1,1e9]" comment:"number of gradient updates per iteration"`
	Iterations          int `toml:"iterations" range:"[1,1e6]" comment:"number of iterations of collection, updates and evaluation"`
}

// Default is garage's multi-task SAC, with batches of 1,280 transitions over 10 tasks and 150 updates for every 50
// episodes.
func Default() Config {
	return Config{
		Hidden: 400, Layers: 3, Init: "fan-in", MetaBatch: 10, Batch: 128, Discount: 0.99, RewardScale: 1,
		LRPolicy: 3e-4, LRQ: 3e-4, LRAlpha: 3e-4, TargetTau: 0.005, Entropy: -1,
		InitialSteps: 200, TasksPerIteration: 50, StepsPerTask: 200, BufferCapacity: 1_000_000,
		UpdatesPerIteration: 150, Iterations: 100,
	}
}
