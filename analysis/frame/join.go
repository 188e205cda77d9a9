package frame

import (
	"math"
	"slices"
)

// Join puts rows of g beside the rows of f that have equal values of the columns `on`. It makes a row for every
// matching pair, in f's order. Rows without a partner are left out; Beside keeps them. If both frames have another
// column of the same name, g's column gets the ending _2.
func (f *Frame) Join(g *Frame, on ...string) *Frame { return f.join(g, on, false) }

// Beside works like Join, but rows of f without a partner are kept, with missing values.
func (f *Frame) Beside(g *Frame, on ...string) *Frame { return f.join(g, on, true) }

func (f *Frame) join(g *Frame, on []string, all bool) *Frame {
	left, right := f.Select(on...), g.Select(on...)
	switch {
	case left.err != nil:
		return left
	case right.err != nil:
		return right
	case len(on) == 0:
		return failed("join: no column is named to join on")
	}
	for k, c := range left.columns {
		if c.IsNumber() != right.columns[k].IsNumber() {
			return failed("join: column %q is numbers in one frame and text in the other", c.Name)
		}
	}
	partners := map[string][]int{}
	for i := range g.rows {
		key := right.key(i)
		partners[key] = append(partners[key], i)
	}
	var l, r []int
	for i := range f.rows {
		found := partners[left.key(i)]
		if len(found) == 0 && all {
			found = []int{-1}
		}
		for _, j := range found {
			l, r = append(l, i), append(r, j)
		}
	}
	out := f.pick(l)
	for _, c := range g.pick(r).columns {
		if slices.Contains(on, c.Name) {
			continue
		}
		for out.Has(c.Name) {
			c.Name += "_2"
		}
		out = out.With(c)
	}
	return out.noted(g)
}

// Append puts the rows of others below. If a frame lacks a column, its values are missing.
func (f *Frame) Append(others ...*Frame) *Frame {
	all := append([]*Frame{f}, others...)
	kinds := map[string]bool{} // by column: whether it holds numbers
	var names []string
	rows := 0
	for _, g := range all {
		if g.err != nil {
			return g
		}
		for _, c := range g.columns {
			number, known := kinds[c.Name]
			if known && number != c.IsNumber() {
				return failed("append: column %q is numbers in one frame and text in another", c.Name)
			}
			if !known {
				names = append(names, c.Name)
			}
			kinds[c.Name] = c.IsNumber()
		}
		rows += g.rows
	}
	out := (&Frame{rows: rows}).noted(all...)
	for _, name := range names {
		joined := Column{Name: name}
		for _, g := range all {
			c, err := g.column(name)
			if err != nil {
				nothing := make([]int, g.rows)
				for i := range nothing {
					nothing[i] = -1
				}
				c = Column{num: []float64{}}
				if !kinds[name] {
					c = Column{text: []string{}}
				}
				c = c.pick(nothing)
			}
			if c.rest != nil {
				joined.rest = append(append(joined.rest, make([]int16, len(joined.num)-len(joined.rest))...), c.rest...)
			}
			joined.num, joined.text = append(joined.num, c.num...), append(joined.text, c.text...)
		}
		if kinds[name] {
			rest := joined.rest
			if rest != nil {
				rest = append(rest, make([]int16, len(joined.num)-len(rest))...)
			}
			joined = Numbers(name, joined.num)
			joined.rest = rest
		} else {
			joined = Texts(name, joined.text)
		}
		out.columns = append(out.columns, joined)
	}
	return out
}

// Pivot makes one column for every value of the column `across` and one row for every value of the column `down`. The
// cells hold the values of the column named by `of`. Two rows for one cell are an error: group them first.
func (f *Frame) Pivot(down, across, of string) *Frame {
	values, err := f.column(of)
	if err != nil {
		return &Frame{err: err}
	}
	rows, titles := f.Group(down), f.Group(across)
	if rows.f.err != nil {
		return rows.f
	}
	if titles.f.err != nil {
		return titles.f
	}
	out := rows.firsts()
	rowOf := make([]int, f.rows)
	for k, group := range rows.rows {
		for _, i := range group {
			rowOf[i] = k
		}
	}
	title, _ := f.column(across)
	for _, group := range titles.rows {
		at := make([]int, len(rows.rows))
		for k := range at {
			at[k] = -1
		}
		for _, i := range group {
			if at[rowOf[i]] >= 0 {
				return failed("pivot: %q has two values where %s is %s and %s is %s; group them first",
					of, down, out.columns[0].word(rowOf[i]), across, title.word(i))
			}
			at[rowOf[i]] = i
		}
		c := values.pick(at)
		c.Name = title.word(group[0])
		if out.Has(c.Name) {
			return failed("pivot: a value of %q is %q, as is the column that goes down", across, c.Name)
		}
		out = out.With(c)
	}
	return out
}

// Melt undoes Pivot: the columns become rows. Their names go into the column named by `across`, their values into the
// column named by `of`. All of them must be numbers.
func (f *Frame) Melt(across, of string, names ...string) *Frame {
	kept := f.Drop(names...)
	if kept.err != nil {
		return kept
	}
	out := &Frame{}
	for k, name := range names {
		c, err := f.numbers(name)
		if err != nil {
			return &Frame{err: err}
		}
		part := kept.With(Texts(across, slices.Repeat([]string{name}, f.rows))).With(Column{Name: of, num: c.num,
			rest: c.rest})
		if part.err != nil {
			return part
		}
		if k == 0 {
			out = part
		} else {
			out = out.Append(part)
		}
	}
	return out
}

// Known leaves out the rows that have a missing number or an empty text in one of the named columns, or in any column
// if none is named.
func (f *Frame) Known(names ...string) *Frame {
	if len(names) == 0 {
		names = f.Names()
	}
	columns := f.Select(names...)
	if columns.err != nil {
		return columns
	}
	return f.Where(func(r Row) bool {
		return !slices.ContainsFunc(columns.columns, func(c Column) bool {
			return c.IsNumber() && math.IsNaN(c.num[r.i]) || !c.IsNumber() && c.text[r.i] == ""
		})
	})
}
