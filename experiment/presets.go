package experiment

import (
	"fmt"
	"slices"

	"nacre/internal/nearest"
	"nacre/pearl"
	"nacre/rl/maml"
	"nacre/rl/mql"
	"nacre/rl/oracle"
	"nacre/rl/protocol"
	"nacre/rl/rl2"
	"nacre/tcl"
)

// A preset is a named starting point: oyster/… are the six configurations published with PEARL, paper/… the two
// tables of the TCL paper, quick/… and study/… stated reductions that run in minutes on two cores, ml1/… what the study
// of Meta-World push trains.
type preset struct {
	name  string
	about string
	make  func() Config
}

// control is one column of the table of PEARL's six configurations.
type control struct {
	family                      string
	train, test                 int
	metaBatch                   int
	prior, extra                int
	updates, evals, contextRows int
	nextObs                     bool
	kl                          float64
	window                      int     // TCL: W
	scale                       float64 // TCL: contrastive loss scale
}

var controls = []control{
	{family: "cheetah-dir", train: 2, test: 2, metaBatch: 4, prior: 1000, extra: 1000, updates: 2000, evals: 4, contextRows: 256, kl: 0.1, window: 128, scale: 1},
	{family: "cheetah-vel", train: 100, test: 30, metaBatch: 16, prior: 400, extra: 600, updates: 2000, evals: 1, contextRows: 100, kl: 0.1, window: 64, scale: 1},
	{family: "humanoid-dir", train: 100, test: 30, metaBatch: 16, prior: 400, extra: 600, updates: 4000, evals: 1, contextRows: 256, kl: 0.1, window: 128, scale: 5},
	{family: "ant-dir", train: 2, test: 2, metaBatch: 4, prior: 400, extra: 600, updates: 4000, evals: 4, contextRows: 256, kl: 0.1, window: 64, scale: 1},
	{family: "ant-goal", train: 150, test: 30, metaBatch: 10, prior: 400, extra: 600, updates: 4000, evals: 1, contextRows: 256, kl: 1, window: 128, scale: 1},
	{family: "walker-rand-params", train: 40, test: 10, metaBatch: 10, prior: 400, extra: 600, updates: 4000, evals: 2, contextRows: 100, kl: 0.1, nextObs: true, window: 64, scale: 5},
}

// base is what all runs share.
func base() Config {
	return Config{
		Algorithm: "tcl-pearl", Device: "cpu", CheckpointEvery: 1,
		Evaluation: Evaluation{Every: 1, Protocol: mustProtocol("oyster")},
		Pearl:      pearl.Default(), TCL: tcl.Default(), Oracle: oracle.Default(), MAML: maml.Default(),
		RL2: rl2.Default(), MQL: mql.Default(),
	}
}

// mustProtocol returns a protocol that package protocol is known to have.
func mustProtocol(name string) protocol.Protocol {
	p, err := protocol.Preset(name)
	if err != nil {
		panic(err)
	}
	return p
}

// config is the published configuration of a control.
func (k control) config() Config {
	c := base()
	c.Family, c.TrainTasks, c.TestTasks = k.family, k.train, k.test
	c.Evaluation.Protocol.Repeats = k.evals
	p := &c.Pearl
	p.MetaBatch, p.PriorSteps, p.ExtraPosteriorSteps = k.metaBatch, k.prior, k.extra
	p.UpdatesPerIteration, p.Context, p.NextObsInContext, p.KLWeight = k.updates, k.contextRows, k.nextObs, k.kl
	c.TCL.Window, c.TCL.Scale = k.window, k.scale
	return c
}

// metaWorld is the TCL paper's table for the fifty ML1 environments; the family is chosen with it. One million
// environment steps end training, as the paper's claims do, not its 50 epochs (1.4 million).
func metaWorld() Config {
	c := base()
	c.Family, c.TrainTasks, c.TestTasks = "ml1/push", 50, 10
	c.Evaluation.Protocol = mustProtocol("garage-ml1")
	p := &c.Pearl
	p.Latent, p.Hidden, p.EncoderHidden, p.Context = 7, 400, 400, 128
	p.MetaBatch, p.Batch, p.RewardScale = 16, 256, 10
	p.InitialSteps, p.TasksPerIteration, p.PriorSteps, p.ExtraPosteriorSteps = 4000, 15, 800, 800
	p.UpdatesPerIteration, p.Iterations = 4000, 34
	c.TCL.Window, c.TCL.Scale, c.TCL.Temperature = 64, 1, 1
	return c
}

