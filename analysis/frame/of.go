package frame

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nacre/internal/whole"
	"nacre/tsne"
)

// Of makes a frame of a value:
//
//   - a slice of structs, or of pointers to them: a column for every exported field that is a number, a truth value (1
//     or 0), text, or has a String method; fields of structs within as "outer.inner". A json tag gives the name;
//   - a map from names to columns, []float64 or []string and the like: the columns in the order of their names;
//   - a slice of maps from names to values: a column for every name;
//   - a slice of numbers or text: the column "value";
//   - a matrix of gonum or of package tsne, or a slice of slices of numbers: columns "0", "1", …
//   - embeddings of package tsne: columns label, mean0, mean1, … and std0, std1, …
//
// Anything else is an error.
func Of(v any) (*Frame, error) {
	f := of(v)
	return f, f.err
}

func of(v any) *Frame {
	switch v := v.(type) {
	case *Frame:
		return v
	case *tsne.Embeddings:
		return ofEmbeddings(v)
	case tsne.Matrix:
		return New(columnsOf(v, func(j int) string { return fmt.Sprint(j) })...)
	case mat.Matrix:
		r, c := v.Dims()
		columns := make([]Column, c)
		for j := range columns {
			columns[j] = Numbers(fmt.Sprint(j), mat.Col(make([]float64, r), j, v))
		}
		return New(columns...)
	}
	x := reflect.ValueOf(v)
	switch {
	case !x.IsValid():
	case x.Kind() == reflect.Map && x.Type().Key().Kind() == reflect.String:
		return ofMap(x)
	case x.Kind() == reflect.Slice || x.Kind() == reflect.Array:
		return ofSlice(x)
	}
	return failed("%T is no table; expected a slice of structs, of maps, of numbers or of text, a map of columns, or "+
		"a matrix", v)
}

func ofEmbeddings(e *tsne.Embeddings) *Frame {
	if e == nil {
		return failed("there are no embeddings")
	}
	var columns []Column
	if e.Names != nil {
		names := make([]string, len(e.Label))
		for i, l := range e.Label {
			names[i] = e.Name(l)
		}
		columns = append(columns, Texts("label", names))
	} else if e.Label != nil {
		label := Numbers("label", make([]float64, len(e.Label)))
		for i, l := range e.Label {
			set(&label, i, whole.Int, int64(l))
		}
		columns = append(columns, label)
	}
	columns = append(columns, columnsOf(e.Mean, func(j int) string {
		if j < len(e.Columns) {
			return e.Columns[j]
		}
		return fmt.Sprint("mean", j)
	})...)
	return New(append(columns, columnsOf(e.Std, func(j int) string { return fmt.Sprint("std", j) })...)...)
}

func columnsOf(m tsne.Matrix, name func(j int) string) (columns []Column) {
	for j := range m.Cols {
		x := make([]float64, m.Rows)
		for i := range x {
			x[i] = m.Data[i*m.Cols+j]
		}
		columns = append(columns, Numbers(name(j), x))
	}
	return columns
}

// maxSparse is a number of cells. A larger table of rows must not be mostly empty. Otherwise a small file with another
// name in every row could fill the memory.
const maxSparse = 4 << 20

func ofMap(x reflect.Value) *Frame {
	var columns []Column
	for _, key := range slices.SortedFunc(x.Seq(), func(a, b reflect.Value) int {
		return cmp.Compare(a.String(), b.String())
	}) {
		values := x.MapIndex(key)
		for values.Kind() == reflect.Interface {
			values = values.Elem()
		}
		if values.Kind() != reflect.Slice && values.Kind() != reflect.Array {
			return failed("column %q is %s; expected a slice", key.String(), kindOf(values))
		}
		c, ok := columnOf(key.String(), elements(values))
		if !ok {
			return failed("column %q is of %s; expected numbers or text", key.String(), values.Type().Elem())
		}
		columns = append(columns, c)
	}
	return New(columns...)
}

func kindOf(v reflect.Value) string {
	if !v.IsValid() {
		return "nil"
	}
	return v.Type().String()
}

func elements(x reflect.Value) []any {
	out := make([]any, x.Len())
	for i := range out {
		out[i] = x.Index(i).Interface()
	}
	return out
}

