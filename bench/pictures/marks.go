package main

import (
	"math"

	"nacre/analysis/plots"
)

// A sample holds what seeds of one arm came to, with the interval of their mean.
type sample struct {
	name  string
	seeds []float64
	interval
}

// legend is said below every picture of samples.
const legend = "Dots: seeds. Box: 95 % interval, with the mean."

// newChart has a panel for every title, and a line below for every note.
func newChart(y string, categories []string, titles []string, notes ...string) *plots.Chart {
	c := &plots.Chart{Version: 1, X: plots.Scale{Categories: categories}, Y: plots.Scale{Label: y}, Notes: notes}
	for _, t := range titles {
		c.Panels = append(c.Panels, plots.ChartPanel{Title: t})
	}
	return c
}

// sampleMarks are a sample's dots and box of a colour around a place on the x axis, so wide.
func sampleMarks(s sample, colour int, at, width float64) []plots.Mark {
	box := plots.Mark{Kind: plots.BoxMark, Series: colour, X: []float64{at - width/2}, X1: []float64{at + width/2},
		Y:  []float64{s.Mean},
		Q1: []float64{s.Lo}, Q3: []float64{s.Hi}, Lo: []float64{s.Lo}, Hi: []float64{s.Hi}}
	return []plots.Mark{box, dots(colour, at, width, s.seeds)}
}

// dots stand side by side in the order of seeds.
func dots(colour int, at, width float64, values []float64) plots.Mark {
	m := plots.Mark{Kind: plots.DotMark, Series: colour, Y: values}
	for k := range values {
		m.X = append(m.X, at+width*0.8*((float64(k)+0.5)/float64(len(values))-0.5))
	}
	return m
}

// bySample draws samples side by side, each a category of its own.
func bySample(p *plots.ChartPanel, samples []sample) {
	for k, s := range samples {
		p.Marks = append(p.Marks, sampleMarks(s, k, float64(k), 0.6)...)
	}
}

func names(samples []sample) (list []string) {
	for _, s := range samples {
		list = append(list, s.name)
	}
	return list
}

// slot is the middle of the k-th of n places in a category, and their width.
func slot(category, k, n int) (at, width float64) {
	const all = 0.8
	width = all / float64(n)
	return float64(category) - all/2 + (float64(k)+0.5)*width, width * 0.85
}

// bars are one series of bars with a bar for each category; a value that is missing is NaN.
func bars(series, of int, values []float64) plots.Mark {
	m := plots.Mark{Kind: plots.BarMark, Series: series}
	for c, v := range values {
		if math.IsNaN(v) {
			continue
		}
		at, width := slot(c, series, of)
		m.X, m.X1, m.Y = append(m.X, at-width/2), append(m.X1, at+width/2), append(m.Y, v)
		m.Lo, m.Hi = append(m.Lo, math.NaN()), append(m.Hi, math.NaN())
	}
	return m
}
