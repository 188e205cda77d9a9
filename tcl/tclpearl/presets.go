package tclpearl

import (
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/suite"
	"nacre/tcl"
)

// column is one column of the table of PEARL's six configurations, with the numbers that the TCL paper adds. It belongs
// to the control at the same place of suite.Controls.
type column struct {
	metaBatch            int
	prior, extra         int
	updates, contextRows int
	nextObs              bool
	kl                   float64
	window               int     // TCL: W
	scale                float64 // TCL: contrastive loss scale
}

var columns = []column{
	{metaBatch: 4, prior: 1000, extra: 1000, updates: 2000, contextRows: 256, kl: 0.1, window: 128, scale: 1},
	{metaBatch: 16, prior: 400, extra: 600, updates: 2000, contextRows: 100, kl: 0.1, window: 64, scale: 1},
	{metaBatch: 16, prior: 400, extra: 600, updates: 4000, contextRows: 256, kl: 0.1, window: 128, scale: 5},
	{metaBatch: 4, prior: 400, extra: 600, updates: 4000, contextRows: 256, kl: 0.1, window: 64, scale: 1},
	{metaBatch: 10, prior: 400, extra: 600, updates: 4000, contextRows: 256, kl: 1, window: 128, scale: 1},
	{metaBatch: 10, prior: 400, extra: 600, updates: 4000, contextRows: 100, kl: 0.1, nextObs: true, window: 64,
		scale: 5},
}

// on configures TCL-PEARL for a benchmark, with the benchmark's own protocol, which is that of PEARL.
func on(c rl.Config, p pearl.Config, t tcl.Config) rl.Config {
	c.Algorithm = name
	pearl.Put(&c, p)
	tcl.Put(&c, t)
	return c
}

// settings returns the published settings of a column.
func (k column) settings() (pearl.Config, tcl.Config) {
	p, t := pearl.Default(), tcl.Default()
	p.MetaBatch, p.PriorSteps, p.ExtraPosteriorSteps = k.metaBatch, k.prior, k.extra
	p.UpdatesPerIteration, p.Context, p.NextObsInContext, p.KLWeight = k.updates, k.contextRows, k.nextObs, k.kl
	t.Window, t.Scale = k.window, k.scale
	return p, t
}

// metaWorld is the TCL paper's table for the fifty ML1 environments; the family is chosen with it. Training ends after
// one million environment steps, as in the paper's claims, not after its 50 epochs (1.4 million).
func metaWorld() rl.Config {
	p, t := pearl.Default(), tcl.Default()
	p.Latent, p.Hidden, p.EncoderHidden, p.Context = 7, 400, 400, 128
	p.MetaBatch, p.Batch, p.RewardScale = 16, 256, 10
	p.InitialSteps, p.TasksPerIteration, p.PriorSteps, p.ExtraPosteriorSteps = 4000, 15, 800, 800
	p.UpdatesPerIteration, p.Iterations = 4000, 34
	t.Window, t.Scale, t.Temperature = 64, 1, 1
	return on(suite.MetaWorld(), p, t)
}

// push is metaWorld for the study of the embeddings. Both algorithms see the same number of context rows: 64, the
// paper's window. The paper gives PEARL a context of 128 (its logs give PEARL 64, and TCL-PEARL 128). The rows of PEARL
// are independent transitions, those of TCL-PEARL consecutive ones.
func push() rl.Config {
	c := metaWorld()
	p := pearl.Of(c)
	p.Context = tcl.Of(c).Window
	pearl.Put(&c, p)
	c.Evaluation.Every = 2
	return c
}

// pushSmall has smaller settings than push: narrow networks, a quarter of the batch, 16 updates for 100 environment
// steps where the paper has 17, and less than half of the environment steps. The discount has a horizon of 20 steps, in
// which the hand goes 20 cm. The paper's networks get observations in metres and rewards from -0.3 to 2,000. With
// these, networks of the small size learn nothing within the budget. So they get both on another scale, and the
// temperature is learned, as in the authors' own runs.
func pushSmall() rl.Config {
	c := push()
	p := pearl.Of(c)
	p.Hidden, p.EncoderHidden, p.Batch = 128, 128, 64
	p.Observations, p.Rewards, p.Temperature, p.LRAlpha = "standardised", "symlog", "learned", 1e-3
	p.Discount, p.TargetTau, p.RewardScale = 0.95, 0.01, 5
	p.LRPolicy, p.LRQ, p.LRV, p.LREncoder = 1e-3, 1e-3, 1e-3, 1e-3
	p.InitialSteps, p.TasksPerIteration, p.PriorSteps, p.ExtraPosteriorSteps = 800, 10, 200, 200
	p.UpdatesPerIteration, p.Iterations = 640, 100
	pearl.Put(&c, p)
	c.Evaluation.Every = 10
	return c
}

