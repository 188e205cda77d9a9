package study

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/experiment/progress"
	"nacre/internal/atomicfile"
	"nacre/protocol"
	"nacre/tsne"
)

// ResultsFile and ReportFile are what a study writes besides its pictures.
const (
	ResultsFile = "results.json"
	ReportFile  = "report.md"
)

// runner carries a study under way.
type runner struct {
	dir  string
	plan Plan
	host experiment.Host
	show progress.Progress
	out  *Result
}

// Run does the plan in dir, continuing what is already there.
func Run(ctx context.Context, dir string, plan Plan, host experiment.Host, show progress.Progress) (*Result, error) {
	started := time.Now()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	r := &runner{dir: dir, plan: plan, host: host, show: show, out: &Result{Plan: plan, Dir: dir, Paper: paper.TSNE()}}
	for _, arm := range Arms {
		r.out.Arms = append(r.out.Arms, Arm{Name: arm})
	}
	// Seed by seed, so that a study stopped early has whole pairs.
	for seed := uint64(1); seed <= uint64(plan.Seeds); seed++ {
		for i, arm := range Arms {
			s, err := r.seed(ctx, arm, seed)
			if err != nil {
				return nil, fmt.Errorf("study %s: %s, seed %d: %w", plan.Name, arm, seed, err)
			}
			r.out.Arms[i].Seeds = append(r.out.Arms[i].Seeds, *s)
		}
	}
	r.out.Elapsed = time.Since(started)
	if err := r.out.summarise(); err != nil {
		return nil, err
	}
	if err := r.out.draw(); err != nil {
		return nil, err
	}
	if err := writeText(filepath.Join(dir, ReportFile), r.out.report()); err != nil {
		return nil, err
	}
	return r.out, writeJSON(filepath.Join(dir, ResultsFile), r.out)
}

// config of one run.
func (r *runner) config(arm string, seed uint64) (experiment.Config, error) {
	cfg, err := experiment.Preset(r.plan.Preset)
	if err != nil {
		return cfg, err
	}
	cfg.Algorithm, cfg.Seed = arm, seed
	return cfg, experiment.Change(&cfg, r.plan.Set...)
}

// seed trains, evaluates and embeds one run.
func (r *runner) seed(ctx context.Context, arm string, seed uint64) (*SeedResult, error) {
	cfg, err := r.config(arm, seed)
	if err != nil {
		return nil, err
	}
	s := &SeedResult{Seed: seed, Run: filepath.Join(r.dir, "runs", fmt.Sprintf("%s-seed%d", arm, seed))}
	p := cfg.Evaluation.Protocol
	p.Repeats = r.plan.Repeats
	if err := r.train(ctx, cfg, s); err != nil {
		return nil, err
	}
	stage := r.show.Stage(fmt.Sprintf("evaluating %s, seed %d", arm, seed), 0)
	defer stage.Done()
	if err := r.untrained(ctx, cfg, p, s); err != nil {
		return nil, err
	}
	a, err := experiment.LoadAgent(s.Run, r.host)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if s.Adapted, err = a.Evaluate(ctx, a.TestTasks, p, seed); err != nil {
		return nil, err
	}
	base, err := r.baseline(ctx, a, p)
	if err != nil {
		return nil, err
	}
	if base.Goal != nil {
		share, err := protocol.Normalised(s.Adapted.Summary.Adapted.Mean, base.Random.Summary.Adapted.Mean, base.Goal.Summary.Adapted.Mean)
		if err != nil {
			return nil, err
		}
		s.Share = &share
	}
	stage.Done()
	return s, r.embed(ctx, a, s)
}

// untrained evaluates the agent as it was initialised.
func (r *runner) untrained(ctx context.Context, cfg experiment.Config, p protocol.Protocol, s *SeedResult) error {
	a, err := experiment.NewAgent(cfg, r.host)
	if err != nil {
		return err
	}
	defer a.Close()
	s.Untrained, err = a.Evaluate(ctx, a.TestTasks, p, s.Seed)
	return err
}

