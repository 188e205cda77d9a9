package kernel_test

import (
	"slices"
	"testing"
	"time"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// The entry that is wanted is among the first five.
func TestPositions(t *testing.T) {
	s := start(t)
	for _, c := range kerneltest.PositionCells {
		if reply, _ := kerneltest.Execute(s, c); reply.Error != nil {
			t.Fatal(reply.Error.Message)
		}
	}
	for name, list := range map[string][]kerneltest.Position{"script": kerneltest.Positions, "fresh": kerneltest.FreshPositions, "later": kerneltest.LaterPositions} {
		found, began := 0, time.Now()
		for _, p := range list {
			text, cursor := at(p.Code)
			first := firstFive(s.Draft().Complete(text, cursor))
			if slices.Contains(first, p.Want) {
				found++
			} else {
				t.Logf("%s: %q is not among the first of %q", name, p.Want, p.Code)
				t.Logf("\t%q", first)
			}
		}
		t.Logf("%s: %d of %d, %v each", name, found, len(list), (time.Since(began) / time.Duration(len(list))).Round(10*time.Microsecond))
		if found < len(list)*11/12 {
			t.Errorf("%s: %d of %d positions have their entry among the first five, want 55 of 60", name, found, len(list))
		}
	}
}

func firstFive(c kernel.Completion) []string {
	var list []string
	for _, m := range c.Matches[:min(5, len(c.Matches))] {
		list = append(list, m.Text)
	}
	return list
}
