package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"nacre/analysis/plots"
	"nacre/analysis/stats"
	"nacre/experiment"
)

// Verdicts are given by the primary number of embeddings. It is the number in the paper: the ratio in the plane of
// windows.
const primaryFigure, primaryContext = ratioInPlane, experiment.WindowContext

// contextVerdicts say for every two arms whether the primary number tells them apart: the paired interval must exclude
// 0, and the paired test must give at most chanceLevel. If not, they say what so many pairs would have found, and what
// is excluded. The other numbers and kinds of context have no verdicts. One seed gives none.
func (r *Result) contextVerdicts() (out []string) {
	for _, c := range r.Contrasts {
		if c.Figure == primaryFigure && c.Context == primaryContext && c.Test != nil {
			out = append(out, c.verdict(r.title(c.A), r.title(c.B)))
		}
	}
	return out
}

// chanceLevel is the p of a test above which a difference is called one that chance might make.
const chanceLevel = 0.05

// verdict returns what the contrast says of two arms by their titles.
func (c Contrast) verdict(a, b string) string {
	figures := fmt.Sprintf("%s, p = %.2g, least possible %.2g", withInterval(c.Difference), c.Test.P, c.Test.Least)
	if d := c.direction(); d != 0 && c.Test.P <= chanceLevel {
		if d < 0 {
			a, b = b, a
		}
		return fmt.Sprintf("%s is ahead of %s by the ratio in the plane of windows: %s.", b, a, figures)
	}
	return fmt.Sprintf("%s less %s: no verdict by the ratio in the plane of windows: %s. %s", b, a, figures, c.power())
}

// power says which differences a contrast could have found, and which it excludes.
func (c Contrast) power() string {
	return fmt.Sprintf("%d pairs find %.2g four times in five; excluded are less than %.2g and more than %.2g.",
		c.Difference.N, c.Test.Detectable, c.Difference.Lo, c.Difference.Hi)
}

// contextNames head the sections of the report.
var contextNames = map[experiment.ContextKind]string{
	experiment.WindowContext:   "Consecutive windows",
	experiment.RowsContext:     "Independent rows",
	experiment.RolloutContext:  "Whole rollouts",
	experiment.MetaTestContext: "The meta-test's context",
}

// contextAbout explains a kind of context.
func (r *Result) contextAbout(kind experiment.ContextKind) string {
	return map[experiment.ContextKind]string{
		experiment.WindowContext: fmt.Sprintf("%d consecutive transitions of one exploring rollout: what TCL-PEARL "+
			"and PEARL on windows train on.", r.Window),
		experiment.RowsContext: fmt.Sprintf("%d transitions of one exploring rollout, drawn independently with "+
			"replacement: PEARL trains on independent rows.", r.Window),
		experiment.RolloutContext: "All transitions of one exploring rollout.",
		experiment.MetaTestContext: fmt.Sprintf("All transitions of the protocol's exploration, %d trajectories: "+
			"what the agent has when it begins to be scored.", r.Protocol.Explore),
	}[kind]
}

