package study

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/experiment/progress"
	"nacre/internal/plainfile"
)

// maxResults is how large the results of a study may be, in bytes.
const maxResults = 1 << 28

// Open reads a study from its folder or archive, or a packed study. It reads results.json and the arrays of every run.
func Open(dir string) (*Result, error) {
	data, err := plainfile.Read(filepath.Join(dir, ResultsFile), maxResults)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	r := &Result{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("study: %s: %w", filepath.Join(dir, ResultsFile), err)
	}
	if len(r.Arms) == 0 {
		return nil, fmt.Errorf("study: %s has no arms; expected the results of one study",
			filepath.Join(dir, ResultsFile))
	}
	r.Dir, r.Paper = dir, paper.TSNEOf(r.Family) // older programs kept the rows of push with every study
	for i := range r.Arms {
		for k := range r.Arms[i].Seeds {
			s := &r.Arms[i].Seeds[k]
			if err := s.load(filepath.Join(dir, filepath.FromSlash(s.Run))); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// Checked is the outcome of Check.
type Checked struct {
	Numbers     int      `json:"numbers"`     // number of compared values
	Differences []string `json:"differences"` // one sentence for each difference
}

// Check computes the numbers of the study in dir again, from the data stored there. It computes numbers of embeddings
// and planes from the arrays; tables and verdicts from the runs; mean returns and shares of the way between baselines
// from single trajectories; steps and updates from the metrics. For a suite it checks every study, and the aggregates
// over all. With layouts it also repeats t-SNE from random starts, which takes most of the time. Numbers agree if they
// are equal to the last bit.
func Check(ctx context.Context, dir string, layouts bool, show progress.Progress) (Checked, error) {
	suite, err := openSuite(dir)
	if err != nil {
		return Checked{}, err
	}
	if len(suite.Studies) > 0 {
		return suite.check(ctx, dir, layouts, show)
	}
	return check(ctx, dir, layouts, math.MaxInt, show)
}

// openSuite reads the results of a suite. The results of a single study contain no studies.
func openSuite(dir string) (*suiteFile, error) {
	s := &suiteFile{}
	data, err := plainfile.Read(filepath.Join(dir, ResultsFile), maxResults)
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	return s, nil
}

// check computes a suite again from the folders of its studies.
func (s *suiteFile) check(ctx context.Context, dir string, layouts bool,
	show progress.Progress) (out Checked, err error) {
	var studies []*Result
	for _, name := range s.Studies {
		folder := filepath.Join(dir, name)
		c, err := check(ctx, folder, layouts, math.MaxInt, show)
		if err != nil {
			return out, err
		}
		out.Numbers += c.Numbers
		for _, d := range c.Differences {
			out.Differences = append(out.Differences, name+d)
		}
		one, err := Open(folder)
		if err != nil {
			return out, err
		}
		studies = append(studies, one)
	}
	again, err := aggregates(studies)
	if err != nil {
		return out, err
	}
	return out, out.same("/aggregates", s.Aggregates, again)
}

// same compares two values as JSON has them.
func (c *Checked) same(path string, stored, again any) error {
	a, err := generic(stored)
	if err != nil {
		return err
	}
	b, err := generic(again)
	if err == nil {
		c.compare(path, a, b)
	}
	return err
}

// check computes one study again, and the figures of the runs of its first seeds.
func check(ctx context.Context, dir string, layouts bool, seeds int, show progress.Progress) (Checked, error) {
	var out Checked
	stored, err := Open(dir)
	if err != nil {
		return out, err
	}
	again, err := Open(dir)
	if err != nil {
		return out, err
	}
	for i := range again.Arms {
		for k := range min(seeds, len(again.Arms[i].Seeds)) {
			s := &again.Arms[i].Seeds[k]
			if err := s.again(ctx, again, layouts, show); err != nil {
				return out, err
			}
			for n, c := range stored.Arms[i].Seeds[k].Contexts {
				if c.Context == experiment.WindowContext {
					continue // the run's own, below
				}
				if out.Numbers += len(c.layout.Data); !slices.Equal(c.layout.Data, s.Contexts[n].layout.Data) {
					_, file := ContextFiles(c.Context)
					out.Differences = append(out.Differences,
						fmt.Sprintf("%s/%s: the plane of the stored embeddings is another", s.Run, file))
				}
			}
			for file, report := range stored.Arms[i].Seeds[k].layouts() {
				now := s.layouts()[file]
				out.Numbers += len(now.Layout.Y.Data)
				if !slices.Equal(report.Layout.Y.Data, now.Layout.Y.Data) {
					out.Differences = append(out.Differences,
						fmt.Sprintf("%s/%s: the plane of the stored embeddings is another", s.Run, file))
				}
			}
		}
	}
	again.forget()
	if err := again.summarise(); err != nil {
		return out, err
	}
	return out, out.same("", stored, again)
}

// again computes the figures of one run anew.
func (s *SeedResult) again(ctx context.Context, r *Result, layouts bool, show progress.Progress) error {
	before := *s
	repeats := 0
	if layouts {
		repeats = r.Plan.Layouts
	}
	if err := s.analyse(ctx, r.Plan, repeats, show); err != nil {
		return err
	}
	if !layouts {
		s.Embedding.Seeds = before.Embedding.Seeds
		if s.Script != nil {
			s.Script.Seeds = before.Script.Seeds
		}
	}
	s.Adapted.Summary.Adapted.Mean = stats.Mean(s.Adapted.AdaptedByTask())
	if s.Swap != nil {
		s.Swap.Gain.Mean = stats.Mean(s.Swap.GainByTask())
	}
	s.Untrained.Summary.Adapted.Mean = stats.Mean(s.Untrained.AdaptedByTask())
	for _, b := range r.Baselines {
		if b.Seed != s.Seed {
			continue
		}
		if err := s.place(&b); err != nil {
			return err
		}
	}
	m, err := experiment.ReadMetrics(filepath.Join(r.Dir, filepath.FromSlash(s.Run), experiment.MetricsFile))
	if err != nil {
		return err
	}
	for name, to := range map[string]*int64{"env_steps": &s.EnvSteps, "updates": &s.Updates} {
		column, err := m.Column(name)
		if err != nil {
			return err
		}
		if len(column) > 0 {
			*to = int64(column[len(column)-1])
		}
	}
	return nil
}

// generic returns v in the form that decoding its JSON gives.
func generic(v any) (out any, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	return out, json.Unmarshal(text, &out)
}

// compare walks two values of JSON.
func (c *Checked) compare(at string, a, b any) {
	switch x := a.(type) {
	case map[string]any:
		y, _ := b.(map[string]any)
		keys := maps.Clone(x)
		maps.Copy(keys, y)
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			c.compare(at+"/"+k, x[k], y[k])
		}
	case []any:
		y, _ := b.([]any)
		for i := range max(len(x), len(y)) {
			var v, w any
			if i < len(x) {
				v = x[i]
			}
			if i < len(y) {
				w = y[i]
			}
			c.compare(fmt.Sprintf("%s/%d", at, i), v, w)
		}
	case float64:
		c.Numbers++
		if y, ok := b.(float64); !ok || math.Float64bits(x) != math.Float64bits(y) {
			c.Differences = append(c.Differences, fmt.Sprintf("%s is stored as %v and comes to %v", at, a, b))
		}
	default:
		if !reflect.DeepEqual(a, b) {
			c.Differences = append(c.Differences, fmt.Sprintf("%s is stored as %v and comes to %v", at, a, b))
		}
	}
}
