package table

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"nacre/internal/whole"
)

// file makes columns of the records.
func (l *lines) file() (*File, error) {
	cells, rows, err := l.cells()
	if err != nil {
		return nil, err
	}
	f := &File{Table: true, Lines: rows}
	comma := l.style(cells)
	head, renamed := distinct("column", l.indexed(cells[0], comma), l.head)
	l.assumed = append(l.assumed, renamed...)
	var said []column
	var marks decimalMarks
	for j, name := range head {
		a := Array{Name: name, Shape: []int{len(rows)}}
		say := column{name: name, style: style{comma: comma}}
		c, p := decimals(cells[j])
		if c != p && l.o.Decimal == 0 {
			say.comma = c
		}
		var ok bool
		if a.Values, a.Odd, ok = numbersOf(cells[j], &say); ok {
			said = append(said, say)
			marks.see(f, name, cells[j], c, p)
		} else if a.Values, ok = truths(cells[j]); !ok {
			a.Values = Values{Text: cells[j]}
			f.odd(a)
		}
		f.Arrays = append(f.Arrays, a)
	}
	if comma && l.o.Decimal == 0 {
		l.assume("decimal comma")
	}
	f.cellNotes(said)
	if l.o.Decimal == 0 {
		marks.say(f)
	}
	if !comma && l.o.Decimal == 0 && (marks.two() || l.separator == ';') {
		f.points(cells, head, marks)
	}
	f.oneColumn()
	if len(l.assumed) > 0 {
		f.Notes = append([]string{"read as: " + strings.Join(l.assumed, "; ")}, f.Notes...)
	}
	return f, nil
}

// indexed reports whether the first column has no name and numbers or names the rows.
func (l *lines) indexed(first []string, comma bool) bool {
	if l.head[0] != "" {
		return false
	}
	v, _, ok := numbersOf(first, &column{style: style{comma: comma}})
	if !ok {
		v = Values{Text: first}
	}
	return indexes(v)
}

// decimalMarks holds the first number with a decimal comma and the first with a decimal point, each with its place.
type decimalMarks struct{ comma, point string }

// see notes the decimal marks of a column of numbers. comma and point report which of them it has.
func (m *decimalMarks) see(f *File, name string, cells []string, comma, point bool) {
	first := func(is func(s string) bool) string {
		i := slices.IndexFunc(cells, is)
		return fmt.Sprintf("%q in column %q on %s", cells[i], name, f.Row(i))
	}
	if comma && m.comma == "" {
		m.comma = first(func(s string) bool { c, _ := evidence(s); return c })
	}
	if point && m.point == "" {
		m.point = first(func(s string) bool { _, p := evidence(s); return p })
	}
}

func (m *decimalMarks) two() bool { return m.comma != "" && m.point != "" }

// say notes that a file has two decimal marks.
func (m *decimalMarks) say(f *File) {
	if m.two() {
		f.note("two decimal marks: the comma, as in %s, and the point, as in %s; each is read as it is written",
			m.comma, m.point)
	}
}

// points notes that 1.000 is read as 1. It does so if ";" separates the fields, as in files of programs that write
// 1.000 for a thousand, and no other number shows what the point means. If a file has two decimal marks, numbers of the
// same column count only.
func (f *File) points(cells [][]string, head []string, m decimalMarks) {
	at, column := -1, 0
	for j := range cells {
		if c, p := decimals(cells[j]); m.two() && (c || p) {
			continue
		}
		for i, s := range cells[j] {
			if !strings.ContainsAny(s, ",.") {
				continue
			}
			if !thousandPoint.MatchString(s) || strings.Count(s, ".") != 1 {
				return
			}
			if at < 0 {
				at, column = i, j
			}
		}
	}
	if at >= 0 {
		n, _ := plain(cells[column][at])
		f.note("%q in column %q on %s is read as %s: the point is the decimal mark; a decimal mark of %q says "+
			"otherwise",
			cells[column][at], head[column], f.Row(at), whole.Text(n.near, n.rest), ",")
	}
}

