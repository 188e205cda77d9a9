package table

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strings"
)

// blankSeparator stands for one or more blanks between fields.
const blankSeparator = ' '

// separators are those that are tried, the first where two fit equally well.
var separators = []rune{',', '\t', ';', '|'}

// sampled is how much of a file is looked at to find its separator.
const sampled = 64 << 10

// separatorOf finds what parts the fields of lines: that which parts most lines into equally many fields, and leaves
// none of the others within them. Lines without any are one column.
func separatorOf(text []byte, ending string) rune {
	sample := text
	if len(sample) > sampled {
		sample = sample[:bytes.LastIndexByte(sample[:sampled], '\n')+1]
	}
	if end := bytes.LastIndexByte(sample, '\n'); end > 0 && end < len(sample)-1 {
		sample = sample[:end+1] // without a last line that may be half written
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
		return ';' // which is nowhere
	}
	return best
}

// oneColumn reports whether lines under a name without a comma are numbers with a decimal comma.
func oneColumn(sample []byte) bool {
	lines := strings.Split(strings.TrimSpace(string(sample)), "\n")
	return len(lines) > 1 && bytes.IndexByte(sample, ',') >= 0 && !strings.Contains(lines[0], ",") &&
		!slices.ContainsFunc(lines[1:], func(s string) bool {
			s = strings.TrimSpace(s)
			_, number := plain(s)
			return !number && !decimalComma.MatchString(s) && !missing[strings.ToLower(s)]
		})
}

// fitOf is how well a separator fits lines, from 0 to 1.
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

// blankSeparated reports whether lines are equally many words, most of them numbers but for the first line's.
func blankSeparated(sample []byte) bool {
	words, numbers, all := 0, 0, 0
	for i, line := range strings.Split(strings.TrimSpace(string(sample)), "\n") {
		fields := strings.Fields(line)
		if words == 0 {
			words = len(fields)
		}
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

// newReader reads records of any length; lazy takes quotes within fields as they are.
func newReader(text []byte, separator rune, lazy bool) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = separator, -1, lazy
	r.TrimLeadingSpace = separator != '\t' // which is a blank itself, and an empty field is one
	return r
}

// record is a line's fields, without blanks around them.
type record struct {
	line   int
	fields []string
}

// errOpen is a quote that nothing closes.
type errOpen struct{ line int }

func (e *errOpen) Error() string { return "a quote opens and is never closed" }

// recordsOf cuts text into records. loose says that there were quotes within fields.
func recordsOf(text []byte, separator rune) (out []record, loose bool, err error) {
	if separator == blankSeparator {
		for i, line := range strings.Split(string(text), "\n") {
			if fields := strings.Fields(line); len(fields) > 0 {
				out = append(out, record{i + 1, fields})
			}
		}
		return out, false, nil
	}
	if out, err = readRecords(text, separator, false); err == nil {
		return out, false, nil
	}
	if open, ok := err.(*errOpen); ok {
		return out, false, open
	}
	out, err = readRecords(text, separator, true)
	return out, true, err
}

func readRecords(text []byte, separator rune, lazy bool) (out []record, err error) {
	r := newReader(text, separator, lazy)
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			if bad, ok := err.(*csv.ParseError); ok && bad.Err == csv.ErrQuote && unclosed(text, bad) {
				return out, &errOpen{bad.StartLine}
			}
			return out, err
		}
		line, _ := r.FieldPos(0)
		for j, s := range fields {
			fields[j] = strings.TrimSpace(s)
		}
		out = append(out, record{line, fields})
	}
}

// unclosed reports whether the text ends within quotes that were opened where an error began.
func unclosed(text []byte, bad *csv.ParseError) bool {
	if bad.Line < lineCount(text) {
		return false
	}
	for range bad.StartLine - 1 {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return bytes.Count(text, []byte{'"'})%2 == 1
}

// lineCount is the number of lines, the last without a line's end among them.
func lineCount(text []byte) int {
	return bytes.Count(bytes.TrimRight(text, "\n"), []byte("\n")) + 1
}

// widest is the number of fields that most records have, of equally many the larger.
func widest(records []record) int {
	lengths := map[int]int{}
	for _, r := range records {
		lengths[len(r.fields)]++
	}
	mode := 0
	for n, k := range lengths {
		if k > lengths[mode] || k == lengths[mode] && n > mode {
			mode = n
		}
	}
	return mode
}

// blank reports whether fields hold nothing.
func blank(fields []string) bool {
	return !slices.ContainsFunc(fields, func(s string) bool { return s != "" })
}
