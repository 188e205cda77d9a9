package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxDepth is how deep values may lie in one another: the names of objects within objects grow with it.
const maxDepth = 100

// object is a JSON object in its order.
type object []member

type member struct {
	name  string
	value any // nil, bool, json.Number, string, []any or object
}

func (o object) find(name string) (any, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// readJSON reads rows: a list of objects, objects one a line, an object of lists, and what pandas and polars write.
func readJSON(raw []byte, o Options) (*File, error) {
	text, assumed, err := decoded(raw, o.Encoding)
	if err != nil {
		return nil, err
	}
	f := &File{Table: true}
	text, odd := withoutNaN(text)
	if odd {
		assumed = append(assumed, "NaN and Infinity, which JSON does not have, as in Python")
	}
	values, err := jsonValues(text)
	if line, ok := err.(*errCut); ok && len(values) > 0 {
		assumed = append(assumed, fmt.Sprintf("line %d left out: it is cut off", line.line))
	} else if err != nil {
		return nil, err
	}
	if len(assumed) > 0 {
		f.note("read as: %s", strings.Join(assumed, "; "))
	}
	if len(values) == 1 {
		return f, f.single(values[0])
	}
	return f, f.rowsOf(values)
}

// withoutNaN replaces the words NaN and Infinity, which Python writes, by what JSON has: null, and a number too large. The
// line's ends stay where they are.
func withoutNaN(text []byte) ([]byte, bool) {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text, false
	}
	out, quoted, odd := make([]byte, 0, len(text)), false, false
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case quoted && text[i] == '\\' && i+1 < len(text):
			out = append(out, text[i])
			i++
		case text[i] == '"':
			quoted = !quoted
		case quoted:
		case bytes.HasPrefix(rest, []byte("NaN")):
			out, odd = append(out, "nul"...), true
			i += 2
			out = append(out, 'l')
			continue
		case bytes.HasPrefix(rest, []byte("Infinity")):
			out, odd = append(out, "1e999"...), true
			i += len("Infinity") - 1
			continue
		}
		out = append(out, text[i])
	}
	return out, odd
}

// errCut is a text that ends within a value.
type errCut struct{ line int }

func (e *errCut) Error() string {
	return fmt.Sprintf("line %d: the file ends within a value", e.line)
}

// jsonValues reads one value after another.
func jsonValues(text []byte) (out []any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		v, err := jsonValue(d, 0)
		if err == io.EOF {
			return out, nil
		}
		if err == nil {
			out = append(out, v)
			continue
		}
		at := d.InputOffset()
		var bad *json.SyntaxError
		if errors.As(err, &bad) {
			at = bad.Offset
		}
		line := 1 + bytes.Count(text[:min(max(at, 0), int64(len(text)))], []byte("\n"))
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return out, &errCut{lineCount(text)}
		}
		return out, fmt.Errorf("line %d: %w", line, err)
	}
}

func jsonValue(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("values within values, more than %d deep", maxDepth)
	}
	within := func(err error) error {
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := jsonValue(d, depth+1)
			if err != nil {
				return nil, within(err)
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, within(err)
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, within(err)
			}
			v, err := jsonValue(d, depth+1)
			if err != nil {
				return nil, within(err)
			}
			o = append(o, member{name.(string), v})
		}
		_, err := d.Token()
		return o, within(err)
	}
	return t, nil
}

// single reads a file of one value.
func (f *File) single(v any) error {
	switch v := v.(type) {
	case []any:
		return f.rowsOf(v)
	case object:
		return f.object(v)
	}
	return f.rowsOf([]any{v})
}

// object reads a file that is one object: columns, rows under their numbers, a list of rows among other things, or one row.
func (f *File) object(o object) error {
	columns, isList := lists(o, "columns")
	data, isData := lists(o, "data")
	switch {
	case isList && isData: // pandas' orient="split"
		return f.split(columns, data)
	case isData && o[0].name == "schema": // orient="table"
		return f.rowsOf(data)
	case isList && len(o) == 1: // polars before 1.0
		return f.polars(columns)
	}
	if rows, ok := numbered(o); ok {
		return f.rowsOf(rows)
	}
	if columns, ok := byNumber(o); ok {
		return f.columnsOf(columns)
	}
	return f.mixed(o)
}