// point has smaller settings for the point robot: narrow networks, contexts and windows within its 20 steps, a horizon
// of ten steps in the discount instead of a hundred, and targets and learning rates that follow faster.
func point(iterations, updates int) rl.Config {
	p, t := pearl.Default(), tcl.Default()
	p.Hidden, p.EncoderHidden, p.Layers, p.EncoderLayers = 64, 64, 2, 2
	p.MetaBatch, p.Batch, p.Context, t.Window = 16, 64, 16, 16
	p.Discount, p.TargetTau, p.RewardScale = 0.9, 0.02, 20
	p.LRPolicy, p.LRQ, p.LRV, p.LREncoder = 1e-3, 1e-3, 1e-3, 1e-3
	p.InitialSteps, p.PriorSteps, p.ExtraPosteriorSteps, p.TasksPerIteration = 200, 100, 100, 10
	p.UpdatesPerIteration, p.Iterations = updates, iterations
	return on(suite.Point(), p, t)
}

// cheetah has smaller settings for cheetah-vel: narrow networks, fewer tasks and smaller batches, a horizon of ten
// control steps in the discount, which is enough for a velocity, and targets and learning rates that follow faster.
func cheetah(iterations int) rl.Config {
	p, t := columns[1].settings()
	p.Hidden, p.EncoderHidden = 128, 64
	p.MetaBatch, p.Batch, p.Context = 8, 128, 64
	p.Discount, p.TargetTau, p.RewardScale = 0.9, 0.01, 10
	p.LRPolicy, p.LRQ, p.LRV, p.LREncoder = 1e-3, 1e-3, 1e-3, 1e-3
	p.InitialSteps, p.UpdatesPerIteration, p.Iterations = 400, 400, iterations
	return on(suite.Cheetah(), p, t)
}

// presets returns the presets by their prefixes. oyster/… are the six configurations published with PEARL; they train
// PEARL unless another algorithm is asked for. paper/… are the two tables of the TCL paper. quick/… and study/… are
// smaller settings that run in minutes on two cores. ml1/… are the trainings of the study of Meta-World push. authors/…
// are the trainings of the TCL authors' code (authors.go). With algorithm pearl they train PEARL.
func presets() []rl.PresetOf {
	var out []rl.PresetOf
	for i, k := range columns {
		control := suite.Controls[i]
		out = append(out, rl.PresetOf{Name: "oyster/" + control.Family, About: "as published with PEARL",
			Make: func() rl.Config {
				p, t := k.settings()
				c := on(control.Config(), p, t)
				c.Algorithm = "pearl"
				return c
			}}, rl.PresetOf{Name: "paper/" + control.Family, About: "the TCL paper's MuJoCo table",
			Make: func() rl.Config {
				p, t := k.settings()
				p.Context = max(p.Context, t.Window)
				return on(control.Config(), p, t)
			}})
	}
	out = append(out, authorsPresets()...)
	return append(out,
		rl.PresetOf{Name: "paper/ml1", About: "the TCL paper's Meta-World table; choose the family", Make: metaWorld},
		rl.PresetOf{Name: "ml1/push",
			About: "Meta-World push at the paper's scale, equal contexts for both algorithms: 136,000 updates",
			Make:  push},
		rl.PresetOf{Name: "ml1/push-small", About: "Meta-World push at a reduced size: 64,000 updates",
			Make: pushSmall},
		rl.PresetOf{Name: "quick/point-goal", About: "the point robot, half a minute a run: 8,000 updates",
			Make: func() rl.Config {
				return point(40, 200)
			}},
		rl.PresetOf{Name: "study/point-goal", About: "the point robot learned: 30,000 updates", Make: func() rl.Config {
			return point(120, 250)
		}},
		rl.PresetOf{Name: "quick/cheetah-vel", About: "half-cheetah velocity, a minute or two a run: 4,800 updates",
			Make: func() rl.Config { return cheetah(12) }},
		rl.PresetOf{Name: "study/cheetah-vel", About: "half-cheetah velocity at a reduced size: 48,000 updates",
			Make: func() rl.Config { return cheetah(120) }})
}
