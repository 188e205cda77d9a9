package frame

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"nacre/internal/atomicfile"
)

// PrintOption changes how a frame is printed as LaTeX or Markdown.
type PrintOption func(*printed)

// printed holds what options change.
type printed struct {
	caption   string
	decimals  int // −1: chosen for each column
	plusMinus bool
}

// Caption gives a LaTeX table an environment with this caption. In Markdown the caption stands below the table.
func Caption(text string) PrintOption { return func(p *printed) { p.caption = text } }

// Decimals gives all numbers that are not whole n decimals, 0 to 15.
func Decimals(n int) PrintOption { return func(p *printed) { p.decimals = n } }

// PlusMinus prints intervals as −21.0 ± 6.8 instead of −21.0 [−27.8, −14.2]. They must be symmetric.
func PlusMinus() PrintOption { return func(p *printed) { p.plusMinus = true } }

// Save writes the frame to path, as its name says: .csv, .parquet, .tex or .md. The first two have the frame as it is,
// without options; a tab cannot write .parquet. In the others numbers are rounded, and columns name, name_lo and
// name_hi become one with an interval.
func (f *Frame) Save(path string, options ...PrintOption) error {
	var data []byte
	var text string
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case (ext == ".csv" || ext == ".parquet") && len(options) > 0:
		err = fmt.Errorf("frame: %s: options are for .tex and .md; a %s file has all columns and digits", path, ext)
	case ext == ".csv":
		data, err = f.CSV()
	case ext == ".parquet":
		data, err = f.Parquet()
	case ext == ".tex":
		text, err = f.LaTeX(options...)
	case ext == ".md":
		text, err = f.Markdown(options...)
	default:
		err = fmt.Errorf("frame: %s: the name must end in .csv, .parquet, .tex or .md, not %q", path, ext)
	}
	if err != nil {
		return err
	}
	if data == nil {
		data = []byte(text)
	}
	if err := atomicfile.WriteBytes(path, data); err != nil {
		return fmt.Errorf("frame: %w", err)
	}
	return nil
}

// cells is a printed column. Each cell has as many parts as the column; equal parts stand below each other.
type cells struct {
	name   string
	number bool
	parts  int // 1; 3: a value and the ends of its interval, or a value, ± and what it may differ by
	rows   [][]string
}

// print makes the columns of a table of text.
func (f *Frame) print(options []PrintOption) (columns []cells, p printed, err error) {
	p.decimals = -1
	for _, option := range options {
		option(&p)
	}
	if f.err != nil {
		return nil, p, f.err
	}
	if p.decimals < -1 || p.decimals > 15 {
		return nil, p, fmt.Errorf("frame: %d decimals; expected 0 to 15", p.decimals)
	}
	if len(f.columns) == 0 {
		return nil, p, fmt.Errorf("frame: the table has no columns to print")
	}
	taken := map[string]bool{}
	for _, c := range f.columns {
		lo, hi := f.ends(c)
		if lo != nil {
			taken[lo.Name], taken[hi.Name] = true, true
		}
	}
	for _, c := range f.columns {
		if taken[c.Name] {
			continue
		}
		lo, hi := f.ends(c)
		switch {
		case lo == nil:
			columns = append(columns, p.plain(c))
		default:
			column, err := p.interval(c, *lo, *hi)
			if err != nil {
				return nil, p, err
			}
			columns = append(columns, column)
		}
	}
	return columns, p, nil
}

// ends are the columns of numbers name_lo and name_hi of a column of numbers, nil if there are none.
func (f *Frame) ends(c Column) (lo, hi *Column) {
	find := func(name string) *Column {
		if k := slices.IndexFunc(f.columns, func(o Column) bool { return o.Name == name && o.IsNumber() }); k >= 0 {
			return &f.columns[k]
		}
		return nil
	}
	if lo, hi = find(c.Name+"_lo"), find(c.Name+"_hi"); !c.IsNumber() || lo == nil || hi == nil {
		return nil, nil
	}
	return lo, hi
}

// significant digits of the largest number of a column without intervals.
const significant = 4

func (p printed) plain(c Column) cells {
	out := cells{name: c.Name, number: c.IsNumber(), parts: 1}
	if !c.IsNumber() {
		for _, text := range c.text {
			out.rows = append(out.rows, []string{strings.Join(strings.Fields(text), " ")})
		}
		return out
	}
	n := p.format(c.num, func(largest float64) int { return significant - 1 - magnitude(largest) })
	for i, v := range c.num {
		text := n.text(v)
		if n.verb == 'f' && n.digits == 0 {
			text = c.word(i) // all digits of a whole number
			if math.IsNaN(v) {
				text = ""
			}
		}
		out.rows = append(out.rows, []string{signed(text)})
	}
	return out
}

