package tcl

import (
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/belief"
	"nacre/rl/mql"
	"nacre/rl/rl2"
	"nacre/rl/varibad"
)

// Loss is TCL as a loss that is attached to the encoders of other algorithms. With PEARL it is the algorithm of package
// tclpearl.
func Loss() auxiliary.Loss {
	return auxiliary.Loss{
		Name: "tcl", Title: "TCL", About: "trajectory contrastive learning",
		Table: Table,
		New: func(c rl.Config, s auxiliary.Setting) (belief.Auxiliary, error) {
			return New(Of(c), s.Encoder, s.Slots)
		},
		Window: func(c rl.Config) int { return Of(c).Window },
		Small:  []string{"tcl.window=5"},
	}
}

func init() {
	for _, with := range []func(auxiliary.Loss) rl.Algorithm{mql.With, rl2.With, varibad.With} {
		rl.Builtin(with(Loss()))
	}
}
