package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// object reads a file that is one object: columns, rows under their numbers, a list of rows among other things, or one
// row.
func (f *File) object(o object) error {
	for _, name := range []string{"columns", "data", "index"} {
		if n := o.times(name); n > 1 {
			return fmt.Errorf("%q is there %d times; expected it once", name, n)
		}
	}
	columns, isList := lists(o, "columns")
	data, isData := lists(o, "data")
	switch {
	case isList && isData: // pandas' orient="split"
		index, _ := lists(o, "index")
		return f.split(columns, index, data)
	case isData && o[0].name == "schema": // orient="table"
		return f.rowsOf(data)
	case isList && len(o) == 1: // polars before 1.0
		return f.polars(columns)
	}
	if rows, ok := numbered(o); ok {
		return f.rowsOf(withIndex(rows, namesIn(o)))
	}
	if columns, ok := byNumber(o); ok {
		if index := namesIn(o[0].value.(object)); !counted(index) {
			columns = append(object{{"index", index}}, columns...)
		}
		return f.columnsOf(columns)
	}
	return f.mixed(o)
}

func lists(o object, name string) ([]any, bool) {
	v, _ := o.find(name)
	list, ok := v.([]any)
	return list, ok
}

func (f *File) split(columns, index, data []any) error {
	names := make([]string, len(columns))
	for j, c := range columns {
		names[j] = fmt.Sprint(c)
	}
	names, renamed := distinct("column", false, names)
	f.Notes = append(f.Notes, renamed...)
	rows := make([]any, len(data))
	for i, r := range data {
		list, ok := r.([]any)
		if !ok || len(list) != len(columns) {
			return fmt.Errorf(`row %d of "data" has no list of %d values`, i, len(columns))
		}
		row := object{}
		for j, v := range list {
			row = append(row, member{names[j], v})
		}
		rows[i] = row
	}
	if len(index) == len(rows) {
		rows = withIndex(rows, index)
	}
	return f.rowsOf(rows)
}

// namesIn returns the names of an object. Names that are numbers become numbers.
func namesIn(o object) (index []any) {
	numbers := !slices.ContainsFunc(o, func(m member) bool {
		_, err := strconv.ParseInt(m.name, 10, 64)
		return err != nil
	})
	for _, m := range o {
		if numbers {
			index = append(index, json.Number(m.name))
		} else {
			index = append(index, m.name)
		}
	}
	return index
}

// counted reports whether an index only numbers the rows: 0, 1, 2, …
func counted(index []any) bool {
	for i, v := range index {
		if n, ok := v.(json.Number); !ok || string(n) != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// withIndex puts an index before the values of the rows, unless it only numbers them.
func withIndex(rows, index []any) []any {
	if counted(index) {
		return rows
	}
	out := make([]any, len(rows))
	for i, r := range rows {
		out[i] = append(object{{"index", index[i]}}, r.(object)...)
	}
	return out
}

// namedRows reads an object of at least two objects with the same names and without lists or objects inside: a table
// whose rows have names. The outer names are those of the columns, as pandas writes. If only the values under each
// inner name are of one kind, the outer names are those of the rows.
func (f *File) namedRows(o object) (read bool, err error) {
	var first object
	if len(o) > 1 {
		first, _ = o[0].value.(object)
	}
	if len(first) == 0 {
		return false, nil
	}
	columns := make([][]any, len(o))
	for k, m := range o {
		within, _ := m.value.(object)
		if len(within) != len(first) {
			return false, nil
		}
		for j, r := range within {
			if r.name != first[j].name || kindOf(r.value) == "" {
				return false, nil
			}
			columns[k] = append(columns[k], r.value)
		}
	}
	outside, inside := namesIn(o), namesIn(first)
	if _, number := inside[0].(json.Number); number {
		return false, nil
	}
	if _, number := outside[0].(json.Number); number {
		return false, nil
	}
	turned := make([][]any, len(first))
	for j := range turned {
		for k := range o {
			turned[j] = append(turned[j], columns[k][j])
		}
	}
	if !alike(columns) && alike(turned) {
		columns, outside, inside = turned, inside, outside
	}
	table := object{{"index", inside}}
	for k, name := range outside {
		table = append(table, member{name.(string), columns[k]})
	}
	f.note("read as a table with named rows: the rows are %s, the columns %s", fewOf(inside), fewOf(outside))
	return true, f.columnsOf(table)
}

func fewOf(names []any) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = fmt.Sprintf("%q", n)
	}
	return few(texts)
}

