package table

import (
	"math"
	"slices"

	"nacre/internal/whole"
)

// beyondExact reports whether a number is one that Rest is for.
func beyondExact(v float64) bool {
	return math.Abs(v) >= whole.Exact && v == math.Trunc(v) && math.Abs(v) <= 1<<64
}

// addLists adds a column of lists, whose values lie one after another, as the columns name0, name1, …, or name0_0, … of
// lists of lists of the shape inner.
func (f *File) addLists(name string, v Values, lengths, inner []int) {
	width, least := 0, math.MaxInt
	if len(lengths) > 0 {
		width, least = slices.Max(lengths), slices.Min(lengths)
	}
	if width == 0 {
		f.note("left out: %s (empty lists)", name)
		return
	}
	if width*len(lengths) > maxSparse && width*len(lengths) > 100*v.Len() {
		f.note("left out: %s (lists of %d to %d values)", name, least, width)
		return
	}
	if least < width {
		f.note("column %q has lists of %d to %d values: shorter ones end with missing values", name, least, width)
	}
	shape := []int{width}
	for _, s := range inner {
		shape[0] /= s
	}
	shape = append(shape, inner...)
	at := make([]int, len(lengths))
	for j := range width {
		first := 0
		for i, n := range lengths {
			if at[i] = -1; j < n {
				at[i] = first + j
			}
			first += n
		}
		f.Arrays = append(f.Arrays, Array{Name: name + place(j, shape), Shape: []int{len(lengths)}, Values: v.Pick(at)})
	}
}
