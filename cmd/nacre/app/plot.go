package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
	"nacre/internal/nearest"
	"nacre/internal/plainfile"
)

// PlotOptions are the flags of nacre plot.
type PlotOptions struct {
	Source        string // a file with a table, or a folder of runs
	Out           string
	Kind          string // one of PlotKinds
	X, Y, Value   string
	By, Panels    string
	Seeds         string
	Title         string
	XLabel        string
	YLabel        string
	LogX, LogY    bool
	Count, Equal  bool
	Rows          string   // of a folder of runs, as RunsFileOptions
	Filters, Keep []string // Filters choose runs, Keep columns that are settings
	Paper         PaperOptions
}

// PlotKinds are the kinds of charts, with the columns that each needs.
var PlotKinds = map[string]string{"line": "x y", "scatter": "x y", "bar": "x y", "box": "x y", "strip": "x y",
	"histogram": "x", "heat": "x y value"}

// PlotReport is the output of nacre plot.
type PlotReport struct {
	File  string   `json:"file"`
	Rows  int      `json:"rows"`
	Notes []string `json:"notes,omitempty"`
}

// Plot draws a chart of a table or of runs, as a cell does with package plots.
func Plot(ctx context.Context, env *Env, o PlotOptions) error {
	if err := plots.CheckFile(o.Paper.options()...); err != nil {
		return Usagef("--width: %w", err)
	}
	needs, known := PlotKinds[o.Kind]
	if !known {
		kinds := slices.Sorted(maps.Keys(PlotKinds))
		return Usagef("--kind %s: no such kind%s", nearest.Quote(o.Kind), nearest.Hint(o.Kind, kinds))
	}
	f, err := o.table(ctx, env)
	if err != nil {
		return err
	}
	columns := map[string]string{"x": o.X, "y": o.Y, "value": o.Value}
	for _, flag := range []string{"x", "y", "value"} {
		switch needed := slices.Contains(strings.Fields(needs), flag); {
		case needed && columns[flag] == "":
			return Usagef("--kind %s needs --%s; the table has the columns %s", o.Kind, flag, some(f.Names()))
		case !needed && columns[flag] != "":
			return Usagef("--kind %s has no --%s; it has --%s", o.Kind, flag, strings.ReplaceAll(needs, " ", ", --"))
		}
	}
	chart := o.chart(f)
	if err := chart.Save(o.Out, o.Paper.options()...); err != nil {
		return err
	}
	r := PlotReport{File: o.Out, Rows: f.Len(), Notes: chart.Notes}
	return env.Print(r, r.WriteText)
}

// WriteText says what was drawn and what was left out.
func (r PlotReport) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: of %s\n", r.File, plural(r.Rows, "row"))
	for _, note := range r.Notes {
		if err == nil {
			_, err = fmt.Fprintln(w, note)
		}
	}
	return err
}

// some are the first names of a list.
func some(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// table reads the source. For a line of runs, the columns that are not named are those of learning curves.
func (o *PlotOptions) table(ctx context.Context, env *Env) (*frame.Frame, error) {
	info, err := plainfile.Stat(o.Source)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return frame.Read(o.Source)
	}
	if err != nil {
		return nil, err
	}
	of := RunsFileOptions{RunsOptions: RunsOptions{Root: o.Source, Filters: o.Filters, Columns: o.Keep}, Rows: o.Rows}
	f, _, err := runsTable(ctx, env, of)
	if err != nil || o.Kind != "line" || o.Rows != RowNames[0] {
		return f, err
	}
	for _, c := range []struct {
		flag *string
		name string
	}{{&o.X, "env_steps"}, {&o.Y, "adapted_return"}, {&o.By, "algorithm"}, {&o.Panels, "family"}} {
		if *c.flag == "" && f.Has(c.name) {
			*c.flag = c.name
		}
	}
	return f, nil
}

// chart makes the chart. Its own errors name columns and options.
func (o *PlotOptions) chart(f *frame.Frame) *plots.Chart {
	options := []plots.Option{plots.Title(o.Title)}
	if o.XLabel != "" || o.YLabel != "" {
		options = append(options, plots.Labels(cmp.Or(o.XLabel, o.X), cmp.Or(o.YLabel, o.Y)))
	}
	for _, c := range []struct {
		name string
		of   func(string) plots.Option
	}{{o.By, plots.By}, {o.Panels, plots.Panels}, {o.Seeds, plots.Seeds}} {
		if c.name != "" {
			options = append(options, c.of(c.name))
		}
	}
	for _, c := range []struct {
		is bool
		of func() plots.Option
	}{{o.LogX, plots.LogX}, {o.LogY, plots.LogY}, {o.Count, plots.Count}, {o.Equal, plots.Equal}} {
		if c.is {
			options = append(options, c.of())
		}
	}
	if runs, err := f.Unique("run"); err == nil {
		options = append(options, plots.Runs(runs...))
	}
	switch o.Kind {
	case "scatter":
		return plots.Scatter(f, o.X, o.Y, options...)
	case "bar":
		return plots.Bar(f, o.X, o.Y, options...)
	case "box":
		return plots.Box(f, o.X, o.Y, options...)
	case "strip":
		return plots.Strip(f, o.X, o.Y, options...)
	case "histogram":
		return plots.Histogram(f, o.X, options...)
	case "heat":
		return plots.Heat(f, o.X, o.Y, o.Value, options...)
	}
	return plots.Line(f, o.X, o.Y, options...)
}
