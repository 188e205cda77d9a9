//go:build unix

package quiet_test

import (
	"testing"

	"nacre/internal/home"
	"nacre/internal/quiet"
)

// Two may measure at once, and the last to end ends it; a queue is one.
func TestMeasuring(t *testing.T) {
	t.Setenv(home.Variable, t.TempDir())
	if quiet.Measuring() {
		t.Error("somebody measures in a new folder")
	}
	first, second := quiet.Measure(), quiet.Measure()
	first()
	if !quiet.Measuring() {
		t.Error("the second measures, and nobody is said to")
	}
	second()
	if quiet.Measuring() {
		t.Error("both have ended, and somebody is said to measure")
	}
	q, err := quiet.Queue()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := quiet.Queue(); err == nil {
		t.Error("two queues at once")
	}
	q.Close()
	if q, err = quiet.Queue(); err != nil {
		t.Errorf("after the first has ended: %v", err)
	} else {
		q.Close()
	}
}
