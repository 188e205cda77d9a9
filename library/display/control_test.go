package display_test

import (
	"strings"
	"testing"
	"time"

	"nacre/library/display"
)

// Outside a notebook a control prints what it would show, and the variable keeps its value.
func ExampleSlider() {
	speed := 1.5
	display.Slider("target speed", &speed, 0, 5)
	// Output: target speed: 1.5 (0 to 5)
}

// What cannot be a control is one error that names the value and what was expected.
func TestControlErrors(t *testing.T) {
	x, n, small, s, b := 0.5, 3, int8(1), "lef", false
	var none *float64
	for want, err := range map[string]error{
		"Slider of a nil pointer; expected a pointer to a number":           display.Slider("a", none, 0, 1),
		"Slider of a float64; expected a pointer to a number":               display.Slider("a", x, 0, 1),
		"Slider of a *string; expected a pointer to a number":               display.Slider("a", &s, 0, 1),
		"Slider from 1 to 1; expected a range":                              display.Slider("a", &x, 1, 1),
		"Slider from 2 to 1; expected a range":                              display.Slider("a", &x, 2, 1),
		"in steps of 0; expected more than 0":                               display.Slider("a", &x, 0, 1, 0),
		"from 0 to 2.5 in steps of 1; expected whole numbers":               display.Slider("a", &n, 0, 2.5),
		"expected a range within that of int8":                              display.Slider("a", &small, 0, 300),
		`the slider "a" is at 0.5; expected 1 to 2`:                         display.Slider("a", &x, 1, 2),
		`the choice "a" is "lef", which is no option; did you mean "left"?`: display.Select("a", &s, "left", "right"),
		"Select among 0 options":                                            display.Select("a", &s),
		"option 1 of Select is 2, a int; expected a string":                 display.Select("a", &s, "lef", 2),
		"option 0 of Select is 0.5; expected a int":                         display.Select("a", &n, 0.5, 3),
		"Select of a *bool; expected a pointer to text or a number":         display.Select("a", &b, true),
		"Toggle of a nil pointer":                                           display.Toggle("a", nil),
		"Button of a nil pointer":                                           display.Button("a", nil),
		"TextField of a nil pointer":                                        display.TextField("a", nil),
		"the label of a control": display.Toggle(strings.Repeat("x", 300),
			&b),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	pause := 2 * time.Second // a type of its own, and options in a slice
	if err := display.Slider("pause", &pause, 0, 5e9, 1e9); err != nil {
		t.Error(err)
	}
	if err := display.Select("n", &n, []int{1, 2, 3}); err != nil {
		t.Error(err)
	}
}
