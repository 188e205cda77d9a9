package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// maxColumns is the largest number of columns of a table.
const maxColumns = 1 << 17

// maxSparse is the largest number of cells of a table that may be mostly empty. Otherwise a small file with another
// name in every row would fill the memory.
const maxSparse = 4 << 20

// sparse returns an error if rows have too few of a large table's cells.
func sparse(rows, names, given int) error {
	if cells := rows * names; cells > maxSparse && cells/100 > given {
		return fmt.Errorf("%d rows with %d names are a table of %d cells, of which %d are given; expected rows with "+
			"mostly the same names", rows, names, cells, given)
	}
	return nil
}

// lines is a CSV file while it is turned into columns.
type lines struct {
	o         Options
	separator rune
	assumed   []string
	head      []string
	place     map[string]int // numbers of the names in head; made when it is first needed
	extra     map[int]int    // the columns of fields beyond the names, by the fields' numbers
	records   []record
	cutOff    bool // whether the text does not end with the end of a line
}

func (l *lines) assume(format string, args ...any) {
	l.assumed = append(l.assumed, fmt.Sprintf(format, args...))
}

// readCSV reads text in lines of fields, in any dialect.
func readCSV(raw []byte, ending string, o Options) (*File, error) {
	text, assumed, err := decoded(raw, o.Encoding)
	if err != nil {
		return nil, err
	}
	l := &lines{o: o, assumed: assumed, cutOff: len(text) > 0 && text[len(text)-1] != '\n'}
	text, named := l.comments(text)
	if l.separator = o.Separator; l.separator == 0 {
		l.separator = separatorOf(text, ending)
	}
	if named != nil {
		text = l.commentedHeader(text, named)
	}
	usual := map[string]rune{".csv": ',', ".tsv": '\t'}[ending]
	if l.separator != usual && o.Separator == 0 {
		l.assume("separator %s", map[rune]string{',': `","`, ';': `";"`, '|': `"|"`, '\t': "tab",
			' ': "blanks"}[l.separator])
	}
	if err := l.read(text); err != nil {
		return nil, err
	}
	return l.file()
}

// comments empties the comment lines before the table, so that the numbers of the other lines stay, and returns the
// last of them.
func (l *lines) comments(text []byte) (rest, last []byte) {
	n, at, passed := 0, 0, 0
	for at < len(text) {
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		bare := bytes.TrimSpace(line)
		if sep, ok := bytes.CutPrefix(bare, []byte("sep=")); ok && n == 0 && len(sep) == 1 { // Excel's
			if l.o.Separator == 0 {
				l.o.Separator = rune(sep[0])
				l.assume("separator %q, as line %d says", sep, passed+1)
			}
		} else if len(bare) > 0 && bare[0] != '#' {
			break
		} else if len(bare) > 0 {
			n, last = n+1, bare
		}
		at, passed = min(at+len(line)+1, len(text)), passed+1
	}
	if n > 0 {
		l.assume("%s of comment (#) left out", count(n, "line"))
	}
	return append(bytes.Repeat([]byte("\n"), passed), text[at:]...), last
}

// commentedHeader uses the last comment line as the line of names, as NumPy's savetxt writes it. It does so if that
// line has as many fields as the first line of the table, and that one holds only numbers.
func (l *lines) commentedHeader(text, comment []byte) []byte {
	body := bytes.TrimLeft(text, "\n")
	first, _, _ := bytes.Cut(body, []byte("\n"))
	fields := func(line []byte) []string {
		r, _, err := recordsOf(line, l.separator)
		if err != nil || len(r) == 0 {
			return nil
		}
		return r[0].fields
	}
	names, values := fields(bytes.TrimLeft(comment, "# ")), fields(first)
	// a column that is called "#"
	own := len(comment) > 1 && rune(comment[1]) == l.separator && l.separator != blankSeparator
	if own {
		names = fields(comment)
	}
	if len(names) < 2 || len(names) != len(values) || json.Valid(bytes.TrimLeft(comment, "# ")) ||
		!own && !allNumbers(values) || l.o.Header == WithoutHeader {
		return text
	}
	l.head = names
	l.assumed[len(l.assumed)-1] = "names from the line of comment (#)"
	return text
}

// allNumbers reports whether all fields are numbers or missing, and at least one is a number.
func allNumbers(fields []string) bool {
	some := false
	for _, s := range fields {
		s = strings.TrimSpace(s)
		n, ok := plain(s)
		if !ok {
			n, _, ok = written(s, style{comma: true})
		}
		if !ok && !missing[strings.ToLower(s)] {
			return false
		}
		some = some || ok && n.near == n.near
	}
	return some
}

// read cuts the text into records and finds the names.
func (l *lines) read(text []byte) error {
	records, assumed, err := recordsOf(text, l.separator)
	if open, ok := err.(*errOpen); ok && l.cutOff && len(records) > 0 && open.line >= lineCount(text) {
		l.assume("line %d left out: it is cut off within quotes", open.line)
	} else if ok {
		return fmt.Errorf("line %d: a quote opens and is never closed", open.line)
	} else if err != nil {
		return err
	}
	l.assumed = append(l.assumed, assumed...)
	mode := widest(records)
	for len(records) > 2 && l.head == nil && len(records[0].fields) == 1 && mode > 1 &&
		len(records[1].fields) == mode && !allNumbers(records[1].fields) {
		l.assume("line %d before the table left out", records[0].line)
		records = records[1:]
	}
	records = l.within(records, mode)
	if len(records) == 0 {
		if l.head != nil {
			return nil
		}
		return fmt.Errorf("the file is empty; expected a line with the columns' names")
	}
	if mode > maxColumns {
		return fmt.Errorf("most lines have %d fields; expected at most %d", mode, maxColumns)
	}
	l.records = records
	l.header(mode)
	if len(l.head) > maxColumns {
		return fmt.Errorf("line 1 has %d fields; expected at most %d", len(l.head), maxColumns)
	}
	l.half()
	return nil
}