// push is metaWorld for the study of the embeddings: both algorithms see as many context rows, the paper's window of 64,
// where the paper gives PEARL a context of 128 (its logs give it 64, and TCL-PEARL 128). As many, not the same kind:
// PEARL's are independent transitions, TCL-PEARL's consecutive ones.
func push() Config {
	c := metaWorld()
	c.Pearl.Context = c.TCL.Window
	c.Evaluation.Every = 2
	return c
}

// pushSmall is a reduction of push: narrow networks, a quarter of the batch, 16 updates for 100 environment steps
// where the paper has 17, and less than half of the environment steps. The discount has a horizon of 20 steps, in which
// the hand goes 20 cm. As the paper feeds them, observations in metres and rewards from -0.3 to 2,000, networks of this
// size learn nothing within the budget, so they see both on another scale, and the temperature is learned, as in the
// authors' own runs.
func pushSmall() Config {
	c := push()
	p := &c.Pearl
	p.Hidden, p.EncoderHidden, p.Batch = 128, 128, 64
	p.Observations, p.Rewards, p.Temperature, p.LRAlpha = "standardised", "symlog", "learned", 1e-3
	p.Discount, p.TargetTau, p.RewardScale = 0.95, 0.01, 5
	p.LRPolicy, p.LRQ, p.LRV, p.LREncoder = 1e-3, 1e-3, 1e-3, 1e-3
	p.InitialSteps, p.TasksPerIteration, p.PriorSteps, p.ExtraPosteriorSteps = 800, 10, 200, 200
	p.UpdatesPerIteration, p.Iterations = 640, 100
	c.Evaluation.Every = 10
	return c
}

// point is a reduction for the point robot: narrow networks, contexts and windows within its 20 steps, a horizon of
// ten steps in the discount instead of a hundred, and targets and learning rates that follow faster.
func point(iterations, updates int) Config {
	c := base()
	c.Family, c.TrainTasks, c.TestTasks = "point-goal", 40, 10
	p := &c.Pearl
	p.Hidden, p.EncoderHidden, p.Layers, p.EncoderLayers = 64, 64, 2, 2
	p.MetaBatch, p.Batch, p.Context, c.TCL.Window = 16, 64, 16, 16
	p.Discount, p.TargetTau, p.RewardScale = 0.9, 0.02, 20
	p.LRPolicy, p.LRQ, p.LRV, p.LREncoder = 1e-3, 1e-3, 1e-3, 1e-3
	p.InitialSteps, p.PriorSteps, p.ExtraPosteriorSteps, p.TasksPerIteration = 200, 100, 100, 10
	p.UpdatesPerIteration, p.Iterations = updates, iterations
	c.Evaluation.Every = 5
	return c
}

// cheetah is a reduction for cheetah-vel: narrow networks, fewer tasks and smaller batches, a horizon of ten control
// steps in the discount, which a velocity needs no more than, and targets and learning rates that follow faster.
func cheetah(iterations int) Config {
	c := controls[1].config()
	c.TrainTasks, c.TestTasks = 40, 10
	p := &c.Pearl
	p.Hidden, p.EncoderHidden = 128, 64
	p.MetaBatch, p.Batch, p.Context = 8, 128, 64
	p.Discount, p.TargetTau, p.RewardScale = 0.9, 0.01, 10
	p.LRPolicy, p.LRQ, p.LRV, p.LREncoder = 1e-3, 1e-3, 1e-3, 1e-3
	p.InitialSteps, p.UpdatesPerIteration, p.Iterations = 400, 400, iterations
	c.Evaluation.Every = 4
	return c
}

// told makes a preset of its oracle: the same family and tasks, scored without exploration.
func told(c Config, o oracle.Config) Config {
	c.Algorithm, c.Oracle = "oracle", o
	repeats := c.Evaluation.Protocol.Repeats
	c.Evaluation.Protocol = mustProtocol("oracle")
	c.Evaluation.Protocol.Repeats = repeats
	return c
}

