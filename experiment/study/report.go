package study

import (
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/internal/shell"
)

// report is the study in Markdown.
func (r *Result) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s on %s\n\n", r.subject(), r.Family)
	b.WriteString(r.what())
	b.WriteString(r.primarySection())
	b.WriteString("\n## How well the context encoders tell tasks apart\n\n")
	fmt.Fprintf(&b, "![t-SNE of the encoders' posterior means](tsne.png)\n\n")
	fmt.Fprintf(&b, "Each point is the posterior mean of one window of %d consecutive transitions from an "+
		"exploration rollout of its own; %d tasks, %d\n"+
		"windows each. %sThe planes are of seed 1 and in one scale.\n\n", r.Window, r.Plan.Tasks, r.Plan.Windows,
		r.starts())
	if r.Plan.Script {
		b.WriteString("The same by the recipe of the paper's script:\n\n![t-SNE by the recipe of the paper's " +
			"script](tsne-script.png)\n\n")
	}
	b.WriteString(r.centroidTables())
	b.WriteString(r.crossedTable())
	b.WriteString(r.contextSections())
	b.WriteString(r.attributionSection())
	b.WriteString(r.effectsSection())
	b.WriteString("\n## What the figures support\n\n")
	for _, v := range r.Verdicts {
		b.WriteString("- " + v + "\n")
	}
	b.WriteString(r.chanceSection())
	b.WriteString("\n## Adaptation to new tasks\n\n![return by trajectory](adaptation.png)\n\n")
	b.WriteString(r.adaptationTable())
	b.WriteString("\n## Learning\n\n![return after adaptation over training](learning.png)\n\n")
	b.WriteString(r.caption())
	b.WriteString(r.publishedSection())
	b.WriteString("\n## How it was run\n\n")
	b.WriteString(r.how())
	b.WriteString(r.repeating())
	return b.String()
}

// subject names what the study compares.
func (r *Result) subject() string {
	if r.Plan.Ablation != "" {
		return "Readings of " + r.Plan.Ablation
	}
	if len(r.Arms) > 0 && len(r.Arms[0].Levels) > 0 {
		var names []string
		for _, at := range r.Arms[0].Levels {
			names = append(names, at.Factor)
		}
		return "Factors " + strings.Join(names, " × ")
	}
	if _, ok := r.three(); ok {
		return "PEARL, PEARL on windows and TCL-PEARL"
	}
	return "PEARL and TCL-PEARL"
}

// starts says how rollouts begin where that is not as in training.
func (r *Result) starts() string {
	if !r.Plan.VaryStart {
		return ""
	}
	return "Every rollout starts somewhere else, with what the task places where it was.\n"
}

// chanceSection lists the differences that other windows or layouts would make too.
func (r *Result) chanceSection() string {
	var b strings.Builder
	b.WriteString("\n## What chance would make of the same runs\n\nOther windows of the same tasks, or t-SNE from " +
		"another start, differ by what is given here in 19 of 20 cases.\n\n")
	for _, c := range r.Chance {
		for _, l := range c.Lines {
			fmt.Fprintf(&b, "- Seed %d: %s\n", c.Seed, l.Verdict)
		}
	}
	return b.String()
}

// publishedSection compares the return with the authors' published results on the family.
func (r *Result) publishedSection() string {
	if !r.published() {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n### Beside the authors' figures\n\n![learning curves beside the authors'](published.png)\n\n" +
		"| | return after adaptation | |\n|---|---|---|\n")
	for _, a := range r.Arms {
		returned, _ := r.returned(a.Name)
		fmt.Fprintf(&b, "| %s | %s | after %s environment steps |\n", a.Title, returned, grouped(a.Seeds[0].EnvSteps))
	}
	table := paper.Table1()
	for j, v := range table.Row("push") {
		fmt.Fprintf(&b, "| *%s, paper* | *%s* | *table 1: 900,000 to 1,000,000 steps, 3 seeds* |\n", table.Methods[j],
			grouped(int64(math.Round(1000*v))))
	}
	for _, c := range paper.PushCurves() {
		if n := len(c.EnvSteps); n > 3 {
			fmt.Fprintf(&b, "| *%s, authors' log, run %d* | *%s* | *after %s steps* |\n", c.Method, c.Run,
				grouped(int64(c.Return[n-1])), grouped(int64(c.EnvSteps[n-1])))
		}
	}
	b.WriteString("\nThe authors ran push-v1 of an older Meta-World, with other scenes and observations and a reward " +
		"of the same form, on an older MuJoCo.\n" +
		"Their public logs have three runs of TCL-PEARL on push, which are not in this table,\n" +
		"and none of PEARL that we know of.\n")
	return b.String()
}