func lists(o object, name string) ([]any, bool) {
	v, _ := o.find(name)
	list, ok := v.([]any)
	return list, ok
}

func (f *File) split(columns, data []any) error {
	rows := make([]any, len(data))
	for i, r := range data {
		list, ok := r.([]any)
		if !ok || len(list) != len(columns) {
			return fmt.Errorf(`row %d of "data" has no list of %d values`, i, len(columns))
		}
		row := object{}
		for j, v := range list {
			row = append(row, member{fmt.Sprint(columns[j]), v})
		}
		rows[i] = row
	}
	return f.rowsOf(rows)
}

func (f *File) polars(columns []any) error {
	var o object
	for _, c := range columns {
		c, _ := c.(object)
		name, _ := c.find("name")
		values, _ := c.find("values")
		list, ok := values.([]any)
		if !ok {
			return errors.New(`"columns" holds something without a name and values`)
		}
		o = append(o, member{fmt.Sprint(name), list})
	}
	return f.columnsOf(o)
}

// numbered are the rows of an object whose names are the rows' numbers: pandas' orient="index".
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

// byNumber are the columns of an object of objects whose names are the rows' numbers: pandas' default.
func byNumber(o object) (columns object, ok bool) {
	for _, m := range o {
		rows, isObject := m.value.(object)
		if !isObject || len(rows) == 0 {
			return nil, false
		}
		var list []any
		for k, r := range rows {
			if _, err := strconv.Atoi(r.name); err != nil || len(columns) > 0 && !sameName(o[0].value, k, r.name) {
				return nil, false
			}
			list = append(list, r.value)
		}
		columns = append(columns, member{m.name, list})
	}
	return columns, len(columns) > 0
}

func sameName(first any, k int, name string) bool {
	rows := first.(object)
	return k < len(rows) && rows[k].name == name
}