// within removes comment lines inside the table: lines that begin with # and have another number of fields than most
// lines.
func (l *lines) within(records []record, mode int) []record {
	n, first := 0, 0
	kept := slices.DeleteFunc(records, func(r record) bool {
		is := strings.HasPrefix(r.fields[0], "#") && len(r.fields) != mode
		if is {
			if n++; n == 1 {
				first = r.line
			}
		}
		return is
	})
	if n > 0 {
		l.assume("%s of comment (#) within the table left out, first line %d", count(n, "line"), first)
	}
	return kept
}

// header takes the names from the first record, or makes names.
func (l *lines) header(mode int) {
	if l.head != nil {
		return
	}
	first := l.records[0].fields
	is := isHeader(first)
	if l.o.Header != FindHeader {
		is = l.o.Header == WithHeader
	} else if !is {
		l.assume("no line of names, as line %d is numbers: the columns are called 0, 1, 2, …", l.records[0].line)
	} else if k := slices.IndexFunc(first, fraction); k >= 0 {
		l.assume("line %d is taken for names, though %q is a number", l.records[0].line, first[k])
	}
	if !is {
		l.head = make([]string, max(len(first), mode))
		for j := range l.head {
			l.head[j] = fmt.Sprint(j)
		}
		return
	}
	l.head, l.records = slices.Clone(first), l.records[1:]
	if rest := l.records; len(rest) > 0 &&
		!slices.ContainsFunc(rest, func(r record) bool { return len(r.fields) != len(l.head)+1 }) {
		if !slices.ContainsFunc(rest, func(r record) bool { return r.fields[len(l.head)] != "" }) {
			return // a separator at the end of every line except the first
		}
		l.assume("the line of names is one short: the first column is the rows' names")
		l.head = append([]string{""}, l.head...)
	}
}

// fraction reports whether a text is a number with a decimal point.
func fraction(s string) bool {
	_, number := plain(s)
	return number && strings.Contains(s, ".")
}

// isHeader reports whether a first line holds names. Numbers alone are not names, except 0, 1, 2, …, which pandas
// writes for columns without names.
func isHeader(fields []string) bool {
	numbered, numbers := true, allNumbers(fields)
	rest := fields
	if fields[0] == "" && len(fields) > 1 {
		rest = fields[1:]
	}
	for j, s := range rest {
		numbered = numbered && s == fmt.Sprint(j)
	}
	return !numbers || numbered
}

// half removes the last record if the file ends inside it. It notes if the last value may be shorter than it was
// written.
func (l *lines) half() {
	n := len(l.records)
	if !l.cutOff || n == 0 {
		return
	}
	last := l.records[n-1]
	var before []string // values above the last one
	for _, r := range l.records[max(0, n-100) : n-1] {
		if len(r.fields) == len(l.head) {
			before = append(before, r.fields[len(l.head)-1])
		}
	}
	end := last.fields[len(last.fields)-1]
	switch {
	case len(last.fields) < len(l.head) || len(last.fields) == len(l.head) && len(before) > 0 && cutValue(end, before):
		l.assume("line %d left out: it is cut off", last.line)
		l.records = l.records[:n-1]
	case len(last.fields) == len(l.head) && len(before) > 1 &&
		!slices.ContainsFunc(before, func(s string) bool { return len(s) <= len(end) }):
		l.assume("line %d has no line's end: its last value, %q, may be cut off", last.line, cut(end))
	}
}

// cutValue reports whether a value is the beginning of a longer one, judged by the values above it, which are numbers,
// or True and False.
func cutValue(end string, before []string) bool {
	all := func(is func(s string) bool) bool {
		return !slices.ContainsFunc(before, func(s string) bool { return !is(s) })
	}
	if end == "" {
		return false
	}
	truth := func(s string) bool { s = strings.ToLower(s); return s == "true" || s == "false" }
	if all(truth) {
		return !truth(end) && (strings.HasPrefix("true", strings.ToLower(end)) ||
			strings.HasPrefix("false", strings.ToLower(end)))
	}
	numbers := all(func(s string) bool {
		_, number := plain(strings.Replace(s, ",", ".", 1))
		return number || missing[strings.ToLower(s)]
	})
	if !numbers || all(func(s string) bool { return missing[strings.ToLower(s)] }) {
		return false
	}
	if _, number := plain(strings.Replace(end, ",", ".", 1)); !number {
		return strings.Trim(end, "+-.,eE0123456789") == "" ||
			end != "" && strings.HasPrefix("nan", strings.ToLower(end)) && !missing[strings.ToLower(end)]
	}
	open := end[len(end)-1:]
	return (open == "." || open == ",") && all(func(s string) bool { return !strings.HasSuffix(s, open) })
}
