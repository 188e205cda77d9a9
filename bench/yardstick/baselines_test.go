package yardstick

import (
	"math"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/ref"
)

type update interface {
	Names() []string
	Expected(step int) Figures
	Update(step int) (Figures, error)
	Close() error
}

// Three epochs of RL²-PPO in float32, and cycles of MQL and updates of the oracle in float64 and in float32, have the
// figures of PyTorch in float64. RL²'s in float64 are compared by nacre bench update --algo rl2 --check: the reference takes seconds for them.
func TestBaselines(t *testing.T) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		device    core.Device
		make      func(core.Device) (update, error)
		tolerance float64
		updates   int
	}{
		"rl2 in float32":    {d, func(d core.Device) (update, error) { return NewRL2(Oyster, d) }, 1e-4, 3},
		"oracle in float32": {d, func(d core.Device) (update, error) { return NewOracle(MetaWorld, d) }, 1e-4, 3},
		"oracle in float64": {ref.Device, func(d core.Device) (update, error) { return NewOracle(Oyster, d) }, 1e-9, 2},
		"mql in float32":    {d, func(d core.Device) (update, error) { return NewMQL(MetaWorld, d) }, 1e-4, 3},
		"mql in float64":    {ref.Device, func(d core.Device) (update, error) { return NewMQL(MetaWorld, d) }, 1e-9, 3},
	} {
		y, err := c.make(c.device)
		if err != nil {
			t.Fatal(err)
		}
		for step := range c.updates {
			got, err := y.Update(step)
			if err != nil {
				t.Fatal(err)
			}
			for _, figure := range y.Names() {
				if want := y.Expected(step)[figure]; !(math.Abs(got[figure]/want-1) <= c.tolerance) {
					t.Errorf("%s: %s of update %d is %.12g, PyTorch has %.12g", name, figure, step, got[figure], want)
				}
			}
		}
		if err := y.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
