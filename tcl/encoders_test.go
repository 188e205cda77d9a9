package tcl_test

import (
	"strings"
	"testing"

	"nacre/internal/heavy"
	"nacre/rl/auxiliary"
	"nacre/rl/belief"
	"nacre/rl/rltest"
	"nacre/rl/varibad"
	"nacre/tcl"
)

// MQL, RL² and VariBAD with TCL are learners like those without.
func TestCarried(t *testing.T) {
	for algorithm := range rltest.Recurrent() {
		t.Run(algorithm, func(t *testing.T) {
			if algorithm != "varibad" {
				heavy.Skip(t, "trains every algorithm with TCL")
			}
			rltest.Carried(t, algorithm, tcl.Loss())
		})
	}
}

// TCL keeps the contract of a loss on products of Gaussians, on encoders that give points, and on VariBAD's.
func TestOnEveryKindOfEncoder(t *testing.T) {
	v := varibad.Default()
	v.Embed, v.Memory, v.Latent = 3, 4, 2
	encoders := rltest.Encoders()
	encoders["VariBAD"] = varibad.NewEncoder(v, 3, 2)
	for name, change := range map[string]func(*tcl.Config){
		"default": func(*tcl.Config) {},
		"own":     func(c *tcl.Config) { c.Query, c.Sampling, c.Negatives = "own", "rows", "mask-same-task" },
	} {
		c := tcl.Default()
		c.Window = 6
		change(&c)
		t.Run(name, func(t *testing.T) {
			rltest.Auxiliary(t, func(on auxiliary.Setting) (belief.Auxiliary, error) {
				return tcl.New(c, on.Encoder, on.Slots)
			}, encoders)
		})
	}
	c := tcl.Default()
	c.Contrast = "transitions"
	_, err := tcl.New(c, encoders["recurrent"], 4)
	if err == nil || !strings.Contains(err.Error(), "single transition") {
		t.Errorf("transitions of a recurrent encoder: error %v", err)
	}
}
