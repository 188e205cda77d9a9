package study

import (
	"fmt"
	"slices"
	"strings"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/internal/nearest"
	"nacre/rl"
)

// Factor is a choice that a study varies, with at least two levels. A study with factors trains an arm for each
// combination of their levels. It reports main effects and interactions beside the contrasts of single arms.
type Factor struct {
	Name   string  `json:"name"`
	Levels []Level `json:"levels"` // effects are measured from the first
}

// Level is one possibility of a factor.
type Level struct {
	Name string `json:"name"`
	// Algorithm is that of the arms at this level. Empty: another factor says it, or it is the preset's.
	Algorithm string `json:"algorithm,omitempty"`
	// Set changes the plan's configuration. A setting of a table that an arm's algorithm does not read is left out, so
	// that a level can have settings for the algorithms of several arms.
	Set []string `json:"set,omitempty"`
}

// At is the level of a factor at which an arm is.
type At struct {
	Factor string `json:"factor"`
	Level  string `json:"level"`
}

// checkFactors returns an error unless there are arms to compare.
func checkFactors(factors []Factor) error {
	seen := map[string]bool{}
	for _, f := range factors {
		if f.Name == "" || seen[f.Name] || len(f.Levels) < 2 {
			return fmt.Errorf("study: factor %q with %d levels, want a name of its own and at least 2", f.Name,
				len(f.Levels))
		}
		seen[f.Name] = true
		levels := map[string]bool{}
		for _, l := range f.Levels {
			if l.Name == "" || levels[l.Name] || strings.ContainsAny(l.Name, `/\ `) {
				return fmt.Errorf("study: factor %q has a level %q, want names of their own without blanks and "+
					"slashes, as they name folders of runs", f.Name, l.Name)
			}
			levels[l.Name] = true
		}
	}
	return nil
}

// combine makes an arm for each combination of the factors' levels. The last factor varies fastest.
func combine(factors []Factor, cfg experiment.Config) ([]Arm, error) {
	if err := checkFactors(factors); err != nil {
		return nil, err
	}
	arms := []Arm{{}}
	for _, f := range factors {
		var next []Arm
		for _, a := range arms {
			for _, l := range f.Levels {
				b := Arm{Algorithm: a.Algorithm, Set: append(slices.Clone(a.Set), l.Set...),
					Levels: append(slices.Clone(a.Levels), At{f.Name, l.Name})}
				if l.Algorithm != "" {
					if a.Algorithm != "" {
						return nil, fmt.Errorf("study: factor %q: level %s has algorithm %s, but another factor "+
							"says %s; want algorithms in one factor only", f.Name, l.Name, l.Algorithm, a.Algorithm)
					}
					b.Algorithm = l.Algorithm
				}
				next = append(next, b)
			}
		}
		arms = next
	}
	for i := range arms {
		if err := arms[i].name(cfg); err != nil {
			return nil, err
		}
	}
	return arms, nil
}

// name fills the arm's algorithm and names, and leaves out settings that its algorithm does not read.
func (a *Arm) name(cfg experiment.Config) error {
	if a.Algorithm == "" {
		a.Algorithm = cfg.Algorithm
	}
	algorithm, err := rl.Lookup(a.Algorithm)
	if err != nil {
		return fmt.Errorf("study: %w", err)
	}
	var levels []string
	for _, at := range a.Levels {
		levels = append(levels, at.Level)
	}
	a.Name, a.Title = strings.Join(levels, "-"), strings.Join(levels, ", ")
	a.Set = slices.DeleteFunc(a.Set, func(set string) bool {
		table, _, dotted := strings.Cut(strings.SplitN(set, "=", 2)[0], ".")
		return dotted && tabled(table) && !slices.ContainsFunc(algorithm.Tables,
			func(t rl.Table) bool { return t.Name == table })
	})
	return nil
}

// tabled reports whether an algorithm has a table of this name.
func tabled(name string) bool {
	return slices.ContainsFunc(rl.Algorithms(), func(a rl.Algorithm) bool {
		return slices.ContainsFunc(a.Tables, func(t rl.Table) bool { return t.Name == name })
	})
}