// magnitude is the power of ten of the first digit.
func magnitude(v float64) int {
	if v == 0 {
		return 0
	}
	return int(math.Floor(math.Log10(math.Abs(v))))
}

// format is how numbers of a column are printed: whole numbers as they are, others with the decimals that decide names
// for the largest of them, or with an exponent if it is very large or small.
func (p printed) format(x []float64, decide func(largest float64) int) format {
	n := formatOf(x)
	if n.verb == 'f' && n.digits == 0 || n.verb == 'e' {
		return n
	}
	largest := 0.0
	for _, v := range x {
		if a := math.Abs(v); !math.IsInf(v, 0) && a > largest {
			largest = a
		}
	}
	if p.decimals >= 0 {
		return format{'f', p.decimals}
	}
	return format{'f', min(6, max(0, decide(largest)))}
}

// signed writes minus signs as such, and no sign before a zero.
func signed(text string) string {
	if strings.HasPrefix(text, "-") && strings.Trim(text, "-0.") == "" {
		return text[1:]
	}
	return strings.ReplaceAll(text, "-", "−")
}

// interval prints a value with its ends to two significant digits of half the interval's length, of the median row.
func (p printed) interval(c, lo, hi Column) (cells, error) {
	var halves []float64
	for i := range c.num {
		if h := (hi.num[i] - lo.num[i]) / 2; h > 0 && !math.IsInf(h, 0) {
			halves = append(halves, h)
		}
	}
	slices.Sort(halves)
	n := p.format(slices.Concat(c.num, lo.num, hi.num), func(largest float64) int {
		if len(halves) == 0 {
			return significant - 1 - magnitude(largest)
		}
		return 1 - magnitude(halves[len(halves)/2])
	})
	out := cells{name: c.Name, number: true, parts: 3}
	for i, v := range c.num {
		row := make([]string, out.parts)
		row[0] = signed(n.text(v))
		l, h := lo.num[i], hi.num[i]
		known := !math.IsNaN(l) && !math.IsNaN(h) && !math.IsNaN(v)
		switch {
		case known && p.plusMinus && math.Abs((h-v)-(v-l)) > 1e-6*(h-l):
			return out, fmt.Errorf("frame: row %d (counted from 0) of column %q is %v with [%v, %v], which is not "+
				"symmetric; leave PlusMinus out", i, c.Name, v, l, h)
		case known && p.plusMinus:
			row[1], row[2] = "±", n.text((h-l)/2)
		case known:
			row[1], row[2] = "["+signed(n.text(l))+",", signed(n.text(h))+"]"
		}
		out.rows = append(out.rows, row)
	}
	return out, nil
}

// Markdown is the frame as a table in Markdown, with decimal points below each other. A missing number is a dash.
func (f *Frame) Markdown(options ...PrintOption) (string, error) {
	columns, p, err := f.print(options)
	if err != nil {
		return "", err
	}
	lines := make([]string, f.rows+2)
	for _, c := range columns {
		widths := make([]int, c.parts)
		for _, row := range c.rows {
			for k, part := range row {
				widths[k] = max(widths[k], utf8.RuneCountInString(part))
			}
		}
		texts := []string{markdown(c.name), "---"}
		if c.number {
			texts[1] = "--:"
		}
		for _, row := range c.rows {
			text := markdown(row[0])
			if c.number {
				text = ""
				if row[0] == "" {
					row = append([]string{"–"}, row[1:]...)
				}
				for k, part := range row {
					text += strings.Repeat(" ", widths[k]-min(widths[k], utf8.RuneCountInString(part))) + part + " "
				}
				text = strings.TrimRight(text, " ")
			}
			texts = append(texts, text)
		}
		width := 0
		for _, text := range texts {
			width = max(width, utf8.RuneCountInString(text))
		}
		for i, text := range texts {
			pad := width - utf8.RuneCountInString(text)
			switch {
			case i == 1 && c.number:
				text = strings.Repeat("-", width-1) + ":"
			case i == 1:
				text = strings.Repeat("-", width)
			case c.number && (i == 0 || c.parts == 1):
				text = strings.Repeat(" ", pad) + text
			default:
				text += strings.Repeat(" ", pad)
			}
			lines[i] += "| " + text + " "
		}
	}
	out := strings.Join(lines, "|\n") + "|\n"
	for _, line := range append([]string{p.caption}, f.notes...) {
		if line != "" {
			out += "\n" + markdown(line) + "\n"
		}
	}
	return out, nil
}

// markdown escapes text in a cell.
func markdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "\n", " ").
		Replace(text)
}
