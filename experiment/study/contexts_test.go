package study

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/heavy"
	"nacre/rl/protocol"
	"nacre/tsne"
)

// invented is a study of the three arms whose figures are given: value(arm, seed, kind) for all of them, with
// replicates that deviate by ±sd.
func invented(seeds int, sd float64, value func(arm, seed, kind int) float64) *Result {
	r := &Result{Family: "invented", Plan: Plan{Seeds: seeds, Contexts: experiment.ContextKinds}}
	for i, name := range Arms {
		arm := ArmResult{Arm: armOf(name)}
		for s := range seeds {
			run := SeedResult{Seed: uint64(s + 1)}
			run.Adapted = protocol.Result{Protocol: protocol.Protocol{Explore: 1, Scored: 1},
				Tasks: []protocol.TaskResult{
					{Return: [][]float64{{float64(i), 10 * float64(i)}}},
					{Return: [][]float64{{float64(i), 10 * float64(i)}}},
				}}
			for k, kind := range experiment.ContextKinds {
				v := value(i, s, k)
				d := tsne.Discrimination{Clusters: tsne.Clusters{Ratio: v, RMS: 1, Silhouette: v}, Accuracy: v,
					Neighbours: v, Probe: v, Replicates: map[string][]float64{}}
				for _, name := range []string{tsne.RatioFigure, tsne.SilhouetteFigure, tsne.AccuracyFigure,
					tsne.NeighboursFigure, tsne.ProbeFigure} {
					d.Replicates[name] = []float64{v - sd, v + sd}
				}
				run.Contexts = append(run.Contexts, ContextResult{Context: kind, PerTask: 2, Plane: d, Latent: d})
			}
			arm.Seeds = append(arm.Seeds, run)
		}
		r.Arms = append(r.Arms, arm)
	}
	r.Protocol = r.Arms[0].Seeds[0].Adapted.Protocol
	return r
}

func compareInvented(t *testing.T, r *Result) {
	t.Helper()
	if err := r.contexts(); err != nil {
		t.Fatal(err)
	}
	if err := r.attribute(); err != nil {
		t.Fatal(err)
	}
	r.ContextVerdicts = r.contextVerdicts()
}

// A gap of 1 of which the windows make .8 is said to be so, with certainty where seeds and contexts do not vary.
func TestAttribution(t *testing.T) {
	r := invented(3, 0, func(arm, _, _ int) float64 { return []float64{.2, 1, 1.2}[arm] })
	compareInvented(t, r)
	if len(r.Attribution) != 4*6+3 {
		t.Fatalf("%d rows, want six figures of four kinds and three of returns", len(r.Attribution))
	}
	near := func(what string, v stats.Interval, want float64) {
		if math.Abs(v.Mean-want) > 1e-12 || math.Abs(v.Lo-want) > 1e-12 || math.Abs(v.Hi-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", what, v, want)
		}
	}
	for _, a := range r.Attribution[:24] {
		near("gap", a.Gap, 1)
		near("windows", a.Windows, .8)
		near("loss", a.Loss, .2)
		near("share", *a.Share, .8)
	}
	// Returns are 0, 10, 20 after adaptation and 0, 1, 2 before.
	for i, want := range []float64{20, 2, 18} {
		near(r.Attribution[24+i].Figure, r.Attribution[24+i].Gap, want)
	}
	// Where the gap's interval has 0 in it there is nothing to divide.
	r = invented(3, .5, func(_, seed, _ int) float64 { return float64(seed) })
	r.Arms[2].Seeds[0].Contexts[0].Latent.Replicates[tsne.ProbeFigure] = []float64{-2, 2}
	compareInvented(t, r)
	for _, a := range r.Attribution[:24] {
		if a.Share != nil {
			t.Errorf("%s, %s: a share of %v of a gap of %v", a.Context, a.Figure, a.Share, a.Gap)
		}
	}
}

