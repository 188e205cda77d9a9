package maml

// The choices of Config.Value.
const (
	linear  = "linear"
	mlp     = "mlp"
	mlpOnce = "mlp-once"
)

// The choices of Config.Surrogate.
const (
	ratio   = "ratio"
	logProb = "log-prob"
)

// Config holds every choice of the algorithm that changes a result. Default returns garage's values for Meta-World,
// without garage's defects. In the settings' comments "(garage's)" marks the choice that repeats such a defect.
type Config struct {
	Hidden  int     `toml:"hidden" range:"[1,4096]" comment:"width of the policy, tanh"`
	Layers  int     `toml:"layers" range:"[1,16]" comment:"hidden layers"`
	InitStd float64 `toml:"init_std" range:"[1e-6,1e3]" comment:"initial standard deviation of continuous actions"`
	MinStd  float64 `toml:"min_std" range:"[1e-9,1e3]" comment:"its lower bound"`

	ActionScale float64 `toml:"action_scale" range:"(0,1e3]" comment:"outputs of ± this are the ends of the range of continuous actions"`

	MetaBatch  int     `toml:"meta_batch" range:"[1,1024]" comment:"tasks per iteration"`
	Episodes   int     `toml:"episodes" range:"[1,10000]" comment:"per task, before the inner step and again after it"`
	InnerLR    float64 `toml:"inner_lr" range:"(0,1e6]" comment:"α of θ' = θ − α∇L(θ)"`
	FirstOrder bool    `toml:"first_order" comment:"take ∂θ'/∂θ for the identity"`

	Discount   float64 `toml:"discount" range:"[0,1]" comment:"γ"`
	GAELambda  float64 `toml:"gae_lambda" range:"[0,1]" comment:"λ of the generalised advantages"`
	Advantages string  `toml:"advantages" oneof:"std variance raw" comment:"divided by their deviation, their variance (garage's) or nothing"`
	Surrogate  string  `toml:"surrogate" oneof:"ratio log-prob" comment:"of the meta-objective: importance ratios or plain log-probabilities (garage's)"`

	Value       string  `toml:"value" oneof:"linear mlp mlp-once" comment:"least squares on each task's batch; a network kept and trained; or one restarted before each batch and stepped once (garage's)"`
	ValueHidden int     `toml:"value_hidden" range:"[1,4096]" comment:"width of the value network, 2 tanh layers"`
	ValueLR     float64 `toml:"value_lr" range:"(0,1]" comment:"learning rate of Adam, value network"`
	ValueSteps  int     `toml:"value_steps" range:"[1,1e6]" comment:"steps of the value network per task's batch, unless mlp-once"`
	Ridge       float64 `toml:"ridge" range:"(0,1e9]" comment:"of the least squares"`

	MaxKL         float64 `toml:"max_kl" range:"(0,1e6]" comment:"bound of the mean KL of the adapted policies, old to new"`
	CGIterations  int     `toml:"cg_iterations" range:"[1,10000]" comment:"of conjugate gradient"`
	CGResidual    float64 `toml:"cg_residual" range:"[0,1]" comment:"squared residual at which it stops"`
	CGDamping     float64 `toml:"cg_damping" range:"[0,1e6]" comment:"added to the diagonal of the Hessian"`
	Backtrack     float64 `toml:"backtrack" range:"(0,1)" comment:"ratio of successive steps in the line search"`
	MaxBacktracks int     `toml:"max_backtracks" range:"[1,1000]" comment:"steps tried at most"`

	Iterations int `toml:"iterations" range:"[1,1e6]" comment:"meta-updates"`
}

// Default is garage's MAML-TRPO for Meta-World: 20 tasks of 10 + 10 episodes. A meta-update takes 80,000 steps of
// environments with a horizon of 200.
func Default() Config {
	return Config{
		Hidden: 100, Layers: 2, InitStd: 1, MinStd: 1e-6, ActionScale: 1, MetaBatch: 20, Episodes: 10, InnerLR: 0.1,
		Discount: 0.99, GAELambda: 1, Advantages: "std", Surrogate: ratio,
		Value: linear, ValueHidden: 32, ValueLR: 1e-2, ValueSteps: 10, Ridge: 1e-5,
		MaxKL: 0.01, CGIterations: 10, CGResidual: 1e-10, CGDamping: 1e-5, Backtrack: 0.8, MaxBacktracks: 15,
		Iterations: 13,
	}
}