// oraclePresets are garage's multi-task SAC for a million steps on the families and tasks of the published tables.
func oraclePresets() []preset {
	out := []preset{{"oracle/ml1", "Meta-World, told the goal, as in garage; choose the family", func() Config { return told(metaWorld(), oracle.Default()) }}}
	for _, k := range controls {
		out = append(out, preset{"oracle/" + k.family, "told the task, multi-task SAC as in garage", func() Config { return told(k.config(), oracle.Default()) }})
	}
	return out
}

// pointOracle and cheetahOracle are reductions with the widths, discounts and learning rates of point and cheetah.
func pointOracle(iterations, updates int) Config {
	o := oracle.Default()
	o.Hidden, o.Layers, o.MetaBatch, o.Batch = 64, 2, 16, 16
	o.Discount, o.TargetTau, o.LRPolicy, o.LRQ, o.LRAlpha = 0.9, 0.02, 1e-3, 1e-3, 1e-3
	o.InitialSteps, o.TasksPerIteration, o.StepsPerTask = 200, 10, 100
	o.UpdatesPerIteration, o.Iterations = updates, iterations
	return told(point(1, 1), o)
}

func cheetahOracle(iterations int) Config {
	o := oracle.Default()
	o.Hidden, o.MetaBatch, o.Batch = 128, 8, 64
	o.Discount, o.TargetTau, o.RewardScale, o.LRPolicy, o.LRQ, o.LRAlpha = 0.9, 0.01, 10, 1e-3, 1e-3, 1e-3
	o.InitialSteps, o.TasksPerIteration, o.StepsPerTask = 400, 5, 400
	o.UpdatesPerIteration, o.Iterations = 400, iterations
	return told(cheetah(1), o)
}

func presets() []preset {
	var out []preset
	for _, k := range controls {
		out = append(out, preset{"oyster/" + k.family, "as published with PEARL", k.config})
	}
	for _, k := range controls {
		out = append(out, preset{"paper/" + k.family, "the TCL paper's MuJoCo table", func() Config {
			c := k.config()
			if k.window > k.contextRows {
				c.Pearl.Context = k.window
			}
			return c
		}})
	}
	out = append(out, mamlPresets()...)
	out = append(out, rl2Presets()...)
	out = append(out, mqlPresets()...)
	out = append(out, oraclePresets()...)
	return append(out,
		preset{"paper/ml1", "the TCL paper's Meta-World table; choose the family", metaWorld},
		preset{"ml1/push", "Meta-World push at the paper's scale, equal contexts for both algorithms: 136,000 updates", push},
		preset{"ml1/push-small", "Meta-World push at a reduced size: 64,000 updates", pushSmall},
		preset{"quick/point-goal", "the point robot in half a minute: 8,000 updates", func() Config { return point(40, 200) }},
		preset{"study/point-goal", "the point robot learned: 30,000 updates", func() Config { return point(120, 250) }},
		preset{"quick/point-goal-oracle", "the point robot, told its goal: 4,000 updates", func() Config { return pointOracle(40, 100) }},
		preset{"quick/cheetah-vel", "half-cheetah velocity in a minute or two: 4,800 updates", func() Config { return cheetah(12) }},
		preset{"study/cheetah-vel", "half-cheetah velocity at a reduced size: 48,000 updates", func() Config { return cheetah(120) }},
		preset{"study/cheetah-vel-oracle", "half-cheetah, told its velocity: 48,000 updates", func() Config { return cheetahOracle(120) }})
}

// Presets lists the names with a line each.
func Presets() (names, about []string) {
	for _, p := range presets() {
		names, about = append(names, p.name), append(about, p.about)
	}
	return names, about
}

// Preset returns a configuration by name. The error of an unknown name carries the nearest one.
func Preset(name string) (Config, error) {
	all := presets()
	if i := slices.IndexFunc(all, func(p preset) bool { return p.name == name }); i >= 0 {
		c := all[i].make()
		c.Preset = name
		return c, nil
	}
	names, _ := Presets()
	return Config{}, fmt.Errorf("preset %q does not exist%s", name, nearest.Hint(name, names))
}