// A verdict is by the ratio in the plane of windows, and needs more seeds than chance would do for.
func TestContextVerdicts(t *testing.T) {
	ahead := func(arm, seed, _ int) float64 { return float64(arm) + .01*float64(seed) }
	r := invented(6, .001, ahead)
	compareInvented(t, r)
	if len(r.ContextVerdicts) != 3 ||
		!strings.HasPrefix(r.ContextVerdicts[1],
			"TCL-PEARL is ahead of PEARL by the ratio in the plane of windows: ") ||
		!strings.Contains(r.ContextVerdicts[1], "p = 0.031, least possible 0.031") {
		t.Errorf("%q", r.ContextVerdicts)
	}
	r = invented(5, .001, ahead)
	compareInvented(t, r)
	for _, v := range r.ContextVerdicts { // five pairs cannot have a p below .0625
		if !strings.Contains(v, "no verdict by the ratio in the plane of windows: ") ||
			!strings.Contains(v, "5 pairs find ") || !strings.Contains(v, "excluded are less than ") {
			t.Errorf("five seeds: %s", v)
		}
	}
	r = invented(6, .001, func(arm, seed, kind int) float64 {
		if kind == 0 {
			arm = -arm
		}
		return ahead(arm, seed, kind)
	})
	compareInvented(t, r)
	for _, v := range r.ContextVerdicts {
		if strings.HasPrefix(v, "TCL-PEARL is ahead") {
			t.Errorf("windows say the opposite, but: %s", v)
		}
	}
	r = invented(1, .001, ahead)
	compareInvented(t, r)
	if r.ContextVerdicts != nil || r.Contrasts[0].Test != nil {
		t.Errorf("of one seed: %q, %v", r.ContextVerdicts, r.Contrasts[0].Test)
	}
}

// Two families with three runs each: interquartile means and improvements are those of package stats, which are
// rliable's.
func TestAggregates(t *testing.T) {
	of := func(family float64) *Result {
		r := invented(3, 0, func(arm, seed, _ int) float64 { return .2*float64(arm) + .05*float64(seed) + family })
		for i := range r.Arms {
			for s := range r.Arms[i].Seeds {
				share := .3*float64(i) + .1*float64(s)
				r.Arms[i].Seeds[s].Share = &share
			}
		}
		return r
	}
	list, err := aggregates([]*Result{of(0), of(.1)})
	if err != nil || len(list) != 5 || !strings.Contains(list[0].Score, "from standing still or random actions") ||
		!strings.Contains(list[1].Score, "consecutive windows") {
		t.Fatalf("%+v, %v", list, err)
	}
	if v := list[0].Arms[1].InterquartileMean; math.Abs(v.Mean-.4) > 1e-12 || v.Lo >= v.Mean || v.Hi <= v.Mean ||
		v.N != 3 {
		t.Errorf("interquartile mean %v, want 0.4", v)
	}
	if p := list[0].Improvements[1].Probability; p.Mean != 1 || list[0].Improvements[1].B != "tcl-pearl" {
		t.Errorf("improvement %+v", list[0].Improvements[1])
	}
	if p := list[0].Arms[0].Profile; p[0].Mean != 2./3 || p[4].Mean != 0 {
		t.Errorf("profile of 0, 0.1, 0.2 above 0 and above 0.2: %v and %v", p[0], p[4])
	}
	if figure, err := profiles(list); err != nil || figure == nil {
		t.Error(err)
	}
	withPaper := &Suite{Studies: []*Result{of(0)}}
	withPaper.Studies[0].Family = "ml1/push"
	if err := withPaper.Studies[0].outcomes(); err != nil {
		t.Fatal(err)
	}
	if text := withPaper.familyTable(); !strings.Contains(text, "| ml1/push | TCL-PEARL |  | 18 | 20 |") ||
		!strings.Contains(text, "| 26,360 |") {
		t.Error(text)
	}
	apart := withPaper.Studies[0]
	compareInvented(t, apart)
	before := withPaper.familyTable()
	apart.Arms[2].Seeds[1].Contexts[3].Latent.RMS = .009
	if text := withPaper.familyTable(); strings.Contains(before, "ollapsed") ||
		strings.Count(text, " *collapsed* |") != 1 || !strings.Contains(text, "Collapsed: ") {
		t.Error(text)
	}
	if text := apart.contextSections(); strings.Count(text, "The encoder has") != 1 ||
		!strings.Contains(text, "TCL-PEARL, seed 2: posterior means lie 0.009 from") {
		t.Error(text)
	}
	if text := logged("ml1/coffee-pull", "TCL-PEARL", 440_000); text != "3,164, 280, 771 at 450,000 steps; 2,773, "+
		"91,775, 70,162 last" {
		t.Error(text)
	}
	if text := logged("ml1/push", "TCL-PEARL", 440_000) + logged("cheetah-vel", "PEARL", 1); text != "" {
		t.Errorf("logs that do not exist: %s", text)
	}
	suite := &Suite{Name: Families, Aggregates: list}
	if text := suite.aggregateSection(); !strings.Contains(text,
		"A run of TCL-PEARL scores higher than one of PEARL with probability 1.") {
		t.Error(text)
	}
	if list, err := aggregates([]*Result{of(0)}); err != nil || list != nil {
		t.Errorf("of one family: %v, %v", list, err)
	}
}