// contextSections are the table, the differences and the planes of every kind.
func (r *Result) contextSections() string {
	if len(r.Contexts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## What encoders tell by contexts of every kind\n\n" +
		"An encoder's embeddings depend on what it is given. So each encoder has contexts of its own agent of every " +
		"kind. Figures are\n" +
		"of the posterior means unless they are of the plane. All classifiers are tried on contexts that they were " +
		"not fitted to:\n" +
		"the nearest centroid of the other half, the majority of the five nearest other contexts, logistic " +
		"regression in five folds.\n" +
		"In brackets 95 % intervals from a bootstrap over seeds and, within each, contexts.\n")
	if r.Plan.Seeds < 2 {
		b.WriteString("With one seed they are over contexts only and say nothing about other seeds.\n")
	}
	for _, kind := range r.Plan.Contexts {
		fmt.Fprintf(&b, "\n### %s\n\n%s %d of each of %d tasks; chance is %.3g.\n\n", contextNames[kind],
			r.contextAbout(kind),
			r.perTask(kind), r.Plan.Tasks, 1/float64(r.Plan.Tasks))
		if kind != experiment.WindowContext {
			fmt.Fprintf(&b, "![t-SNE of the posterior means](%s.png)\n\n", contextPicture(kind))
		}
		b.WriteString(r.contextTable(kind))
		b.WriteString(r.contrastTable(kind))
		b.WriteString(r.collapseNotes(kind))
	}
	if len(r.ContextVerdicts) > 0 {
		b.WriteString("\n### Verdicts\n\nBy one figure, named before: the ratio in the plane of windows, which is " +
			"the paper's.\n\n")
		for _, v := range r.ContextVerdicts {
			b.WriteString("- " + v + "\n")
		}
	}
	return b.String()
}

// collapse is the distance of posterior means from their mean, of which the prior has a deviation of 1, below which an
// encoder is said to have collapsed to the prior. Half its square is about the information that the encoder gives, in
// nats.
const collapse = 0.01

// collapsed returns the seeds whose encoders have collapsed for contexts of a kind.
func (a ArmResult) collapsed(kind experiment.ContextKind) (seeds []SeedResult) {
	for _, s := range a.Seeds {
		if c, err := s.context(kind); err == nil && c.Latent.RMS < collapse {
			seeds = append(seeds, s)
		}
	}
	return seeds
}

