package study

import (
	"fmt"
	"math"
	"strings"

	"nacre/analysis/stats"
	"nacre/internal/rng"
	"nacre/rl/protocol"
)

// The primary outcome of a study is the share of the way from the goal-blind controller to the goal-knowing one:
// returns say how well a family is learned; this share says how much an agent gained of the worth of knowing the goal.
// The agent and the goal-blind controller are measured on the test tasks. The length of the way is the mean over all
// tasks of the seed, because ten tasks are too few for it: on reach the goal is worth -147,000 to 211,000, depending on
// the task. The adaptation gain is reported too. It is the return after adaptation minus the return of the first
// trajectory.

// shareFromBlind is the name of this share among the figures.
const shareFromBlind = "share_from_blind"

// leastWorth is the smallest part of the way from random actions to the goal-knowing controller that must lie beyond
// the goal-blind controller. Below it returns hardly depend on the goal, and the share is a quotient of two small
// numbers.
const leastWorth = 0.1

// worth is this part over all seeds. ok is false if one of the three baselines is missing.
func (r *Result) worth() (part float64, ok bool) {
	goal, hasGoal := r.baseline(goalOf)
	random, _ := r.baseline(randomOf)
	if !hasGoal || len(r.Baselines) == 0 || goal <= random {
		return 0, false
	}
	way := 0.0
	for _, b := range r.Baselines {
		if len(b.GoalWorth) == 0 {
			return 0, false
		}
		way += stats.Mean(b.GoalWorth) / float64(len(r.Baselines))
	}
	return way / (goal - random), true
}

// Unsuitable reports whether the family is unsuitable for the question: its goal-blind controller is near the
// goal-knowing one, or above it. Then an agent's return says nothing about what the agent inferred.
func (r *Result) Unsuitable() bool {
	part, ok := r.worth()
	return ok && part < leastWorth
}

// hasShare reports whether the study has the primary outcome.
func (r *Result) hasShare() bool {
	_, ok := r.worth()
	return ok && !r.Unsuitable()
}

// shareFigure is the primary outcome as a figure.
func (r *Result) shareFigure() figure {
	return figure{shareFromBlind, "share of the way from blind to knowing",
		func(s SeedResult) (stats.Replicated, error) {
			for i := range r.Baselines {
				if b := &r.Baselines[i]; b.Seed == s.Seed && len(b.GoalWorth) > 0 {
					return b.shareOfTasks(s.Adapted), nil
				}
			}
			return stats.Replicated{}, fmt.Errorf("study: there are no baselines of seed %d", s.Seed)
		}}
}

// shareOfTasks is the share with replicates. They resample the test tasks, in the same way for the agent and the
// goal-blind controller, and all tasks for the length of the way.
func (b *Baseline) shareOfTasks(adapted protocol.Result) stats.Replicated {
	const replicates = 1000
	ahead := adapted.AdaptedByTask()
	for i, v := range b.Blind.AdaptedByTask() {
		ahead[i] -= v
	}
	draws := rng.New(b.Seed, rng.Bootstrap)
	again := func(values []float64) (mean float64) {
		for range values {
			mean += values[draws.IntN(len(values))] / float64(len(values))
		}
		return mean
	}
	out := stats.Replicated{Value: stats.Mean(ahead) / stats.Mean(b.GoalWorth), Replicates: make([]float64, replicates)}
	for i := range out.Replicates {
		if out.Replicates[i] = again(ahead) / again(b.GoalWorth); math.IsNaN(out.Replicates[i]) ||
			math.IsInf(out.Replicates[i], 0) {
			out.Replicates[i] = out.Value // the controllers were equal on every task that was drawn
		}
	}
	return out
}

// Outcome is an arm's figure of the evaluation, with its interval over seeds and test tasks.
type Outcome struct {
	Arm    string         `json:"arm"`
	Figure string         `json:"figure"`
	Value  stats.Interval `json:"value"`
	Seeds  []float64      `json:"seeds"`
}

