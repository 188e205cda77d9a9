package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"nacre/analysis/plots"
	"nacre/internal/measurement"
)

// value is a cell's number, NaN where nothing was measured.
func value(r measurement.Row, column string) float64 {
	c, ok := r.Cells[column]
	if !ok || c.Words != "" {
		return math.NaN()
	}
	return c.Value
}

// gpuSpeed sets TCL-PEARL's update on a GPU beside JAX's, both on data that they are given, by size and precision.
func gpuSpeed(m measurement.Measurement) (*plots.Chart, error) {
	c := newChart("ms per update", nil, nil, "Both on data that they are given. No bar: not measured.")
	c.Title, c.Names = "TCL-PEARL’s update on one H100", []string{"nacre", "JAX"}
	return c, barsByRow(c, m, []string{"given", "jax"}, func(r measurement.Row) (panel, category string) {
		return r.Of[0], r.Of[1]
	})
}

// updateSpeed sets an update on the processor beside PyTorch's.
func updateSpeed(m measurement.Measurement) (*plots.Chart, error) {
	c := newChart("ms per update", nil, nil)
	c.Title, c.Names = "One gradient update on two cores", []string{"nacre", "PyTorch"}
	return c, barsByRow(c, m, []string{"ms", "torch"}, func(r measurement.Row) (panel, category string) {
		name, _, _ := strings.Cut(r.Of[0], " (") // the rest is its work
		return "", name
	})
}

// barsByRow has a group of bars for every row, in the panel and category that it names, and a bar for every column.
func barsByRow(c *plots.Chart, m measurement.Measurement, columns []string,
	name func(measurement.Row) (string, string)) error {
	rows := map[string][]measurement.Row{}
	for _, r := range m.Rows {
		panel, category := name(r)
		if rows[panel] == nil {
			c.Panels = append(c.Panels, plots.ChartPanel{Title: panel})
		}
		rows[panel] = append(rows[panel], r)
		if len(c.X.Categories) < len(rows[panel]) {
			c.X.Categories = append(c.X.Categories, category)
		}
		if at := c.X.Categories[len(rows[panel])-1]; at != category {
			return fmt.Errorf("the measurement %q has a row %q where its first group has %q", m.What, category, at)
		}
	}
	for k := range c.Panels {
		for s, column := range columns {
			var values []float64
			for _, r := range rows[c.Panels[k].Title] {
				values = append(values, value(r, column))
			}
			c.Panels[k].Marks = append(c.Panels[k].Marks, bars(s, len(columns), values))
		}
	}
	return nil
}

// tsneSpeed has a line for every library over the number of points.
func tsneSpeed(m measurement.Measurement) (*plots.Chart, error) {
	c := newChart("processor time, s", nil, []string{""})
	c.Title, c.Y.Log = "t-SNE: processor time by number of points", true
	for _, r := range m.Rows {
		if !slices.Contains(c.Names, r.Of[1]) {
			c.Names = append(c.Names, r.Of[1])
		}
		if r.Of[0] != "" {
			c.X.Categories = append(c.X.Categories, r.Of[0])
		}
	}
	for k, library := range c.Names {
		values := make([]float64, len(c.X.Categories))
		for i := range values {
			values[i] = math.NaN()
		}
		at := -1
		for _, r := range m.Rows {
			if r.Of[0] != "" {
				at++
			}
			if r.Of[1] == library {
				values[at] = value(r, "cpu")
			}
		}
		c.Panels[0].Marks = append(c.Panels[0].Marks, bars(k, len(c.Names), values))
	}
	return c, nil
}
