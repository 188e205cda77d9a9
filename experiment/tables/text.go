package tables

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"nacre/analysis/stats"
	"nacre/experiment"
)

// WriteText prints the table as text.
func (t *Table) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s\n", t.Title)
	fmt.Fprintf(w, "[95 %% interval over seeds]; n is the number of seeds%s\n\n", t.beside())
	if err := t.writeCells(w); err != nil {
		return err
	}
	if t.Expected > 0 {
		fmt.Fprintf(w, "%d of %d environments have runs", t.Expected-len(t.Missing), t.Expected)
		if n := len(t.Missing); n > 0 && n <= 10 {
			fmt.Fprintf(w, "; there are none of %s", strings.Join(t.Missing, ", "))
		}
		fmt.Fprintln(w)
	}
	if err := t.writeBudgets(w); err != nil {
		return err
	}
	t.Ours.write(w, "Runs", t.Name)
	if t.Paper != nil {
		t.Paper.write(w, "The paper's figures in the same environments", t.Name)
	}
	if len(t.Notes)+len(t.Left) > 0 {
		fmt.Fprintln(w, "\nNotes")
	}
	for _, n := range t.Notes {
		fmt.Fprintf(w, "  %s\n", n)
	}
	if n := len(t.Left); n > 0 {
		fmt.Fprintf(w, "  %d runs are not part of this table, the first is %s\n", n, t.Left[0])
	}
	return nil
}

// beside says what stands beside the cells.
func (t *Table) beside() string {
	if t.published() {
		return "; beside it the paper's figure"
	}
	return ""
}

// published reports whether any cell has a figure of the paper.
func (t *Table) published() bool {
	return slices.ContainsFunc(t.Cells, func(row []Cell) bool {
		return slices.ContainsFunc(row, func(c Cell) bool { return c.Paper != nil })
	})
}

func (t *Table) publishedIn(j int) bool {
	return slices.ContainsFunc(t.Cells, func(row []Cell) bool { return row[j].Paper != nil })
}

// columns makes a writer that sets cells below each other.
func columns(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

func (t *Table) writeCells(w io.Writer) error {
	tw := columns(w)
	for j, s := range t.Systems {
		fmt.Fprintf(tw, "\t%s\tn", experiment.Title(s))
		if t.publishedIn(j) {
			fmt.Fprint(tw, "\tpaper")
		}
	}
	fmt.Fprint(tw, "\t\n")
	for i, row := range t.Cells {
		fmt.Fprint(tw, t.Families[i])
		for j, c := range row {
			fmt.Fprintf(tw, "\t%s\t%d", c.text(), c.counted())
			if t.publishedIn(j) {
				fmt.Fprintf(tw, "\t%s", optional(c.Paper, "%.2f"))
			}
		}
		fmt.Fprint(tw, "\t\n")
	}
	return tw.Flush()
}

// text is a cell's mean and interval, a dash for an empty one.
func (c Cell) text() string {
	if c.counted() == 0 {
		return "–"
	}
	return interval(c.Return)
}

func interval(i stats.Interval) string {
	if !i.Known() {
		return value(i.Mean)
	}
	return fmt.Sprintf("%s [%s, %s]", value(i.Mean), value(i.Lo), value(i.Hi))
}

// value writes a return; one that would have hundreds of digits with an exponent.
func value(v float64) string {
	if math.Abs(v) >= 1e15 {
		return fmt.Sprintf("%.*e", decimals, v)
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

func optional(v *float64, format string) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf(format, *v)
}

// any reports whether there is a cell with a value.
func (t *Table) any() bool {
	return slices.ContainsFunc(t.Cells, func(row []Cell) bool {
		return slices.ContainsFunc(row, func(c Cell) bool { return c.counted() > 0 })
	})
}

func (t *Table) writeBudgets(w io.Writer) error {
	if !t.any() {
		return nil
	}
	fmt.Fprintln(w, "\nBudget of each cell, and the test tasks at the end with 95 % intervals over seeds and tasks")
	tw := columns(w)
	fmt.Fprint(tw, "\t\tn\tsteps\tupdates\thours\tevaluations\ttest tasks\texplored\tat the end\tsuccess\t\n")
	for i, row := range t.Cells {
		for j, c := range row {
			if c.counted() == 0 {
				continue
			}
			b := c.Budget
			final := "–"
			if c.Final != nil {
				final = interval(*c.Final)
			}
			fmt.Fprintf(tw, "%s\t%s\t%d\t%s\t%s\t%.2f\t%s\t%d\t%d\t%s\t%s\t\n", t.Families[i],
				experiment.Title(t.Systems[j]), c.counted(),
				span(b.EnvStepsLo, b.EnvStepsHi), span(float64(b.UpdatesLo), float64(b.UpdatesHi)), b.Seconds/3600,
				span(float64(b.Evaluations), float64(max(b.Evaluations, b.MostOfThem))),
				b.TestTasks, b.Explore, final, optional(c.Success, "%.2f"))
		}
	}
	return tw.Flush()
}

func span(lo, hi float64) string {
	if lo == hi {
		return plain(lo)
	}
	return plain(lo) + "–" + plain(hi)
}

// plain writes a number of steps without an exponent, if it has no more than 15 digits.
func plain(x float64) string {
	if math.Abs(x) >= 1e15 {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// write prints statistics.
func (s *Statistics) write(w io.Writer, title, table string) {
	if len(s.Pairs) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	// Of run times only ratios and means say anything.
	times := table == "runtime"
	for _, p := range s.Pairs {
		if p.Environments == 0 {
			fmt.Fprintf(w, "  %s and %s have no environment in common\n", p.System, p.Against)
			continue
		}
		if times {
			fmt.Fprintf(w, "  %s over %s in %s: %s\n", p.System, p.Against, environments(p.Environments), p.ratios())
			continue
		}
		fmt.Fprintf(w, "  %s against %s in %s: greater in %d, equal in %d, less in %d; sign test p = %.3f; %s\n",
			p.System, p.Against, environments(p.Environments), p.Better, p.Equal, p.Worse, p.P, p.ratios())
		if p.Seeded > 0 {
			fmt.Fprintf(w, "    every seed above every seed in %d of the %d with several of both, below in %d\n",
				p.Above, p.Seeded, p.Below)
		}
	}
	if s.Environments == 0 {
		return
	}
	fmt.Fprintf(w, "  over %s with all columns:\n", environments(s.Environments))
	for _, c := range s.Columns {
		if times {
			fmt.Fprintf(w, "    %s: mean %.2f s\n", c.System, c.Mean)
			continue
		}
		fmt.Fprintf(w, "    %s: mean %.2f, mean rank %.2f, wins %s\n", c.System, c.Mean, c.MeanRank, c.Wins)
	}
}

func environments(n int) string {
	if n == 1 {
		return "1 environment"
	}
	return fmt.Sprintf("%d environments", n)
}

func (c Comparison) ratios() string {
	if c.Ratios == 0 {
		return "no ratio, both are positive in none"
	}
	return fmt.Sprintf("ratio where both are positive (%d): geometric mean %.2f, mean %.2f, median %.2f", c.Ratios,
		*c.Geometric, *c.Mean, *c.Median)
}
