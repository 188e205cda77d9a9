package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"nacre/analysis/plots"
	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/tsne"
)

// Aggregate compares arms over the families of a suite, by a score that is comparable between families. It holds
// estimates with 95 % intervals of the stratified bootstrap, which resamples the runs within each family and keeps the
// families.
type Aggregate struct {
	Score        string         `json:"score"`
	Families     []string       `json:"families"`
	Arms         []ArmAggregate `json:"arms"`
	Improvements []Improvement  `json:"improvements"`
	Thresholds   []float64      `json:"thresholds"` // scores at which the profiles are computed
}

// ArmAggregate is one arm's part of an Aggregate.
type ArmAggregate struct {
	Arm               string           `json:"arm"`
	Title             string           `json:"title"`
	InterquartileMean stats.Interval   `json:"interquartile_mean"`
	Median            stats.Interval   `json:"median"`
	Mean              stats.Interval   `json:"mean"`
	OptimalityGap     stats.Interval   `json:"optimality_gap"`
	Profile           []stats.Interval `json:"profile"` // share of runs above each threshold
}

// Improvement is the probability that a run of arm B scores higher than a run of arm A on the same family.
type Improvement struct {
	A           string         `json:"a"`
	B           string         `json:"b"`
	Probability stats.Interval `json:"probability"`
}

// score is a number of a run that is comparable between families. ok is false if the run does not have it.
type score struct {
	name string
	of   func(SeedResult) (v float64, ok bool)
}

// scores returns the scores that suites aggregate: the first score of adaptation that all runs have, and the linear
// probe's accuracy for every kind of context.
func scores(studies []*Result) (out []score) {
	adaptation := []score{
		{primaryScore, func(s SeedResult) (float64, bool) { return deref(s.ShareFromBlind) }},
		{"share of the way from standing still or random actions to the goal-knowing controller",
			func(s SeedResult) (float64, bool) {
				return deref(s.Share)
			}},
		{"success after adaptation", func(s SeedResult) (float64, bool) {
			return s.Adapted.Summary.AdaptedSuccess.Mean, true
		}},
	}
	for _, a := range adaptation {
		of := studies
		if a.name == primaryScore {
			of = suitable(studies)
		}
		if len(of) > 0 && everyRun(of, a) {
			out = append(out, a)
			break
		}
	}
	for _, kind := range experiment.ContextKinds {
		s := score{"linear-probe accuracy, " + strings.ToLower(contextNames[kind][:1]) + contextNames[kind][1:],
			func(s SeedResult) (float64, bool) {
				c, err := s.context(kind)
				if err != nil {
					return 0, false
				}
				return c.Latent.Figure(tsne.ProbeFigure), true
			}}
		if everyRun(studies, s) {
			out = append(out, s)
		}
	}
	return out
}

const primaryScore = "share of the way from the goal-blind to the goal-knowing controller"

// suitable returns the studies of families in which the goal matters.
func suitable(studies []*Result) []*Result {
	return slices.DeleteFunc(slices.Clone(studies), (*Result).Unsuitable)
}

func deref(v *float64) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return *v, true
}

// everyRun reports whether all runs have a score, and at least one has a score that is not 0. In families without
// success all runs have 0.
func everyRun(studies []*Result, s score) bool {
	some := false
	for _, r := range studies {
		for _, a := range r.Arms {
			for _, run := range a.Seeds {
				v, ok := s.of(run)
				if !ok {
					return false
				}
				some = some || v != 0
			}
		}
	}
	return some
}