// As many decimals are written as the interval's width has two figures of, and no minus before zero.
func TestWithInterval(t *testing.T) {
	for want, v := range map[string]stats.Interval{
		"0.000 (-0.017 to 0.018)":   {Mean: -.0001, Lo: -.0167, Hi: .0179},
		"298900 (170000 to 310000)": {Mean: 298900.3, Lo: 170000.2, Hi: 310000.1},
		"1.5":                       {Mean: 1.5, Lo: 1.5, Hi: 1.5}, "0 (-9 to 5)": {Mean: -.2, Lo: -9.1, Hi: 5.2},
		"-2.3e-12 (-1.1e-11 to 4.5e-12)": {Mean: -2.262e-12, Lo: -1.12e-11, Hi: 4.503e-12},
	} {
		if got := withInterval(v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A plan says what is left of it, and the page of the report needs no file beside it.
func TestSurveyAndPage(t *testing.T) {
	heavy.Skip(t, "trains a study")
	dir, host := filepath.Join(t.TempDir(), "study"), experiment.Host{Workers: 2}
	plan := quickly()
	before, err := Survey(t.Context(), dir, plan, host)
	if err != nil {
		t.Fatal(err)
	}
	if e := before.Arms[1]; before.Runs != 3 || before.Done != 0 || before.Together != 2 || before.Remaining <= 0 ||
		e.Arm != "pearl-windows" ||
		e.EnvSteps != 4*20+2*2*(20+20) || e.Updates != 10 || e.CollectRate <= 0 || e.UpdateRate <= 0 ||
		e.EvaluateRate <= 0 {
		t.Errorf("%+v", before)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the survey left something in the study's folder")
	}
	if _, err := Run(t.Context(), dir, plan, host, progress.Silent()); err != nil {
		t.Fatal(err)
	}
	after, err := Survey(t.Context(), dir, plan, host)
	if err != nil || after.Done != 3 || after.Remaining != 0 ||
		!strings.Contains(fmt.Sprint(after), "all are trained") {
		t.Errorf("%+v, %v", after, err)
	}
	page, err := os.ReadFile(filepath.Join(dir, PageFile))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if strings.Count(text, `src="data:image/png;base64,`) != 3 || strings.Contains(text, `.png"`) ||
		!strings.Contains(text, "<td>PEARL on windows</td>") ||
		!strings.Contains(text, "<code>nacre study check .</code>") {
		t.Errorf("the page is not whole: %.2000s", text)
	}
}
