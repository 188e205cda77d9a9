package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A measurement is one file of docs/measurements; the README beside them describes the fields.
type measurement struct {
	What       string   `json:"what"`
	Date       string   `json:"date"` // 2006-01-02
	Commit     string   `json:"commit"`
	Machine    string   `json:"machine"`
	Conditions string   `json:"conditions"`
	Spread     string   `json:"spread"`
	Commands   []string `json:"commands"`
	Labels     []string `json:"labels"`
	Columns    []column `json:"columns"`
	Rows       []row    `json:"rows"`
}

type column struct {
	Name   string `json:"name"`
	Head   string `json:"head"`
	Digits int    `json:"digits"` // after the point; −2 rounds to hundreds
	Unit   string `json:"unit"`
	Show   string `json:"show"` // of seeds: "" for their mean and range, "each", or "each and mean"
	Bold   bool   `json:"bold"`
}

type row struct {
	Of    []string        `json:"of"`
	Cells map[string]cell `json:"cells"`
}

// A cell is what was measured of a row: a number, a number with its lowest and highest, one number per seed, or words
// where there is no number.
type cell struct {
	Words            string
	Value, Low, High float64
	Ranged           bool
	Seeds            []float64
}

// UnmarshalJSON reads 93, {"value": 93, "low": 90, "high": 105}, {"seeds": [1, 2, 3]} or "not run".
func (c *cell) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &c.Words) == nil {
		return nil
	}
	if json.Unmarshal(text, &c.Value) == nil {
		return nil
	}
	var o struct {
		Value, Low, High *float64
		Seeds            []float64
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return err
	}
	switch {
	case o.Seeds != nil && o.Value == nil && o.Low == nil && o.High == nil:
		c.Seeds, c.Ranged = o.Seeds, true
		c.Low, c.High = slices.Min(o.Seeds), slices.Max(o.Seeds)
		for _, v := range o.Seeds {
			c.Value += v / float64(len(o.Seeds))
		}
	case o.Value != nil && o.Low != nil && o.High != nil && o.Seeds == nil:
		c.Value, c.Low, c.High, c.Ranged = *o.Value, *o.Low, *o.High, true
		if c.Low > c.Value || c.Value > c.High {
			return fmt.Errorf("the value %v is not between its lowest %v and its highest %v", c.Value, c.Low, c.High)
		}
	default:
		return fmt.Errorf("%s is neither value, low and high nor seeds", text)
	}
	return nil
}

// load reads a measurement by its name, the file's without its ending, and refuses one that leaves out what a reader
// needs to judge it.
func load(root, name string) (measurement, error) {
	var m measurement
	text, err := os.ReadFile(filepath.Join(root, "docs", "measurements", name+".json"))
	if err != nil {
		return m, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, fmt.Errorf("%s.json: %w", name, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return m, fmt.Errorf("%s.json: more than one value", name)
	}
	if err := m.check(); err != nil {
		return m, fmt.Errorf("%s.json: %w", name, err)
	}
	if !strings.HasSuffix(name, "-"+m.Date) {
		return m, fmt.Errorf("%s.json is of %s: its name should end with that date", name, m.Date)
	}
	return m, nil
}

func (m measurement) check() error {
	if _, err := time.Parse(time.DateOnly, m.Date); err != nil {
		return fmt.Errorf("date: %w", err)
	}
	for field, value := range map[string]string{"what": m.What, "commit": m.Commit, "machine": m.Machine} {
		if value == "" {
			return fmt.Errorf("%s is missing", field)
		}
	}
	if len(m.Commands) == 0 || len(m.Labels) == 0 || len(m.Columns) == 0 || len(m.Rows) == 0 {
		return errors.New("commands, labels, columns and rows each need an entry")
	}
	known := map[string]column{}
	for _, c := range m.Columns {
		if !slices.Contains([]string{"", "each", "each and mean"}, c.Show) {
			return fmt.Errorf("column %s: show is %q, expected each, each and mean, or nothing", c.Name, c.Show)
		}
		known[c.Name] = c
	}
	for _, r := range m.Rows {
		if len(r.Of) != len(m.Labels) {
			return fmt.Errorf("row %q has %d labels, expected %d (%s)", r.Of, len(r.Of), len(m.Labels),
				strings.Join(m.Labels, ", "))
		}
		for name, c := range r.Cells {
			of, ok := known[name]
			if !ok {
				return fmt.Errorf("row %q has a cell %q that is no column", r.Of, name)
			}
			if c.Ranged && of.Show == "" && m.Spread == "" {
				return fmt.Errorf("row %q has a range and spread does not say of what", r.Of)
			}
		}
	}
	return nil
}

// table writes a measurement as a table with a line that says where it is from; the machine is in the file and at the
// top of the page. Its arguments are the measurement's name and, if only a part is wanted, columns=a,b and rows=x,y by
// the first label.
func table(root, arguments string) (string, error) {
	fields := strings.Fields(arguments)
	if len(fields) == 0 {
		return "", errors.New("a table needs the name of a measurement")
	}
	m, err := load(root, fields[0])
	if err != nil {
		return "", err
	}
	for _, f := range fields[1:] {
		key, value, _ := strings.Cut(f, "=")
		wanted := strings.Split(value, ",")
		switch key {
		case "columns":
			err = keep(&m.Columns, wanted, func(c column) string { return c.Name })
		case "rows":
			err = keep(&m.Rows, wanted, func(r row) string { return r.Of[0] })
		default:
			err = fmt.Errorf("%q: expected columns=… or rows=…", f)
		}
		if err != nil {
			return "", err
		}
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
				text = v.show(c)
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
	b.WriteString("\n" + wrap(fmt.Sprintf("%s. [Data](measurements/%s.json).", strings.Join(about, ". "), fields[0]), width))
	return b.String(), nil
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

func (c cell) show(of column) string {
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
