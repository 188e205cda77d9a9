package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"nacre/internal/measurement"
)

// table writes a measurement as a table with a line that says where it is from; the machine is in the file and at the
// top of the page. What ranges mean is left out if all columns with ranges are. Its arguments are the measurement's
// name and, if only a part is wanted, columns=a,b and rows=x,y by the first label.
func table(root, arguments string) (string, error) {
	fields := strings.Fields(arguments)
	if len(fields) == 0 {
		return "", errors.New("a table needs the name of a measurement")
	}
	m, err := measurement.Load(root, fields[0])
	if err != nil {
		return "", err
	}
	ranged := hasRanges(m)
	for _, f := range fields[1:] {
		key, value, _ := strings.Cut(f, "=")
		wanted := strings.Split(value, ",")
		switch key {
		case "columns":
			err = keep(&m.Columns, wanted, func(c measurement.Column) string { return c.Name })
		case "rows":
			err = keep(&m.Rows, wanted, func(r measurement.Row) string { return r.Of[0] })
		default:
			err = fmt.Errorf("%q: expected columns=… or rows=…", f)
		}
		if err != nil {
			return "", err
		}
	}
	if ranged && !hasRanges(m) {
		m.Spread = ""
	}
	var b strings.Builder
	heads := slices.Clone(m.Labels)
	for _, c := range m.Columns {
		heads = append(heads, c.Head)
	}
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(heads)
	b.WriteString("|" + strings.Repeat("---|", len(m.Labels)) + strings.Repeat("--:|", len(m.Columns)) + "\n")
	for _, r := range m.Rows {
		cells := slices.Clone(r.Of)
		for _, c := range m.Columns {
			text := ""
			if v, ok := r.Cells[c.Name]; ok {
				text = show(v, c)
			}
			cells = append(cells, text)
		}
		line(cells)
	}
	day, err := time.Parse(time.DateOnly, m.Date)
	if err != nil {
		return "", err
	}
	about := []string{day.Format("2 January 2006") + ", commit " + m.Commit}
	for _, s := range []string{m.Conditions, m.Spread} {
		if s != "" {
			about = append(about, s)
		}
	}
	b.WriteString("\n" + wrap(fmt.Sprintf("%s. [Data](measurements/%s.json).", strings.Join(about, ". "), fields[0]),
		width))
	return b.String(), nil
}

// hasRanges reports whether a cell of the measurement's columns has a lowest and a highest value.
func hasRanges(m measurement.Measurement) bool {
	for _, r := range m.Rows {
		for _, c := range m.Columns {
			if r.Cells[c.Name].Ranged {
				return true
			}
		}
	}
	return false
}

// keep leaves the items whose names are wanted, in the order wanted.
func keep[T any](items *[]T, wanted []string, name func(T) string) error {
	var kept []T
	for _, w := range wanted {
		n := len(kept)
		for _, item := range *items {
			if name(item) == w {
				kept = append(kept, item)
			}
		}
		if len(kept) == n {
			return fmt.Errorf("%q is not in the measurement", w)
		}
	}
	*items = kept
	return nil
}

func show(c measurement.Cell, of measurement.Column) string {
	if c.Words != "" {
		return c.Words
	}
	number := func(v float64) string { return decimal(v, of.Digits) }
	bold := ""
	if of.Bold {
		bold = "**"
	}
	if of.Show != "" && c.Seeds != nil {
		texts := make([]string, len(c.Seeds))
		for i, v := range c.Seeds {
			texts[i] = number(v)
		}
		all := strings.Join(texts, "; ") + of.Unit
		if of.Show == "each and mean" {
			return fmt.Sprintf("%s (%s%s%s)", all, bold, number(c.Value), bold)
		}
		return all
	}
	if c.Ranged {
		to := "–"
		if c.Low < 0 {
			to = " to "
		}
		return fmt.Sprintf("%s%s%s%s (%s%s%s)", bold, number(c.Value), of.Unit, bold, number(c.Low), to, number(c.High))
	}
	return bold + number(c.Value) + of.Unit + bold
}

// decimal writes a number with so many digits after the point, or rounded before it where digits is negative, with
// commas between thousands and a true minus sign.
func decimal(v float64, digits int) string {
	if digits < 0 {
		scale := math.Pow(10, float64(-digits))
		v, digits = math.Round(v/scale)*scale, 0
	}
	text := strconv.FormatFloat(math.Abs(v), 'f', digits, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if v < 0 && strings.ContainsAny(whole, "123456789") {
		return "−" + whole
	}
	return whole
}
