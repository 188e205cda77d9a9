// Package study answers one question end to end: how well do the context embeddings of PEARL and of TCL-PEARL tell
// tasks apart? For each seed it trains both arms on the same tasks, evaluates their adaptation, embeds windows of
// evenly spread tasks, lays them out by t-SNE and measures the centroids, and writes the pictures and the tables.
//
// Everything lives in one folder and every step that is finished is kept, so a study that was interrupted is
// continued by running it again.
//
//	plan, err := study.Find("point-goal")
//	plan.Seeds = 3
//	result, err := study.Run(ctx, "out/point-goal", plan, experiment.Host{}, progress.Silent())
//	fmt.Println(result.Arms[1].Seeds[0].Embedding.Plane.Ratio)
package study

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/atomicfile"
	"nacre/internal/nearest"
	"nacre/protocol"
	"nacre/tsne"
)

// Arms are the systems compared, in the order of tables and pictures.
var Arms = []string{"pearl", "tcl-pearl"}

// Plan says what a study does.
type Plan struct {
	Name    string
	About   string
	Preset  string   // of package experiment
	Set     []string // key=value changes to it
	Seeds   int      // training seeds 1 … Seeds per arm
	Repeats int      // of the final evaluation on each test task
	Tasks   int      // embedded tasks
	Windows int      // per task
	Layouts int      // further t-SNE layouts from random starts, for the spread over t-SNE's own seed
}

var plans = []Plan{
	{Name: "point-goal", About: "the point robot, three seeds per arm", Preset: "quick/point-goal",
		Seeds: 3, Repeats: 10, Tasks: 8, Windows: 200, Layouts: 5},
	{Name: "cheetah-vel", About: "half-cheetah velocity at a reduced budget", Preset: "quick/cheetah-vel",
		Seeds: 1, Repeats: 4, Tasks: 8, Windows: 200, Layouts: 5},
}

// Plans lists the plans.
func Plans() []Plan { return plans }

// Find returns a plan by name. The error of an unknown name carries the nearest one.
func Find(name string) (Plan, error) {
	var names []string
	for _, p := range plans {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Plan{}, fmt.Errorf("study %q does not exist%s", name, nearest.Hint(name, names))
}

// Result is what a study found.
type Result struct {
	Plan     Plan              `json:"plan"`
	Family   string            `json:"family"`
	Window   int               `json:"window"` // transitions per embedded window
	Protocol protocol.Protocol `json:"protocol"`
	Random   protocol.Result   `json:"random"`
	Goal     *protocol.Result  `json:"goal_knowing,omitempty"`
	Arms     []Arm             `json:"arms"`
	Device   string            `json:"device"`
	Elapsed  time.Duration     `json:"elapsed"` // of this call, in nanoseconds
}

// Arm is one system's results.
type Arm struct {
	Name  string       `json:"name"`
	Seeds []SeedResult `json:"seeds"`
}

// SeedResult is one training run's results.
type SeedResult struct {
	Seed      uint64          `json:"seed"`
	Run       string          `json:"run"` // folder
	EnvSteps  float64         `json:"env_steps"`
	Updates   float64         `json:"updates"`
	Untrained protocol.Result `json:"untrained"`
	Adapted   protocol.Result `json:"adapted"`
	// Share is how far the adapted return is on the way from the random policy to the goal-knowing controller.
	Share     *float64    `json:"share,omitempty"`
	Embedding tsne.Report `json:"embedding"`

	layout     *tsne.Layout
	embeddings *tsne.Embeddings
}

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
	r := &runner{dir: dir, plan: plan, host: host, show: show, out: &Result{Plan: plan}}
	for _, arm := range Arms {
		a := Arm{Name: arm}
		for seed := 1; seed <= plan.Seeds; seed++ {
			s, err := r.seed(ctx, arm, uint64(seed))
			if err != nil {
				return nil, fmt.Errorf("study %s: %s, seed %d: %w", plan.Name, arm, seed, err)
			}
			a.Seeds = append(a.Seeds, *s)
		}
		r.out.Arms = append(r.out.Arms, a)
	}
	r.out.Elapsed = time.Since(started)
	if err := r.figures(); err != nil {
		return nil, err
	}
	return r.out, writeJSON(filepath.Join(dir, "results.json"), r.out)
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
	if err := r.untrained(ctx, cfg, p, s); err != nil {
		return nil, err
	}
	if err := r.train(ctx, cfg, s); err != nil {
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
	if err := r.baselines(ctx, a, p); err != nil {
		return nil, err
	}
	if r.out.Goal != nil {
		share, err := protocol.Normalised(s.Adapted.Summary.Adapted.Mean, r.out.Random.Summary.Adapted.Mean, r.out.Goal.Summary.Adapted.Mean)
		if err != nil {
			return nil, err
		}
		s.Share = &share
	}
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
	t, err := startOrResume(s.Run, cfg, r.host)
	if err != nil {
		return err
	}
	defer t.Close()
	if !t.Done() {
		if err := t.Train(ctx, r.show); err != nil {
			return err
		}
	}
	s.EnvSteps, s.Updates = float64(t.EnvSteps()), float64(t.Updates())
	return nil
}

func startOrResume(dir string, cfg experiment.Config, host experiment.Host) (*experiment.Training, error) {
	if _, err := os.Stat(filepath.Join(dir, experiment.ConfigFile)); err != nil {
		return experiment.Start(dir, cfg, host)
	}
	t, _, err := experiment.Resume(dir, host)
	if err != nil {
		return nil, err
	}
	if same, err := t.Config.Equal(cfg); err != nil || !same {
		t.Close()
		if err == nil {
			err = fmt.Errorf("the run in %s was made with another configuration; choose another folder for the study", dir)
		}
		return nil, err
	}
	return t, nil
}

// baselines are the same for every run of the same test tasks; they are taken from the first seed.
func (r *runner) baselines(ctx context.Context, a *experiment.Agent, p protocol.Protocol) (err error) {
	if r.out.Random.Tasks != nil {
		return nil
	}
	r.out.Family, r.out.Protocol, r.out.Device = a.Spec.Name, p, a.Device()
	r.out.Random, r.out.Goal, err = a.Baselines(ctx, a.TestTasks, p, a.Config.Seed)
	return err
}

// embed makes the embeddings of a run and measures them.
func (r *runner) embed(ctx context.Context, a *experiment.Agent, s *SeedResult) error {
	o := experiment.EmbedOptions{Tasks: r.plan.Tasks, Windows: r.plan.Windows, Length: a.Config.TCL.Window, Seed: s.Seed}
	r.out.Window = o.Length
	e, err := a.Embed(ctx, o)
	if err != nil {
		return err
	}
	if err := e.Save(filepath.Join(s.Run, "embeddings.npz")); err != nil {
		return err
	}
	var stage progress.Stage
	done := 0
	report, err := tsne.Analyse(ctx, e, tsne.AnalyseOptions{
		TSNE: []tsne.Option{tsne.WithSeed(s.Seed)}, Repeats: r.plan.Layouts,
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
	s.Embedding, s.layout, s.embeddings = *report, report.Layout, e
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