// LossByContexts returns the two factors of the question that this package asks: the loss on the context encoder, which
// is none or that of an algorithm built on PEARL, such as tcl-pearl or pearl-infonce, and what a context is, windows or
// independent rows of the given number. A loss that compares two contexts draws both from one trajectory; rows are then
// two disjoint draws.
func LossByContexts(algorithm string, rows int) ([]Factor, error) {
	a, err := rl.Lookup(algorithm)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	if algorithm == "pearl" || !slices.ContainsFunc(a.Tables, func(t rl.Table) bool { return t.Name == "pearl" }) {
		return nil, fmt.Errorf("study: algorithm %q has no loss on PEARL's encoder; want one such as %q%s", algorithm,
			"tcl-pearl", nearest.Hint(algorithm, []string{"tcl-pearl", "pearl-infonce", "pearl-focal"}))
	}
	kind := func(name, pearls, pairs string) Level {
		return Level{Name: name, Set: []string{
			"pearl.context_sampling=" + pearls, fmt.Sprintf("pearl.context=%d", rows), "tcl.sampling=" + pairs,
			fmt.Sprintf("tcl.window=%d", rows),
			"infonce.sampling=" + pairs, fmt.Sprintf("infonce.window=%d", rows)}}
	}
	return []Factor{
		{"loss", []Level{{Name: "none", Algorithm: "pearl"}, {Name: algorithm, Algorithm: algorithm}}},
		{"contexts", []Level{kind("rows", "transitions", "rows"), kind("windows", "window", "windows")}},
	}, nil
}

// Effect is a main effect, or the interaction of two factors, on one measured number. The main effect of a level is the
// mean over the arms at this level less that over the arms at the factor's first level. The interaction of two levels
// is by how much the effect of one differs at the other level from its effect at the other factor's first level.
type Effect struct {
	Context    experiment.ContextKind `json:"context,omitempty"` // kind of context; empty for returns
	Figure     string                 `json:"figure"`
	Of         []At                   `json:"of"` // one level, or two for an interaction
	Difference stats.Interval         `json:"difference"`
	Test       *stats.SignFlips       `json:"test,omitempty"` // paired by seed; nil with one seed
}

// factorsOf returns the factors of arms by name with their levels in order; nil if the arms are not all combinations of
// levels.
func factorsOf(arms []Arm) []Factor {
	var out []Factor
	for i, a := range arms {
		if len(a.Levels) == 0 || len(a.Levels) != len(arms[0].Levels) {
			return nil
		}
		for k, at := range a.Levels {
			if i == 0 {
				out = append(out, Factor{Name: at.Factor})
			}
			if at.Factor != out[k].Name {
				return nil
			}
			if !slices.ContainsFunc(out[k].Levels, func(l Level) bool { return l.Name == at.Level }) {
				out[k].Levels = append(out[k].Levels, Level{Name: at.Level})
			}
		}
	}
	n := 1
	for _, f := range out {
		n *= len(f.Levels)
	}
	if n != len(arms) {
		return nil
	}
	return out
}

// effects lists the levels whose effects are measured: main effects, then interactions of two factors.
func effects(factors []Factor) (out [][]At) {
	for _, f := range factors {
		for _, l := range f.Levels[1:] {
			out = append(out, []At{{f.Name, l.Name}})
		}
	}
	for i, f := range factors {
		for _, g := range factors[i+1:] {
			for _, l := range f.Levels[1:] {
				for _, m := range g.Levels[1:] {
					out = append(out, []At{{f.Name, l.Name}, {g.Name, m.Name}})
				}
			}
		}
	}
	return out
}

