package tclpearl

import (
	"nacre/core"
	"nacre/pearl"
	"nacre/rl/belief"
	"nacre/rl/benchmark"
	"nacre/tcl"
)

// NewBenchmark loads one complete update of PEARL with TCL's loss on the device d, and sets its weights and inputs.
func NewBenchmark(s benchmark.Size, d core.Device) (*pearl.Benchmark, error) {
	return pearl.NewBenchmark(s, d, &pearl.Further{
		Algorithm: name,
		Auxiliary: func(s benchmark.Size, enc belief.Encoder, metaBatch int) (belief.Auxiliary, error) {
			c := tcl.Default()
			c.Window = s.Window
			return tcl.New(c, enc, metaBatch)
		},
		Inputs: func(window func(stream uint64) []float64, weights []float64) map[string][]float64 {
			return map[string][]float64{"key_context": window(7), "key_weight": weights}
		},
		Figures: []string{"tcl_loss"}, Expected: expected,
	})
}

// expected has the numbers of the first three updates, by size, computed in float64 by an independent PyTorch 1.13
// program of the same update.
var expected = map[string][3]benchmark.Figures{
	"oyster": {
		{"kl": 141.469520619, "q_loss": 49.9809259627, "tcl_loss": 2.7725846354, "v_loss": 16.4225516168,
			"policy_loss": -4.01481131848, "grad_encoder": 2.59912918771, "grad_q1": 0.387106224664,
			"grad_q2": 0.398008099995, "grad_v": 18.8238031362, "grad_policy": 1.22024716177},
		{"kl": 141.246164344, "q_loss": 49.9758311483, "tcl_loss": 2.77258456449, "v_loss": 16.1879510485,
			"policy_loss": -4.00561799273, "grad_encoder": 2.60350733211, "grad_q1": 0.32445941679,
			"grad_q2": 0.32715763575, "grad_v": 18.7645557908, "grad_policy": 1.11127449086},
		{"kl": 141.016781685, "q_loss": 49.971628288, "tcl_loss": 2.77258452326, "v_loss": 16.0891034047,
			"policy_loss": -4.01301791627, "grad_encoder": 2.65058389814, "grad_q1": 0.268701993241,
			"grad_q2": 0.267675726426, "grad_v": 19.1214119236, "grad_policy": 1.03367111335},
	},
	"metaworld": {
		{"kl": 197.983740038, "q_loss": 199.917664104, "tcl_loss": 2.77258305689, "v_loss": 7.27063014684,
			"policy_loss": -2.65905091879, "grad_encoder": 4.01274185572, "grad_q1": 0.76955634335,
			"grad_q2": 0.800342420217, "grad_v": 14.1151942796, "grad_policy": 1.09868331705},
		{"kl": 197.300682854, "q_loss": 199.903976997, "tcl_loss": 2.77258320855, "v_loss": 7.06241657994,
			"policy_loss": -2.64737353909, "grad_encoder": 4.08830243558, "grad_q1": 0.67866424107,
			"grad_q2": 0.697586439544, "grad_v": 14.0826317003, "grad_policy": 0.939743368194},
		{"kl": 196.573738595, "q_loss": 199.891995207, "tcl_loss": 2.7725832737, "v_loss": 6.92646206483,
			"policy_loss": -2.65139166071, "grad_encoder": 4.30813210538, "grad_q1": 0.609847811003,
			"grad_q2": 0.619575289846, "grad_v": 14.4917536296, "grad_policy": 0.854680183864},
	},
}
