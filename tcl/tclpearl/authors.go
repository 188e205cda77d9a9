package tclpearl

import (
	"nacre/core/feed"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/suite"
	"nacre/tcl"
)

// authorsPEARL is the configuration that the TCL authors ran as PEARL on Meta-World, by their public code:
// Simon0xzx/garage, branch simon_work_branch, examples/simon_paper/pearl_paper_ml1.py (sizes and schedule) and
// garage/torch/algos/pearl.py (the update and its learning rates); Simon0xzx/tcl has the same in training/pearl_ml1.py
// and algos/pearl_sac2.py. It differs from published PEARL in these points: targets from two trailing Q networks, a
// temperature per train task, z inferred anew for the policy, garage's initial weights, regularisers without gradient,
// and one defect. Steps are counted in whole trajectories: 750 steps become four trajectories of 200. The launchers run
// 100 epochs, of 24,000 steps each after the first 200,000.
func authorsPEARL() pearl.Config {
	p := pearl.Default()
	p.Latent, p.Hidden, p.EncoderHidden, p.Context = 7, 400, 200, 64
	p.MetaBatch, p.Batch, p.RewardScale, p.KLWeight = 16, 256, 10, 0.1
	p.InitialSteps, p.TasksPerIteration, p.PriorSteps, p.ExtraPosteriorSteps = 4000, 15, 750, 750
	p.UpdatesPerIteration, p.Iterations = 4000, 100
	p.Critic, p.Temperature, p.AlphaLoss, p.ActorLatent, p.Init = "target-q", "per-task", "linear", "redrawn", "xavier"
	p.DetachedReg, p.PooledTemperature = true, true
	return p
}

// authorsTCL is the configuration that they ran as TCL-PEARL: examples/simon_paper/curl_paper_ml1.py and
// garage/torch/algos/curl.py there, with garage/torch/embeddings/contrastive_encoder.py; training/tcl_pearl_ml1.py and
// algos/tcl_pearl.py in Simon0xzx/tcl, which labels and averages in another way (README.md). It is authorsPEARL with
// three changes. The encoder has twice three layers of 400; query and key share the first three. Contexts are windows
// of 128. The loss contrasts single transitions of two further windows of the task, by the encoder's outputs before
// softplus.
func authorsTCL() (pearl.Config, tcl.Config) {
	p, t := authorsPEARL(), tcl.Default()
	p.EncoderHidden, p.EncoderLayers, p.Context = 400, 6, 128
	t.Window, t.Scale, t.Temperature, t.Tau = 128, 1, 1, 0.005
	t.Pair, t.Crop, t.Query = feed.SameTask, "exclusive", "own"
	t.Contrast, t.Sigma = "transitions", "raw"
	t.SharedLayers, t.KeyGradient, t.ColumnMaximum = 3, true, true
	return p, t
}

// authors is Meta-World with their evaluation: fifty train tasks, ten test tasks, garage's protocol of 2020 with mean
// actions.
func authors(algorithm string, p pearl.Config, t tcl.Config) rl.Config {
	c := suite.MetaWorld().For(algorithm, "garage-2020-old")
	pearl.Put(&c, p)
	tcl.Put(&c, t)
	return c
}

// authorsPresets returns the presets authors/… of the package's documentation. authors/pearl-windows is
// authors/tcl-pearl without its loss.
func authorsPresets() []rl.PresetOf {
	return []rl.PresetOf{
		{Name: "authors/pearl", About: "PEARL as the TCL authors' code runs it on Meta-World; choose the family",
			Make: func() rl.Config {
				return authors("pearl", authorsPEARL(), tcl.Default())
			}},
		{Name: "authors/tcl-pearl",
			About: "TCL-PEARL as the TCL authors' code runs it on Meta-World; choose the family",
			Make: func() rl.Config {
				p, t := authorsTCL()
				return authors(name, p, t)
			}},
		{Name: "authors/pearl-windows", About: "authors/tcl-pearl without its loss", Make: func() rl.Config {
			p, t := authorsTCL()
			return authors(Windows, p, t)
		}},
	}
}
