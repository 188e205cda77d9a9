package table

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
)

// blankSeparator stands for one or more blanks between fields.
const blankSeparator = ' '

// separators lists the separators that are tried. If two fit equally well, the first wins.
var separators = []rune{',', '\t', ';', '|'}

// sampled is the number of bytes of a file in which its separator is looked for.
const sampled = 64 << 10

// separatorOf finds the separator of a file's fields. It is the one that splits most lines into the same number of
// fields and leaves no other separator inside them. Lines without a separator are one column.
func separatorOf(text []byte, ending string) rune {
	sample := text
	if len(sample) > sampled {
		sample = sample[:bytes.LastIndexByte(sample[:sampled], '\n')+1]
	}
	if end := bytes.LastIndexByte(sample, '\n'); end > 0 && end < len(sample)-1 {
		sample = sample[:end+1] // without the last line, which may be incomplete
	}
	order := separators
	if ending == ".tsv" {
		order = []rune{'\t', ',', ';', '|'}
	}
	best, most := order[0], 0.0
	for _, s := range order {
		if fit := fitOf(sample, s); fit > most+1e-9 {
			best, most = s, fit
		}
	}
	if most < 0.5 && blankSeparated(sample) {
		return blankSeparator
	}
	if best == ',' && oneColumn(sample) {
		return ';' // a separator that does not occur
	}
	return best
}

// oneColumn reports whether the lines are numbers with a decimal comma under a name without a comma.
func oneColumn(sample []byte) bool {
	lines := strings.Split(strings.TrimSpace(string(sample)), "\n")
	return len(lines) > 1 && bytes.IndexByte(sample, ',') >= 0 && !strings.Contains(lines[0], ",") &&
		!slices.ContainsFunc(lines[1:], func(s string) bool {
			s = strings.TrimSpace(s)
			_, number := plain(s)
			return !number && !decimalComma.MatchString(s) && !missing[strings.ToLower(s)]
		})
}

// fitOf returns how well a separator fits the lines, from 0 to 1.
func fitOf(sample []byte, separator rune) float64 {
	r := newReader(sample, separator, true)
	var records [][]string
	lengths := map[int]int{}
	for {
		record, err := r.Read()
		if err != nil {
			break
		}
		records = append(records, record)
		lengths[len(record)]++
	}
	mode := 0
	for n, k := range lengths {
		if n > 1 && (mode == 0 || k > lengths[mode] || k == lengths[mode] && n > mode) {
			mode = n
		}
	}
	if mode == 0 {
		return 0
	}
	cells, clean := 0, 0
	for _, record := range records {
		if len(record) != mode {
			continue
		}
		for _, c := range record {
			cells++
			if !strings.ContainsAny(c, ",;|\t") || decimalComma.MatchString(strings.TrimSpace(c)) ||
				thousandPoint.MatchString(strings.TrimSpace(c)) {
				clean++
			}
		}
	}
	fit := float64(lengths[mode]) / float64(len(records)) * float64(clean) / float64(cells)
	if n := len(records[0]); n == 1 {
		fit *= 0.4 // the names would be one column
	} else if n != mode {
		fit *= 0.9
	}
	return fit
}

// blankSeparated reports whether all lines have the same number of words. Except in the first line, most of them must
// be numbers.
func blankSeparated(sample []byte) bool {
	words, numbers, all := 0, 0, 0
	for i, line := range strings.Split(strings.TrimSpace(string(sample)), "\n") {
		fields := strings.Fields(line)
		words = cmp.Or(words, len(fields))
		if len(fields) == 0 {
			continue
		}
		if len(fields) != words || words < 2 {
			return false
		}
		for _, s := range fields {
			if _, ok := plain(s); i > 0 {
				all++
				if ok {
					numbers++
				}
			}
		}
	}
	return all > 0 && 2*numbers >= all
}

// newReader returns a reader of records of any length. If lazy is true, quotes inside fields are ordinary characters.
func newReader(text []byte, separator rune, lazy bool) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = separator, -1, lazy
	r.TrimLeadingSpace = separator != '\t' // a tab is a blank too, and an empty field counts
	return r
}

// record holds the fields of a line. Blanks around a field are part of it only if it is quoted.
type record struct {
	line   int
	fields []string
}

// errOpen is the error of a quote that is never closed.
type errOpen struct{ line int }

func (e *errOpen) Error() string { return "a quote opens and is never closed" }

// recordsOf splits text into records and notes what it assumes.
func recordsOf(text []byte, separator rune) (out []record, assumed []string, err error) {
	if separator == blankSeparator {
		for i, line := range strings.Split(string(text), "\n") {
			if fields := strings.Fields(line); len(fields) > 0 {
				out = append(out, record{i + 1, fields})
			}
		}
		return out, nil, nil
	}
	out, trimmed, err := readRecords(text, separator, false)
	if _, open := err.(*errOpen); err != nil && !open {
		assumed = append(assumed, "quotes within fields taken as they are")
		out, trimmed, err = readRecords(text, separator, true)
	}
	if trimmed.n > 0 {
		assumed = append(assumed, fmt.Sprintf("blanks around %s without quotes left out, first %q on line %d",
			count(trimmed.n, "text"), cut(trimmed.cell), trimmed.at))
	}
	return out, assumed, err
}

// readRecords also returns the texts, with their lines, that are not quoted and lose blanks around them.
func readRecords(text []byte, separator rune, lazy bool) (out []record, trimmed seen, err error) {
	r := newReader(text, separator, lazy)
	lines := []int{0} // where each line begins
	for at, c := range text {
		if c == '\n' {
			lines = append(lines, at+1)
		}
	}
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return out, trimmed, nil
		}
		if err != nil {
			if bad, ok := err.(*csv.ParseError); ok && bad.Err == csv.ErrQuote && unclosed(text, bad) {
				err = &errOpen{bad.StartLine}
			}
			return out, trimmed, err
		}
		for j, s := range fields {
			line, column := r.FieldPos(j)
			at := lines[line-1] + column - 1
			if at < len(text) && text[at] == '"' {
				continue
			}
			fields[j] = strings.TrimSpace(s)
			before := at > 0 && at <= len(text) && text[at-1] == ' ' // which the reader has left out
			if before || len(fields[j]) < len(s) {
				if _, number := plain(fields[j]); !number && !missing[strings.ToLower(fields[j])] {
					trimmed.see(fields[j], line)
				}
			}
		}
		line, _ := r.FieldPos(0)
		out = append(out, record{line, fields})
	}
}

// unclosed reports whether the text ends inside quotes that begin at the place of an error.
func unclosed(text []byte, bad *csv.ParseError) bool {
	if bad.Line < lineCount(text) {
		return false
	}
	for range bad.StartLine - 1 {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return bytes.Count(text, []byte{'"'})%2 == 1
}

// lineCount returns the number of lines, including a last line without an end.
func lineCount(text []byte) int {
	return bytes.Count(bytes.TrimRight(text, "\n"), []byte("\n")) + 1
}

// widest returns the number of fields that most records have.
func widest(records []record) int {
	lengths := map[int]int{}
	for _, r := range records {
		lengths[len(r.fields)]++
	}
	return mode(lengths)
}

// blank reports whether all fields are empty.
func blank(fields []string) bool {
	return !slices.ContainsFunc(fields, func(s string) bool { return s != "" })
}