// aggregates makes the aggregates over at least two studies with the same arms.
func aggregates(studies []*Result) (out []Aggregate, err error) {
	if len(studies) < 2 {
		return nil, nil
	}
	names := func(r *Result) (out []string) {
		for _, a := range r.Arms {
			out = append(out, a.Name)
		}
		return out
	}
	for _, r := range studies[1:] {
		if !slices.Equal(names(r), names(studies[0])) {
			return nil, nil
		}
	}
	for _, s := range scores(studies) {
		of := studies
		if s.name == primaryScore {
			of = suitable(studies)
		}
		a, err := aggregate(of, s)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func aggregate(studies []*Result, s score) (Aggregate, error) {
	out := Aggregate{Score: s.name}
	for i := range 21 {
		out.Thresholds = append(out.Thresholds, float64(i)/20)
	}
	all := make([]stats.Scores, len(studies[0].Arms))
	for _, r := range studies {
		out.Families = append(out.Families, r.Family)
		for i, a := range r.Arms {
			all[i] = append(all[i], a.each(func(run SeedResult) float64 {
				v, _ := s.of(run)
				return v
			}))
		}
	}
	estimate := func(to *stats.Interval, of func([]stats.Scores) float64, methods ...stats.Scores) (err error) {
		*to, err = stats.Stratified(methods, of, level, resamples, 1)
		return err
	}
	single := func(of func(stats.Scores) float64) func([]stats.Scores) float64 {
		return func(m []stats.Scores) float64 { return of(m[0]) }
	}
	for i, a := range studies[0].Arms {
		arm := ArmAggregate{Arm: a.Name, Title: a.Title}
		for _, e := range []struct {
			to *stats.Interval
			of func(stats.Scores) float64
		}{
			{&arm.InterquartileMean, stats.InterquartileMean}, {&arm.Median, stats.MedianOfFamilies},
			{&arm.Mean, func(s stats.Scores) float64 { return stats.Mean(slices.Concat(s...)) }},
			{&arm.OptimalityGap, stats.OptimalityGap},
		} {
			if err := estimate(e.to, single(e.of), all[i]); err != nil {
				return out, err
			}
		}
		var err error
		if arm.Profile, err = stats.Profile(all[i], out.Thresholds, level, resamples, 1); err != nil {
			return out, err
		}
		out.Arms = append(out.Arms, arm)
		for j := i + 1; j < len(all); j++ {
			row := Improvement{A: a.Name, B: studies[0].Arms[j].Name}
			if err := estimate(&row.Probability, func(m []stats.Scores) float64 {
				return stats.ProbabilityOfImprovement(m[0], m[1])
			}, all[j], all[i]); err != nil {
				return out, err
			}
			out.Improvements = append(out.Improvements, row)
		}
	}
	return out, nil
}

// title is an arm's name in tables.
func (a Aggregate) title(arm string) string {
	i := slices.IndexFunc(a.Arms, func(x ArmAggregate) bool { return x.Arm == arm })
	return a.Arms[i].Title
}

// profiles draws the performance profiles of every score.
func profiles(list []Aggregate) (*plots.Figure, error) {
	var panels []plots.CurvePanel
	for _, a := range list {
		panel := plots.CurvePanel{Title: strings.ToUpper(a.Score[:1]) + a.Score[1:], XLabel: "threshold",
			YLabel: "share of runs above"}
		for _, arm := range a.Arms {
			s := plots.Series{Name: arm.Title, X: a.Thresholds}
			for _, v := range arm.Profile {
				s.Y = append(s.Y, v.Mean)
				if v.Known() {
					s.Lo, s.Hi = append(s.Lo, v.Lo), append(s.Hi, v.Hi)
				}
			}
			panel.Series = append(panel.Series, s)
		}
		panels = append(panels, panel)
	}
	return plots.Curves(panels...)
}

// aggregateSection is the aggregates' part of a suite's report.
func (s *Suite) aggregateSection() string {
	if len(s.Aggregates) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Over all families\n\n![performance profiles](%s)\n\n"+
		"The share of runs that score above a threshold, and estimates over %s, with 95 %% intervals of the\n"+
		"stratified bootstrap over runs.", profilesFile+".png", strings.Join(s.Aggregates[0].Families, ", "))
	switch m := s.Aggregates[0].Arms[0].Mean; {
	case !m.Known():
		b.WriteString(" With one run per family there is no interval.")
	case m.N < 2:
		b.WriteString(" A family with one run adds nothing to their width.")
	}
	b.WriteString("\n")
	for _, a := range s.Aggregates {
		fmt.Fprintf(&b, "\n### %s\n\n| | interquartile mean | median | mean | optimality gap |\n"+
			"|---|---|---|---|---|\n", strings.ToUpper(a.Score[:1])+a.Score[1:])
		for _, arm := range a.Arms {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", arm.Title, withInterval(arm.InterquartileMean),
				withInterval(arm.Median), withInterval(arm.Mean), withInterval(arm.OptimalityGap))
		}
		b.WriteString("\n")
		for _, p := range a.Improvements {
			fmt.Fprintf(&b, "- A run of %s scores higher than one of %s with probability %s.\n", a.title(p.B),
				a.title(p.A), withInterval(p.Probability))
		}
	}
	return b.String()
}

