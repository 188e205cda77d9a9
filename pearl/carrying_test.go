package pearl_test

import (
	"testing"

	"nacre/rl"
	"nacre/rl/auxiliary/losses"
	"nacre/rl/rltest"
)

// PEARL with each of the losses is a learner like PEARL; its contexts are as long as the loss says.
func TestCarrying(t *testing.T) {
	for _, l := range losses.All() {
		settings := small
		if l.Window != nil {
			settings = append(settings[:len(settings):len(settings)], l.Name+".window=5")
		}
		t.Run(l.Name, func(t *testing.T) { rltest.Learner(t, "pearl-"+l.Name, settings...) })
		a, err := rl.Lookup("pearl-" + l.Name)
		if err != nil {
			t.Fatal(err)
		}
		c := rl.Default()
		c.Algorithm = a.Name
		if err := rl.Change(&c, settings...); err != nil {
			t.Fatal(err)
		}
		want := 6
		if l.Window != nil {
			want = 5
		}
		if got := a.Window(c); got != want {
			t.Errorf("%s: contexts of %d rows, want %d", l.Name, got, want)
		}
	}
}
