package frame

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"nacre/internal/whole"
)

// MIME is the type of a frame as data that a front end can sort, filter and page.
const MIME = "application/vnd.nacre.table+json"

// Limits of what String and the data for a front end show.
const (
	textRows, textWidth = 20, 118
	dataRows            = 10_000
	cellWidth           = 60

	dataBytes   = 850_000 // approximate size of the data for a front end, in the file of a notebook
	lineBytes   = 11      // of a value in such a file: it stands on a line of its own, ten levels deep
	dataColumns = 300
	dataText    = 1000 // letters of a cell
	htmlColumns = 40
	namedHidden = 8
)

// format gives the numbers of a column the same number of decimals. It is the number that six significant digits of the
// largest value need, but without decimals that are zero in all values. If a small value would then have no digits,
// each value has six significant digits.
type format struct {
	verb   byte // 'f', 'e', or 'g' for significant digits
	digits int
}

func formatOf(x []float64) format {
	largest, least, integers := 0.0, math.Inf(1), true
	for _, v := range x {
		integers = integers && (v == math.Trunc(v) || math.IsNaN(v))
		if a := math.Abs(v); !math.IsInf(v, 0) && !math.IsNaN(v) && a > 0 {
			largest, least = max(largest, a), min(least, a)
		}
	}
	if integers && largest < 1<<53 {
		return format{'f', 0}
	}
	if largest >= 1e15 || largest > 0 && (largest < 1e-4 || least < 1e-4 && largest/least > 1e6) {
		return format{'e', 3}
	}
	decimals := 5
	if largest > 0 {
		decimals = max(0, 5-int(math.Floor(math.Log10(largest))))
	}
	needed := 0
	for _, v := range x {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			continue
		}
		for needed < decimals &&
			trimZeros(strconv.FormatFloat(v, 'f', needed, 64)) != trimZeros(strconv.FormatFloat(v, 'f', decimals, 64)) {
			needed++
		}
	}
	unit := math.Pow10(needed)
	for _, v := range x {
		if shown := math.Round(v*unit) / unit; math.Abs(shown-v) > 0.005*math.Abs(v) && !math.IsInf(v, 0) {
			return format{'g', 6}
		}
	}
	return format{'f', needed}
}

// trimZeros drops zeros behind the decimal point.
func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func (n format) text(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, n.verb, n.digits, 64)
}

// shown returns the cells of a column as they are shown.
func (c Column) shown(at []int) []string {
	out := make([]string, len(at))
	n := format{}
	if c.IsNumber() {
		n = formatOf(c.num[:min(len(c.num), dataRows)])
	}
	for k, i := range at {
		switch {
		case c.rest != nil && !math.IsNaN(c.num[i]):
			out[k] = c.word(i)
		case c.IsNumber():
			out[k] = n.text(c.num[i])
		default:
			out[k] = cut(strings.Map(func(r rune) rune {
				if r < ' ' {
					return ' '
				}
				return r
			}, c.text[i]), cellWidth)
		}
	}
	return out
}

// cut returns at most the given number of letters of a text.
func cut(s string, most int) string {
	if len(s) > most && utf8.RuneCountInString(s) > most {
		return string([]rune(s)[:most-1]) + "…"
	}
	return s
}

// excerpt returns the rows that a text shows: all of a short frame, otherwise the first and the last ones. gap is the
// place where rows are left out.
func (f *Frame) excerpt() (at []int, gap int) {
	if f.rows <= textRows {
		return rangeOf(f.rows), -1
	}
	all := rangeOf(f.rows)
	return append(all[:textRows/2:textRows/2], all[f.rows-textRows/2:]...), textRows / 2
}