// oneColumn notes that the only column is text with a sign that may separate fields but is not tried.
func (f *File) oneColumn() {
	if len(f.Arrays) != 1 || f.Arrays[0].IsNumber() || len(f.Arrays[0].Text) == 0 {
		return
	}
	name := f.Arrays[0].Name
	for _, sign := range ":^~&!/ " {
		n := strings.Count(name, string(sign))
		if n > 0 && !slices.ContainsFunc(f.Arrays[0].Text, func(s string) bool {
			return strings.Count(s, string(sign)) != n
		}) {
			f.note("the only column, %q, is text, with %q in every line: if that parts the fields, name it as the "+
				"separator", cut(name), string(sign))
			return
		}
	}
}

// odd notes why a column that has numbers, or words like numbers, is text.
func (f *File) odd(a Array) {
	numbers := 0
	for _, s := range a.Text {
		if _, ok := plain(s); ok {
			numbers++
		}
	}
	if a.Odd > 0 && 2*numbers >= len(a.Text) {
		f.note("column %q is text: %s has %q, which is no number", a.Name, f.Row(a.Odd-1), cut(a.Text[a.Odd-1]))
		return
	}
	f.almost(a)
}

// almostNumber matches numbers that are not read: with a currency, in brackets, of a tensor, in base 16, with
// underscores, with Fortran's exponents, or with other separators of thousands.
var almostNumber = regexp.MustCompile(`^(?i:tensor\(|array\(|\(|[$€£¥])?\s*[-+]?(0x[0-9a-fA-F]+|\d[\d_']*(,\d+)*(\.\d*)?([eEdD][-+]?\d+)?)\s*(\)|[$€£¥]|,.*\))?$`)

// almost notes that a column of text looks like numbers.
func (f *File) almost(a Array) {
	at := -1
	for i, s := range a.Text {
		switch {
		case missing[strings.ToLower(s)]:
		case !almostNumber.MatchString(s):
			return
		case at < 0:
			if _, number := plain(s); !number {
				at = i
			}
		}
	}
	if at >= 0 {
		f.note("column %q is text: %s has %q, which is not read as a number", a.Name, f.Row(at), cut(a.Text[at]))
	}
}

// decimals returns what the cells of a column say about the decimal mark.
func decimals(cells []string) (comma, point bool) {
	for _, s := range cells {
		if len(s) > 1 && len(s) < 40 && strings.ContainsAny(s, ",.") {
			c, p := evidence(s)
			comma, point = comma || c, point || p
		}
	}
	return comma, point
}

// style decides whether the comma is the decimal mark. It is if the caller says so, or if some number can be read in no
// other way and no number contradicts. If no number decides, it is if ";" separates the fields, because then the comma
// does not.
func (l *lines) style(cells [][]string) bool {
	if l.o.Decimal != 0 {
		return l.o.Decimal == ','
	}
	if l.separator == ',' && !slices.ContainsFunc(cells, func(c []string) bool {
		return slices.ContainsFunc(c, func(s string) bool { return strings.Contains(s, ",") })
	}) {
		return false
	}
	comma, point, some := false, false, false
	for _, column := range cells {
		c, p := decimals(column)
		comma, point = comma || c, point || p
		some = some || slices.ContainsFunc(column, thousandComma.MatchString)
	}
	if comma == point {
		return !point && some && l.separator == ';'
	}
	return comma
}

// section maps the fields of a record to columns. A further line of names may change it within the file.
type section []int

// cells returns the cells of the columns, and the line of each row. It notes lines that are longer or shorter than the
// names, and further lines of names.
func (l *lines) cells() (columns [][]string, rows []int, err error) {
	l.trailing()
	var kept []record
	var sections []section
	now := section(nil) // nil means that fields and columns are in the same order
	repeated, short, long, width := 0, tally{}, tally{}, len(l.head)
	for _, r := range l.records {
		if again, ok := l.names(r); ok {
			if now, width = again, len(l.head); now == nil {
				repeated++
			} else {
				width = len(now)
				l.assume("line %d has other names: columns below it are matched by name", r.line)
			}
			continue
		}
		of := now
		if n := len(r.fields); n < width {
			short.see(r.line)
		} else if n > width && blank(r.fields[width:]) {
			r.fields = r.fields[:width]
		} else if n > width {
			long.see(r.line)
			if n > 100+10*width {
				return nil, nil, fmt.Errorf("line %d has %d fields where there are %d names", r.line, n, width)
			}
			if of = slices.Clone(now); of == nil {
				for j := range width {
					of = append(of, j)
				}
			}
			for k := width; k < n; k++ {
				of = append(of, l.beyond(k))
			}
		}
		kept, sections, rows = append(kept, r), append(sections, of), append(rows, r.line)
	}
	if repeated > 0 {
		l.assume("%s of names within the table left out", count(repeated, "further line"))
	}
	short.say(l, "shorter than the names: the rest is missing")
	long.say(l, "longer than the names: what is beyond is in columns of its own")
	columns, err = spread(kept, sections, len(l.head))
	return columns, rows, err
}

