package experiment

import (
	"fmt"
	"math"
	"slices"
)

// Odd is a cell of a metrics file that is NaN or infinite. An empty cell is not odd.
type Odd struct {
	Row, Column int
	Value       float64
}

// Counted returns the rows of a run's metrics that count, with sentences on those that do not, as docs/tables.md says:
// rows without a number of steps, rows that were written again because the steps go back, and rows after the run's end.
func (s Series) Counted(cfg Config) (_ Series, notes []string, err error) {
	steps, err := s.Column("env_steps")
	if err != nil {
		return s, nil, err
	}
	iterations, err := s.Column("iteration")
	if err != nil { // the file of another program
		iterations = steps
	}
	back := func(i, k int) bool {
		return steps[i] < steps[k] || err == nil && iterations[i] <= iterations[k]
	}
	var kept, without []int
	var first int // first row that goes back
	backs, again := 0, 0
	for i, x := range steps {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			without = append(without, i)
			continue
		}
		if n := len(kept); n > 0 && back(i, kept[n-1]) {
			if backs++; backs == 1 {
				first = i
			}
			kept = slices.DeleteFunc(kept, func(k int) bool { return back(i, k) })
			again += n - len(kept)
		}
		kept = append(kept, i)
	}
	if len(without) > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d rows of %s have no number of steps, first line %d: they are left "+
			"out", len(without), len(steps), MetricsFile, s.Line(without[0])))
	}
	if backs > 0 {
		notes = append(notes, fmt.Sprintf("the steps of %s go back %s, first to %v on line %d: the %d rows above of "+
			"that step and later ones are left out", MetricsFile, times(backs), steps[first], s.Line(first), again))
	}
	end, err := ends(cfg, len(kept), func(i int) int64 { return int64(steps[kept[i]]) })
	if err != nil {
		return s, nil, err
	}
	if end < len(kept) {
		notes = append(notes, fmt.Sprintf("%s has %d rows after the end of the run, %s: they are left out", MetricsFile,
			len(kept)-end, lengthOf(cfg)))
	}
	return s.only(kept[:end]), notes, nil
}

// ends is the number of rows, of n, after which the run is complete.
func ends(c Config, n int, steps func(row int) int64) (int, error) {
	if c.EnvSteps > 0 {
		for i := range n {
			if steps(i) >= c.EnvSteps {
				return i + 1, nil
			}
		}
		return n, nil
	}
	of, _, err := c.Schedule()
	return min(n, of), err
}

// lengthOf is the length of the run in words.
func lengthOf(c Config) string {
	if c.EnvSteps > 0 {
		return fmt.Sprintf("%d environment steps", c.EnvSteps)
	}
	of, _, _ := c.Schedule()
	return fmt.Sprintf("%d iterations", of)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// only is the series with these rows.
func (s Series) only(rows []int) Series {
	out := Series{Columns: s.Columns, lines: make([]int, len(rows))}
	at := map[int]int{}
	for i, k := range rows {
		out.Rows = append(out.Rows, s.Rows[k])
		out.lines[i] = s.Line(k)
		at[k] = i
	}
	for _, o := range s.Odd {
		if i, ok := at[o.Row]; ok {
			out.Odd = append(out.Odd, Odd{i, o.Column, o.Value})
		}
	}
	return out
}

// Line is the line of the file in which a row stands.
func (s Series) Line(row int) int {
	if s.lines != nil {
		return s.lines[row]
	}
	return row + 2
}

// Finite returns a column in which infinite cells are NaN too. The result note is a sentence on the cells that are NaN
// or infinite in the file, or empty if there are no such cells. The argument what is this sentence's word for the
// column.
func (s Series) Finite(column, what string) (values []float64, note string, err error) {
	if values, err = s.Column(column); err != nil {
		return nil, "", err
	}
	j := slices.Index(s.Columns, column)
	n, first := 0, Odd{}
	for _, o := range s.Odd {
		if o.Column != j {
			continue
		}
		if n++; n == 1 {
			first = o
		}
		values[o.Row] = math.NaN()
	}
	if n > 0 {
		note = fmt.Sprintf("the %s is NaN or infinite in %d of %d rows of %s, first %v on line %d: they are left out",
			what, n, len(values), MetricsFile, first.Value, s.Line(first.Row))
	}
	return values, note, nil
}

// Evaluation is the return of the test tasks after a number of environment steps. Success is NaN if it is unknown.
type Evaluation struct{ EnvSteps, Return, Success float64 }

// Evaluations returns, from the run's metrics, the evaluations that were made during training, in the order of their
// steps. The result counted holds the rows of the metrics that count. Notes say which rows were left out. A run without
// metrics has no evaluations.
func (r *Run) Evaluations(cfg Config) (list []Evaluation, counted Series, notes []string, err error) {
	if !r.Has(MetricsFile) {
		return nil, counted, nil, nil
	}
	all, err := ReadMetrics(r.Path(MetricsFile))
	if err != nil {
		return nil, counted, nil, fmt.Errorf("%w; %s", err, r.cure())
	}
	counted, notes, err = all.Counted(cfg)
	if idle, failed := r.Idle(); all.half > 0 && !r.Has(EvaluationFile) && failed == nil && idle {
		notes = append(notes, fmt.Sprintf("%s ends within line %d, which is left out", MetricsFile, all.half))
	}
	if err != nil {
		return nil, counted, nil, fmt.Errorf("%s: %w", r.Path(MetricsFile), err)
	}
	var columns [3][]float64
	for i, c := range [][2]string{{"env_steps", "number of steps"}, {"adapted_return", "return"},
		{"adapted_success", "success rate"}} {
		note := ""
		if columns[i], note, err = counted.Finite(c[0], c[1]); err != nil {
			return nil, counted, nil, fmt.Errorf("%s: %w", r.Path(MetricsFile), err)
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	for i, v := range columns[1] {
		if !math.IsNaN(v) {
			list = append(list, Evaluation{columns[0][i], v, columns[2][i]})
		}
	}
	return list, counted, notes, nil
}
