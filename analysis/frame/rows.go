package frame

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// pick returns a frame of the rows in at, in that order; a negative index is a row of missing values.
func (f *Frame) pick(at []int) *Frame {
	out := &Frame{rows: len(at), notes: f.notes}
	if f.lines != nil {
		out.lines = gather(f.lines, at, 0)
	}
	for _, c := range f.columns {
		out.columns = append(out.columns, c.pick(at))
	}
	return out
}

// Where keeps the rows for which keep is true.
func (f *Frame) Where(keep func(Row) bool) *Frame {
	if f.err != nil {
		return f
	}
	var at []int
	err := f.each(func(r Row) {
		if keep(r) {
			at = append(at, r.i)
		}
	})
	if err != nil {
		return &Frame{err: err}
	}
	return f.pick(at)
}

// Is keeps the rows in which a column has one of some values: numbers for a column of numbers, otherwise text.
func (f *Frame) Is(name string, values ...any) *Frame {
	c, err := f.column(name)
	if err != nil {
		return &Frame{err: err}
	}
	wanted := map[string]bool{}
	for _, v := range values {
		w, ok := columnOf(name, []any{v})
		if !ok || w.IsNumber() != c.IsNumber() {
			kind := "text"
			if c.IsNumber() {
				kind = "a number"
			}
			return failed("column %q is compared with %v (%T); expected %s", name, v, v, kind)
		}
		wanted[w.word(0)] = true
	}
	return f.Where(func(r Row) bool { return wanted[c.word(r.i)] })
}

// Select keeps columns, in the given order.
func (f *Frame) Select(names ...string) *Frame {
	out := &Frame{rows: f.rows, notes: f.notes, err: f.err}
	for _, name := range names {
		c, err := f.column(name)
		if err != nil {
			return &Frame{err: err}
		}
		if out.Has(name) {
			return failed("column %q is selected twice", name)
		}
		out.columns = append(out.columns, c)
	}
	return out
}

// Drop leaves columns out.
func (f *Frame) Drop(names ...string) *Frame {
	for _, name := range names {
		if _, err := f.column(name); err != nil {
			return &Frame{err: err}
		}
	}
	return f.Select(slices.DeleteFunc(f.Names(), func(n string) bool { return slices.Contains(names, n) })...)
}

// Rename gives a column another name.
func (f *Frame) Rename(name, to string) *Frame {
	c, err := f.column(name)
	if err != nil {
		return &Frame{err: err}
	}
	columns := slices.Clone(f.columns)
	c.Name = to
	columns[slices.Index(f.Names(), name)] = c
	return New(columns...).noted(f)
}

// With adds a column, or replaces the column of the same name. A frame without columns gets its rows from the column.
func (f *Frame) With(c Column) *Frame {
	if f.err != nil {
		return f
	}
	columns := slices.Clone(f.columns)
	if k := slices.Index(f.Names(), c.Name); k >= 0 {
		columns[k] = c
	} else {
		columns = append(columns, c)
	}
	return New(columns...).noted(f)
}

// Compute adds a column of numbers computed row by row.
func (f *Frame) Compute(name string, value func(Row) float64) *Frame {
	x := make([]float64, f.rows)
	if err := f.each(func(r Row) { x[r.i] = value(r) }); err != nil {
		return &Frame{err: err}
	}
	return f.With(Numbers(name, x))
}

// Label adds a column of text computed row by row.
func (f *Frame) Label(name string, value func(Row) string) *Frame {
	x := make([]string, f.rows)
	if err := f.each(func(r Row) { x[r.i] = value(r) }); err != nil {
		return &Frame{err: err}
	}
	return f.With(Texts(name, x))
}

// Sort orders rows by columns, the first counting most; a minus before a name reverses its order. Missing values come
// last. Equal rows stay in their order.
func (f *Frame) Sort(names ...string) *Frame {
	type key struct {
		Column
		sign int
	}
	var keys []key
	for _, name := range names {
		sign := 1
		if bare, minus := strings.CutPrefix(name, "-"); minus && !f.Has(name) {
			name, sign = bare, -1
		}
		c, err := f.column(name)
		if err != nil {
			return &Frame{err: err}
		}
		keys = append(keys, key{c, sign})
	}
	at := rangeOf(f.rows)
	slices.SortStableFunc(at, func(a, b int) int {
		for _, k := range keys {
			if c := k.compare(a, b, k.sign); c != 0 {
				return c
			}
		}
		return 0
	})
	out := f.pick(at)
	out.err = f.err
	return out
}

// compare orders rows a and b by the column, missing values last for either sign.
func (c Column) compare(a, b, sign int) int {
	if c.IsNumber() {
		x, y := c.num[a], c.num[b]
		if math.IsNaN(x) || math.IsNaN(y) {
			return btoi(math.IsNaN(x)) - btoi(math.IsNaN(y))
		}
		if c.rest != nil && x == y {
			return sign * cmp.Compare(c.rest[a], c.rest[b])
		}
		return sign * cmp.Compare(x, y)
	}
	x, y := c.text[a], c.text[b]
	if x == "" || y == "" {
		return btoi(x == "") - btoi(y == "")
	}
	return sign * strings.Compare(x, y)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func rangeOf(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}

// Head keeps the first n rows, or all if there are fewer.
func (f *Frame) Head(n int) *Frame { return f.rowsFrom(0, n) }

// Tail keeps the last n rows, or all if there are fewer.
func (f *Frame) Tail(n int) *Frame { return f.rowsFrom(f.rows-n, f.rows) }

func (f *Frame) rowsFrom(from, to int) *Frame {
	if f.err != nil {
		return f
	}
	from, to = max(0, from), max(0, min(to, f.rows))
	return f.pick(rangeOf(f.rows)[min(from, to):to])
}
