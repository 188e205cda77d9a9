package study

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/version"
	"nacre/tsne"
)

// Extend adds an arm of Arms to a study in its folder, which may be a copy of a packed study. It trains the arm on the
// plan's seeds and tasks, or takes finished runs from sweeps. It measures the arm like the others, and writes tables
// and report again. The other arms keep their numbers, even if an older program measured them. Numbers that the older
// program did not measure are added if this needs no weights: baselines, and intervals and tests of windows. Each arm's
// windows are also embedded by the encoders of the other arms, as far as their weights exist. The trained runs stay in
// the folder; Pack leaves out what need not be shipped.
func Extend(ctx context.Context, dir, arm string, sweeps []string, host experiment.Host,
	show progress.Progress) (*Result, error) {
	started := time.Now()
	stored, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if err := stored.takes(arm); err != nil {
		return nil, err
	}
	plan := stored.Plan
	plan.Sweeps = sweeps
	if len(plan.Contexts) == 0 {
		plan.Contexts = []experiment.ContextKind{experiment.WindowContext}
	}
	r, err := newRunner(dir, plan, host, show)
	if err != nil {
		return nil, err
	}
	r.out, r.partly = stored, true
	stored.Plan, stored.Dir = plan, dir
	at := 0
	for at < len(stored.Arms) && slices.Index(Arms, stored.Arms[at].Name) < slices.Index(Arms, arm) {
		at++
	}
	stored.Arms = slices.Insert(stored.Arms, at, ArmResult{Arm: armOf(arm)})
	if err := r.measure(); err != nil {
		return nil, err
	}
	if err := r.trainTogether(ctx, []Arm{stored.Arms[at].Arm}); err != nil {
		return nil, err
	}
	for seed := uint64(1); seed <= uint64(plan.Seeds); seed++ {
		for i := range stored.Arms {
			if err := r.extend(ctx, &stored.Arms[i], seed); err != nil {
				return nil, r.failed(stored.Arms[i].Arm, seed, err)
			}
		}
	}
	stored.Elapsed = time.Since(started)
	stored.forget()
	if err := stored.summarise(); err != nil {
		return nil, err
	}
	return stored, stored.write()
}

// takes reports why an arm cannot be added.
func (r *Result) takes(arm string) error {
	if !slices.Contains(Arms, arm) {
		return fmt.Errorf("study: arm %q: expected %s", arm, strings.Join(Arms, " or "))
	}
	for _, a := range r.Arms {
		if a.Name == arm {
			return fmt.Errorf("study: %s has the arm %s already", r.Dir, arm)
		}
		if !slices.Contains(Arms, a.Name) {
			return fmt.Errorf("study: %s compares other arms (%s): expected a study of %s", r.Dir, r.subject(),
				strings.Join(Arms, " and "))
		}
	}
	return nil
}

// extend measures a seed of the new arm, or adds missing measurements to a seed of another arm.
func (r *runner) extend(ctx context.Context, arm *ArmResult, seed uint64) error {
	cfg, err := r.config(arm.Arm, seed)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(arm.Seeds, func(s SeedResult) bool { return s.Seed == seed }); i >= 0 {
		s := &arm.Seeds[i]
		if len(s.Contexts) == 0 {
			s.Contexts = []ContextResult{{Context: experiment.WindowContext, embeddings: s.embeddings,
				layout: s.Embedding.Layout.Y}}
			if err := s.Contexts[0].measure(seed); err != nil {
				return err
			}
		}
		return r.complete(ctx, cfg, s)
	}
	dir := r.folder(arm.Arm, seed)
	key, err := r.key(cfg)
	if err != nil {
		return err
	}
	s := &SeedResult{Seed: seed, Commit: version.Get().Commit, Run: "runs/" + filepath.Base(dir)}
	if err := r.make(ctx, dir, arm.Arm, cfg, s); err != nil {
		return err
	}
	if err := r.keep(dir, key, s); err != nil {
		return err
	}
	if err := r.complete(ctx, cfg, s); err != nil {
		return err
	}
	arm.Seeds = append(arm.Seeds, *s)
	return nil
}

// forget drops everything that summarise makes.
func (r *Result) forget() {
	r.Centroids, r.Chance, r.Crossed = nil, nil, nil
	r.Contexts, r.Contrasts, r.Attribution, r.ContextVerdicts, r.Effects = nil, nil, nil, nil, nil
	r.Outcomes, r.OutcomeContrasts = nil, nil
}

// crossedWith embeds the windows of a run with the encoder of another arm. It is nil if the weights do not exist and
// are not required.
func (r *runner) crossedWith(other ArmResult, seed uint64, w *experiment.Contexts) (*tsne.Embeddings, error) {
	if _, err := os.Stat(filepath.Join(r.folder(other.Arm, seed), experiment.WeightsFile)); err != nil && r.partly {
		return nil, nil
	}
	return r.embedBy(other.Arm, seed, w)
}
