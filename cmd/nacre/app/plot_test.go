package app_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
	"nacre/cmd/nacre/app"
	"nacre/internal/fatal"
)

// A figure from the shell is that of a cell, byte for byte, and a mistake is one sentence that names the flag.
func TestPlot(t *testing.T) {
	root := t.TempDir()
	table := filepath.Join(root, "t.csv")
	fatal.On(t, os.WriteFile(table, []byte("arm,x,y\na,1,2\na,2,4\nb,1,3\nb,2,1\n"), 0o600))
	plot := func(o app.PlotOptions) (string, error) {
		var out bytes.Buffer
		err := app.Plot(t.Context(), &app.Env{Out: &out, Err: &out}, o)
		return out.String(), err
	}
	f, err := frame.Read(table)
	fatal.On(t, err)
	for name, o := range map[string]struct {
		options app.PlotOptions
		chart   *plots.Chart
	}{
		"line.pdf": {app.PlotOptions{Kind: "line", X: "x", Y: "y", By: "arm"},
			plots.Line(f, "x", "y", plots.By("arm"))},
		"scatter.svg": {app.PlotOptions{Kind: "scatter", X: "x", Y: "y", LogY: true},
			plots.Scatter(f, "x", "y", plots.LogY())},
		"box.svg": {app.PlotOptions{Kind: "box", X: "arm", Y: "y", Title: "T"},
			plots.Box(f, "arm", "y", plots.Title("T"))},
		"bar.svg":       {app.PlotOptions{Kind: "bar", X: "arm", Y: "y"}, plots.Bar(f, "arm", "y")},
		"strip.svg":     {app.PlotOptions{Kind: "strip", X: "arm", Y: "y"}, plots.Strip(f, "arm", "y")},
		"histogram.svg": {app.PlotOptions{Kind: "histogram", X: "y"}, plots.Histogram(f, "y")},
		"heat.svg":      {app.PlotOptions{Kind: "heat", X: "arm", Y: "x", Value: "y"}, plots.Heat(f, "arm", "x", "y")},
	} {
		o.options.Source, o.options.Out = table, filepath.Join(root, name)
		o.options.Paper.Width = "icml-column"
		if said, err := plot(o.options); err != nil || !strings.HasPrefix(said, o.options.Out+": of 4 rows\n") {
			t.Errorf("%s: %v, %s", name, err, said)
		}
		cell := filepath.Join(root, "cell-"+name)
		fatal.On(t, o.chart.Save(cell, plots.Width("icml-column")))
		got, err := os.ReadFile(o.options.Out)
		want, err2 := os.ReadFile(cell)
		if err != nil || err2 != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, %v: %d bytes differ from the cell's %d", name, err, err2, len(got), len(want))
		}
	}
	sweep := filepath.Join(root, "sweep")
	for seed := range 2 {
		brief(t, filepath.Join(sweep, fmt.Sprint("s", seed)), uint64(seed))
	}
	curve := filepath.Join(root, "curve.svg")
	if said, err := plot(app.PlotOptions{Source: sweep, Out: curve, Kind: "line", Rows: "iterations"}); err != nil ||
		!strings.Contains(said, "of 4 rows") {
		t.Errorf("%v: %s", err, said)
	}
	if svg, err := os.ReadFile(curve); err != nil || !strings.Contains(string(svg), "adapted_return") {
		t.Errorf("%v: the curve's axis is not named", err)
	}
	o := app.PlotOptions{Source: sweep, Out: curve, Kind: "box", Rows: "returns", X: "algorithm", Y: "return"}
	if said, err := plot(o); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	for want, o := range map[string]app.PlotOptions{
		"--kind line needs --y; the table has the columns arm, x, y": {Kind: "line", X: "x"},
		`--kind "lin": no such kind; did you mean "line"?`:           {Kind: "lin"},
		"--kind histogram has no --y; it has --x":                    {Kind: "histogram", X: "x", Y: "y"},
		`there is no column "z"`:                                     {Kind: "line", X: "x", Y: "z"},
		"--width: ": {Kind: "line", X: "x", Y: "y",
			Paper: app.PaperOptions{Width: "3 miles"}},
		`the name must end in`: {Kind: "line", X: "x", Y: "y", Out: "x.gif"},
		"column \"arm\"":       {Kind: "line", X: "x", Y: "arm"},
	} {
		if o.Source = table; o.Out == "" {
			o.Out = filepath.Join(root, "bad.svg")
		}
		if said, err := plot(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, %s; want %s", o, err, said, want)
		}
	}
	if _, err := plot(app.PlotOptions{Source: filepath.Join(root, "none.csv"), Kind: "line"}); err == nil {
		t.Error("a file that does not exist is drawn")
	}
	if _, err := os.Stat(filepath.Join(root, "bad.svg")); err == nil {
		t.Error("a file was written for a mistake")
	}
}