// weightsOf returns the arms' weights in an effect: a number is the sum of the arms' numbers times these.
func weightsOf(arms []Arm, factors []Factor, of []At) []float64 {
	out := make([]float64, len(arms))
	count := 0.0 // arms at the levels themselves
	for i, a := range arms {
		w := 1.0
		for _, at := range of {
			f := factors[slices.IndexFunc(factors, func(f Factor) bool { return f.Name == at.Factor })]
			switch {
			case slices.Contains(a.Levels, at):
			case slices.Contains(a.Levels, At{at.Factor, f.Levels[0].Name}):
				w = -w
			default:
				w = 0
			}
		}
		if out[i] = w; !slices.ContainsFunc(of, func(at At) bool { return !slices.Contains(a.Levels, at) }) {
			count++
		}
	}
	for i := range out {
		out[i] /= count
	}
	return out
}

// factorise fills Effects if the arms are the combinations of factors.
func (r *Result) factorise() error {
	var arms []Arm
	for _, a := range r.Arms {
		arms = append(arms, a.Arm)
	}
	factors := factorsOf(arms)
	add := func(kind experiment.ContextKind, figures []figure) error {
		for _, f := range figures {
			values := make([][]stats.Replicated, len(r.Arms))
			for i, a := range r.Arms {
				var err error
				if values[i], err = a.figures(f); err != nil {
					return err
				}
			}
			for _, of := range effects(factors) {
				e, err := effectOf(values, weightsOf(arms, factors, of))
				if err != nil {
					return err
				}
				e.Context, e.Figure, e.Of = kind, f.name, of
				r.Effects = append(r.Effects, e)
			}
		}
		return nil
	}
	if factors == nil {
		return nil
	}
	if err := add("", r.returnFigures()); err != nil {
		return err
	}
	for _, kind := range r.Plan.Contexts {
		if err := add(kind, figuresOf(kind)); err != nil {
			return err
		}
	}
	return nil
}

// effectOf measures the sum of the arms' figures times weights, paired by seed.
func effectOf(values [][]stats.Replicated, weights []float64) (e Effect, err error) {
	weighed := func(m []float64) (sum float64) {
		for i, w := range weights {
			sum += w * m[i]
		}
		return sum
	}
	if e.Difference, err = stats.Nested(values, weighed, level, resamples, 1); err != nil || len(values[0]) < 2 {
		return e, err
	}
	var differences []float64
	for s := range values[0] {
		var m []float64
		for i := range values {
			m = append(m, values[i][s].Value)
		}
		differences = append(differences, weighed(m))
	}
	test, err := stats.SignFlipTest(differences)
	e.Test = &test
	return e, err
}

// effectsSection is the report's part on factors.
func (r *Result) effectsSection() string {
	if len(r.Effects) == 0 {
		return ""
	}
	names := map[string]string{}
	for _, f := range slices.Concat(figuresOf(experiment.WindowContext), r.returnFigures()) {
		names[f.name] = f.what
	}
	var b strings.Builder
	b.WriteString("\n## Main effects and interactions\n\n" +
		"A main effect is the mean over the arms at a level less that over the arms at the factor's first level. An " +
		"interaction, ×, is\nby how much an effect differs between the other factor's levels. Intervals of 95 % over " +
		"seeds and test tasks or contexts;\nwhat lies outside is excluded. p is of paired sign flips; the last " +
		"column is the effect that so many pairs find four times in\nfive.\n\n" +
		"| context | figure | effect | | p | least possible | so many pairs find |\n|---|---|---|---|---|---|---|\n")
	for _, e := range r.Effects {
		context := "test tasks"
		if e.Context != "" {
			context = strings.ToLower(contextNames[e.Context])
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |", context, names[e.Figure], e.name(), withInterval(e.Difference))
		if e.Test == nil {
			b.WriteString(" | | |\n")
			continue
		}
		fmt.Fprintf(&b, " %.2g | %.2g | %.3g |\n", e.Test.P, e.Test.Least, e.Test.Detectable)
	}
	return b.String()
}

// name writes an effect as "loss tcl-pearl × contexts windows".
func (e Effect) name() string {
	var out []string
	for _, at := range e.Of {
		out = append(out, at.Factor+" "+at.Level)
	}
	return strings.Join(out, " × ")
}
