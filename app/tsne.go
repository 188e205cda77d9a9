package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/experiment/progress"
	"nacre/internal/atomicfile"
	"nacre/internal/nearest"
	"nacre/plots"
	"nacre/tsne"
)

// TSNEReport is what nacre tsne prints.
type TSNEReport struct {
	Planes []TSNEPlane       `json:"planes"`
	Paper  []paper.Embedding `json:"paper,omitempty"` // beside run folders; other data has nothing to do with it
	Files  []string          `json:"files"`
}

// TSNEPlane is one input's layout and figures.
type TSNEPlane struct {
	Name   string       `json:"name"`
	Input  string       `json:"input"`
	Report *tsne.Report `json:"report"`
}

// TSNE draws and measures embeddings, those of several inputs side by side.
func TSNE(ctx context.Context, env *Env, o TSNEOptions) error {
	recipe, err := o.recipe()
	if err != nil {
		return err
	}
	out := o.Out
	if out == "" {
		out = "."
		if len(o.Inputs) == 1 {
			out = folderOf(o.Inputs[0])
		}
	}
	var r TSNEReport
	var panels []plots.Panel
	for _, input := range o.Inputs {
		name, path, err := embeddingsOf(input)
		if err != nil {
			return err
		}
		if folderOf(input) == input {
			r.Paper = paper.TSNE()
		}
		e, err := tsne.Load(path, o.Label)
		if err != nil {
			return err
		}
		opts := []tsne.Option{tsne.WithRecipe(recipe), tsne.WithSeed(o.Seed), tsne.WithWorkers(o.Workers)}
		report, err := analyse(ctx, env.Progress, "t-SNE of "+name, e, opts, o.Repeats)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.Planes = append(r.Planes, TSNEPlane{Name: name, Input: path, Report: report})
		panels = append(panels, plots.Panel{Title: name, Y: report.Layout.Y, Label: e.Label, Name: e.Name})
	}
	figure, err := plots.Embedding(panels...)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("tsne: %w", err)
	}
	r.Files = []string{filepath.Join(out, "tsne.png"), filepath.Join(out, "tsne.svg"), filepath.Join(out, "tsne.json")}
	for _, path := range r.Files[:2] {
		if err := figure.Save(path); err != nil {
			return err
		}
	}
	if err := writeJSON(r.Files[2], r); err != nil {
		return err
	}
	return env.Print(r, r.WriteText)
}

// analyse is tsne.Analyse with its progress shown; repeats of 0 means no further layouts.
func analyse(ctx context.Context, show progress.Progress, title string, e *tsne.Embeddings, opts []tsne.Option, repeats int) (*tsne.Report, error) {
	if repeats == 0 {
		repeats = -1
	}
	var stage progress.Stage
	done := 0
	report, err := tsne.Analyse(ctx, e, tsne.AnalyseOptions{TSNE: opts, Repeats: repeats, Progress: func(d, of int) {
		if stage == nil {
			stage = show.Stage(title, of)
		}
		stage.Add(d - done)
		done = d
	}})
	if stage != nil {
		stage.Done()
	}
	return report, err
}

// recipe is the named recipe with the changes of the flags. Another number of iterations shortens or lengthens the
// last phase.
func (o TSNEOptions) recipe() (tsne.Recipe, error) {
	r := tsne.Current()
	if o.Recipe != "" {
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
	if o.Iterations > 0 {
		last := &r.Phases[len(r.Phases)-1]
		before := r.Iterations() - last.Iterations
		if o.Iterations <= before {
			return r, Usagef("--iterations %d: expected more than %d, the length of the recipe's earlier phases", o.Iterations, before)
		}
		last.Iterations = o.Iterations - before
	}
	return r, nil
}

// embeddingsOf finds the embeddings file of an input and a name for it: a run is named after its algorithm and seed.
func embeddingsOf(input string) (name, path string, err error) {
	info, err := os.Stat(input)
	if err != nil {
		return "", "", fmt.Errorf("tsne: %w", err)
	}
	if !info.IsDir() {
		base := filepath.Base(input)
		return strings.TrimSuffix(base, filepath.Ext(base)), input, nil
	}
	run, err := experiment.View(input)
	if err != nil {
		return "", "", err
	}
	if !run.Has(EmbeddingsFile) {
		return "", "", fmt.Errorf("run folder %s has no %s: make it with: nacre embed %s", input, EmbeddingsFile, input)
	}
	var cfg experiment.Config
	if _, err := run.ReadConfig(&cfg); err != nil {
		return "", "", err
	}
	return fmt.Sprintf("%s, seed %d", experiment.Title(cfg.Algorithm), cfg.Seed), run.Path(EmbeddingsFile), nil
}

func folderOf(input string) string {
	if info, err := os.Stat(input); err == nil && info.IsDir() {
		return input
	}
	return filepath.Dir(input)
}

// WriteText prints the report for a person.
func (r TSNEReport) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tspace\tto centroid\tbetween centroids\tratio\theld-out accuracy\tsilhouette\t")
	for _, p := range r.Planes {
		row := func(space string, s tsne.Space) {
			fmt.Fprintf(t, "%s\t%s\t%.4g\t%.4g\t%.3f\t%.3f\t%.3f\t\n", p.Name, space, s.Intra, s.Inter, s.Ratio, s.Accuracy, s.Silhouette)
		}
		row("plane", p.Report.Plane)
		row("latent", p.Report.Latent)
		if p.Report.Posterior != nil {
			row("2-Wasserstein", *p.Report.Posterior)
		}
	}
	for _, row := range r.Paper {
		fmt.Fprintf(t, "%s in the paper\tplane\t%.4g\t%.4g\t%.3f\t\t\t\n", row.Method, row.ToCentroid, row.Between, row.Ratio())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, p := range r.Planes {
		if s := p.Report.Seeds; s != nil {
			ratio := s.Figures["ratio"]
			fmt.Fprintf(w, "%s: ratio in the plane %.3f ± %.3f over %d layouts from random starts\n", p.Name, ratio.Mean, ratio.SD, s.Layouts)
		}
		for _, note := range p.Report.Notes {
			fmt.Fprintf(w, "%s: %s\n", p.Name, note)
		}
	}
	if r.Paper != nil {
		fmt.Fprintln(w, "\nThe paper's figures are of Meta-World push under its own recipe: compare ratios, and only under one recipe.")
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(r.Files, "\n"))
	return err
}

func makeParent(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot make the folder of %s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}
