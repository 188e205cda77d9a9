package pearl

import (
	"slices"

	"nacre/core"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/auxiliary/losses"
	"nacre/rl/belief"
	"nacre/rl/benchmark"
)

// Table is the table of a run's configuration that PEARL, and every algorithm built on PEARL, reads.
var Table = rl.Table{Name: "pearl", Default: Default()}

// Of returns PEARL's settings of a run.
func Of(c rl.Config) Config { return c.Get(Table).(Config) }

// Put writes PEARL's settings into a run's configuration.
func Put(c *rl.Config, own Config) { c.Put(Table, own) }

// Schedule returns the number of iterations of a run and the number of gradient updates per iteration.
func Schedule(c rl.Config) (iterations, updates int) {
	own := Of(c)
	return own.Iterations, own.UpdatesPerIteration
}

// Acts lists the networks with which a learner made by New adapts and acts.
func Acts() []string { return []string{"encoder", "policy", "obs"} }

// Small returns the settings of PEARL's table for tests on devices.
func Small() []string {
	return []string{
		"pearl.latent=3", "pearl.hidden=29", "pearl.encoder_hidden=21", "pearl.meta_batch=4", "pearl.batch=70",
		"pearl.context=65",
		"pearl.pre_tanh_reg=0.01",
	}
}

// Variants returns settings of PEARL's table that make its variants. "authors" is the TCL authors' soft actor-critic;
// "per-task" is PEARL with one temperature per task.
func Variants() map[string][]string {
	return map[string][]string{"authors": {
		"pearl.critic=target-q", "pearl.temperature=per-task", "pearl.alpha_loss=linear", "pearl.actor_latent=redrawn",
		"pearl.init=xavier",
		"pearl.defect_pooled_temperature=true", "pearl.defect_detached_reg=true",
	}, "per-task": {"pearl.temperature=per-task"}}
}

// NewWith does what New does and adds the loss l of package rl/auxiliary to the encoder. The settings of l are in c.
func NewWith(l auxiliary.Loss, own Config, c rl.Config, s rl.Setup) (*Learner, error) {
	return New(own, s, func(enc belief.Encoder, metaBatch int) (belief.Auxiliary, error) {
		return l.New(c, auxiliary.Setting{Encoder: enc, Slots: metaBatch, Train: len(s.Train), Obs: s.Spec.ObsDim,
			Act: s.Spec.ActDim, Context: contextDraw(own, nil), Seed: s.Seed})
	})
}

// carrying is PEARL whose encoder has a loss besides.
func carrying(l auxiliary.Loss) rl.Algorithm {
	window := l.Window
	if window == nil {
		window = func(c rl.Config) int { return Of(c).Context }
	}
	return rl.Algorithm{
		Name: "pearl-" + l.Name, Title: "PEARL + " + l.Title,
		About:    "PEARL with a loss on its context encoder: " + l.About,
		Tables:   []rl.Table{Table, l.Table},
		Schedule: Schedule,
		Length:   "pearl.iterations",
		Protocol: "oyster",
		Small:    slices.Concat(Small(), l.Small),
		Variants: l.Variants,
		New:      func(c rl.Config, s rl.Setup) (rl.Learner, error) { return NewWith(l, Of(c), c, s) },
		Window:   window,
		Acts:     Acts(),
	}
}

func init() {
	rl.Builtin(rl.Algorithm{
		Name: "pearl", Title: "PEARL",
		About:     "probabilistic context embeddings and soft actor-critic; its presets are those of tcl-pearl",
		Tables:    []rl.Table{Table},
		Schedule:  Schedule,
		Length:    "pearl.iterations",
		Protocol:  "oyster",
		Small:     Small(),
		Variants:  Variants(),
		New:       func(c rl.Config, s rl.Setup) (rl.Learner, error) { return New(Of(c), s, nil) },
		Window:    func(c rl.Config) int { return Of(c).Context },
		Acts:      Acts(),
		Benchmark: func(s benchmark.Size, d core.Device) (benchmark.Update, error) { return NewBenchmark(s, d, nil) },
	})
	for _, l := range losses.All() {
		rl.Builtin(carrying(l))
	}
}