// mixed reads an object in which lists of one length are the columns, or the longest list of objects the rows; without any it
// is one row.
func (f *File) mixed(o object) error {
	var left []string
	var columns object
	rows, at := 0, -1
	for k, m := range o {
		list, ok := m.value.([]any)
		if ok && slices.ContainsFunc(list, func(v any) bool { _, is := v.(object); return is }) && (at < 0 || len(list) > rows) {
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

// mostRows is the length that most lists of an object have, of equally many the largest.
func mostRows(o object) (rows int) {
	have := map[int]int{}
	for _, m := range o {
		if list, ok := m.value.([]any); ok {
			have[len(list)]++
		}
	}
	for n, k := range have {
		if k > have[rows] || k == have[rows] && n > rows {
			rows = n
		}
	}
	return rows
}

func leftOut(names []string) string {
	if names == nil {
		return ""
	}
	return "; left out: " + few(names)
}

// rowsOf reads rows: objects, lists of values, or values, which are a column "value".
func (f *File) rowsOf(rows []any) error {
	type cell struct {
		row   int
		value any
	}
	var names []string
	columns, given := map[string][]cell{}, 0
	put := func(i int, name string, v any) {
		if columns[name] == nil {
			names = append(names, name)
		}
		given++
		columns[name] = append(columns[name], cell{i, v})
	}
	for i, r := range rows {
		switch r := r.(type) {
		case object:
			flatten(r, "", func(name string, v any) { put(i, name, v) })
		case []any:
			for j, v := range r {
				put(i, strconv.Itoa(j), v)
			}
		default:
			put(i, "value", r)
		}
	}
	if cells := len(names) * len(rows); cells > maxSparse && cells/100 > given {
		return fmt.Errorf("%d rows with %d names are a table of %d cells, of which %d are given; expected rows with mostly the same names", len(rows), len(names), cells, given)
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

// flatten names values of objects within objects "outer.inner".
func flatten(o object, prefix string, put func(name string, v any)) {
	for _, m := range o {
		if within, ok := m.value.(object); ok {
			flatten(within, prefix+m.name+".", put)
		} else {
			put(prefix+m.name, m.value)
		}
	}
}

// columnsOf makes arrays of columns of values.
func (f *File) columnsOf(o object) error {
	var odd []string
	for _, m := range o {
		f.addValues(m.name, m.value.([]any), &odd)
	}
	names, renamed := distinct(f.Names())
	for k, n := range names {
		f.Arrays[k].Name = n
	}
	f.Notes = append(f.Notes, renamed...)
	if odd != nil {
		f.note("left out: %s", few(odd))
	}
	return nil
}

// addValues adds a column of numbers or of text, or several where the values are lists. odd gets what cannot be one.
func (f *File) addValues(name string, values []any, odd *[]string) {
	if slices.ContainsFunc(values, func(v any) bool { _, is := v.(object); return is }) {
		*odd = append(*odd, name+" (objects beside other values)")
		return
	}
	if !slices.ContainsFunc(values, func(v any) bool { _, is := v.([]any); return is }) {
		v, mixed := valuesOf(values)
		if mixed {
			f.note("column %q has numbers and text: it is text", name)
		}
		f.Arrays = append(f.Arrays, Array{Name: name, Shape: []int{len(values)}, Values: v})
		return
	}
	rows, _, _, ok := ragged(values)
	if !ok {
		*odd = append(*odd, name+" (lists of objects)")
		return
	}
	lengths, all := make([]int, len(rows)), []any(nil)
	for i, r := range rows {
		lengths[i], all = len(r), append(all, r...)
	}
	v, _ := valuesOf(all)
	f.addLists(name, v, lengths)
}

// ragged are the rows of a column of lists, of lists of lists one after another, with the lengths of the shortest and the
// longest; ok is false where they hold objects.
func ragged(values []any) (rows [][]any, least, most int, ok bool) {
	rows, least = make([][]any, len(values)), math.MaxInt
	for i, v := range values {
		if rows[i], ok = flat(v, nil); !ok {
			return nil, 0, 0, false
		}
		least, most = min(least, len(rows[i])), max(most, len(rows[i]))
	}
	return rows, least, most, true
}

func flat(v any, into []any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		ok := true
		for _, e := range v {
			if e == nil {
				into = append(into, nil)
			} else if into, ok = flat(e, into); !ok {
				return nil, false
			}
		}
		return into, true
	case object:
		return nil, false
	case nil:
		return into, true
	}
	return append(into, v), true
}

// valuesOf are values of one kind; mixed says that numbers became text beside text.
func valuesOf(values []any) (v Values, mixed bool) {
	var texts, numbers, truth int
	for _, e := range values {
		switch e := e.(type) {
		case bool:
			truth++
		case json.Number, float64, int64, uint64, whole64:
			numbers++
		case string:
			if !missing[strings.ToLower(e)] && !infinite(e) || e == "" {
				texts++
			}
		}
	}
	words := texts > 0 || numbers+truth == 0 && slices.ContainsFunc(values, func(e any) bool { _, is := e.(string); return is })
	if words {
		v.Text = make([]string, len(values))
		for i, e := range values {
			if e != nil {
				v.Text[i] = wordOf(e)
			}
		}
		return v, texts > 0 && numbers > 0
	}
	v = Values{Num: make([]float64, len(values)), Bool: truth > 0 && numbers == 0}
	for i, e := range values {
		switch e := e.(type) {
		case bool:
			if e {
				v.Num[i] = 1
			}
		case json.Number, string, whole64:
			n, ok := plain(fmt.Sprint(e))
			if v.set(i, n.near, n.rest); !ok {
				v.Num[i] = math.NaN()
			}
		case float64:
			v.Num[i] = e
		default:
			v.Num[i] = math.NaN()
		}
	}
	return v, false
}

// whole64 is a whole number of 64 bits in its digits.
type whole64 string

func infinite(s string) bool {
	n, ok := plain(s)
	return ok && math.IsInf(n.near, 0)
}

func wordOf(e any) string {
	if b, ok := e.(bool); ok {
		return map[bool]string{true: "True", false: "False"}[b]
	}
	return fmt.Sprint(e)
}