// String is the frame as text with aligned decimals. A long frame shows its first and last rows. Columns that do not
// fit are left out.
func (f *Frame) String() string {
	if f.err != nil {
		return f.err.Error()
	}
	at, gap := f.excerpt()
	lines := make([]string, 1+len(at))
	used, hidden := 0, 0
	for j, c := range f.columns {
		if hidden > 0 {
			hidden++
			continue
		}
		cells := append([]string{cut(c.Name, textWidth)}, c.shown(at)...)
		width := 0
		for _, s := range cells {
			width = max(width, utf8.RuneCountInString(s))
		}
		if j > 0 && used+2+width > textWidth {
			hidden++
			continue
		}
		for k, s := range cells {
			pad := strings.Repeat(" ", width-utf8.RuneCountInString(s))
			if j > 0 {
				lines[k] += "  "
			}
			if c.IsNumber() {
				lines[k] += pad + s
			} else {
				lines[k] += s + pad
			}
		}
		used += 2 + width
	}
	var b strings.Builder
	for k, line := range lines {
		if gap >= 0 && k == gap+1 {
			fmt.Fprintf(&b, "… %d rows\n", f.rows-textRows)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	fmt.Fprintf(&b, "%s of %s", plural(f.rows, "row"), plural(len(f.columns), "column"))
	if hidden > 0 {
		fmt.Fprintf(&b, ", %d not shown: %s", hidden, f.named(len(f.columns)-hidden))
	}
	for _, n := range f.notes {
		b.WriteString("\n" + n)
	}
	return b.String()
}

// named returns the names of columns from one on; of many only a few.
func (f *Frame) named(from int) string {
	var names []string
	for _, c := range f.columns[from:min(from+namedHidden, len(f.columns))] {
		names = append(names, cut(c.Name, cellWidth))
	}
	if more := len(f.columns) - from - len(names); more > 0 {
		names = append(names, fmt.Sprintf("… %d more", more))
	}
	return strings.Join(names, ", ")
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// MIMEBundle returns the frame in three forms: as data for the notebook's front end, as HTML and as text. Together they
// take less than a megabyte in the file of a notebook. The data are cut if they would take more, and they never have
// more than 10,000 rows and 300 columns.
func (f *Frame) MIMEBundle() (map[string]any, error) {
	if f.err != nil {
		return nil, f.err
	}
	return map[string]any{MIME: f.data(), "text/html": f.html(), "text/plain": f.String()}, nil
}

// held is the number of rows of the first columns that a front end gets.
func (f *Frame) held(columns []Column) int {
	left := dataBytes
	for i := range min(f.rows, dataRows) {
		for _, c := range columns {
			if c.IsNumber() {
				left -= lineBytes + 1 + len(c.word(i))
				continue
			}
			s := cut(c.text[i], dataText)
			left -= lineBytes + 3 + len(s) + strings.Count(s, `"`) + strings.Count(s, `\`) +
				5*strings.Count(s, "<") + 5*strings.Count(s, ">") + 5*strings.Count(s, "&")
		}
		if left < 0 {
			return max(i, 1)
		}
	}
	return min(f.rows, dataRows)
}

// data returns the data for the front end: the values and format of a column of numbers, the text of other columns.
// Numbers that JSON lacks, and whole numbers too large to be exact there, are text.
func (f *Frame) data() map[string]any {
	first := f.columns[:min(len(f.columns), dataColumns)]
	n := f.held(first)
	var columns []map[string]any
	for _, c := range first {
		m := map[string]any{"name": cut(c.Name, dataText), "number": c.IsNumber()}
		if c.IsNumber() {
			values := make([]any, n)
			for i, v := range c.num[:n] {
				switch {
				case math.IsInf(v, 0):
					values[i] = fmt.Sprint(v)
				case !math.IsNaN(v) && c.rest != nil && math.Abs(v) >= whole.Exact:
					values[i] = c.word(i)
				case !math.IsNaN(v):
					values[i] = v
				}
			}
			form := formatOf(c.num[:n])
			m["values"], m["digits"], m["exponent"] = values, form.digits, form.verb == 'e'
			if form.verb == 'g' {
				m["significant"] = true
			}
		} else {
			texts := make([]string, n)
			for i, s := range c.text[:n] {
				texts[i] = cut(s, dataText)
			}
			m["values"] = texts
		}
		columns = append(columns, m)
	}
	out := map[string]any{"version": 1, "rows": f.rows, "columns": columns}
	if len(f.notes) > 0 {
		out["notes"] = f.notes
	}
	if n := len(f.columns); n > len(first) {
		out["notes"] = append(slices.Clone(f.notes),
			fmt.Sprintf("the first %d of %d columns are here, without %s: Select shows others, WriteCSV writes all",
				len(first), n, f.named(len(first))))
	}
	return out
}

func (f *Frame) html() string {
	at, gap := f.excerpt()
	first := f.columns[:min(len(f.columns), htmlColumns)]
	cells := make([][]string, len(first))
	var b strings.Builder
	b.WriteString("<table><thead><tr>")
	for j, c := range first {
		cells[j] = c.shown(at)
		fmt.Fprintf(&b, `<th style="text-align:%s">%s</th>`, c.side(), html.EscapeString(cut(c.Name, dataText)))
	}
	b.WriteString("</tr></thead><tbody>")
	for k := range at {
		if k == gap {
			fmt.Fprintf(&b, `<tr><td colspan="%d">… %d rows</td></tr>`, len(first), f.rows-textRows)
		}
		b.WriteString("<tr>")
		for j, c := range first {
			fmt.Fprintf(&b, `<td style="text-align:%s">%s</td>`, c.side(), html.EscapeString(cells[j][k]))
		}
		b.WriteString("</tr>")
	}
	fmt.Fprintf(&b, "</tbody></table><p>%s of %s", plural(f.rows, "row"), plural(len(f.columns), "column"))
	if hidden := len(f.columns) - len(first); hidden > 0 {
		fmt.Fprintf(&b, ", %d not shown: %s", hidden, html.EscapeString(f.named(len(first))))
	}
	b.WriteString("</p>")
	for _, n := range f.notes {
		fmt.Fprintf(&b, "<p>%s</p>", html.EscapeString(n))
	}
	return b.String()
}

func (c Column) side() string {
	if c.IsNumber() {
		return "right"
	}
	return "left"
}
