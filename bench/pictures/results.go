package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"nacre/analysis/plots"
	"nacre/analysis/stats"
	"nacre/internal/measurement"
	"nacre/internal/plainfile"
)

// pushPlane is the finding: how far apart goals lie in the plane of t-SNE, by windows, which the paper embeds.
func pushPlane(s study) (*plots.Chart, error) {
	samples, err := s.ratios("window", true)
	if err != nil {
		return nil, err
	}
	c := newChart("distance between goals / within goals", names(samples), []string{""}, legend)
	c.Title = "Meta-World push: how far apart goals lie in the plane"
	bySample(&c.Panels[0], samples)
	for _, p := range s.Paper {
		c.Panels[0].References = append(c.Panels[0].References,
			plots.Reference{Name: "the paper’s " + p.Method, Y: p.Between / p.To})
	}
	return c, nil
}

// pushShare is the primary outcome of push: how far returns come from the goal-blind to the goal-knowing controller.
func pushShare(s study) (*plots.Chart, error) {
	samples, err := s.outcomes("share_from_blind")
	if err != nil {
		return nil, err
	}
	c := newChart("share of what knowing the goal is worth", names(samples), []string{""}, legend)
	c.Title = "Meta-World push: return after adaptation"
	bySample(&c.Panels[0], samples)
	c.Panels[0].References = blindAndKnowing
	return c, nil
}

var blindAndKnowing = []plots.Reference{{Name: "goal-blind controller", Y: 0}, {Name: "goal-knowing controller", Y: 1}}

var kinds = []struct{ name, title string }{
	{"window", "windows of 64 transitions"}, {"rows", "64 independent rows"}, {"rollout", "whole rollouts"},
	{"meta-test", "the meta-test’s ten trajectories"},
}

// pushContexts is the ratio in the plane by every kind of context.
func pushContexts(s study) (*plots.Chart, error) {
	c := newChart("ratio in the plane", nil, nil, legend)
	c.Title, c.Y.Log = "Meta-World push: ratio in the plane by what is embedded", true
	for _, kind := range kinds {
		samples, err := s.ratios(kind.name, true)
		if err != nil {
			return nil, err
		}
		p := plots.ChartPanel{Title: kind.title}
		bySample(&p, samples)
		c.X.Categories, c.Panels = names(samples), append(c.Panels, p)
	}
	return c, nil
}

// pushLong has a line for every seed, from the study's length to three times as long.
func pushLong(root string) (*plots.Chart, error) {
	before, err := readStudy(root, "push")
	if err != nil {
		return nil, err
	}
	after, err := readStudy(root, "push-long")
	if err != nil {
		return nil, err
	}
	from, err := before.outcomes("share_from_blind")
	if err != nil {
		return nil, err
	}
	to, err := after.outcomes("share_from_blind")
	if err != nil {
		return nil, err
	}
	c := newChart("share of the goal’s worth", []string{"as in the study", "three times as long"}, nil,
		"A line: one seed.")
	c.Title = "Meta-World push: return after adaptation, three times as long"
	for k, s := range to {
		old := slices.IndexFunc(from, func(f sample) bool { return f.name == s.name })
		if old < 0 || len(from[old].seeds) < len(s.seeds) {
			return nil, fmt.Errorf("study push lacks seeds of %s that push-long has", s.name)
		}
		p := plots.ChartPanel{Title: s.name, References: blindAndKnowing}
		for i, y := range s.seeds {
			x, ys := []float64{0, 1}, []float64{from[old].seeds[i], y}
			p.Marks = append(p.Marks, plots.Mark{Kind: plots.LineMark, Series: k, X: x, Y: ys},
				plots.Mark{Kind: plots.DotMark, Series: k, X: x, Y: ys})
		}
		c.Panels = append(c.Panels, p)
	}
	return c, nil
}

