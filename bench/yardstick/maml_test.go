package yardstick

import (
	"math"
	"testing"

	"nacre/core/cpu"
)

// The meta-update in float32 gives the figures of PyTorch in float64. In float64 nacre bench update --algo maml --check
// compares them to 1e-7, which takes the reference executor minutes.
func TestMetaUpdate(t *testing.T) {
	d, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	y, err := NewMeta(Oyster, d)
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	got, err := y.Update(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range y.Names() {
		if want := y.Expected(0)[name]; !(math.Abs(got[name]/want-1) <= 1e-4) {
			t.Errorf("%s = %.9g, want %.9g", name, got[name], want)
		}
	}
}
