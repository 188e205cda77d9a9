package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/paper"
	"nacre/experiment/progress"
	"nacre/internal/atomicfile"
	"nacre/internal/version"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/sim"
	"nacre/tsne"
)

// What a study writes besides its pictures.
const (
	PlanFile    = "plan.json" // list of the runs before they begin, in the form of a sweep's manifest
	ResultsFile = "results.json"
	ReportFile  = "report.md"
	PageFile    = "report.html" // the report as one file with its pictures; not written by a study in a browser's tab
)

// runner carries a study under way.
type runner struct {
	dir    string // of the report
	runs   string // of the training runs
	plan   Plan
	family string
	length int // transitions per embedded window, for all arms
	host   experiment.Host
	show   progress.Progress
	out    *Result
	packed *Result // the former results in the folder; read when they are needed
	partly bool    // windows are crossed with the encoders that are there; else all must be
}

// Run executes the plan in dir. If dir already has a part of the study, Run continues it: finished runs are kept with
// their results. An ablation has its own folder for the report, ablations/NAME, and shares the runs; so has a study
// with factors, factorial/NAME or factors.
func Run(ctx context.Context, dir string, plan Plan, host experiment.Host, show progress.Progress) (*Result, error) {
	started := time.Now()
	arms, err := plan.arms()
	if err != nil {
		return nil, err
	}
	r, err := newRunner(dir, plan, host, show)
	if err != nil {
		return nil, err
	}
	r.dir = filepath.Join(dir, plan.reportsIn())
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	r.out = &Result{Plan: plan, Dir: r.dir, Paper: paper.TSNEOf(r.family)}
	for _, v := range arms {
		r.out.Arms = append(r.out.Arms, ArmResult{Arm: v})
	}
	if err := r.measure(); err != nil {
		return nil, err
	}
	if err := announce(dir, plan, r.family, arms); err != nil {
		return nil, err
	}
	if err := r.trainTogether(ctx, arms); err != nil {
		return nil, err
	}
	for seed := uint64(1); seed <= uint64(plan.Seeds); seed++ {
		for i, arm := range arms {
			s, err := r.seed(ctx, arm, seed)
			if err != nil {
				return nil, r.failed(arm, seed, err)
			}
			r.out.Arms[i].Seeds = append(r.out.Arms[i].Seeds, *s)
		}
	}
	r.out.Elapsed = time.Since(started)
	if err := r.out.summarise(); err != nil {
		return nil, err
	}
	return r.out, r.out.write()
}

func newRunner(dir string, plan Plan, host experiment.Host, show progress.Progress) (*runner, error) {
	cfg, err := plan.config()
	return &runner{dir: dir, runs: filepath.Join(dir, "runs"), plan: plan, family: cfg.Family, host: host, show: show},
		err
}

// write makes the report of a study in its folder.
func (r *Result) write() error {
	if err := r.draw(); err != nil {
		return err
	}
	report := r.report()
	if err := atomicfile.WriteBytes(filepath.Join(r.Dir, ReportFile), []byte(report)); err != nil {
		return err
	}
	if err := writePage(r.Dir, r.subject()+" on "+r.Family, report); err != nil {
		return err
	}
	return atomicfile.WriteJSON(filepath.Join(r.Dir, ResultsFile), r)
}

// measure finds how long the embedded windows are: as long as those that the plan's own configuration trains on. All
// arms must infer embeddings.
func (r *runner) measure() error {
	cfg, err := r.plan.config()
	if err != nil {
		return err
	}
	family, err := sim.Lookup(cfg.Family)
	if err != nil {
		return err
	}
	names := []string{cfg.Algorithm}
	for _, arm := range r.out.Arms {
		names = append(names, arm.Algorithm)
	}
	for i, name := range names {
		a, err := rl.Lookup(name)
		if err != nil {
			return err
		}
		if a.Window == nil {
			return fmt.Errorf("study %s: %s infers no task embedding; expected %s", r.plan.Name, name,
				strings.Join(rl.Embedding(), " or "))
		}
		if i == 0 {
			r.length = min(a.Window(cfg), family.Spec().Horizon)
		}
	}
	return nil
}

// config of one run.
func (r *runner) config(arm Arm, seed uint64) (experiment.Config, error) {
	cfg, err := r.plan.config()
	if err != nil {
		return cfg, err
	}
	cfg.Algorithm, cfg.Seed = arm.Algorithm, seed
	return cfg, experiment.Change(&cfg, arm.Set...)
}

// seed evaluates and embeds one run, or finds that done.
func (r *runner) seed(ctx context.Context, arm Arm, seed uint64) (*SeedResult, error) {
	cfg, err := r.config(arm, seed)
	if err != nil {
		return nil, err
	}
	dir := r.folder(arm, seed)
	from, err := filepath.Rel(r.dir, dir)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	key, err := r.key(cfg)
	if err != nil {
		return nil, err
	}
	s, err := r.kept(dir, key)
	if err != nil {
		return nil, err
	}
	if s != nil {
		if err := r.complete(ctx, cfg, s); err != nil {
			return nil, err
		}
	} else {
		s = &SeedResult{Seed: seed, Commit: version.Get().Commit}
		if err := r.make(ctx, dir, arm, cfg, s); err != nil {
			return nil, err
		}
		if err := r.keep(dir, key, s); err != nil {
			return nil, err
		}
	}
	s.Run = filepath.ToSlash(from)
	return s, r.introduce(dir, cfg, s)
}