func ofSlice(x reflect.Value) *Frame {
	if c, ok := columnOf("value", elements(x)); ok && x.Len() > 0 {
		return New(c)
	}
	var names []string
	known, given := map[string]bool{}, 0
	rows := make([]map[string]any, x.Len())
	add := func(i int, name string, v any) {
		if !known[name] {
			known[name] = true
			names = append(names, name)
		}
		given++
		rows[i][name] = v
	}
	kind := reflect.Invalid
	for i := range rows {
		rows[i] = map[string]any{}
		e := x.Index(i)
		for (e.Kind() == reflect.Interface || e.Kind() == reflect.Pointer) && !e.IsNil() {
			e = e.Elem()
		}
		if kind == reflect.Invalid {
			kind = e.Kind()
		}
		switch {
		case e.Kind() != kind:
			return failed("row %d is %s, the rows before it are not", i, kindOf(e))
		case kind == reflect.Struct:
			fields(e, "", func(name string, v any) { add(i, name, v) })
		case kind == reflect.Map && e.Type().Key().Kind() == reflect.String:
			for _, key := range slices.Sorted(maps.Keys(stringKeys(e))) {
				add(i, key, stringKeys(e)[key])
			}
		case kind == reflect.Slice || kind == reflect.Array:
			for j, v := range elements(e) {
				add(i, fmt.Sprint(j), v)
			}
		default:
			return failed("row %d is %s; expected a struct, a map or a slice", i, kindOf(e))
		}
	}
	if cells := len(names) * len(rows); cells > maxSparse && cells/100 > given {
		return failed("%d rows with %d names are a table of %d cells, of which %d are given; expected rows with "+
			"mostly the same names", len(rows), len(names), cells, given)
	}
	var columns []Column
	for _, name := range names {
		values := make([]any, len(rows))
		for i, row := range rows {
			values[i] = row[name]
		}
		c, ok := columnOf(name, values)
		if !ok {
			return failed("column %q has values that are neither numbers nor text, or both, such as %v", name,
				firstOdd(values))
		}
		columns = append(columns, c)
	}
	f := New(columns...)
	if len(columns) == 0 && f.err == nil {
		f.rows = 0
	}
	return f
}

func stringKeys(m reflect.Value) map[string]any {
	out := map[string]any{}
	for it := m.MapRange(); it.Next(); {
		out[it.Key().String()] = it.Value().Interface()
	}
	return out
}

func firstOdd(values []any) any {
	for _, v := range values {
		if _, ok := columnOf("", []any{v}); !ok {
			return v
		}
	}
	return values[0]
}

// fields gives the fields of a struct that a column can hold.
func fields(x reflect.Value, prefix string, add func(name string, v any)) {
	t := x.Type()
	for k := range t.NumField() {
		field := t.Field(k)
		embedded := field.Anonymous && field.Type.Kind() == reflect.Struct
		if !field.IsExported() && !embedded {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
			continue
		case name == "":
			name = field.Name
		}
		v := x.Field(k)
		if field.IsExported() {
			if _, ok := columnOf("", []any{v.Interface()}); ok {
				add(prefix+name, v.Interface())
				continue
			}
		}
		switch {
		case embedded:
			fields(v, prefix, add)
		case v.Kind() == reflect.Struct:
			fields(v, prefix+name+".", add)
		}
	}
}

// columnOf makes a column of values of one kind: numbers and truth values, or text and values with a String method. nil
// is a missing value.
func columnOf(name string, values []any) (Column, bool) {
	c := Column{Name: name, num: make([]float64, len(values))}
	text := make([]string, len(values))
	numbers, texts := true, true
	for i, v := range values {
		if v == nil {
			c.num[i] = math.NaN()
			continue
		}
		if s, ok := v.(fmt.Stringer); ok && reflect.ValueOf(v).Kind() != reflect.Pointer {
			text[i], numbers = s.String(), false
			continue
		}
		switch x := reflect.ValueOf(v); {
		case x.CanFloat():
			c.num[i], texts = x.Float(), false
		case x.CanInt():
			texts = false
			set(&c, i, whole.Int, x.Int())
		case x.CanUint():
			texts = false
			set(&c, i, whole.Uint, x.Uint())
		case x.Kind() == reflect.Bool:
			c.num[i], texts = float64(btoi(x.Bool())), false
		case x.Kind() == reflect.String:
			text[i], numbers = x.String(), false
		default:
			return Column{}, false
		}
	}
	switch {
	case numbers:
		return c, true
	case texts:
		return Texts(name, text), true
	}
	return Column{}, false
}

// set puts a whole number at row i.
func set[T int64 | uint64](c *Column, i int, split func(T) (float64, int16), v T) {
	near, rest := split(v)
	if c.num[i] = near; c.rest == nil && math.Abs(near) >= whole.Exact {
		c.rest = make([]int16, len(c.num))
	}
	if c.rest != nil {
		c.rest[i] = rest
	}
}
