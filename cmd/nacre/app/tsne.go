package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"nacre/analysis/plots"
	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/experiment/progress"
	"nacre/internal/atomicfile"
	"nacre/internal/nearest"
	"nacre/internal/plainfile"
	"nacre/internal/rng"
	"nacre/internal/shell"
	"nacre/tsne"
)

// TSNEReport is the output of nacre tsne.
type TSNEReport struct {
	Planes []TSNEPlane       `json:"planes"`
	Pairs  []TSNEPair        `json:"pairs,omitempty"` // one entry for every pair of planes
	Paper  []paper.Embedding `json:"paper,omitempty"` // the paper's figures, only if a run is of push
	Files  []string          `json:"files"`
}

// TSNEPlane is one input's layout and figures.
type TSNEPlane struct {
	Name  string `json:"name"`
	Input string `json:"input"`
	// how the input was read: which columns were laid out, what was assumed or left out
	Read   []string     `json:"read,omitempty"`
	Report *tsne.Report `json:"report"`
}

// TSNEPair compares two planes.
type TSNEPair struct {
	A           string            `json:"a"`
	B           string            `json:"b"`
	Comparisons []tsne.Comparison `json:"comparisons"`
}

// TSNEOptions are the flags of nacre tsne. A zero value keeps the recipe's own value.
type TSNEOptions struct {
	Inputs     []string // files of numbers, or run folders with embeddings.npz
	Label      string   // name of the label column or array
	Columns    []string // names or patterns of the columns to lay out; if empty, they are chosen automatically
	Separator  string   // separator of a CSV file, one letter; if empty it is detected, and so are Decimal and Encoding
	Decimal    string   // "." or ","
	Encoding   string
	Recipe     string
	Perplexity float64
	Iterations int
	Start      string // "pca" or "random"
	Metric     string // metric of neighbours: "" or "cosine"
	Method     string // method of the repulsion, as in tsne.Method
	Repeats    int
	UMAP       bool    // lay out by UMAP instead of t-SNE
	Neighbours int     // UMAP's number of neighbours
	MinDist    float64 // UMAP's minimum distance
	Seed       uint64
	Out        string // folder for the results
	Paper      PaperOptions
	Workers    int
}

// TSNE lays out, draws and measures embeddings. Several inputs are drawn side by side.
func TSNE(ctx context.Context, env *Env, o TSNEOptions) error {
	if _, err := o.recipe(0); err != nil {
		return err // checked before files are read
	}
	if err := plots.CheckFile(o.Paper.options()...); err != nil {
		return err
	}
	inputs, most, err := o.inputs(env)
	if err != nil {
		return err
	}
	recipe, err := o.recipe(most)
	if err != nil {
		return err
	}
	if most >= manyPoints {
		// The discarded memory of each step would otherwise nearly double the memory of a million points.
		defer debug.SetGCPercent(debug.SetGCPercent(25))
	}
	out := o.Out
	if out == "" {
		out = "."
		if len(o.Inputs) == 1 {
			out = folderOf(o.Inputs[0])
		}
	}
	if err := writable(out); err != nil {
		return err
	}
	var r TSNEReport
	var panels []plots.Panel
	var families []string
	for _, in := range inputs {
		families = append(families, in.family)
		name, e := in.name, in.points
		opts := []tsne.Option{tsne.WithRecipe(recipe), tsne.WithSeed(o.Seed), tsne.WithWorkers(o.Workers)}
		repeats := o.Repeats
		if repeats == 0 && len(o.Inputs) > 1 && e.Mean.Rows <= repeatedPoints {
			repeats = usualRepeats
		}
		what := "t-SNE of "
		if o.UMAP {
			what = "UMAP of "
		}
		report, err := analyse(ctx, env.Progress, what+name, e, opts, repeats, o.umap())
		if err != nil {
			return fmt.Errorf("%s: %w", in.path, err)
		}
		r.Planes = append(r.Planes, TSNEPlane{Name: name, Input: in.path, Read: e.Read, Report: report})
		panel := plots.Panel{Title: name}
		if panel.Y, panel.Label = drawn(report.Layout.Y, e.Label); panel.Y.Rows < report.Points {
			panel.Note = fmt.Sprintf("%d of %d points, drawn at random", panel.Y.Rows, report.Points)
		}
		if report.Labels == 0 {
			panel.Label = nil // one label has no centroids to show
		}
		if e.Names != nil {
			panel.Name = e.Name
		}
		if report.Labels == 0 && report.Fidelity != nil {
			panel.Note = fmt.Sprintf("trustworthiness %.3f · recall of the %d nearest %.3f",
				report.Fidelity.Trustworthiness, report.Fidelity.K, report.Fidelity.Recall)
		}
		panels = append(panels, panel)
	}
	r.Paper = paper.TSNEOf(families...)
	if r.Pairs, err = pairs(r.Planes); err != nil {
		return err
	}
	figure, err := plots.EmbeddingTable(r.table(), panels...)
	if err != nil {
		return err
	}
	var names []string
	for _, in := range inputs {
		names = append(names, filepath.ToSlash(in.path))
	}
	figure.Describe("t-SNE", names...)
	for _, name := range o.Paper.pictures("tsne") {
		path := filepath.Join(out, name)
		if err := figure.Save(path, o.Paper.options()...); err != nil {
			return err
		}
		r.Files = append(r.Files, path)
	}
	report, arrays, table := filepath.Join(out, "tsne.json"), filepath.Join(out, "tsne.npz"),
		filepath.Join(out, "tsne.csv")
	r.Files = append(r.Files, report, arrays, table)
	if err := atomicfile.WriteJSON(report, r); err != nil {
		return err
	}
	if err := writePlanes(arrays, table, r.Planes, inputs); err != nil {
		return err
	}
	return env.Print(r, r.WriteText)
}