func (f *File) polars(columns []any) error {
	var o object
	for _, c := range columns {
		c, _ := c.(object)
		name, _ := c.find("name")
		values, _ := c.find("values")
		list, ok := values.([]any)
		if !ok || c.times("name") != 1 || c.times("values") != 1 {
			return errors.New(`"columns" holds something without one name and one list of values`)
		}
		o = append(o, member{fmt.Sprint(name), list})
	}
	return f.columnsOf(o)
}

// numbered returns the rows of an object whose names are the numbers of the rows: pandas' orient="index".
func numbered(o object) (rows []any, ok bool) {
	for _, m := range o {
		row, isRow := m.value.(object)
		if _, err := strconv.Atoi(m.name); err != nil || !isRow {
			return nil, false
		}
		rows = append(rows, row)
	}
	return rows, len(o) > 0
}

// byNumber returns the columns of an object of objects whose names are the numbers of the rows: pandas' default.
func byNumber(o object) (columns object, ok bool) {
	for _, m := range o {
		rows, isObject := m.value.(object)
		if !isObject || len(rows) == 0 {
			return nil, false
		}
		var list []any
		for k, r := range rows {
			first := o[0].value.(object)
			if _, err := strconv.Atoi(r.name); err != nil || k >= len(first) || first[k].name != r.name {
				return nil, false
			}
			list = append(list, r.value)
		}
		columns = append(columns, member{m.name, list})
	}
	return columns, len(columns) > 0
}

// mixed reads an object in which lists of one length are the columns, or the longest list of objects holds the rows.
// Without such lists the object is one row.
func (f *File) mixed(o object) error {
	var left []string
	var columns object
	rows, at := 0, -1
	for k, m := range o {
		list, _ := m.value.([]any)
		if some[object](list) && (at < 0 || len(list) > rows) {
			rows, at = len(list), k
		}
	}
	if at >= 0 {
		for k, m := range o {
			if k != at {
				left = append(left, m.name)
			}
		}
		f.note("the rows are those of the list %q%s", o[at].name, leftOut(left))
		return f.rowsOf(o[at].value.([]any))
	}
	rows = mostRows(o)
	for _, m := range o {
		if list, ok := m.value.([]any); ok && len(list) == rows {
			columns = append(columns, m)
		} else if ok {
			left = append(left, fmt.Sprintf("%s (%s)", m.name, count(len(list), "value")))
		} else {
			left = append(left, m.name)
		}
	}
	if len(columns) == 0 {
		return f.rowsOf([]any{o})
	}
	if left != nil {
		f.note("the columns are the lists of %s%s", count(rows, "value"), leftOut(left))
	}
	return f.columnsOf(columns)
}

// mostRows returns the length that most lists of an object have.
func mostRows(o object) int {
	have := map[int]int{}
	for _, m := range o {
		if list, ok := m.value.([]any); ok {
			have[len(list)]++
		}
	}
	return mode(have)
}

func leftOut(names []string) string {
	if names == nil {
		return ""
	}
	return "; left out: " + few(names)
}

// kindOf returns the kind of a single value, "" for lists and objects.
func kindOf(v any) string {
	switch v.(type) {
	case nil, notNumber:
		return "missing"
	case string:
		return "text"
	case json.Number, bool:
		return "number"
	}
	return ""
}

// alike reports whether the values of each column are of one kind.
func alike(columns [][]any) bool {
	for _, c := range columns {
		kind := ""
		for _, v := range c {
			k := kindOf(v)
			if k == "missing" {
				continue
			}
			if kind != "" && k != kind {
				return false
			}
			kind = k
		}
	}
	return true
}