// complete measures, for a kept run, the values that programs before GoalWorth and Still did not measure.
func (r *runner) complete(ctx context.Context, cfg experiment.Config, s *SeedResult) error {
	b := r.baselineOf(s.Seed)
	worth := len(b.GoalWorth) == 0 && b.Blind != nil && b.Goal != nil
	if worth || b.Still == nil {
		a, err := experiment.NewAgent(cfg, r.host)
		if err != nil {
			return err
		}
		defer a.Close()
		if b.Still, err = a.Standing(ctx, a.TestTasks, r.protocol(cfg), b.Seed); err != nil {
			return err
		}
		if worth {
			if err := b.worth(ctx, a, r.protocol(cfg)); err != nil {
				return err
			}
		}
	}
	return s.place(b)
}

// protocol of the study's evaluations.
func (r *runner) protocol(cfg experiment.Config) protocol.Protocol {
	p := cfg.Evaluation.Protocol
	p.Repeats = r.plan.Repeats
	return p
}

// make does the work of one run.
func (r *runner) make(ctx context.Context, dir string, arm Arm, cfg experiment.Config, s *SeedResult) error {
	p := r.protocol(cfg)
	if err := r.train(ctx, dir, cfg, s); err != nil {
		return err
	}
	stage := r.show.Stage(fmt.Sprintf("evaluating %s", filepath.Base(dir)), 0)
	defer stage.Done()
	if err := r.untrained(ctx, cfg, p, s); err != nil {
		return err
	}
	a, err := experiment.LoadAgent(dir, r.host)
	if err != nil {
		return err
	}
	defer a.Close()
	if s.Adapted, err = a.Evaluate(ctx, a.TestTasks, p, s.Seed); err != nil {
		return err
	}
	if err := s.swap(ctx, a, p); err != nil {
		return err
	}
	base, err := r.baseline(ctx, a, p)
	if err != nil {
		return err
	}
	if err := s.place(base); err != nil {
		return err
	}
	stage.Done()
	return r.embed(ctx, a, arm, s)
}

// swap measures the swap gain if there are beliefs to exchange.
func (s *SeedResult) swap(ctx context.Context, a *experiment.Agent, p protocol.Protocol) error {
	if p.Explore == 0 || !protocol.Exchangeable(a.TestTasks) {
		return nil
	}
	swapped, err := a.Swap(ctx, a.TestTasks, p, s.Seed)
	s.Swap = &swapped
	return err
}