// tsneInput is one argument of the command.
type tsneInput struct {
	name, path string
	family     string // of a run folder, else empty
	choice     tsne.Choice
	points     *tsne.Embeddings
}

// inputs reads all inputs and returns the number of points of the largest.
func (o TSNEOptions) inputs(env *Env) (inputs []tsneInput, most int, err error) {
	for _, input := range o.Inputs {
		in := tsneInput{choice: o.choice()}
		if in.name, in.path, in.family, err = embeddingsOf(input); err != nil {
			return nil, 0, err
		}
		if in.points, err = tsne.LoadAs(in.path, in.choice); err != nil {
			return nil, 0, err
		}
		env.say(in)
		inputs, most = append(inputs, in), max(most, in.points.Mean.Rows)
	}
	return inputs, most, nil
}

// choice returns what is read of each input, and how.
func (o TSNEOptions) choice() tsne.Choice {
	c := tsne.Choice{Label: o.Label, Encoding: o.Encoding}
	if len(o.Columns) > 0 {
		c.Columns = o.Columns
	}
	c.Separator, _ = utf8.DecodeRuneInString(o.Separator)
	c.Decimal, _ = utf8.DecodeRuneInString(o.Decimal)
	if o.Separator == "" {
		c.Separator = 0
	}
	if o.Decimal == "" {
		c.Decimal = 0
	}
	return c
}

// say prints how an input was read, before anything is computed.
func (env *Env) say(in tsneInput) {
	for _, n := range in.points.Read {
		fmt.Fprintf(env.Err, "%s: %s\n", in.path, n)
	}
	if in.points.Columns == nil {
		fmt.Fprintf(env.Err, "%s: %d points of %d columns\n", in.path, in.points.Mean.Rows, in.points.Mean.Cols)
	}
}

