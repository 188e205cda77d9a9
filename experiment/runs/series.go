package runs

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"nacre/experiment"
)

// Curve is a column of a run's metrics over environment steps, updates and working time. It has only the rows that
// count (experiment.Series.Counted) and in which the column has a number.
type Curve struct {
	Path    string    `json:"path"`
	Column  string    `json:"column"`
	Steps   []float64 `json:"steps"`
	Updates []float64 `json:"updates"`
	Seconds []float64 `json:"seconds"`
	Values  []Number  `json:"values"`
	Notes   []string  `json:"notes,omitempty"` // sentences on what was left out
}

// Number is a float64 that can be written as JSON. NaN and infinities are written as texts with their names.
type Number float64

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	x, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	*n = Number(x)
	return err
}

// MarshalJSON writes the number, or the name of NaN or an infinity.
func (n Number) MarshalJSON() ([]byte, error) {
	x := float64(n)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Appendf(nil, "%q", fmt.Sprint(x)), nil
	}
	return strconv.AppendFloat(nil, x, 'g', -1, 64), nil
}

// Curve reads a column of a run's metrics. If there are more than `most` rows, it takes evenly spaced ones, with the
// first and the last.
func (x *Index) Curve(r *Run, column string, most int) (Curve, error) {
	c := Curve{Path: r.Path, Column: column, Steps: []float64{}, Updates: []float64{}, Seconds: []float64{},
		Values: []Number{}}
	if r.State == Log {
		x.mu.Lock()
		e := x.entries[r.Path]
		x.mu.Unlock()
		if e == nil {
			return c, ErrUnknown
		}
		return e.logCurve(c, most)
	}
	metrics, err := experiment.ReadMetrics(filepath.Join(x.Dir(r), experiment.MetricsFile))
	if err != nil {
		return c, err
	}
	all := x.seconds(r, len(metrics.Rows))
	if metrics, c.Notes, err = metrics.Counted(x.config(r)); err != nil {
		return c, err
	}
	seconds := make([]float64, len(metrics.Rows))
	for i := range seconds {
		seconds[i] = all[metrics.Line(i)-2]
	}
	var columns [3][]float64
	for i, name := range []string{"env_steps", "updates", column} {
		said := ""
		if columns[i], said, err = metrics.Finite(name, "column "+name); err != nil {
			return c, err
		}
		if said != "" {
			c.Notes = append(c.Notes, said)
		}
	}
	c.take(columns, seconds, most)
	return c, nil
}

// config is the configuration of a run of the index, as it was read last.
func (x *Index) config(r *Run) experiment.Config {
	x.mu.Lock()
	e := x.entries[r.Path]
	x.mu.Unlock()
	if e == nil {
		return experiment.Default()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cached.config
}

// take fills in the rows in which the last column has a value; the other columns are steps and updates.
func (c *Curve) take(columns [3][]float64, seconds []float64, most int) {
	var rows []int
	for i, v := range columns[2] {
		if !math.IsNaN(v) && !math.IsInf(v, 0) && !math.IsNaN(columns[0][i]) && !math.IsInf(columns[0][i], 0) {
			rows = append(rows, i)
		}
	}
	n := len(rows)
	for k := range min(n, most) {
		i := rows[k]
		if n > most {
			i = rows[k*(n-1)/(most-1)]
		}
		c.Steps, c.Updates = append(c.Steps, columns[0][i]), append(c.Updates, columns[1][i])
		c.Seconds, c.Values = append(c.Seconds, seconds[i]), append(c.Values, Number(columns[2][i]))
	}
}

// seconds is the working time of a run at the end of each of n iterations. Without a timing.csv it is zero.
func (x *Index) seconds(r *Run, n int) []float64 {
	out := make([]float64, n)
	timing, err := experiment.ReadMetrics(filepath.Join(x.Dir(r), experiment.TimingFile))
	if err != nil {
		return out
	}
	sum := 0.0
	for i := range out {
		if i < len(timing.Rows) {
			for _, v := range timing.Rows[i][1:] {
				if !math.IsNaN(v) {
					sum += v
				}
			}
		}
		out[i] = sum
	}
	return out
}

// Columns returns the sorted names of the settings that differ between the given runs. A setting that only some of the
// runs have counts as different. Runs that have not begun have no settings.
func Columns(list []*Run) []string {
	values := map[string]string{}
	count := map[string]int{}
	differ := map[string]bool{}
	read := 0
	for _, r := range list {
		if r.Settings != nil {
			read++
		}
		for k, v := range r.Settings {
			if count[k]++; count[k] > 1 && values[k] != v {
				differ[k] = true
			}
			values[k] = v
		}
	}
	for k, n := range count {
		if n < read {
			differ[k] = true
		}
	}
	return sorted(differ)
}