// beyond returns the column for field k of lines that are longer than the names.
func (l *lines) beyond(k int) int {
	at, ok := l.extra[k]
	if !ok {
		if l.extra == nil {
			l.extra = map[int]int{}
		}
		at = len(l.head)
		l.extra[k], l.head = at, append(l.head, fmt.Sprintf("column %d", k+1))
	}
	return at
}

// add returns the column of a name. If there is none, it adds one at the end.
func (l *lines) add(name string) int {
	if at, ok := l.find(name); ok {
		return at
	}
	l.place[name] = len(l.head)
	l.head = append(l.head, name)
	return len(l.head) - 1
}

// find returns the first column of a name.
func (l *lines) find(name string) (int, bool) {
	if l.place == nil {
		l.place = make(map[string]int, len(l.head))
		for j := len(l.head) - 1; j >= 0; j-- {
			l.place[l.head[j]] = j
		}
	}
	at, ok := l.place[name]
	return at, ok
}

// spread puts the fields of records into columns.
func spread(records []record, sections []section, width int) ([][]string, error) {
	given := 0
	for _, r := range records {
		given += len(r.fields)
	}
	if err := sparse(len(records), width, given); err != nil {
		return nil, err
	}
	columns := make([][]string, width)
	for j := range columns {
		columns[j] = make([]string, len(records))
	}
	for i, r := range records {
		for j, s := range r.fields {
			if at := sections[i]; at != nil {
				j = at[j]
			}
			columns[j][i] = s
		}
	}
	return columns, nil
}

// tally counts lines.
type tally struct{ n, first int }

func (t *tally) see(line int) {
	if t.n++; t.n == 1 {
		t.first = line
	}
}

func (t tally) say(l *lines, what string) {
	if t.n > 0 {
		l.assume("%s (line %d first) %s", count(t.n, "line"), t.first, what)
	}
}

// trailing removes columns at the end that have neither a name nor a value, as a separator at the end of every line
// makes them.
func (l *lines) trailing() {
	n := len(l.head)
	for n > 1 && l.head[n-1] == "" && !slices.ContainsFunc(l.records, func(r record) bool {
		return len(r.fields) >= n && r.fields[n-1] != ""
	}) {
		n--
	}
	if n < len(l.head) {
		l.assume("%s without name and values left out", count(len(l.head)-n, "column"))
		l.head = l.head[:n]
		for i, r := range l.records {
			if len(r.fields) > n && blank(r.fields[n:]) {
				l.records[i].fields = r.fields[:n]
			}
		}
	}
}

// names reports whether a record is a further line of names, and which columns its fields belong to; nil if nothing
// changes. A record is one if it repeats the names, or if none of its fields is a number and at least half of them are
// known names.
func (l *lines) names(r record) (section, bool) {
	if _, known := l.find(r.fields[0]); !known || len(r.fields) < 2 && len(l.head) > 1 || blank(r.fields) {
		return nil, false
	}
	if slices.Equal(r.fields, l.head) {
		return nil, !allNumbers(r.fields)
	}
	known, seen := 0, make(map[string]bool, len(r.fields))
	for _, s := range r.fields {
		if _, number := plain(s); number || s == "" || seen[s] {
			return nil, false
		}
		seen[s] = true
		if _, ok := l.find(s); ok {
			known++
		}
	}
	if 2*known < len(r.fields) || len(r.fields) < 2 {
		return nil, false
	}
	out := make(section, len(r.fields))
	for j, s := range r.fields {
		out[j] = l.add(s)
	}
	return out, true
}
