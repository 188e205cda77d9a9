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
func readJSON(raw []byte, ending string, o Options) (*File, error) {
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
	if len(values) == 0 {
		return nil, errors.New("the file is empty; expected objects, or lists of values")
	}
	if err = f.fromJSON(values, ending == ".json"); err == nil && len(f.Arrays) == 0 && len(f.Notes) == 0 {
		f.note("it holds no values")
	}
	return f, err
}

// fromJSON reads values one after another. Where one value may be a whole table, it is.
func (f *File) fromJSON(values []any, whole bool) error {
	if len(values) > 1 {
		return f.rowsOf(values)
	}
	switch v := values[0].(type) {
	case []any:
		return f.rowsOf(v)
	case object:
		if whole {
			if read, err := f.namedRows(v); read {
				return err
			}
		}
		return f.object(v)
	}
	return f.rowsOf(values)
}

// tooLarge is a number that float64 does not hold, which stands for infinity.
const tooLarge = "1e999"

// withoutNaN replaces the words NaN and Infinity, which Python writes, by what JSON has: null, and a number too large.
// The line's ends stay where they are.
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
			out, odd = append(out, tooLarge...), true
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
		at := min(int(d.InputOffset()), len(text))
		at = len(text) - len(bytes.TrimLeft(text[at:], " \t\r\n,:"))
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		// Where the text ends within a value Go 1.26 reports io.ErrUnexpectedEOF, Go 1.27 a syntax error with this
		// text.
		var bad *json.SyntaxError
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &bad) &&
			bad.Error() == "unexpected end of JSON input" {
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

// object reads a file that is one object: columns, rows under their numbers, a list of rows among other things, or one
// row.
func (f *File) object(o object) error {
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
	if len(index) == len(rows) {
		rows = withIndex(rows, index)
	}
	return f.rowsOf(rows)
}

// namesIn are the names of an object, numbers as such.
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

// counted reports whether an index says no more than the rows' order: 0, 1, 2, …
func counted(index []any) bool {
	for i, v := range index {
		if n, ok := v.(json.Number); !ok || string(n) != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// withIndex puts an index that says more than the rows' order before the rows' values.
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

// namedRows reads an object of at least two objects that all have the same names and no lists or objects in them: a
// table whose rows have names. It is the columns that are named outside, as pandas writes, unless only the rows' names
// inside each stand for values of one kind.
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

// kindOf is the kind of a single value; empty of lists and objects.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
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

// mixed reads an object in which lists of one length are the columns, or the longest list of objects the rows; without
// any it is one row.
func (f *File) mixed(o object) error {
	var left []string
	var columns object
	rows, at := 0, -1
	for k, m := range o {
		list, ok := m.value.([]any)
		if ok && slices.ContainsFunc(list, func(v any) bool { _, is := v.(object); return is }) &&
			(at < 0 || len(list) > rows) {
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
	var twice, kinds repeated
	columns, given := map[string][]cell{}, 0
	put := func(i int, name string, v any) {
		if have := columns[name]; have == nil {
			names = append(names, name)
		} else if have[len(have)-1].row == i {
			twice.see(i, name)
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
		if kinds.first == "" {
			kinds.first = kind
		} else if kind != kinds.first {
			kinds.see(i, kind)
		}
	}
	if twice.n > 0 {
		f.note("row %d (counted from 0) has %q twice: the last value counts", twice.at, twice.name)
	}
	if kinds.n > 0 {
		f.note("row %d (counted from 0) is %s where the first row is %s: their columns differ", kinds.at, kinds.name,
			kinds.first)
	}
	if cells := len(names) * len(rows); cells > maxSparse && cells/100 > given {
		return fmt.Errorf("%d rows with %d names are a table of %d cells, of which %d are given; expected rows with "+
			"mostly the same names", len(rows), len(names), cells, given)
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

// repeated counts what is odd in rows, and keeps the first.
type repeated struct {
	n, at       int
	name, first string
}

func (r *repeated) see(at int, name string) {
	if r.n++; r.n == 1 {
		r.at, r.name = at, name
	}
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
		v, said := valuesOf(values)
		f.remark("column", name, said)
		f.Arrays = append(f.Arrays, Array{Name: name, Shape: []int{len(values)}, Values: v})
		return
	}
	rows, inner, why := ragged(values)
	if why != "" {
		*odd = append(*odd, fmt.Sprintf("%s (%s)", name, why))
		return
	}
	lengths, all := make([]int, len(rows)), []any(nil)
	for i, r := range rows {
		lengths[i], all = len(r), append(all, r...)
	}
	v, said := valuesOf(all)
	f.remark("column", name, said)
	f.addLists(name, v, lengths, inner)
}

// remark notes what is to be said of an array's or a column's values.
func (f *File) remark(what, name string, said []string) {
	for _, s := range said {
		f.note("%s %q %s", what, name, s)
	}
}

// ragged are the values of each row of a column of lists; inner is the shape of the lists within them, which must be
// one. why says why they cannot be columns.
func ragged(values []any) (rows [][]any, inner []int, why string) {
	rows, some := make([][]any, len(values)), false
	for i, v := range values {
		list, is := v.([]any)
		if !is && v != nil {
			list = []any{v}
		}
		for _, e := range list {
			var shape []int
			if rows[i], shape, why = flat(e, rows[i]); why != "" {
				return nil, nil, why
			}
			if some && !slices.Equal(shape, inner) {
				return nil, nil, unevenLists
			}
			inner, some = shape, true
		}
	}
	return rows, inner, ""
}

const unevenLists = "lists within lists, of different lengths"

// flat appends the values in v, and says which shape they have.
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

// valuesOf are values of one kind; said is what is to be said of them.
func valuesOf(values []any) (v Values, said []string) {
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
	words := texts > 0 || numbers+truth == 0 && slices.ContainsFunc(values, func(e any) bool {
		_, is := e.(string)
		return is
	})
	if !words {
		return numbersIn(values, numbers, truth)
	}
	v.Text = make([]string, len(values))
	for i, e := range values {
		if e != nil {
			v.Text[i] = wordOf(e)
		}
	}
	switch {
	case texts > 0 && numbers > 0:
		said = append(said, "has numbers and text: it is text")
	case texts > 0 && truth > 0:
		said = append(said, "has truth values and text: it is text")
	}
	return v, said
}

// numbersIn are values that are numbers, truth values, or missing.
func numbersIn(values []any, numbers, truth int) (v Values, said []string) {
	var beyond, absent repeated
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
				v.Num[i] = math.NaN()
			}
			if _, text := e.(string); text && !ok && !plainMissing(s) {
				absent.see(i, s)
			}
			if n.beyond && s != tooLarge && s != "-"+tooLarge {
				beyond.see(i, s)
			}
		case float64:
			v.Num[i] = e
		default:
			v.Num[i] = math.NaN()
		}
	}
	if truth > 0 && numbers > 0 {
		said = append(said, "has truth values beside numbers: true is 1, false 0")
	}
	if absent.n > 0 {
		said = append(said, fmt.Sprintf("has missing values: %s, first %q in row %d (counted from 0)",
			count(absent.n, "value"), cut(absent.name), absent.at))
	}
	if beyond.n > 0 {
		said = append(said, fmt.Sprintf("has %s too large to be kept exactly, first %s in row %d (counted from 0)",
			count(beyond.n, "value"), cut(beyond.name), beyond.at))
	}
	return v, said
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