// planeNote says which numbers of planes can be compared.
const planeNote = "Only ratios made under one t-SNE recipe can be compared, because distances in its plane have no unit"

// what describes the runs in a sentence or two.
func (r *Result) what() string {
	first, runs := r.Arms[0].Seeds[0], "One training run"
	if r.Plan.Seeds > 1 {
		runs = fmt.Sprintf("%d training runs", r.Plan.Seeds)
	}
	return fmt.Sprintf("%s of each algorithm, with the same seeds and tasks: %s environment steps and %s gradient "+
		"updates per run, %s each on\n%s. "+
		"Every run's folder, with its full configuration, is under `runs/`; all figures are in `%s`.\n",
		runs, grouped(first.EnvSteps), grouped(first.Updates), duration(r.trainingTime()), r.Session.Device,
		ResultsFile)
}

// grouped writes a count with commas between thousands.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// trainingTime is the mean over runs.
func (r *Result) trainingTime() time.Duration {
	sum, n := 0.0, 0
	for _, a := range r.Arms {
		for _, s := range a.Seeds {
			sum, n = sum+s.Seconds, n+1
		}
	}
	return time.Duration(sum / float64(n) * float64(time.Second))
}

func duration(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// centroidTables returns two tables: one of the t-SNE plane, with the paper's rows if they are of the family, and one
// of latent space.
func (r *Result) centroidTables() string {
	var b strings.Builder
	b.WriteString("In the t-SNE plane:\n\n")
	b.WriteString(tableHead)
	b.WriteString(r.centroidRows("plane", ""))
	b.WriteString(r.centroidRows("script", ", recipe of the paper's script"))
	for _, p := range r.Paper {
		fmt.Fprintf(&b, "| *%s in the paper* | *%.4g* | *%.4g* | *%.3f* | | |\n", p.Method, p.ToCentroid,
			p.Between, p.Ratio())
	}
	b.WriteString("\n" + planeNote)
	if len(r.Paper) > 0 {
		b.WriteString("; the paper's rows are of\n" +
			"Meta-World push (8 goals, 200 windows each) under a recipe of its own")
	}
	b.WriteString(".\n")
	if s := r.layoutSpread(); s != "" {
		b.WriteString(s + "\n")
	}
	b.WriteString("\nIn latent space, without t-SNE:\n\n")
	b.WriteString(tableHead)
	b.WriteString(r.centroidRows("latent", ", posterior means"))
	b.WriteString(r.centroidRows("2-Wasserstein", ", posteriors by 2-Wasserstein distance"))
	meaning := ""
	if r.Plan.Seeds > 1 {
		meaning = fmt.Sprintf("Mean over %d seeds, and the range they cover. ", r.Plan.Seeds)
	}
	fmt.Fprintf(&b, "\n%sThe ratio is the distance between centroids over the distance to them. Held-out accuracy is "+
		"the share of windows that lie\n"+
		"nearest to their own task's centroid when centroids come from the other half of the windows; chance is "+
		"%.3g.\n", meaning, 1/float64(r.Plan.Tasks))
	return b.String()
}

// crossedTable sets encoders side by side on the same windows.
func (r *Result) crossedTable() string {
	if len(r.Crossed) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nAn agent that explores better also has windows that tell more. So the windows of each agent by " +
		"the encoder of each, of one seed,\n" +
		"among the posterior means:\n\n| windows of | encoder of | ratio | held-out accuracy |\n|---|---|---|---|\n")
	for _, c := range r.Crossed {
		fmt.Fprintf(&b, "| %s | %s | **%s** | %s |\n", r.title(c.Windows), r.title(c.Encoder), c.Ratio, c.Accuracy)
	}
	b.WriteString("\nAn encoder was trained on contexts of its own agent only: PEARL's on independent transitions\n" +
		"unless set otherwise, TCL-PEARL's on windows. So a difference on windows is not evidence about the " +
		"contrastive loss\n" +
		"by itself.\n")
	return b.String()
}

