package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"nacre/experiment"
	"nacre/internal/atomicfile"
	"nacre/internal/version"
	"nacre/rl/config"
	"nacre/tsne"
)

// A study leaves these files in the folder of a run: the run's results, and the arrays from which they were computed.
const (
	keptFile       = "study.json"
	EmbeddingsFile = "embeddings.npz"
	LayoutFile     = "layout.npz"        // the t-SNE plane, n×2, under the recipe of studies
	ScriptFile     = "layout-script.npz" // the plane under the recipe of the paper's script
)

// kept holds a run's results as they are stored for the next time.
type kept struct {
	Key      string     `json:"key"`
	Result   SeedResult `json:"result"`
	Baseline Baseline   `json:"baseline"`
}

// key names everything on which a run's results depend, except the program.
func (r *runner) key(cfg experiment.Config) (string, error) {
	hash, err := config.Hash(cfg)
	if err != nil {
		return "", err
	}
	p := r.plan
	var arms []string // arms whose encoders embed the run's windows
	for _, a := range r.out.Arms {
		arms = append(arms, a.Name)
	}
	text, err := json.Marshal([]any{hash, arms, p.Repeats, p.Tasks, p.Windows, p.Layouts, p.VaryStart, p.Script,
		p.Contexts, p.Adaptations, r.length,
		Layout(), tsne.PaperScript()})
	return string(text), err
}

// kept returns the stored results of a run. It is nil if they must be measured, because there are none or because they
// belong to another plan or program. A run that was packed without its weights keeps the results of an earlier program;
// Check computes them again from the arrays.
func (r *runner) kept(dir, key string) (*SeedResult, error) {
	var k kept
	weights := exists(filepath.Join(dir, experiment.WeightsFile))
	data, err := os.ReadFile(filepath.Join(dir, keptFile))
	switch {
	case errors.Is(err, os.ErrNotExist):
		if weights || !r.shipped(dir, &k) {
			return nil, nil
		}
	case err != nil:
		return nil, fmt.Errorf("study: %w", err)
	default:
		if err := json.Unmarshal(data, &k); err != nil {
			return nil, fmt.Errorf("study: %s: %w", filepath.Join(dir, keptFile), err)
		}
	}
	if k.Key != key && !weights {
		return nil, fmt.Errorf("study: %s has no weights, and its figures are of another plan: expected the plan "+
			"that measured it, or another folder", dir)
	}
	if k.Key != key || k.Result.Commit != version.Get().Commit && weights {
		return nil, nil
	}
	if err := k.Result.load(dir); err != nil {
		return nil, err
	}
	k.Result.Key = k.Key
	if r.baselineOf(k.Baseline.Seed) == nil {
		r.out.Baselines = append(r.out.Baselines, k.Baseline)
	}
	return &k.Result, nil
}

// shipped reads the results of a run from results.json of a packed study, because nothing else is left of them.
func (r *runner) shipped(dir string, k *kept) bool {
	if r.packed == nil {
		r.packed = &Result{}
		data, err := os.ReadFile(filepath.Join(r.dir, ResultsFile))
		if err != nil || json.Unmarshal(data, r.packed) != nil {
			return false
		}
	}
	for _, a := range r.packed.Arms {
		for _, s := range a.Seeds {
			if filepath.Join(r.dir, filepath.FromSlash(s.Run)) != dir || s.Key == "" {
				continue
			}
			for _, b := range r.packed.Baselines {
				if b.Seed == s.Seed {
					*k = kept{Key: s.Key, Result: s, Baseline: b}
					return true
				}
			}
		}
	}
	return false
}

// keep writes the arrays of a run, and then the results that were computed from them.
func (r *runner) keep(dir, key string, s *SeedResult) error {
	// Arrays and results that do not belong together are worse than none.
	if err := os.Remove(filepath.Join(dir, keptFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("study: %w", err)
	}
	if err := s.embeddings.Save(filepath.Join(dir, EmbeddingsFile)); err != nil {
		return err
	}
	for _, c := range s.Crossed {
		if err := c.embeddings.Save(filepath.Join(dir, c.file())); err != nil {
			return err
		}
	}
	for i := range s.Contexts {
		if err := s.Contexts[i].save(dir); err != nil {
			return err
		}
	}
	for name, report := range s.layouts() {
		e := tsne.Embeddings{Mean: report.Layout.Y, Label: s.embeddings.Label}
		if err := e.Save(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	s.Key = key
	k := kept{Key: key, Result: *s, Baseline: *r.baselineOf(s.Seed)}
	return atomicfile.WriteJSON(filepath.Join(dir, keptFile), k)
}

// file holds the embeddings in the folder of the run that made the windows.
func (c Crossed) file() string { return "embeddings-by-" + c.Encoder + ".npz" }

// layouts returns the reports of a run, by the file with their plane.
func (s *SeedResult) layouts() map[string]*tsne.Report {
	out := map[string]*tsne.Report{LayoutFile: &s.Embedding}
	if s.Script != nil {
		out[ScriptFile] = s.Script
	}
	return out
}

// load reads the arrays of a run from its folder.
func (s *SeedResult) load(dir string) (err error) {
	if s.embeddings, err = tsne.Load(filepath.Join(dir, EmbeddingsFile), ""); err != nil {
		return err
	}
	s.embeddings.Names = s.Tasks
	for i := range s.Crossed {
		c := &s.Crossed[i]
		if c.embeddings, err = tsne.Load(filepath.Join(dir, c.file()), ""); err != nil {
			return err
		}
	}
	for name, report := range s.layouts() {
		e, err := tsne.Load(filepath.Join(dir, name), "")
		if err != nil {
			return err
		}
		report.Layout = &tsne.Layout{Y: e.Mean, Recipe: report.Recipe, KL: report.KL, Notes: report.Notes}
	}
	for i := range s.Contexts {
		if err := s.Contexts[i].load(dir, s.Tasks); err != nil {
			return err
		}
	}
	return nil
}
