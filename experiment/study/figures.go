package study

import (
	"fmt"
	"path/filepath"

	"nacre/analysis/plots"
	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/paper"
)

// draw writes the pictures, each as PNG and SVG.
func (r *Result) draw() error {
	type drawing struct {
		name string
		make func() (*plots.Figure, error)
	}
	plane := func(file string) func() (*plots.Figure, error) {
		return func() (*plots.Figure, error) { return r.plane(file) }
	}
	list := []drawing{{"tsne", plane(LayoutFile)}, {"adaptation", r.adaptation}, {"learning", r.learning}}
	if r.Plan.Script {
		list = append(list, drawing{"tsne-script", plane(ScriptFile)})
	}
	for _, kind := range r.Plan.Contexts {
		if kind != experiment.WindowContext { // drawn as the first
			list = append(list, drawing{contextPicture(kind), func() (*plots.Figure, error) {
				return r.contextPlane(kind)
			}})
		}
	}
	if r.published() {
		list = append(list, drawing{"published", r.beside})
	}
	for _, f := range list {
		figure, err := f.make()
		if err != nil {
			return fmt.Errorf("study: %s: %w", f.name, err)
		}
		for _, ext := range []string{".png", ".svg"} {
			if err := figure.Save(filepath.Join(r.Dir, f.name+ext)); err != nil {
				return fmt.Errorf("study: %w", err)
			}
		}
	}
	return nil
}

// plane draws the layouts of the arms' first seeds side by side in one scale.
func (r *Result) plane(file string) (*plots.Figure, error) {
	var panels []plots.Panel
	for _, a := range r.Arms {
		s := a.Seeds[0]
		panels = append(panels, plots.Panel{
			Title: a.Title, Y: s.layouts()[file].Layout.Y, Label: s.embeddings.Label, Name: s.embeddings.Name,
		})
	}
	return plots.Embedding(panels...)
}

// adaptation draws the return by trajectory index.
func (r *Result) adaptation() (*plots.Figure, error) {
	panel := plots.CurvePanel{
		Title: "Adaptation to test tasks of " + r.Family, XLabel: "trajectory on a new task", YLabel: "return",
		Whole:      true,
		References: r.references(),
	}
	for _, a := range r.Arms {
		curve, err := a.curve()
		if err != nil {
			return nil, err
		}
		s := plots.Series{Name: a.Title}
		known := true
		for i, v := range curve {
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, v.Mean)
			s.Lo, s.Hi = append(s.Lo, v.Lo), append(s.Hi, v.Hi)
			known = known && v.Known()
		}
		if !known {
			s.Lo, s.Hi = nil, nil
		}
		panel.Series = append(panel.Series, s)
	}
	return plots.Curves(panel)
}

func (r *Result) references() []plots.Reference {
	var out []plots.Reference
	if y, ok := r.baseline(randomOf); ok {
		out = append(out, plots.Reference{Name: "random", Y: y})
	}
	if y, ok := r.baseline(stillOf); ok {
		out = append(out, plots.Reference{Name: "still", Y: y})
	}
	if y, ok := r.baseline(blindOf); ok {
		out = append(out, plots.Reference{Name: "goal-blind", Y: y})
	}
	if y, ok := r.baseline(goalOf); ok {
		out = append(out, plots.Reference{Name: "goal-knowing", Y: y})
	}
	return out
}

// learning draws the return after adaptation over training: the mean over seeds, with the range of the seeds.
func (r *Result) learning() (*plots.Figure, error) {
	panel := plots.CurvePanel{
		Title: "Learning on " + r.Family, XLabel: "environment steps", YLabel: "return after adaptation",
		References: r.references(),
	}
	var err error
	if panel.Series, err = r.lines(); err != nil {
		return nil, err
	}
	return plots.Curves(panel)
}

// lines are the arms' curves of learning.
func (r *Result) lines() (out []plots.Series, err error) {
	for _, a := range r.Arms {
		s, err := a.learning(r.Dir)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// learning reads the evaluations of every seed's metrics.csv, after the one of the untrained agent at step 0. The mean
// is that of stats.OverSeeds; around it stands the range of the seeds, as in the study's tables.
func (a ArmResult) learning(dir string) (plots.Series, error) {
	var lines []stats.Line
	for _, s := range a.Seeds {
		m, err := experiment.ReadMetrics(filepath.Join(dir, s.Run, experiment.MetricsFile))
		if err != nil {
			return plots.Series{}, err
		}
		x, err := m.Column("env_steps")
		if err != nil {
			return plots.Series{}, err
		}
		y, err := m.Column("adapted_return")
		if err != nil {
			return plots.Series{}, err
		}
		lines = append(lines, stats.Line{X: append([]float64{0}, x...),
			Y: append([]float64{s.Untrained.Summary.Adapted.Mean}, y...)})
	}
	m := stats.OverSeeds(lines)
	return plots.Series{Name: a.Title, X: m.X, Y: m.Mean, Lo: m.Least, Hi: m.Most, Seeds: m.N, Breaks: m.Breaks}, nil
}

// published reports whether the authors' results on the study's family are known.
func (r *Result) published() bool { return r.Family == "ml1/push" && r.Plan.Ablation == "" }

// beside is the learning figure together with the authors' published results on push: the logs of MAML's and RL2's runs
// numbered 0, and the lines of their table 1.
func (r *Result) beside() (*plots.Figure, error) {
	panel := plots.CurvePanel{Title: "Beside the authors' logs of push-v1", XLabel: "environment steps",
		YLabel: "return after adaptation"}
	var err error
	if panel.Series, err = r.lines(); err != nil {
		return nil, err
	}
	for _, c := range paper.PushCurves() {
		if c.Run != 0 {
			continue
		}
		s := plots.Series{Name: c.Method + " (authors)"}
		for i, x := range c.EnvSteps {
			if x <= tableSteps {
				s.X, s.Y = append(s.X, x), append(s.Y, c.Return[i])
			}
		}
		panel.Series = append(panel.Series, s)
	}
	table := paper.Table1()
	for j, v := range table.Row("push") {
		panel.References = append(panel.References, plots.Reference{Name: table.Methods[j] + ", paper", Y: 1000 * v})
	}
	return plots.Curves(panel)
}

// tableSteps is where the curves of table 1 end; its figures are averages over the last tenth.
const tableSteps = 1e6