const tableHead = "| | distance to centroid | between centroids | ratio | held-out accuracy | silhouette |\n" +
	"|---|---|---|---|---|---|\n"

func (r *Result) centroidRows(space, note string) string {
	var b strings.Builder
	for _, c := range r.Centroids {
		if c.Space == space {
			fmt.Fprintf(&b, "| %s%s | %s | %s | **%s** | %s | %s |\n", r.title(c.Arm), note,
				c.ToCentroid, c.Between, c.Ratio, c.Accuracy, c.Silhouette)
		}
	}
	return b.String()
}

// layoutSpread says how far t-SNE's own seed moves the ratio.
func (r *Result) layoutSpread() string {
	var parts []string
	for _, c := range r.Centroids {
		if c.Space != "plane" || len(c.Layouts) == 0 {
			continue
		}
		var means, deviations []float64
		for _, l := range c.Layouts {
			means, deviations = append(means, l.Mean), append(deviations, l.SD)
		}
		parts = append(parts, fmt.Sprintf("%.3f ± %.3f for %s", stats.Mean(means), stats.Mean(deviations),
			r.title(c.Arm)))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("Laid out from %d random starts instead of principal components, the same embeddings have a "+
		"ratio of %s\n(mean ± standard deviation over starts).",
		r.Plan.Layouts, strings.Join(parts, " and of "))
}

func (r *Result) adaptationTable() string {
	var b strings.Builder
	p := r.Protocol
	b.WriteString("| return |")
	for i := range p.Trajectories() {
		phase := "scored"
		if i < p.Explore {
			phase = "exploring"
		}
		fmt.Fprintf(&b, " trajectory %d, %s |", i+1, phase)
	}
	fmt.Fprintf(&b, " after adaptation |\n|---|%s\n", strings.Repeat("---|", p.Trajectories()+1))
	for _, a := range r.Arms {
		curve, err := a.curve()
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "| %s |", a.Title)
		for _, v := range curve {
			fmt.Fprintf(&b, " %s |", cell(v))
		}
		if v, err := a.adapted(); err == nil {
			fmt.Fprintf(&b, " **%s** |\n", cell(v))
		}
		fmt.Fprintf(&b, "| %s before training |%s %.4g |\n", a.Title, strings.Repeat(" |", p.Trajectories()),
			stats.Mean(a.each(func(s SeedResult) float64 { return s.Untrained.Summary.Adapted.Mean })))
	}
	for _, ref := range r.references() {
		name := map[string]string{"random": "random actions", "still": "standing still",
			"goal-blind": "goal-blind controller", "goal-knowing": "goal-knowing controller"}[ref.Name]
		fmt.Fprintf(&b, "| %s |%s %.4g |\n", name, strings.Repeat(" |", p.Trajectories()), ref.Y)
	}
	z := "the posterior's mean"
	if p.Z == "sample" {
		z = "a draw from the posterior"
	}
	fmt.Fprintf(&b, "\n%d test tasks, each adapted to %d times from the beginning; after exploration z is %s. In "+
		"brackets 95 %% intervals (bootstrap over seeds and tasks).\n",
		len(r.Arms[0].Seeds[0].Adapted.Tasks), p.Repeats, z)
	if s := r.shares(); s != "" {
		b.WriteString("\n" + s)
	}
	return b.String()
}

