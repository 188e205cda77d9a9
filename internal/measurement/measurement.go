// Package measurement reads the files of docs/measurements, from which tables and pictures of the pages are made.
//
//	m, err := measurement.Load(root, "update-2026-11-22")
package measurement

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Measurement is one file of docs/measurements. The README in that folder describes the fields.
type Measurement struct {
	What       string   `json:"what"`
	Date       string   `json:"date"` // 2006-01-02
	Commit     string   `json:"commit"`
	Machine    string   `json:"machine"`
	Conditions string   `json:"conditions"`
	Spread     string   `json:"spread"`
	Commands   []string `json:"commands"`
	Labels     []string `json:"labels"`
	Columns    []Column `json:"columns"`
	Rows       []Row    `json:"rows"`
}

// Column is one figure that is measured for every row.
type Column struct {
	Name   string `json:"name"`
	Head   string `json:"head"`
	Digits int    `json:"digits"` // digits after the point; −2 rounds to hundreds
	Unit   string `json:"unit"`
	Show   string `json:"show"` // how seeds are shown: "" for their mean and range, "each", or "each and mean"
	Bold   bool   `json:"bold"`
}

// Row holds the measurements of one thing. The field Of names this thing by the measurement's labels.
type Row struct {
	Of    []string        `json:"of"`
	Cells map[string]Cell `json:"cells"`
}

// Cell holds the measurement of one figure of a row: a number, a number with its lowest and highest, one number per
// seed, or words if there is no number.
type Cell struct {
	Words            string
	Value, Low, High float64
	Ranged           bool
	Seeds            []float64
}

// UnmarshalJSON reads 93, {"value": 93, "low": 90, "high": 105}, {"seeds": [1, 2, 3]} or "not run".
func (c *Cell) UnmarshalJSON(text []byte) error {
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

// Load reads a measurement by its name, which is the file's name without its ending. It refuses a measurement that
// lacks what a reader needs to judge it.
func Load(root, name string) (Measurement, error) {
	var m Measurement
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

func (m Measurement) check() error {
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
	known := map[string]Column{}
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

// Newest is the name of the latest measurement of a topic. A topic is a measurement's name without the date.
func Newest(root, topic string) (string, error) {
	files, err := filepath.Glob(filepath.Join(root, "docs", "measurements", topic+"-????-??-??.json"))
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return "", fmt.Errorf("docs/measurements has no file %s-DATE.json", topic)
	}
	return strings.TrimSuffix(filepath.Base(slices.Max(files)), ".json"), nil
}
