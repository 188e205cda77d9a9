package table

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// some reports whether one of the values is a T.
func some[T any](values []any) bool {
	return slices.ContainsFunc(values, func(v any) bool { _, is := v.(T); return is })
}

// valuesOf makes numbers or texts from the values of an array or a column; what says which. It notes what it converts.
// row is the row of value i, counted from 0.
func (f *File) valuesOf(what, name string, values []any, row func(i int) int) (v Values) {
	say := func(format string, args ...any) {
		f.note("%s %q %s", what, name, fmt.Sprintf(format, args...))
	}
	var texts, numbers, truth int
	for _, e := range values {
		switch e := e.(type) {
		case bool:
			truth++
		case json.Number, float64, whole64:
			numbers++
		case string:
			if !missing[strings.ToLower(e)] && !infinite(e) || e == "" {
				texts++
			}
		}
	}
	if texts == 0 && (numbers+truth > 0 || !some[string](values)) {
		return numbersIn(values, numbers, truth, row, say)
	}
	v.Text = make([]string, len(values))
	for i, e := range values {
		if e != nil && e != (notNumber{}) {
			v.Text[i] = wordOf(e)
		}
	}
	switch {
	case texts > 0 && numbers > 0:
		say("has numbers and text: it is text")
	case texts > 0 && truth > 0:
		say("has truth values and text: it is text")
	}
	return v
}

// numbersIn returns the values as numbers. They are numbers, truth values, or missing.
func numbersIn(values []any, numbers, truth int, row func(i int) int, say func(format string, args ...any)) (v Values) {
	var beyond, gaps seen
	v = Values{Num: make([]float64, len(values)), Bool: truth > 0 && numbers == 0}
	for i, e := range values {
		switch e := e.(type) {
		case bool:
			if e {
				v.Num[i] = 1
			}
		case json.Number, string, whole64:
			s := fmt.Sprint(e)
			n, ok := plain(s)
			if v.set(i, n.near, n.rest); !ok {
				v.Num[i] = absent(s)
			}
			if _, text := e.(string); text && !ok && !plainMissing(s) {
				gaps.see(s, i)
			}
			if n.beyond && s != tooLarge && s != "-"+tooLarge {
				beyond.see(s, i)
			}
		case float64:
			v.Num[i] = e
		case notNumber:
			v.Num[i] = math.NaN()
		default:
			v.Num[i] = vacant
		}
	}
	if truth > 0 && numbers > 0 {
		say("has truth values beside numbers: true is 1, false 0")
	}
	if gaps.n > 0 {
		say("has missing values: %s, first %q in row %d (counted from 0)", count(gaps.n, "value"), cut(gaps.cell),
			row(gaps.at))
	}
	if beyond.n > 0 {
		say("has %s too large to be kept exactly, first %s in row %d (counted from 0)", count(beyond.n, "value"),
			cut(beyond.cell), row(beyond.at))
	}
	return v
}

// whole64 is a whole number of 64 bits, as text.
type whole64 string

func infinite(s string) bool {
	n, ok := plain(s)
	return ok && math.IsInf(n.near, 0)
}

func wordOf(e any) string {
	switch e {
	case true:
		return "True"
	case false:
		return "False"
	}
	return fmt.Sprint(e)
}