func cell(v stats.Interval) string {
	if !v.Known() {
		return fmt.Sprintf("%.4g", v.Mean)
	}
	return fmt.Sprintf("%.4g (%.4g to %.4g)", v.Mean, v.Lo, v.Hi)
}

// shares says how far each seed came from the random policy to the goal-knowing controller.
func (r *Result) shares() string {
	var b strings.Builder
	b.WriteString("Share of the way from standing still or random actions, whichever returns more, to the " +
		"goal-knowing controller, seed by seed:")
	for i, a := range r.Arms {
		var parts []string
		for _, s := range a.Seeds {
			if s.Share == nil {
				return "No goal-knowing controller of this family is built in, so there is no upper baseline here.\n"
			}
			parts = append(parts, fmt.Sprintf("%.1f %%", 100**s.Share))
		}
		if i > 0 {
			b.WriteString(";")
		}
		fmt.Fprintf(&b, " %s %s", a.Title, strings.Join(parts, ", "))
	}
	return b.String() + ".\n"
}

func (r *Result) caption() string {
	if r.Plan.Seeds < 2 {
		return "Return on the test tasks after adaptation, measured during training with fewer repeats than above.\n"
	}
	return fmt.Sprintf("Return on the test tasks after adaptation, measured during training with fewer repeats than "+
		"above: mean over %d seeds, and the range they cover.\n", r.Plan.Seeds)
}

// how lists everything that a reader needs to repeat the study.
func (r *Result) how() string {
	s := r.Session
	recipe := r.Arms[0].Seeds[0].Embedding.Recipe
	lines := [][2]string{
		{"scale", r.Plan.Scale}, {"preset", r.Plan.Preset}, {"changes to it", strings.Join(r.Plan.Set, ", ")},
		{"environment", s.Family},
		{"protocol", fmt.Sprintf("%s: %d exploration trajectories, %d scored", r.Protocol.Name, r.Protocol.Explore,
			r.Protocol.Scored)},
		{"t-SNE", fmt.Sprintf("recipe %s, perplexity %g, %d iterations, start %s", recipe.Name, recipe.Perplexity,
			recipe.Iterations(), recipe.Start)},
		{"device", s.Device}, {"nacre", s.Program + ", commit " + s.Commit},
		{"measured by", strings.Join(r.measuredBy(), "; ")},
		{"trained elsewhere", strings.Join(r.trainedElsewhere(), "; ")}, {"Go", s.Go + ", " + s.Platform},
		{"MuJoCo", s.MuJoCo},
	}
	var b strings.Builder
	b.WriteString("| | |\n|---|---|\n")
	for _, l := range lines {
		if l[1] != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", l[0], l[1])
		}
	}
	return b.String()
}

// measuredBy lists the commits of the programs that measured the runs, if they are not all that of the first run's
// training.
func (r *Result) measuredBy() (out []string) {
	seeds := map[string][]string{}
	for _, a := range r.Arms {
		for _, s := range a.Seeds {
			if s.Commit != "" && s.Commit != r.Session.Commit {
				seeds[s.Commit] = append(seeds[s.Commit], fmt.Sprintf("%s %d", a.Name, s.Seed))
			}
		}
	}
	for _, commit := range slices.Sorted(maps.Keys(seeds)) {
		out = append(out, fmt.Sprintf("commit %s: %s", commit, strings.Join(seeds[commit], ", ")))
	}
	return out
}

// trainedElsewhere lists the devices and commits that trained runs and differ from those of the first run.
func (r *Result) trainedElsewhere() (out []string) {
	for _, a := range r.Arms {
		for _, s := range a.Seeds {
			run, err := experiment.View(filepath.Join(r.Dir, filepath.FromSlash(s.Run)))
			if err != nil {
				continue
			}
			record, err := run.Record()
			if err != nil || len(record.Sessions) == 0 {
				continue
			}
			if last := record.Sessions[len(record.Sessions)-1]; last.CPUKernel != r.Session.CPUKernel {
				out = append(out, fmt.Sprintf("%s %d: %s, commit %s", a.Name, s.Seed, last.Device, last.Commit))
			}
		}
	}
	return out
}

