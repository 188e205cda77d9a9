package main

import (
	"math"

	"nacre/analysis/plots"
	"nacre/internal/measurement"
)

// table1Low is where pictures of table 1 draw what is lower, in thousands of return: on a logarithmic axis negative
// returns have no place.
const table1Low = 0.05

// table1 has a line for every family of the paper's first table, of one of its interfaces: what can be reached there,
// and what the paper has.
func table1(m measurement.Measurement, title string) (*plots.Chart, error) {
	c := newChart("", nil, []string{""},
		"On the left edge: 0.05 and less, also negative. A family without a bound shows its goal.")
	c.Title = title
	c.X = plots.Scale{Label: "return of 200 steps, thousands", Log: true}
	columns := []struct{ name, title string }{
		{"random", "random"}, {"bound", "goal-blind bound"}, {"told", "controller"}, {"pearl", "PEARL, paper"},
		{"tcl", "TCL-PEARL, paper"},
	}
	for s, column := range columns {
		c.Names = append(c.Names, column.title)
		mark := plots.Mark{Kind: plots.DotMark, Series: s}
		for k, r := range m.Rows {
			if v := value(r, column.name); !math.IsNaN(v) {
				mark.X, mark.Y = append(mark.X, max(v, table1Low)), append(mark.Y, float64(len(m.Rows)-1-k))
			}
		}
		c.Panels[0].Marks = append(c.Panels[0].Marks, mark)
	}
	for k := range m.Rows {
		c.Y.Categories = append(c.Y.Categories, m.Rows[len(m.Rows)-1-k].Of[0])
	}
	return c, nil
}
