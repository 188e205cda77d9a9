package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"nacre/experiment"
	"nacre/internal/plainfile"
	"nacre/tsne"
)

// EmbeddingsFile is the file in which nacre embed puts a run's embeddings and in which nacre tsne looks for them.
const EmbeddingsFile = "embeddings.npz"

// EmbedReport is the output of nacre embed.
type EmbedReport struct {
	File string `json:"file"`
	// for each task, the part of its task vector that differs between tasks; a row's label is an index into this list
	Tasks   []string `json:"tasks"`
	Context string   `json:"context"` // one of experiment.ContextKinds
	Windows int      `json:"windows_per_task"`
	Length  int      `json:"window_length"` // transitions per window
	Latent  int      `json:"latent_dimensions"`
}

// EmbedOptions are the flags of nacre embed.
type EmbedOptions struct {
	Context string // one of experiment.ContextKinds
	Dir     string
	Tasks   int  // number of tasks to embed
	Windows int  // number of windows per task
	Length  int  // transitions per window; 0: as in training
	Vary    bool // begin every rollout at a random start
	Seed    uint64
	Out     string // .npz or .csv; empty is embeddings.npz in the run folder
	Workers int
}

// Embed writes the posteriors of windows of several tasks.
func Embed(ctx context.Context, env *Env, o EmbedOptions) error {
	out := cmp.Or(o.Out, productOf(o.Dir, EmbeddingsFile))
	switch filepath.Ext(out) {
	case ".npz", ".csv":
	default:
		return Usagef("--out %s: expected a name that ends in .npz or .csv", out)
	}
	if err := writable(filepath.Dir(out)); err != nil {
		return err
	}
	kind, err := experiment.ParseContextKind(o.Context)
	if err != nil {
		return Usagef("--context: %v", err)
	}
	a, err := env.agent(o.Dir, o.Workers)
	if err != nil {
		return err
	}
	defer a.Close()
	length := cmp.Or(o.Length, a.WindowLength())
	stage := env.Progress.Stage(fmt.Sprintf("embedding %d contexts of %d tasks", o.Tasks*o.Windows, o.Tasks), 0)
	defer stage.Done()
	c, err := a.Contexts(ctx, experiment.EmbedOptions{Tasks: o.Tasks, Windows: o.Windows, Length: length, Seed: o.Seed,
		VaryStart: o.Vary}, kind)
	if err != nil {
		return err
	}
	e, err := a.EmbedContexts(c[0])
	if err != nil {
		return err
	}
	if err := save(e, out); err != nil {
		return err
	}
	stage.Done()
	r := EmbedReport{File: out, Tasks: e.Names, Context: o.Context, Windows: o.Windows, Length: length,
		Latent: e.Mean.Cols}
	return env.Print(r, r.WriteText)
}

// productOf returns the path of a file made of a run: in its folder, or beside the archive that holds the run.
func productOf(dir, name string) string {
	archive, within, zipped := plainfile.Split(dir)
	if !zipped {
		return filepath.Join(dir, name)
	}
	run := strings.TrimSuffix(filepath.Base(archive), filepath.Ext(archive))
	if within != "." {
		run = path.Base(within)
	}
	return filepath.Join(filepath.Dir(archive), run+"-"+name)
}

func save(e *tsne.Embeddings, path string) error {
	if err := makeParent(path); err != nil {
		return err
	}
	return e.Save(path)
}

// WriteText prints the report as text.
func (r EmbedReport) WriteText(w io.Writer) error {
	what := map[experiment.ContextKind]string{
		experiment.WindowContext:   fmt.Sprintf("windows of %d transitions", r.Length),
		experiment.RowsContext:     fmt.Sprintf("contexts of %d independent transitions", r.Length),
		experiment.RolloutContext:  "whole rollouts",
		experiment.MetaTestContext: "explorations under the run's protocol",
		experiment.AdaptedContext:  fmt.Sprintf("windows of %d transitions after adaptation", r.Length),
	}[experiment.ContextKind(r.Context)]
	_, err := fmt.Fprintf(w, "%d %s from each of %d tasks, %d latent dimensions: %s\n", r.Windows, what, len(r.Tasks),
		r.Latent, r.File)
	return err
}
