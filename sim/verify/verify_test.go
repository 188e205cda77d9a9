package verify

import (
	"testing"

	"nacre/sim"
	_ "nacre/sim/controls"
)

func TestControls(t *testing.T) {
	refs, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range refs.Names() {
		f, err := sim.Lookup(name)
		if err != nil {
			t.Log(err)
			continue
		}
		r, err := refs.Check(f, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", r)
	}
}
