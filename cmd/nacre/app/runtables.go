package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/analysis/plots"
	"nacre/experiment/foreign"
	"nacre/experiment/tables"
)

// RunTableOptions are the arguments and flags of nacre table with runs.
type RunTableOptions struct {
	Name    string // one of RunTableNames
	Runs    []string
	At      int64  // environment steps; 0: the end of each run
	Against string // system to compare with; if empty, the table's own choice
	Workers int    // workers for the table tsne
	File    TableFile
	Columns foreign.Columns
}

// CurvesOptions are the flags of nacre curves.
type CurvesOptions struct {
	Runs     []string
	Out      string
	Steps    int64 // end of the axis; 0: the longest run
	Success  bool
	Backdrop bool // draw the authors' public curves
	Paper    PaperOptions
	Columns  foreign.Columns
}

// PaperOptions say how a figure is drawn in a file.
type PaperOptions struct {
	Width string // as plots.Width takes it; empty: a screen's
	Dark  bool
}

// options are those of package plots.
func (o PaperOptions) options() (list []plots.FileOption) {
	if o.Width != "" {
		list = append(list, plots.Width(o.Width))
	}
	if o.Dark {
		list = append(list, plots.Dark())
	}
	return list
}

// pictures are the files of a figure that has no format of its own: a PDF too at a width on paper.
func (o PaperOptions) pictures(name string) []string {
	if o.Width == "" {
		return []string{name + ".png", name + ".svg"}
	}
	return []string{name + ".pdf", name + ".png", name + ".svg"}
}

// CurvesReport is the output of nacre curves.
type CurvesReport struct {
	File   string             `json:"file"`
	Panels []plots.CurvePanel `json:"panels"`
	Notes  []string           `json:"notes,omitempty"`
}

// RunTableNames returns the names of the tables that are made from runs.
func RunTableNames() []string { return append(tables.Names(), "tsne") }

// load reads runs and prints what was left out.
func (env *Env) load(c foreign.Columns, paths []string) ([]tables.Run, error) {
	runs, notes, err := tables.LoadWith(c, paths...)
	for _, line := range notes {
		env.Notice(line)
	}
	return runs, err
}

// RunTable builds one of the paper's tables from run folders.
func RunTable(ctx context.Context, env *Env, o RunTableOptions) error {
	if !slices.Contains(RunTableNames(), o.Name) {
		return Usagef("table %q: expected one of %s", o.Name, strings.Join(RunTableNames(), ", "))
	}
	runs, err := env.load(o.Columns, o.Runs)
	if err != nil {
		return err
	}
	if o.Name == "tsne" {
		stage := env.Progress.Stage("t-SNE of embeddings", len(runs))
		defer stage.Done()
		t, err := tables.BuildEmbeddings(ctx, runs, EmbeddingsFile, o.Workers, func(string) { stage.Add(1) })
		if err != nil {
			return err
		}
		stage.Done()
		return env.write(o.File, t.Frame(), t, t.WriteText)
	}
	t, err := tables.Build(o.Name, runs, tables.Options{At: o.At, Against: o.Against})
	if err != nil {
		return err
	}
	return env.write(o.File, t.Frame(), t, t.WriteText)
}

// Curves draws the learning curves of runs.
func Curves(env *Env, o CurvesOptions) error {
	if err := plots.CheckFile(o.Paper.options()...); err != nil {
		return err
	}
	runs, err := env.load(o.Columns, o.Runs)
	if err != nil {
		return err
	}
	panels, notes, err := tables.Curves(runs, tables.CurveOptions{Success: o.Success, Backdrop: o.Backdrop,
		Steps: o.Steps})
	if err != nil {
		return err
	}
	figure, err := plots.Curves(panels...)
	if err != nil {
		return err
	}
	if err := makeParent(o.Out); err != nil {
		return err
	}
	var dirs []string
	for _, r := range runs {
		dirs = append(dirs, filepath.ToSlash(r.Dir))
	}
	figure.Describe(panels[0].YLabel+" over "+panels[0].XLabel, dirs...)
	if err := figure.Save(o.Out, o.Paper.options()...); err != nil {
		return err
	}
	r := CurvesReport{File: o.Out, Panels: panels, Notes: notes}
	return env.Print(r, r.WriteText)
}

// WriteText prints the end of every line.
func (r CurvesReport) WriteText(w io.Writer) error {
	for _, p := range r.Panels {
		for _, s := range p.Series {
			n := len(s.X) - 1
			around := ""
			if s.Lo != nil {
				around = fmt.Sprintf(" [%.4g, %.4g]", s.Lo[n], s.Hi[n])
			}
			fmt.Fprintf(w, "%s, %s: %.4g%s at %s environment steps%s\n", p.Title, s.Name, s.Y[n], around,
				strconv.FormatFloat(s.X[n], 'f', -1, 64), behind(s, n))
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintln(w, n)
	}
	_, err := fmt.Fprintln(w, r.File)
	return err
}

// behind says how many seeds point n of a series has, and what its interval is.
func behind(s plots.Series, n int) string {
	switch {
	case s.Seeds == nil:
		return ""
	case s.Seeds[n] == 1:
		return ", one seed"
	case s.Seeds[n] == 2:
		return ", 2 seeds and their range"
	}
	return fmt.Sprintf(", %d seeds and their 95 %% interval", s.Seeds[n])
}
