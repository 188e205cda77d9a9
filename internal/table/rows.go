package table

import (
	"strconv"
)

// rowsOf reads rows that are objects, lists of values, or single values. Single values become the column "value".
func (f *File) rowsOf(rows []any) error {
	type cell struct {
		row   int
		value any
	}
	var names []string
	var twice, kinds seen
	first := ""
	columns, given := map[string][]cell{}, 0
	put := func(i int, name string, v any) {
		if have := columns[name]; have == nil {
			names = append(names, name)
		} else if have[len(have)-1].row == i {
			twice.see(name, i)
		}
		given++
		columns[name] = append(columns[name], cell{i, v})
	}
	for i, r := range rows {
		kind := "an object"
		switch r := r.(type) {
		case object:
			flatten(r, "", func(name string, v any) { put(i, name, v) })
		case []any:
			kind = "a list"
			for j, v := range r {
				put(i, strconv.Itoa(j), v)
			}
		default:
			kind = "a single value"
			put(i, "value", r)
		}
		if i == 0 {
			first = kind
		} else if kind != first {
			kinds.see(kind, i)
		}
	}
	if twice.n > 0 {
		f.note("row %d (counted from 0) has %q twice: the last value counts", twice.at, twice.cell)
	}
	if kinds.n > 0 {
		f.note("row %d (counted from 0) is %s where the first row is %s: their columns differ", kinds.at, kinds.cell,
			first)
	}
	if err := sparse(len(rows), len(names), given); err != nil {
		return err
	}
	var o object
	for _, name := range names {
		values := make([]any, len(rows))
		for _, c := range columns[name] {
			values[c.row] = c.value
		}
		o = append(o, member{name, values})
	}
	return f.columnsOf(o)
}

// flatten calls put for every value of an object. A value of an object inside it gets the name "outer.inner".
func flatten(o object, prefix string, put func(name string, v any)) {
	for _, m := range o {
		if within, ok := m.value.(object); ok {
			flatten(within, prefix+m.name+".", put)
		} else {
			put(prefix+m.name, m.value)
		}
	}
}

// columnsOf makes arrays from columns of values.
func (f *File) columnsOf(o object) error {
	var odd []string
	for _, m := range o {
		f.addValues(m.name, m.value.([]any), &odd)
	}
	f.tellApart("column")
	if odd != nil {
		f.note("left out: %s", few(odd))
	}
	return nil
}