// collapseNotes name the runs whose encoders have collapsed.
func (r *Result) collapseNotes(kind experiment.ContextKind) string {
	var b strings.Builder
	for _, a := range r.Arms {
		for _, s := range a.collapsed(kind) {
			c, _ := s.context(kind)
			fmt.Fprintf(&b, "\n%s, seed %d: posterior means lie %.2g from their mean, where the prior's deviation is "+
				"1. The encoder has\n"+
				"collapsed to the prior; its figures are of rounding or of very little.", a.Title, s.Seed, c.Latent.RMS)
			if c.Latent.RMS == 0 {
				b.WriteString(" All are equal; their ratio counts as 0.")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// perTask is how many contexts of a kind there are per task.
func (r *Result) perTask(kind experiment.ContextKind) int {
	c, err := r.Arms[0].Seeds[0].context(kind)
	if err != nil {
		return 0
	}
	return c.PerTask
}

func (r *Result) contextTable(kind experiment.ContextKind) string {
	var b, rule strings.Builder
	b.WriteString("| |")
	for _, f := range figuresOf(kind) {
		b.WriteString(" " + f.what + " |")
		rule.WriteString("---|")
	}
	b.WriteString("\n|---|" + rule.String() + "\n")
	for _, row := range r.Contexts {
		if row.Context != kind {
			continue
		}
		fmt.Fprintf(&b, "| %s |", r.title(row.Arm))
		for _, f := range figuresOf(kind) {
			b.WriteString(" " + withInterval(row.Figures[f.name]) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// contrastTable has the differences of arms, with the tests' p-values.
func (r *Result) contrastTable(kind experiment.ContextKind) string {
	var b, rule strings.Builder
	b.WriteString("\n| difference |")
	for _, f := range figuresOf(kind) {
		b.WriteString(" " + f.what + " |")
		rule.WriteString("---|")
	}
	b.WriteString("\n|---|" + rule.String())
	last, test := "", stats.SignFlips{}
	for _, c := range r.Contrasts {
		if c.Context != kind {
			continue
		}
		pair := c.A + " " + c.B
		if pair != last && c.Figure == ratioInPlane {
			var cells []string
			for _, d := range r.Contrasts {
				if d.Context == kind && d.A == c.A && d.B == c.B {
					cells = append(cells, differenceCell(d))
				}
				if d.Test != nil {
					test = *d.Test
				}
			}
			fmt.Fprintf(&b, "\n| %s less %s | %s |", r.title(c.B), r.title(c.A), strings.Join(cells, " | "))
			last = pair
		}
	}
	b.WriteString("\n")
	if test.Ways > 0 {
		fmt.Fprintf(&b, "\nPaired by seed, as the intervals are: p is of the exact sign-flip test, two-sided, and "+
			"cannot be below %.2g; ± is the\n"+
			"difference that so many pairs find four times in five. What lies outside an interval is excluded at 95 "+
			"%%.\n", test.Least)
	}
	return b.String()
}

// differenceCell is bold if the interval over several seeds excludes 0.
func differenceCell(c Contrast) string {
	text := withInterval(c.Difference)
	if c.Test == nil {
		return text
	}
	if c.direction() != 0 {
		text = "**" + text + "**"
	}
	return text + fmt.Sprintf(", p = %.2g, ±%.2g", c.Test.P, c.Test.Detectable)
}

// withInterval writes so many decimals that the interval's width has two significant digits. If that needs more than
// six decimals, the value comes from rounding, and it is written with exponents.
func withInterval(v stats.Interval) string {
	if !v.Known() || v.Lo == v.Hi {
		return fmt.Sprintf("%.3g", v.Mean)
	}
	decimals := max(0, 2-int(math.Ceil(math.Log10(v.Hi-v.Lo))))
	text := func(x float64) string {
		if decimals > 6 {
			return fmt.Sprintf("%.2g", x)
		}
		s := fmt.Sprintf("%.*f", decimals, x)
		if strings.Trim(s, "-0.") == "" {
			s = strings.TrimPrefix(s, "-")
		}
		return s
	}
	return fmt.Sprintf("%s (%s to %s)", text(v.Mean), text(v.Lo), text(v.Hi))
}

// attributionSection divides the gap between PEARL and TCL-PEARL.
func (r *Result) attributionSection() string {
	if len(r.Attribution) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## How much is windows, how much the loss\n\n" +
		"The gap is TCL-PEARL less PEARL. Windows make PEARL on windows less PEARL; the contrastive loss makes " +
		"TCL-PEARL less PEARL\n" +
		"on windows. The share of the windows is given where the interval of the gap leaves 0 out. Intervals as " +
		"above; of returns\n" +
		"over seeds and test tasks.\n\n" +
		"| context | figure | gap | windows | loss | share of the windows |\n|---|---|---|---|---|---|\n")
	names := map[string]string{}
	for _, f := range slices.Concat(figuresOf(experiment.WindowContext), r.returnFigures()) {
		names[f.name] = f.what
	}
	for _, a := range r.Attribution {
		context := contextNames[a.Context]
		if a.Context == "" {
			context = "test tasks"
		}
		share := ""
		if a.Share != nil {
			share = percent(*a.Share)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", strings.ToLower(context[:1])+context[1:], names[a.Figure],
			withInterval(a.Gap), withInterval(a.Windows), withInterval(a.Loss), share)
	}
	return b.String()
}

// percent writes a share with its interval.
func percent(v stats.Interval) string {
	if !v.Known() || math.Abs(v.Hi-v.Lo) > 100 {
		return fmt.Sprintf("%.0f %%", 100*v.Mean)
	}
	return fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*v.Mean, 100*v.Lo, 100*v.Hi)
}

// contextPlane sets the planes of the arms' first seeds side by side, of contexts of one kind.
func (r *Result) contextPlane(kind experiment.ContextKind) (*plots.Figure, error) {
	var panels []plots.Panel
	for _, a := range r.Arms {
		c, err := a.Seeds[0].context(kind)
		if err != nil {
			return nil, err
		}
		panels = append(panels, plots.Panel{Title: a.Title, Y: c.layout, Label: c.embeddings.Label,
			Name: c.embeddings.Name})
	}
	return plots.Embedding(panels...)
}