// repeating says how each number can be had again.
func (r *Result) repeating() string {
	command := "nacre study " + r.Plan.Name
	if r.Plan.Scale == "paper" {
		command += " --scale paper"
	}
	if r.Plan.Ablation != "" {
		command += " --ablate " + r.Plan.Ablation
	}
	if r.Plan.Factorial != "" {
		command += " --factorial " + r.Plan.Factorial
	}
	command += fmt.Sprintf(" --seeds %d --windows %d --layouts %d", r.Plan.Seeds, r.Plan.Windows, r.Plan.Layouts)
	run := r.Arms[len(r.Arms)-1].Seeds[0].Run
	var b strings.Builder
	b.WriteString("\n## How to repeat it\n\nIn the folder of this report:\n\n")
	for _, step := range [][2]string{
		{"every table, interval, test, verdict and plane, from what is stored", "nacre study check ."},
		{"the layouts from random starts too", "nacre study check . --layouts"},
		{"the returns of one run's evaluation",
			fmt.Sprintf("%s --repeats %d --seed 1", shell.Command("nacre", "eval", shell.Path(run)), r.Plan.Repeats)},
		{"one run's embeddings, from new rollouts", r.embedCommand(run)},
	} {
		fmt.Fprintf(&b, "- %s: `%s`\n", step[0], step[1])
	}
	fmt.Fprintf(&b, "- all of it, training included: `%s`\n", command+r.changes())
	return b.String()
}

// embedCommand makes the embeddings of windows of a run of seed 1 again.
func (r *Result) embedCommand(run string) string {
	text := fmt.Sprintf("%s --tasks %d --windows %d --length %d --seed 1",
		shell.Command("nacre", "embed", shell.Path(run)), r.Plan.Tasks, r.Plan.Windows, r.Window)
	if r.Plan.VaryStart {
		text += " --vary-start"
	}
	if len(r.Plan.Contexts) > 0 {
		text += " --context window"
	}
	return text
}

// changes are the plan's changes to its preset, as flags.
func (r *Result) changes() string {
	out := ""
	for _, s := range r.Plan.Set {
		out += " --set " + shell.Word(s)
	}
	return out
}

// WriteText prints the centroid table and where the report is.
func (r *Result) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s\n", r.Family)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\t\tto centroid\tbetween centroids\tratio\theld-out accuracy\tadapted return\tshare\t")
	for _, c := range r.Centroids {
		returned, share := "", ""
		if c.Space == "plane" {
			returned, share = r.returned(c.Arm)
		}
		fmt.Fprintf(t, "%s\t%s\t%.4g\t%.4g\t%.3f\t%.3f\t%s\t%s\t\n", r.title(c.Arm), c.Space, c.ToCentroid.Mean,
			c.Between.Mean, c.Ratio.Mean, c.Accuracy.Mean, returned, share)
	}
	for _, p := range r.Paper {
		fmt.Fprintf(t, "%s, paper\tplane\t%.4g\t%.4g\t%.3f\t\t\t\t\n", p.Method, p.ToCentroid, p.Between, p.Ratio())
	}
	return t.Flush()
}

// returned is an arm's mean adapted return and its mean share of the way to the goal-knowing controller.
func (r *Result) returned(arm string) (value, share string) {
	for _, a := range r.Arms {
		if a.Name != arm {
			continue
		}
		value = fmt.Sprintf("%.4g",
			stats.Mean(a.each(func(s SeedResult) float64 { return s.Adapted.Summary.Adapted.Mean })))
		mean := stats.Mean(a.each(func(s SeedResult) float64 {
			if s.Share == nil {
				return math.NaN()
			}
			return *s.Share
		}))
		if !math.IsNaN(mean) {
			share = fmt.Sprintf("%.1f %%", 100*mean)
		}
	}
	return value, share
}