// familyTable has one line per family and arm. It shows the primary outcome, the gain by adaptation, the returns after
// it, the ratio in latent space for every kind of context, and the paper's number if its table 1 has the family.
func (s *Suite) familyTable() string {
	var b strings.Builder
	b.WriteString("\n## Family by family\n\n| family | arm | share of the way from blind to knowing | adaptation " +
		"gain | return after adaptation |")
	for _, kind := range experiment.ContextKinds {
		b.WriteString(" ratio, " + strings.ToLower(contextNames[kind][:1]) + contextNames[kind][1:] + " |")
	}
	known := slices.ContainsFunc(s.Studies, func(r *Result) bool { return published(r.Family, "PEARL") != "" })
	columns := 5 + len(experiment.ContextKinds)
	if known {
		b.WriteString(" return in the paper's table 1 |")
		columns++
	}
	logs := slices.ContainsFunc(s.Studies, func(r *Result) bool { return logged(r.Family, "PEARL", 0) != "" })
	if logs {
		b.WriteString(" in the authors' logs |")
		columns++
	}
	b.WriteString("\n|" + strings.Repeat("---|", columns) + "\n")
	collapsed := false
	for _, r := range s.Studies {
		for _, a := range r.Arms {
			fmt.Fprintf(&b, "| %s | %s |", r.Family, a.Title)
			for _, name := range []string{shareFromBlind, adaptationGain, adaptedReturn} {
				text := ""
				if o, ok := r.outcome(a.Name, name); ok {
					text = withInterval(o.Value)
				} else if name == shareFromBlind && r.Unsuitable() {
					text = "*unsuitable*"
				}
				b.WriteString(" " + text + " |")
			}
			for _, kind := range experiment.ContextKinds {
				text := ""
				for _, row := range r.Contexts {
					if row.Arm == a.Name && row.Context == kind {
						text = withInterval(row.Figures[ratioInLatent])
					}
				}
				if len(a.collapsed(kind)) > 0 {
					text, collapsed = text+" *collapsed*", true
				}
				b.WriteString(" " + text + " |")
			}
			if known {
				fmt.Fprintf(&b, " %s |", published(r.Family, a.Title))
			}
			if logs {
				fmt.Fprintf(&b, " %s |", logged(r.Family, a.Title, a.Seeds[0].EnvSteps))
			}
			b.WriteString("\n")
		}
	}
	if collapsed {
		fmt.Fprintf(&b, "\nCollapsed: the posterior means of a run lie less than %g from their mean, where the "+
			"prior's deviation is 1. Its ratio is\n"+
			"of rounding or of very little.\n", collapse)
	}
	if slices.ContainsFunc(s.Studies, (*Result).Unsuitable) {
		fmt.Fprintf(&b, "\nA family is unsuitable for the question where less than %.0f %% of the way from random "+
			"actions to the goal-knowing\n"+
			"controller lies beyond the goal-blind one; it is left out of the first aggregate.\n", 100*leastWorth)
	}
	return b.String()
}

// published is the paper's return of a method on an ML1 family, empty if the paper has none.
func published(family, method string) string {
	table := paper.Table1()
	environment, _ := paper.Environment(family)
	row, i := table.Row(environment), slices.Index(table.Methods, method)
	if row == nil || i < 0 {
		return ""
	}
	return grouped(int64(math.Round(1000 * row[i])))
}

// logged returns the returns in the authors' logs of a method on an ML1 family, run by run: after about `steps`
// environment steps, and at the ends of the logs. It is empty if there are no logs.
func logged(family, method string, steps int64) string {
	environment, _ := paper.Environment(family)
	var here, end []string
	at := 0.0
	for _, c := range paper.Curves(environment) {
		if c.Method != method {
			continue
		}
		i := 0
		for k, v := range c.EnvSteps {
			if math.Abs(v-float64(steps)) < math.Abs(c.EnvSteps[i]-float64(steps)) {
				i = k
			}
		}
		at = c.EnvSteps[i]
		here, end = append(here, grouped(int64(math.Round(c.Return[i])))),
			append(end, grouped(int64(math.Round(c.Return[len(c.Return)-1]))))
	}
	if len(here) == 0 {
		return ""
	}
	return fmt.Sprintf("%s at %s steps; %s last", strings.Join(here, ", "), grouped(int64(at)), strings.Join(end, ", "))
}
