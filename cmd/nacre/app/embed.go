package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"nacre/experiment"
	"nacre/tsne"
)

// EmbeddingsFile is where nacre embed puts a run's embeddings, and where nacre tsne looks for them.
const EmbeddingsFile = "embeddings.npz"

// EmbedReport is what nacre embed prints.
type EmbedReport struct {
	File    string   `json:"file"`
	Tasks   []string `json:"tasks"` // what tells them apart in their vectors; the label of a row is a position in this list
	Windows int      `json:"windows_per_task"`
	Length  int      `json:"window_length"` // transitions
	Latent  int      `json:"latent_dimensions"`
}

// Embed writes the posteriors of windows of several tasks.
func Embed(ctx context.Context, env *Env, o EmbedOptions) error {
	out := o.Out
	if out == "" {
		out = filepath.Join(o.Dir, EmbeddingsFile)
	}
	switch filepath.Ext(out) {
	case ".npz", ".csv":
	default:
		return Usagef("--out %s: expected a name that ends in .npz or .csv", out)
	}
	a, err := experiment.LoadAgent(o.Dir, experiment.Host{Workers: o.Workers})
	if err != nil {
		return err
	}
	defer a.Close()
	length := o.Length
	if length == 0 {
		length = a.WindowLength()
	}
	stage := env.Progress.Stage(fmt.Sprintf("embedding %d windows of %d tasks", o.Tasks*o.Windows, o.Tasks), 0)
	defer stage.Done()
	e, err := a.Embed(ctx, experiment.EmbedOptions{Tasks: o.Tasks, Windows: o.Windows, Length: length, Seed: o.Seed, VaryStart: o.Vary})
	if err != nil {
		return err
	}
	if err := save(e, out); err != nil {
		return err
	}
	stage.Done()
	r := EmbedReport{File: out, Tasks: e.Names, Windows: o.Windows, Length: length, Latent: e.Mean.Cols}
	return env.Print(r, r.WriteText)
}

func save(e *tsne.Embeddings, path string) error {
	if err := makeParent(path); err != nil {
		return err
	}
	return e.Save(path)
}

// WriteText prints the report for a person.
func (r EmbedReport) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d windows of %d transitions from each of %d tasks, %d latent dimensions: %s\n",
		r.Windows, r.Length, len(r.Tasks), r.Latent, r.File)
	return err
}