// train starts the run, continues it, or finds it finished.
func (r *runner) train(ctx context.Context, cfg experiment.Config, s *SeedResult) error {
	t, err := r.startOrResume(s.Run, cfg)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := t.Train(ctx, r.show); err != nil {
		return err
	}
	s.EnvSteps, s.Updates = t.EnvSteps(), t.Updates()
	timing, err := experiment.ReadMetrics(filepath.Join(s.Run, experiment.TimingFile))
	if err != nil {
		return err
	}
	for _, row := range timing.Rows {
		for _, seconds := range row[1:] {
			if !math.IsNaN(seconds) {
				s.Seconds += seconds
			}
		}
	}
	return nil
}

func (r *runner) startOrResume(dir string, cfg experiment.Config) (*experiment.Training, error) {
	if _, err := os.Stat(filepath.Join(dir, experiment.ConfigFile)); err != nil {
		return experiment.Start(dir, cfg, r.host)
	}
	t, notices, err := experiment.Resume(dir, r.host)
	if err != nil {
		return nil, err
	}
	for _, n := range notices {
		r.show.Note(dir + ": " + n)
	}
	if same, err := t.Config.Equal(cfg); err != nil || !same {
		t.Close()
		if err == nil {
			err = fmt.Errorf("the run in %s was made with another configuration: choose another folder for the study", dir)
		}
		return nil, err
	}
	return t, nil
}

// baseline measures the yardsticks of a seed, once for both arms: they have the same tasks.
func (r *runner) baseline(ctx context.Context, a *experiment.Agent, p protocol.Protocol) (*Baseline, error) {
	for i := range r.out.Baselines {
		if r.out.Baselines[i].Seed == a.Config.Seed {
			return &r.out.Baselines[i], nil
		}
	}
	random, goal, err := a.Baselines(ctx, a.TestTasks, p, a.Config.Seed)
	if err != nil {
		return nil, err
	}
	r.out.Baselines = append(r.out.Baselines, Baseline{Seed: a.Config.Seed, Random: random, Goal: goal})
	return &r.out.Baselines[len(r.out.Baselines)-1], nil
}

// embed makes the embeddings of a run and measures them.
func (r *runner) embed(ctx context.Context, a *experiment.Agent, s *SeedResult) error {
	o := experiment.EmbedOptions{Tasks: r.plan.Tasks, Windows: r.plan.Windows, Length: a.WindowLength(), Seed: s.Seed}
	e, err := a.Embed(ctx, o)
	if err != nil {
		return err
	}
	if err := e.Save(filepath.Join(s.Run, "embeddings.npz")); err != nil {
		return err
	}
	run, err := experiment.View(s.Run)
	if err != nil {
		return err
	}
	var cfg experiment.Config
	record, err := run.ReadConfig(&cfg)
	if err != nil {
		return err
	}
	if r.out.Family == "" {
		r.out.Family, r.out.Window, r.out.Protocol = a.Spec.Name, o.Length, s.Adapted.Protocol
		r.out.Session = record.Sessions[len(record.Sessions)-1]
	}
	repeats := r.plan.Layouts
	if repeats == 0 {
		repeats = -1
	}
	var stage progress.Stage
	done := 0
	report, err := tsne.Analyse(ctx, e, tsne.AnalyseOptions{
		TSNE: []tsne.Option{tsne.WithRecipe(Layout()), tsne.WithSeed(s.Seed)}, Repeats: repeats,
		Progress: func(d, of int) {
			if stage == nil {
				stage = r.show.Stage(fmt.Sprintf("t-SNE of %s, seed %d", a.Config.Algorithm, s.Seed), of)
			}
			stage.Add(d - done)
			done = d
		},
	})
	if stage != nil {
		stage.Done()
	}
	if err != nil {
		return err
	}
	s.Embedding, s.embeddings = *report, e
	return nil
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("study: %w", err)
	}
	return writeText(path, string(text)+"\n")
}

func writeText(path, text string) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