// familyStudies are the studies of push and of every family in the archive of this name.
func familyStudies(root, archive string) (list []study, err error) {
	entries, err := plainfile.ReadDir(filepath.Join(root, "notebooks/data", archive+".zip"))
	if err != nil {
		return nil, err
	}
	names := []string{"push"}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, archive+"/"+e.Name())
		}
	}
	for _, name := range names {
		s, err := readStudy(root, name)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// families is the share of every arm on every family of ML1 that has been trained.
func families(studies []study) (*plots.Chart, error) {
	c := newChart("share of what knowing the goal is worth", nil, []string{""},
		legend+" Of one seed the interval is over tasks.")
	c.Title = "Eight families of ML1: return after adaptation"
	for k, s := range studies {
		samples, err := s.outcomes("share_from_blind")
		if err != nil {
			return nil, err
		}
		for i, one := range samples {
			at, width := slot(k, i, len(samples))
			c.Panels[0].Marks = append(c.Panels[0].Marks, sampleMarks(one, i, at, width)...)
		}
		c.Names, c.X.Categories = names(samples), append(c.X.Categories, strings.TrimPrefix(s.Family, "ml1/"))
	}
	c.Panels[0].References = blindAndKnowing
	return c, nil
}

// familyDifferences has a dot for every family: by how much arms differ there, paired by family.
func familyDifferences(studies []study) (*plots.Chart, error) {
	c := newChart("difference of shares", nil, []string{""},
		"Dots: families. Box: 95 % interval over families, with the mean.")
	c.Title = "Families of ML1: what windows and the loss make"
	for k, pair := range []struct{ name, a, b string }{
		{"windows", "PEARL", "PEARL on windows"}, {"the loss", "PEARL on windows", "TCL-PEARL"},
		{"both", "PEARL", "TCL-PEARL"},
	} {
		var differences []float64
		var each [][]float64
		for _, s := range studies {
			samples, err := s.outcomes("share_from_blind")
			if err != nil {
				return nil, err
			}
			of := map[string]float64{}
			for _, arm := range samples {
				of[arm.name] = arm.Mean
			}
			d := of[pair.b] - of[pair.a]
			differences, each = append(differences, d), append(each, []float64{d})
		}
		mean, err := stats.Bootstrap(each, 0.95, 10_000, 0)
		if err != nil {
			return nil, err
		}
		test, err := stats.SignFlipTest(differences)
		if err != nil {
			return nil, err
		}
		c.X.Categories = append(c.X.Categories, pair.name)
		c.Panels[0].Marks = append(c.Panels[0].Marks,
			sampleMarks(sample{pair.name, differences, interval{mean.Mean, mean.Lo, mean.Hi}}, k, float64(k), 0.6)...)
		numbers := fmt.Sprintf("%.2f (%.2f to %.2f), p = %.3f", mean.Mean, mean.Lo, mean.Hi, test.P)
		c.Notes = append(c.Notes, fmt.Sprintf("%s: %s by exact sign-flips; %d families find ±%.2f four times in five.",
			pair.name,
			strings.ReplaceAll(numbers, "-", "−"), len(differences), test.Detectable))
	}
	c.Panels[0].References = []plots.Reference{{Name: "no difference", Y: 0}}
	return c, nil
}

// switches sets one run with one setting as published beside the range of an arm's seeds.
func switches(m measurement.Measurement) (*plots.Chart, error) {
	c := newChart("return after adaptation, thousands", nil, nil,
		"Band: the range of the arm’s ten seeds. A dot: one run, seed 1.")
	c.Title = "Push with one setting as published, by setting"
	labels := []string{"none", "rewards", "observations", "temperature"}
	for series, arm := range []string{"pearl", "pearl-windows", "tcl-pearl"} {
		at := slices.IndexFunc(m.Columns, func(c measurement.Column) bool { return c.Name == arm })
		if at < 0 || len(m.Rows) != len(labels)+1 {
			return nil, fmt.Errorf("measurement switches: %d rows and column %s, expected %d rows and that column",
				len(m.Rows), arm, len(labels)+1)
		}
		all := m.Rows[0].Cells[arm]
		p := plots.ChartPanel{Title: strings.TrimSuffix(m.Columns[at].Head, ": return")}
		band := plots.Mark{Kind: plots.LineMark, Series: series}
		dot := plots.Mark{Kind: plots.DotMark, Series: series}
		for _, x := range []float64{-0.4, float64(len(labels)) - 0.6} {
			band.X, band.Y = append(band.X, x), append(band.Y, all.Value)
			band.Lo, band.Hi = append(band.Lo, all.Low), append(band.Hi, all.High)
		}
		for k, r := range m.Rows[1:] {
			dot.X, dot.Y = append(dot.X, float64(k)), append(dot.Y, r.Cells[arm].Value)
		}
		p.Marks = []plots.Mark{band, dot}
		c.Panels = append(c.Panels, p)
	}
	c.X.Categories = labels
	return c, nil
}

// planeAndLatent sets the ratio of a study's windows in the plane beside that among posterior means.
func planeAndLatent(s study, title, y string) (*plots.Chart, error) {
	note := legend
	if len(s.Contexts) == 0 {
		note = "Dots: seeds. Line: their mean." // the study is older than intervals
	}
	c := newChart(y, nil, []string{"in the plane of t-SNE", "among posterior means"}, note)
	c.Title = title
	for k := range c.Panels {
		samples, err := s.ratios("window", k == 0)
		if err != nil {
			return nil, err
		}
		bySample(&c.Panels[k], samples)
		c.X.Categories = names(samples)
	}
	return c, nil
}

// systems has a dot for every seed of every system: its share of the way from standing still.
func systems(m measurement.Measurement, title, of string) (*plots.Chart, error) {
	c := newChart("% of the way to "+of+" return", nil, []string{""}, "Dots: seeds. 0: standing still.")
	c.Title = title
	for k, r := range m.Rows {
		share := r.Cells["share"]
		values := share.Seeds
		if values == nil {
			values = []float64{share.Value}
		}
		c.X.Categories = append(c.X.Categories, r.Of[0])
		c.Panels[0].Marks = append(c.Panels[0].Marks, dots(0, float64(k), 0.4, values))
	}
	return c, nil
}

// paperPicture is how many contexts lie nearest to their own goal, by kind of context and arm.
func paperPicture(m measurement.Measurement) (*plots.Chart, error) {
	c := newChart("nearest to their own goal, %", nil, nil, "Dots: seeds. Line: their mean. 12.5 % is chance.")
	c.Title = "Push: contexts that lie nearest to their own goal, by what the encoder is given"
	for _, r := range m.Rows {
		if r.Of[0] != "" {
			c.Panels = append(c.Panels, plots.ChartPanel{Title: r.Of[0]})
			c.X.Categories = nil
		}
		p := &c.Panels[len(c.Panels)-1]
		k := len(c.X.Categories)
		share := r.Cells["accuracy"]
		values := slices.Clone(share.Seeds)
		for i := range values {
			values[i] *= 100
		}
		mean := 100 * share.Value
		p.Marks = append(p.Marks, sampleMarks(sample{r.Of[1], values, interval{mean, mean, mean}}, k,
			float64(k), 0.6)...)
		c.X.Categories = append(c.X.Categories, r.Of[1])
	}
	return c, nil
}
