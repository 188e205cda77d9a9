package tsne

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"nacre/internal/csvtable"
)

// newCSV reads a CSV file without the mark that spreadsheets put before it, which is no part of the first column's name.
func newCSV(raw []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\ufeff"))))
	r.TrimLeadingSpace = true
	return r
}

func readCSV(raw []byte, label string) (*Embeddings, error) {
	rows, err := newCSV(raw).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, badInput("no data: the file is empty")
	}
	head, header := csvtable.Names(rows[0])
	if header {
		rows = rows[1:]
	}
	if len(rows) == 0 {
		return nil, badInput("no data: a header and at least one row are needed")
	}
	for j, name := range head {
		if slices.Contains(head[:j], name) {
			return nil, badInput("two columns are called %q; each needs a name of its own", name)
		}
	}
	at := slices.Index(head, cmp.Or(label, "label"))
	if at < 0 && label != "" {
		return nil, missing("column", label, head)
	}
	if at < 0 {
		at = labelColumn(head, rows)
	}
	data, std := numbered(head, "mean"), numbered(head, "std")
	if data == nil {
		data = numbered(head, "z")
	}
	if data == nil {
		std = nil
		for c := range head {
			if c != at && !isText(rows, c) {
				data = append(data, c)
			}
		}
	}
	if len(data) == 0 {
		return nil, badInput("no column of numbers among %s", strings.Join(head, ", "))
	}
	e := &Embeddings{}
	if !slices.Contains(head, "mean0") && !slices.Contains(head, "z0") {
		for _, c := range data {
			e.Columns = append(e.Columns, head[c])
		}
	}
	if e.Mean, err = columns(head, rows, data); err != nil {
		return nil, err
	}
	if std != nil {
		if e.Std, err = columns(head, rows, std); err != nil {
			return nil, err
		}
	}
	if at >= 0 {
		text := make([]string, len(rows))
		for i, row := range rows {
			text[i] = row[at]
		}
		e.Label, e.Names = parseLabels(text)
	}
	return e, nil
}

// labelNames are what a column of labels is called where it is not called "label".
var labelNames = []string{"class", "target", "task", "species", "digit", "category"}

// labelColumn is the column of labels where none is named: one of a usual name, or else the only one of text; -1 where there
// is none, or more than one.
func labelColumn(head []string, rows [][]string) int {
	for _, is := range []func(c int) bool{
		func(c int) bool { return slices.Contains(labelNames, strings.ToLower(head[c])) },
		func(c int) bool { return isText(rows, c) },
	} {
		found := -1
		for c := range head {
			switch {
			case !is(c):
			case found >= 0:
				return -1
			default:
				found = c
			}
		}
		if found >= 0 {
			return found
		}
	}
	return -1
}

// isText says whether no value of a column is a number.
func isText(rows [][]string, c int) bool {
	for _, row := range rows {
		if _, err := strconv.ParseFloat(strings.TrimSpace(row[c]), 64); err == nil {
			return false
		}
	}
	return true
}

// numbered returns the columns prefix0, prefix1, … in that order, nil when there is no prefix0.
func numbered(head []string, prefix string) []int {
	var out []int
	for {
		c := slices.Index(head, prefix+strconv.Itoa(len(out)))
		if c < 0 {
			return out
		}
		out = append(out, c)
	}
}

func columns(head []string, rows [][]string, cols []int) (Matrix, error) {
	m := NewMatrix(len(rows), len(cols))
	for i, row := range rows {
		for k, c := range cols {
			v, err := strconv.ParseFloat(strings.TrimSpace(row[c]), 64)
			if err != nil {
				return m, badInput("row %d, column %q: %q is not a number", i, head[c], row[c])
			}
			m.Row(i)[k] = v
		}
	}
	return m, nil
}

// parseLabels keeps whole numbers as they are and numbers other texts in sorted order.
func parseLabels(text []string) (label []int, names []string) {
	label = make([]int, len(text))
	for i, s := range text {
		v, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			names = slices.Compact(slices.Sorted(slices.Values(text)))
			break
		}
		label[i] = v
	}
	if names != nil {
		for i, s := range text {
			label[i], _ = slices.BinarySearch(names, s)
		}
	}
	return label, names
}

func (e *Embeddings) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	var head []string
	for _, m := range []struct {
		prefix string
		cols   int
	}{{"mean", e.Mean.Cols}, {"std", e.Std.Cols}} {
		for c := range m.cols {
			head = append(head, m.prefix+strconv.Itoa(c))
		}
	}
	if e.Label != nil {
		head = append(head, "label")
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for i := range e.Mean.Rows {
		row := make([]string, 0, len(head))
		for _, v := range e.Mean.Row(i) {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		if e.Std.Rows > 0 {
			for _, v := range e.Std.Row(i) {
				row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		if e.Label != nil {
			row = append(row, e.Name(e.Label[i]))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