// writable makes a folder. If nothing can be written there it says so at once, not after minutes of computing.
func writable(dir string) error {
	if err := plainfile.Writable(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot write there: %w", err)
	}
	f, err := os.CreateTemp(dir, ".nacre-*")
	if err != nil {
		return fmt.Errorf("cannot write into %s: %w; choose another folder with --out", dir, err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// Several inputs are given to be compared, and a comparison needs repeated layouts. If these are quick they are made
// unasked.
const usualRepeats, repeatedPoints = 5, 5000

// From manyPoints on, the intervals are narrow and come from fewer resamples. Above drawnPoints, the picture shows some
// of the points: more would only cover each other, and no program opens an SVG of a million circles.
const manyPoints, fewResamples, drawnPoints = 200_000, 100, 50_000

// drawn returns the points of a layout that its picture shows, with their labels, if there are any.
func drawn(y tsne.Matrix, label []int) (tsne.Matrix, []int) {
	if y.Rows <= drawnPoints {
		return y, label
	}
	some := tsne.NewMatrix(drawnPoints, y.Cols)
	var names []int
	for k, i := range rng.New(0, rng.TSNE, drawnPoints).Perm(y.Rows)[:drawnPoints] {
		copy(some.Row(k), y.Row(i))
		if label != nil {
			names = append(names, label[i])
		}
	}
	return some, names
}

// umap returns the settings of UMAP, or nil for t-SNE.
func (o TSNEOptions) umap() *tsne.UMAP {
	if !o.UMAP {
		return nil
	}
	return &tsne.UMAP{Neighbours: o.Neighbours, MinDist: o.MinDist, Metric: tsne.Metric(o.Metric)}
}

// pairs compares every pair of planes.
func pairs(planes []TSNEPlane) ([]TSNEPair, error) {
	var out []TSNEPair
	for i, b := range planes {
		for _, a := range planes[:i] {
			c, err := tsne.Compare(a.Name, a.Report, b.Name, b.Report)
			if err != nil {
				return nil, err
			}
			out = append(out, TSNEPair{a.Name, b.Name, c})
		}
	}
	return out, nil
}

// analyse is tsne.Analyse with its progress shown; repeats of 0 means no further layouts.
func analyse(ctx context.Context, show progress.Progress, title string, e *tsne.Embeddings, opts []tsne.Option,
	repeats int, umap *tsne.UMAP) (*tsne.Report, error) {
	repeats = cmp.Or(repeats, -1)
	bootstrap := 0
	if e.Mean.Rows >= manyPoints {
		bootstrap = fewResamples
	}
	var stage progress.Stage
	done := 0
	still := func() {} // ends the message that the figures are being computed, which takes minutes for a million points
	report, err := tsne.Analyse(ctx, e, tsne.AnalyseOptions{TSNE: opts, UMAP: umap, Repeats: repeats,
		Bootstrap: bootstrap, Progress: func(d, of int) {
			if stage == nil {
				stage = show.Stage(title, of)
			}
			stage.Add(d - done)
			if done = d; d == of && e.Mean.Rows >= manyPoints {
				stage.Done()
				still = going(show.Stage("figures of "+title, 0), time.Second)
			}
		}})
	still()
	if stage != nil {
		stage.Done()
	}
	return report, err
}

// going says at intervals that a stage without a count is still under way, until stop is called.
func going(s progress.Stage, every time.Duration) (stop func()) {
	tick, stopped, ended := time.NewTicker(every), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				s.Add(0)
			case <-stopped:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(stopped)
		<-ended // otherwise its line could be written once more after the last line
		s.Done()
	}
}

// recipe returns the named recipe with the changes of the flags. All inputs share it; the largest input has
// `most` points. Another number of iterations shortens or lengthens the last phase.
func (o TSNEOptions) recipe(most int) (tsne.Recipe, error) {
	r := tsne.CurrentFor(most)
	if o.Recipe != "" && o.Recipe != r.Name {
		var names []string
		found := false
		for _, known := range tsne.Recipes() {
			names = append(names, known.Name)
			if known.Name == o.Recipe {
				r, found = known, true
			}
		}
		if !found {
			return r, Usagef("--recipe %s: unknown recipe%s", o.Recipe, nearest.Hint(o.Recipe, names))
		}
	}
	if o.Perplexity > 0 {
		r.Perplexity = o.Perplexity
	}
	if o.Start != "" && tsne.Start(o.Start) != r.Start {
		r.Start = tsne.Start(o.Start)
	}
	r.Metric = tsne.Metric(o.Metric)
	if o.Method != "" {
		r.Method = tsne.Method(o.Method)
	}
	if o.Iterations > 0 {
		last := &r.Phases[len(r.Phases)-1]
		before := r.Iterations() - last.Iterations
		if o.Iterations <= before {
			return r, Usagef("--iterations %d: expected more than %d, the length of the recipe's earlier phases",
				o.Iterations, before)
		}
		last.Iterations = o.Iterations - before
	}
	return r, nil
}

// embeddingsOf returns the embeddings file of an input, a name for it, and the family of a run, which is named after
// its algorithm and seed.
func embeddingsOf(input string) (name, path, family string, err error) {
	info, err := plainfile.Stat(input)
	if err != nil {
		return "", "", "", missingFile(input, err)
	}
	if !info.IsDir() {
		base := filepath.Base(input)
		return strings.TrimSuffix(base, filepath.Ext(base)), input, "", nil
	}
	run, err := experiment.View(input)
	if err != nil {
		return "", "", "", err
	}
	if !run.Has(EmbeddingsFile) {
		return "", "", "", fmt.Errorf("run folder %s has no %s: make it with: %s", shell.Line(input), EmbeddingsFile,
			shell.Command("nacre", "embed", shell.Path(input)))
	}
	cfg := experiment.Default()
	if _, err := run.ReadConfig(&cfg); err != nil {
		return "", "", "", err
	}
	name = fmt.Sprintf("%s, seed %d", experiment.Title(cfg.Algorithm), cfg.Seed)
	return name, run.Path(EmbeddingsFile), cfg.Family, nil
}

// folderOf returns the folder for the pictures of an input: the input itself, or the folder of its file or archive.
func folderOf(input string) string {
	if archive, _, zipped := plainfile.Split(input); zipped {
		return filepath.Dir(archive)
	}
	if info, err := os.Stat(input); err == nil && info.IsDir() {
		return input
	}
	return filepath.Dir(input)
}

// table holds the figures of all planes. The same table is below the picture and on the terminal.
func (r TSNEReport) table() plots.Table {
	t := plots.Table{Head: []string{"", "space", "to centroid", "between centroids", "ratio", "held-out accuracy",
		"silhouette"}}
	for _, p := range r.Planes {
		if p.Report.Labels == 0 {
			continue
		}
		row := func(space string, s tsne.Space) {
			t.Rows = append(t.Rows, []string{p.Name, space, fmt.Sprintf("%.4g", s.Intra), fmt.Sprintf("%.4g", s.Inter),
				fmt.Sprintf("%.3f", s.Ratio), fmt.Sprintf("%.3f", s.Accuracy), fmt.Sprintf("%.3f", s.Silhouette)})
		}
		row("plane", p.Report.Plane)
		row("latent", p.Report.Latent)
		if p.Report.Posterior != nil {
			row("2-Wasserstein", *p.Report.Posterior)
		}
	}
	for _, p := range r.Paper {
		t.Rows = append(t.Rows, []string{p.Method + " in the paper", "plane", fmt.Sprintf("%.4g", p.ToCentroid),
			fmt.Sprintf("%.4g", p.Between), fmt.Sprintf("%.3f", p.Ratio()), "", ""})
	}
	if len(t.Rows) == 0 {
		return plots.Table{}
	}
	return t
}

// WriteText prints the report as text.
func (r TSNEReport) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	table := r.table()
	if len(table.Rows) > 0 {
		for _, row := range append([][]string{table.Head}, table.Rows...) {
			fmt.Fprintln(t, strings.Join(row, "\t")+"\t")
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, p := range r.Planes {
		if p.Report.Labels == 0 {
			fmt.Fprintf(w, "%s: %d points of %d columns, no two labels with points to measure centroids of\n", p.Name,
				p.Report.Points, p.Report.Dimensions)
		} else if s := p.Report.Seeds; s != nil {
			ratio := s.Figures["ratio"]
			fmt.Fprintf(w, "%s: ratio in the plane %.3f ± %.3f over %d layouts from random starts\n", p.Name,
				ratio.Mean, ratio.SD, s.Layouts)
		}
		if f := p.Report.Fidelity; f != nil {
			fmt.Fprintf(w, "%s: trustworthiness %.4f, continuity %.4f, recall of the %d nearest %.3f", p.Name,
				f.Trustworthiness, f.Continuity, f.K, f.Recall)
			if p.Report.UMAP == nil {
				fmt.Fprintf(w, ", KL %.4f", p.Report.KL)
			}
			fmt.Fprintln(w)
		}
		for _, note := range p.Report.Notes {
			fmt.Fprintf(w, "%s: %s\n", p.Name, note)
		}
	}
	for _, pair := range r.Pairs {
		fmt.Fprintln(w)
		for _, c := range pair.Comparisons {
			fmt.Fprintln(w, c.Verdict)
		}
	}
	if r.Paper != nil {
		fmt.Fprintln(w, "\nThe paper's figures are of Meta-World push under its own recipe: compare ratios, and only "+
			"under one recipe.")
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(r.Files, "\n"))
	return err
}

func makeParent(path string) error {
	if err := plainfile.Writable(path); err != nil {
		return err
	}
	return makeFolderOf(path)
}

// makeFolderOf is makeParent for a file that is an archive itself.
func makeFolderOf(path string) error {
	if err := plainfile.Writable(filepath.Dir(path)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot make the folder of %s: %w", path, err)
	}
	return nil
}