// outcomes fills Outcomes, and their contrasts between arms.
func (r *Result) outcomes() error {
	for _, f := range r.returnFigures() {
		values := make([][]stats.Replicated, len(r.Arms))
		for i, a := range r.Arms {
			var err error
			if values[i], err = a.figures(f); err != nil {
				return err
			}
			out := Outcome{Arm: a.Name, Figure: f.name, Seeds: valuesOf(values[i])}
			if out.Value, err = stats.Nested(values[i:i+1], func(m []float64) float64 { return m[0] }, level, resamples,
				1); err != nil {
				return err
			}
			r.Outcomes = append(r.Outcomes, out)
			for j := range i {
				c, err := contrastOf(values[j], values[i])
				if err != nil {
					return err
				}
				c.A, c.B, c.Figure = r.Arms[j].Name, a.Name, f.name
				r.OutcomeContrasts = append(r.OutcomeContrasts, c)
			}
		}
	}
	return nil
}

// outcome finds one.
func (r *Result) outcome(arm, figure string) (Outcome, bool) {
	for _, o := range r.Outcomes {
		if o.Arm == arm && o.Figure == figure {
			return o, true
		}
	}
	return Outcome{}, false
}

// primarySection is the report's part on the primary outcome.
func (r *Result) primarySection() string {
	var b strings.Builder
	b.WriteString("\n## The primary outcome\n\n")
	part, ok := r.worth()
	blind, _ := r.baseline(blindOf)
	goal, _ := r.baseline(goalOf)
	switch {
	case !ok:
		b.WriteString("This family has no goal-blind and goal-knowing controllers, so there is no share of the way " +
			"between them.\n\n")
	case r.Unsuitable():
		fmt.Fprintf(&b, "**Unsuitable for the question**: a scripted controller that knows the goal returns %.4g and "+
			"one that does not %.4g, so only %.1f %%\n"+
			"of the way from random actions to the first depends on the goal (expected at least %.0f %%). Returns "+
			"here say nothing about what an\n"+
			"agent inferred, and no share of the way between both is given.\n\n", goal, blind, 100*part, 100*leastWorth)
	default:
		fmt.Fprintf(&b, "A scripted controller that knows the goal returns %.4g, the same controller told the middle "+
			"of all goals %.4g. The share is how far\n"+
			"an agent comes from the second, 0, to the first, 1; the way between them is measured on all tasks, as "+
			"it differs much by task, and\n"+
			"is %.0f %% of that from random actions. The gain is the return after adaptation less the first "+
			"trajectory's. In brackets 95 %%\n"+
			"intervals over seeds and tasks.\n\n", goal, blind, 100*part)
	}
	columns := []string{shareFromBlind, adaptationGain}
	if r.hasSwap() {
		b.WriteString("The swap gain is the return after exploring the task itself less that after exploring another " +
			"test task, with the same random\nnumbers. It is 0 for an agent that does not use its belief.\n\n")
		columns = append(columns, swapGain)
	}
	b.WriteString("| | share of the way | by seed | adaptation gain | by seed |")
	if r.hasSwap() {
		b.WriteString(" swap gain | by seed |")
	}
	b.WriteString("\n|---" + strings.Repeat("|---|---", len(columns)) + "|\n")
	for _, a := range r.Arms {
		fmt.Fprintf(&b, "| %s |", a.Title)
		for _, name := range columns {
			if o, ok := r.outcome(a.Name, name); ok {
				var seeds []string
				for _, v := range o.Seeds {
					seeds = append(seeds, fmt.Sprintf("%.3g", v))
				}
				fmt.Fprintf(&b, " **%s** | %s |", withInterval(o.Value), strings.Join(seeds, "; "))
			} else {
				b.WriteString(" | |")
			}
		}
		b.WriteString("\n")
	}
	if len(r.OutcomeContrasts) > 0 && r.OutcomeContrasts[0].Test != nil {
		b.WriteString("\n| difference | figure | | paired sign-flips, p | least possible | so many pairs find |\n" +
			"|---|---|---|---|---|---|\n")
		names := map[string]string{}
		for _, f := range r.returnFigures() {
			names[f.name] = f.what
		}
		for _, c := range r.OutcomeContrasts {
			fmt.Fprintf(&b, "| %s less %s | %s | %s | %.2g | %.2g | %.3g |\n", r.title(c.B), r.title(c.A),
				names[c.Figure], withInterval(c.Difference), c.Test.P, c.Test.Least, c.Test.Detectable)
		}
		b.WriteString("\nPairs are seeds. The last column is the difference that as many pairs find four times in " +
			"five; what lies outside an interval\n" +
			"is excluded at 95 %.\n")
	}
	return b.String()
}
