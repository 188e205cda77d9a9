package table

import (
	"fmt"
	"math"
	"slices"
)

// addLists adds a column of lists as the columns name0, name1, …. If the lists hold lists of the shape inner, they are
// name0_0, …. The values of all lists follow one another.
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

// addValues adds a column of numbers or of text. If the values are lists, it adds several columns. odd gets the reason
// if they cannot be columns.
func (f *File) addValues(name string, values []any, odd *[]string) {
	if some[object](values) {
		*odd = append(*odd, name+" (objects beside other values)")
		return
	}
	if !some[[]any](values) {
		v := f.valuesOf("column", name, values, func(i int) int { return i })
		f.Arrays = append(f.Arrays, Array{Name: name, Shape: []int{len(values)}, Values: v})
		return
	}
	rows, inner, why := ragged(values)
	if why != "" {
		*odd = append(*odd, fmt.Sprintf("%s (%s)", name, why))
		return
	}
	lengths, all, of := make([]int, len(rows)), []any(nil), []int(nil)
	for i, r := range rows {
		lengths[i], all, of = len(r), append(all, r...), append(of, slices.Repeat([]int{i}, len(r))...)
	}
	f.addLists(name, f.valuesOf("column", name, all, func(i int) int { return of[i] }), lengths, inner)
}

// ragged returns the values of each row of a column of lists. inner is the common shape of the lists inside them. If
// they cannot be columns, why says why.
func ragged(values []any) (rows [][]any, inner []int, why string) {
	rows, known := make([][]any, len(values)), false
	for i, v := range values {
		list, is := v.([]any)
		if !is && v != nil && v != (notNumber{}) {
			list = []any{v}
		}
		for _, e := range list {
			var shape []int
			if rows[i], shape, why = flat(e, rows[i]); why != "" {
				return nil, nil, why
			}
			if known && !slices.Equal(shape, inner) {
				return nil, nil, unevenLists
			}
			inner, known = shape, true
		}
	}
	return rows, inner, ""
}

const unevenLists = "lists within lists, of different lengths"

// flat appends the values of v and returns their shape.
func flat(v any, into []any) (out []any, shape []int, why string) {
	list, is := v.([]any)
	if _, isObject := v.(object); isObject {
		return nil, nil, "lists of objects"
	}
	if !is {
		return append(into, v), nil, ""
	}
	var inner []int
	for k, e := range list {
		var of []int
		if into, of, why = flat(e, into); why != "" {
			return nil, nil, why
		}
		if k > 0 && !slices.Equal(of, inner) {
			return nil, nil, unevenLists
		}
		inner = of
	}
	return into, append([]int{len(list)}, inner...), ""
}
