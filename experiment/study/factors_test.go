package study

import (
	"math"
	"slices"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/fatal"
	"nacre/internal/heavy"
	"nacre/tsne"
)

// two are factors with two and three levels.
var two = []Factor{
	{"loss", []Level{{Name: "none", Algorithm: "pearl"}, {Name: "tcl", Algorithm: "tcl-pearl"}}},
	{"context", []Level{{Name: "rows", Set: []string{"tcl.sampling=rows", "train_tasks=5"}}, {Name: "windows"},
		{Name: "all", Set: []string{"pearl.context=9"}}}},
}

func TestArmsOfFactors(t *testing.T) {
	cfg, err := quickly().config()
	fatal.On(t, err)
	arms, err := combine(two, cfg)
	fatal.On(t, err)
	var got []string
	for _, a := range arms {
		got = append(got, a.Name+" "+a.Algorithm+" "+strings.Join(a.Set, ","))
	}
	want := []string{"none-rows pearl train_tasks=5", "none-windows pearl ", "none-all pearl pearl.context=9",
		"tcl-rows tcl-pearl tcl.sampling=rows,train_tasks=5", "tcl-windows tcl-pearl ",
		"tcl-all tcl-pearl pearl.context=9"}
	if !slices.Equal(got, want) {
		t.Errorf("arms %q, want %q", got, want)
	}
	for _, a := range arms {
		r := runner{plan: quickly()}
		if _, err := r.config(a, 1); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
	for _, algorithm := range []string{"tcl-pearl", "pearl-infonce", "pearl-focal"} {
		plan := quickly()
		plan.Factorial = algorithm
		arms, err := plan.arms()
		fatal.On(t, err)
		if len(arms) != 4 {
			t.Fatalf("%d arms, want four", len(arms))
		}
		for _, a := range arms {
			r := runner{plan: plan}
			if _, err := r.config(a, 1); err != nil {
				t.Errorf("%s: %v", a.Name, err)
			}
		}
	}
}

func TestWrongFactors(t *testing.T) {
	levels := func(names ...string) (out []Level) {
		for _, n := range names {
			out = append(out, Level{Name: n})
		}
		return out
	}
	cfg, err := quickly().config()
	fatal.On(t, err)
	for about, factors := range map[string][]Factor{
		`factor "a" with 1 levels`:  {{"a", levels("x")}},
		`factor "" with 2 levels`:   {{"", levels("x", "y")}},
		`factor "a" with 2 levels`:  {{"a", levels("x", "y")}, {"a", levels("x", "y")}},
		`has a level "x"`:           {{"a", levels("x", "x")}},
		`has a level "x/y"`:         {{"a", levels("x/y", "z")}},
		"algorithms in one factor":  {two[0], {"b", []Level{{Name: "x", Algorithm: "mql"}, {Name: "y"}}}},
		`"tcl-perl" does not exist`: {{"a", []Level{{Name: "x", Algorithm: "tcl-perl"}, {Name: "y"}}}},
	} {
		if _, err := combine(factors, cfg); err == nil || !strings.Contains(err.Error(), about) {
			t.Errorf("error %v, want %s", err, about)
		}
	}
	for about, plan := range map[string]Plan{
		"has no loss on PEARL's encoder":   {Factorial: "mql-infonce"},
		"want one such as \"tcl-pearl\"":   {Factorial: "pearl"},
		"does not exist":                   {Factorial: "tcl-perl"},
		"two of ablation, factorial":       {Factorial: "tcl-pearl", Ablation: "sigma"},
		"two of ablation, factorial and f": {Factorial: "tcl-pearl", Factors: two},
	} {
		plan.Preset = "quick/point-goal"
		if _, err := plan.arms(); err == nil || !strings.Contains(err.Error(), about) {
			t.Errorf("error %v, want %s", err, about)
		}
	}
}

// Numbers that are 1 + 2·loss + (0, 10, 20) of the context + (0, 3, 5) if both: the effects are computed by hand.
func TestEffects(t *testing.T) {
	cfg, err := quickly().config()
	fatal.On(t, err)
	arms, err := combine(two, cfg)
	fatal.On(t, err)
	r := invented(3, 0, func(arm, _, _ int) float64 { return 0 })
	seeds := r.Arms[0].Seeds
	r.Arms = nil
	for i, a := range arms {
		loss, context := i/3, i%3
		v := 1 + 2*float64(loss) + []float64{0, 10, 20}[context] + float64(loss)*[]float64{0, 3, 5}[context]
		result := ArmResult{Arm: a}
		for _, s := range seeds {
			s.Contexts = slices.Clone(s.Contexts)
			for k := range s.Contexts {
				d := tsne.Discrimination{Clusters: tsne.Clusters{Ratio: v, RMS: 1, Silhouette: v}, Accuracy: v,
					Neighbours: v, Probe: v, Replicates: map[string][]float64{}}
				for _, name := range []string{tsne.RatioFigure, tsne.SilhouetteFigure, tsne.AccuracyFigure,
					tsne.NeighboursFigure, tsne.ProbeFigure} {
					d.Replicates[name] = []float64{v, v}
				}
				s.Contexts[k].Plane, s.Contexts[k].Latent = d, d
			}
			result.Seeds = append(result.Seeds, s)
		}
		r.Arms = append(r.Arms, result)
	}
	fatal.On(t, r.factorise())
	want := map[string]float64{
		"loss tcl":                   2 + (0+3+5)/3.0,
		"context windows":            10 + 3/2.0,
		"context all":                20 + 5/2.0,
		"loss tcl × context windows": 3,
		"loss tcl × context all":     5,
	}
	seen := map[string]bool{}
	for _, e := range r.Effects {
		if e.Context == "" {
			continue // returns, which are all alike here
		}
		seen[e.name()] = true
		if d := e.Difference; math.Abs(d.Mean-want[e.name()]) > 1e-9 || math.Abs(d.Hi-d.Lo) > 1e-9 {
			t.Errorf("%s of %s: %v, want %v", e.Figure, e.name(), d, want[e.name()])
		}
		if e.Test == nil || e.Test.P != .25 { // three equal pairs: 2 of 8 ways
			t.Errorf("%s: test %+v, want p = 0.25", e.name(), e.Test)
		}
	}
	if len(seen) != len(want) {
		t.Errorf("effects %v, want five", seen)
	}
	if text := r.effectsSection(); !strings.Contains(text, "| loss tcl × context all | 5 | 0.25 |") {
		t.Errorf("the report has\n%s", text)
	}
	r.Arms, r.Effects = r.Arms[:5], nil
	if fatal.On(t, r.factorise()); r.Effects != nil || r.effectsSection() != "" {
		t.Error("five of six combinations have effects")
	}
}

// A study of a loss × contexts runs, measures four arms and their effects, and can be checked.
func TestFactorial(t *testing.T) {
	heavy.Skip(t, "trains four arms")
	plan := quickly()
	plan.Factorial, plan.Contexts = "pearl-infonce", []experiment.ContextKind{experiment.WindowContext}
	dir := t.TempDir()
	r, err := Run(t.Context(), dir, plan, experiment.Host{Workers: 1}, progress.Silent())
	fatal.On(t, err)
	if len(r.Arms) != 4 || !strings.HasSuffix(r.Dir, "factorial/pearl-infonce") || len(r.Effects) == 0 {
		t.Errorf("%d arms in %s with %d effects", len(r.Arms), r.Dir, len(r.Effects))
	}
	for _, a := range r.Arms {
		if a.Seeds[0].Swap == nil || len(a.Seeds[0].Swap.Tasks) != 2 {
			t.Errorf("%s: swap gain %+v, want that of two tasks", a.Name, a.Seeds[0].Swap)
		}
	}
	c, err := Check(t.Context(), r.Dir, false, progress.Silent())
	if err != nil || len(c.Differences) > 0 {
		t.Errorf("%v, differences %v", err, c.Differences)
	}
}
