package frame

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MIME is the type of a frame as data that a front end sorts, filters and pages.
const MIME = "application/vnd.nacre.table+json"

// What String and the data for a front end show at most.
const (
	textRows, textWidth = 20, 118
	dataRows            = 10_000
	cellWidth           = 60
)

// format gives the numbers of a column the same decimals: as many as six significant digits of its largest value need,
// but none that all its values do without.
type format struct {
	verb   byte
	digits int
}

func formatOf(x []float64) format {
	largest, least := 0.0, math.Inf(1)
	for _, v := range x {
		if a := math.Abs(v); !math.IsInf(v, 0) && !math.IsNaN(v) && a > 0 {
			largest, least = max(largest, a), min(least, a)
		}
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
		for needed < decimals && trimZeros(strconv.FormatFloat(v, 'f', needed, 64)) != trimZeros(strconv.FormatFloat(v, 'f', decimals, 64)) {
			needed++
		}
	}
	return format{'f', min(needed, decimals)}
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

// shown is the cells of a column as they are shown.
func (c Column) shown(at []int) []string {
	out := make([]string, len(at))
	n := format{}
	if c.IsNumber() {
		n = formatOf(c.num[:min(len(c.num), dataRows)])
	}
	for k, i := range at {
		if c.IsNumber() {
			out[k] = n.text(c.num[i])
			continue
		}
		out[k] = strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, c.text[i])
		if utf8.RuneCountInString(out[k]) > cellWidth {
			out[k] = string([]rune(out[k])[:cellWidth-1]) + "…"
		}
	}
	return out
}

// excerpt is the rows that text shows: all of a short frame, else the first and the last ones; cut is where rows are left out.
func (f *Frame) excerpt() (at []int, cut int) {
	if f.rows <= textRows {
		return rangeOf(f.rows), -1
	}
	all := rangeOf(f.rows)
	return append(all[:textRows/2:textRows/2], all[f.rows-textRows/2:]...), textRows / 2
}

// String is the frame as text with aligned decimals: its first and last rows where it is long, the columns that fit.
func (f *Frame) String() string {
	if f.err != nil {
		return f.err.Error()
	}
	at, cut := f.excerpt()
	lines := make([]string, 1+len(at))
	used, hidden := 0, 0
	for j, c := range f.columns {
		cells := append([]string{c.Name}, c.shown(at)...)
		width := 0
		for _, s := range cells {
			width = max(width, utf8.RuneCountInString(s))
		}
		if hidden > 0 || j > 0 && used+2+width > textWidth {
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
		if cut >= 0 && k == cut+1 {
			fmt.Fprintf(&b, "… %d rows\n", f.rows-textRows)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	fmt.Fprintf(&b, "%s of %s", plural(f.rows, "row"), plural(len(f.columns), "column"))
	if hidden > 0 {
		fmt.Fprintf(&b, ", %d not shown: %s", hidden, strings.Join(f.Names()[len(f.columns)-hidden:], ", "))
	}
	return b.String()
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// MIMEBundle returns the frame as data for the notebook's front end, of which it gets the first 10,000 rows, as HTML and as
// text.
func (f *Frame) MIMEBundle() (map[string]any, error) {
	if f.err != nil {
		return nil, f.err
	}
	return map[string]any{MIME: f.data(), "text/html": f.html(), "text/plain": f.String()}, nil
}

// data is what the front end gets: of a column of numbers the values and their format, of another the text.
func (f *Frame) data() map[string]any {
	n := min(f.rows, dataRows)
	var columns []map[string]any
	for _, c := range f.columns {
		m := map[string]any{"name": c.Name, "number": c.IsNumber()}
		if c.IsNumber() {
			values := make([]any, n)
			for i, v := range c.num[:n] {
				switch {
				case math.IsInf(v, 0):
					values[i] = fmt.Sprint(v)
				case !math.IsNaN(v):
					values[i] = v
				}
			}
			form := formatOf(c.num[:n])
			m["values"], m["digits"], m["exponent"] = values, form.digits, form.verb == 'e'
		} else {
			m["values"] = c.text[:n]
		}
		columns = append(columns, m)
	}
	return map[string]any{"version": 1, "rows": f.rows, "columns": columns}
}

func (f *Frame) html() string {
	at, cut := f.excerpt()
	cells := make([][]string, len(f.columns))
	var b strings.Builder
	b.WriteString("<table><thead><tr>")
	for j, c := range f.columns {
		cells[j] = c.shown(at)
		fmt.Fprintf(&b, `<th style="text-align:%s">%s</th>`, c.side(), html.EscapeString(c.Name))
	}
	b.WriteString("</tr></thead><tbody>")
	for k := range at {
		if k == cut {
			fmt.Fprintf(&b, `<tr><td colspan="%d">… %d rows</td></tr>`, len(f.columns), f.rows-textRows)
		}
		b.WriteString("<tr>")
		for j, c := range f.columns {
			fmt.Fprintf(&b, `<td style="text-align:%s">%s</td>`, c.side(), html.EscapeString(cells[j][k]))
		}
		b.WriteString("</tr>")
	}
	fmt.Fprintf(&b, "</tbody></table><p>%s of %s</p>", plural(f.rows, "row"), plural(len(f.columns), "column"))
	return b.String()
}

func (c Column) side() string {
	if c.IsNumber() {
		return "right"
	}
	return "left"
}
