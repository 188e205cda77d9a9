//go:build !js

package table

import (
	"math"
	"slices"

	"nacre/internal/parquet"
	"nacre/internal/whole"
)

// readParquet reads a Parquet file: its columns, lists as several columns each.
func readParquet(raw []byte) (*File, error) {
	columns, err := parquet.Read(raw)
	if err != nil {
		return nil, err
	}
	f := &File{Table: true}
	for _, c := range columns {
		v := Values{Num: c.Num, Text: c.Text, Bool: c.Bool}
		if slices.ContainsFunc(c.Rest, func(r int16) bool { return r != 0 }) ||
			slices.ContainsFunc(c.Num, beyondExact) {
			v.Rest = c.Rest
		}
		if c.Note != "" {
			f.note("column %q: %s", c.Name, c.Note)
		}
		if c.Left != "" {
			f.note("left out: %s (%s)", c.Name, c.Left)
		} else if c.Lengths == nil {
			f.Arrays = append(f.Arrays, Array{Name: c.Name, Shape: []int{v.Len()}, Values: v})
		} else {
			f.addLists(c.Name, v, c.Lengths, c.Inner)
		}
	}
	f.tellApart("column")
	return f, nil
}

// beyondExact reports whether a number is so large that Rest is needed for its exact value.
func beyondExact(v float64) bool {
	return math.Abs(v) >= whole.Exact && v == math.Trunc(v) && math.Abs(v) <= 1<<64
}

// Parquet returns the columns of a table, all of one length, as a Parquet file. A tab cannot write one.
func Parquet(columns []Array) ([]byte, error) {
	out := make([]parquet.Column, len(columns))
	for k, c := range columns {
		out[k] = parquet.Column{Name: c.Name, Num: c.Num, Rest: c.Rest, Text: c.Text, Bool: c.Bool}
	}
	return parquet.Write(out)
}