// introduce fills, from the first run, the report's data on all runs.
func (r *runner) introduce(dir string, cfg experiment.Config, s *SeedResult) error {
	if r.out.Family != "" {
		return nil
	}
	run, err := experiment.View(dir)
	if err != nil {
		return err
	}
	saved := experiment.Default()
	record, err := run.ReadConfig(&saved)
	if err != nil {
		return err
	}
	r.out.Family, r.out.Window, r.out.Protocol = cfg.Family, r.length, s.Adapted.Protocol
	r.out.Session = record.Sessions[len(record.Sessions)-1]
	return nil
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
func (r *runner) train(ctx context.Context, dir string, cfg experiment.Config, s *SeedResult) error {
	done, err := finished(dir, cfg)
	if err != nil {
		return err
	}
	if !done {
		t, err := r.startOrResume(dir, cfg, r.host)
		if err != nil {
			return err
		}
		defer t.Close()
		if err := t.Train(ctx, r.show); err != nil {
			return err
		}
	}
	run, err := experiment.View(dir)
	if err != nil {
		return err
	}
	standing, err := run.Standing(cfg)
	s.EnvSteps, s.Updates, s.Seconds = standing.EnvSteps, standing.Updates, standing.Seconds
	return err
}

func (r *runner) startOrResume(dir string, cfg experiment.Config, host experiment.Host) (*experiment.Training, error) {
	if _, err := os.Stat(filepath.Join(dir, experiment.ConfigFile)); err != nil {
		return experiment.Start(dir, cfg, host)
	}
	t, notices, err := experiment.Resume(dir, host)
	if err != nil {
		return nil, err
	}
	if !t.Done() { // else nothing is continued
		for _, n := range notices {
			r.show.Note(dir + ": " + n)
		}
	}
	if err := unlike(dir, t.Config, cfg); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// baseline measures the baselines of a seed, once for both arms: they have the same tasks.
func (r *runner) baseline(ctx context.Context, a *experiment.Agent, p protocol.Protocol) (*Baseline, error) {
	if b := r.baselineOf(a.Config.Seed); b != nil {
		return b, nil
	}
	known, err := a.Baselines(ctx, a.TestTasks, p, a.Config.Seed)
	if err != nil {
		return nil, err
	}
	b := Baseline{Seed: a.Config.Seed, Baselines: known}
	if err := b.worth(ctx, a, p); err != nil {
		return nil, err
	}
	r.out.Baselines = append(r.out.Baselines, b)
	return &r.out.Baselines[len(r.out.Baselines)-1], nil
}

// worth measures GoalWorth, by one trajectory of each controller on each task.
func (b *Baseline) worth(ctx context.Context, a *experiment.Agent, p protocol.Protocol) error {
	if b.Blind == nil || b.Goal == nil {
		return nil
	}
	p.Explore, p.Scored, p.Repeats = 0, 1, 1
	tasks := slices.Concat(a.TrainTasks, a.TestTasks)
	known, err := a.Scripted(ctx, tasks, p, b.Seed)
	if err != nil {
		return err
	}
	b.GoalWorth = known.Goal.AdaptedByTask()
	for i, v := range known.Blind.AdaptedByTask() {
		b.GoalWorth[i] -= v
	}
	return nil
}

// place says where the run stands between the baselines of its seed.
func (s *SeedResult) place(b *Baseline) (err error) {
	if s.Share, err = b.Share(s.Adapted.Summary.Adapted.Mean); err != nil {
		return err
	}
	s.ShareFromBlind = nil
	if len(b.GoalWorth) > 0 && stats.Mean(b.GoalWorth) > 0 {
		s.ShareFromBlind = new((s.Adapted.Summary.Adapted.Mean - b.Blind.Summary.Adapted.Mean) / stats.Mean(
			b.GoalWorth))
	}
	return nil
}

// baselineOf returns the known baselines of a seed, nil if there are none.
func (r *runner) baselineOf(seed uint64) *Baseline {
	for i := range r.out.Baselines {
		if r.out.Baselines[i].Seed == seed {
			return &r.out.Baselines[i]
		}
	}
	return nil
}

// embed makes the embeddings of a run with its own encoder and with the encoders of the other arms, and measures them.
func (r *runner) embed(ctx context.Context, a *experiment.Agent, arm Arm, s *SeedResult) error {
	stage := r.show.Stage(fmt.Sprintf("embedding %s, seed %d", a.Config.Algorithm, s.Seed), 0)
	defer stage.Done()
	w, err := r.explore(ctx, a, s)
	if err != nil {
		return err
	}
	for _, other := range r.out.Arms {
		if other.Name == arm.Name {
			continue
		}
		c := Crossed{Encoder: other.Name}
		if c.embeddings, err = r.crossedWith(other, s.Seed, w); err != nil {
			return err
		}
		if c.embeddings != nil {
			s.Crossed = append(s.Crossed, c)
		}
	}
	stage.Done()
	s.Tasks = w.Names
	return s.analyse(ctx, r.plan, r.plan.Layouts, r.show)
}

// embedBy embeds windows by the encoder of an arm.
func (r *runner) embedBy(arm Arm, seed uint64, c *experiment.Contexts) (*tsne.Embeddings, error) {
	a, err := experiment.LoadAgent(r.folder(arm, seed), r.host)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	e, err := a.EmbedContexts(c)
	if err == nil {
		meansOnly(e)
	}
	return e, err
}

// analyse measures the embeddings of a run under the plan's recipes, with so many layouts from random starts.
func (s *SeedResult) analyse(ctx context.Context, plan Plan, layouts int, show progress.Progress) error {
	report, err := analyse(ctx, s.embeddings, Layout(), s.Seed, layouts, show)
	if err != nil {
		return err
	}
	s.Embedding = *report
	for i := range s.Crossed {
		c := &s.Crossed[i]
		if c.Latent, err = tsne.Separation(c.embeddings,
			tsne.AnalyseOptions{TSNE: []tsne.Option{tsne.WithSeed(s.Seed)}}); err != nil {
			return err
		}
	}
	if plan.Script {
		if s.Script, err = analyse(ctx, s.embeddings, tsne.PaperScript(), s.Seed, layouts, show); err != nil {
			return err
		}
	}
	return s.analyseContexts(ctx, show)
}

func analyse(ctx context.Context, e *tsne.Embeddings, recipe tsne.Recipe, seed uint64, layouts int,
	show progress.Progress) (*tsne.Report, error) {
	layouts = cmp.Or(layouts, -1)
	var stage progress.Stage
	done := 0
	defer func() {
		if stage != nil {
			stage.Done()
		}
	}()
	return tsne.Analyse(ctx, e, tsne.AnalyseOptions{
		TSNE: []tsne.Option{tsne.WithRecipe(recipe), tsne.WithSeed(seed)}, Repeats: layouts,
		Progress: func(d, of int) {
			if stage == nil {
				stage = show.Stage(fmt.Sprintf("t-SNE, recipe %s, seed %d", recipe.Name, seed), of)
			}
			stage.Add(d - done)
			done = d
		},
	})
}

// writePage makes the page of a report beside its pictures; a tab shows the report in Markdown instead.
func writePage(dir, title, markdown string) error {
	err := WritePage(filepath.Join(dir, PageFile), title, markdown, func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
