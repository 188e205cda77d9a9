package webgpu_test

import (
	"strings"
	"testing"

	"nacre/core/ref"
	"nacre/experiment/programs"
)

// Every program of every algorithm, run twice, agrees with the reference in outputs, parameters and the optimiser's state,
// and is the same bits when it is run again.
func TestPrograms(t *testing.T) {
	d := newDevice(t)
	for _, of := range programs.All(t) {
		t.Run(of.Algorithm, func(t *testing.T) {
			worst := 0.0
			for _, p := range of.Programs {
				params, inputs := programs.Content(t, p, of.Memory)
				want, got := programs.Execute(t, ref.Device, p, params, inputs, 2), programs.Execute(t, d, p, params, inputs, 2)
				for entry, w := range want {
					e := programs.Difference(got[entry], w)
					worst = max(worst, e)
					if !(e <= 5e-5) {
						t.Errorf("%s: %s is off by %.1e", p.Name, entry, e)
					}
				}
				if !strings.HasSuffix(p.Name, "update") {
					continue
				}
				for entry, x := range programs.Execute(t, d, p, params, inputs, 2) {
					if e := programs.Difference(x, got[entry]); e != 0 {
						t.Errorf("%s: %s is another by %.1e the second time", p.Name, entry, e)
					}
				}
			}
			t.Logf("%d programs, largest error %.1e", len(of.Programs), worst)
		})
	}
}
