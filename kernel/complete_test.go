package kernel_test

import (
	"slices"
	"testing"
)

func TestIsComplete(t *testing.T) {
	s := start(t)
	for code, want := range map[string]string{
		"":                 "complete",
		"x := 1":           "complete",
		"func f() {":       "incomplete",
		"x := []int{1,\n2": "incomplete",
		"x +":              "incomplete",
		"s := `open":       "incomplete",
		"x := )":           "invalid",
		"func f() {}":      "complete",
		"for {\n}":         "complete",
		"x := := 2":        "invalid",
	} {
		if got := s.IsComplete(code); got.Status != want {
			t.Errorf("%q: %s, want %s", code, got.Status, want)
		}
	}
}

func TestVariables(t *testing.T) {
	s := start(t)
	execute(s, "type P struct{ A int }\nb := []float64{1, 2}\na := \"text\"\nc := P{3}\nfunc f() {}")
	var got []string
	for _, v := range s.Variables() {
		got = append(got, v.Name+" "+v.Type+" "+v.Value)
	}
	want := []string{`a string "text"`, "b []float64 [1 2]", "c P {A:3}"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
