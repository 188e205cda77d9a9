package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"nacre/experiment"
	"nacre/experiment/sweep"
	"nacre/internal/atomicfile"
)

// trainTogether trains the missing runs in order, as many at a time as there are workers. If there are fewer runs than
// workers, they share the workers. Several runs at the same time keep a processor busier than one run on all its cores
// after the other, and give the same numbers. The first error stops all.
func (r *runner) trainTogether(ctx context.Context, arms []Arm) error {
	together := together(r.host, r.plan.Seeds*len(arms))
	host := r.host
	host.Workers = workersOf(host) / together
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var (
		turns = make(chan struct{}, together)
		all   sync.WaitGroup
		once  sync.Once
		first error // other errors come from runs that were stopped because of it
	)
	for seed := uint64(1); seed <= uint64(r.plan.Seeds); seed++ {
		for _, arm := range arms {
			turns <- struct{}{}
			all.Go(func() {
				defer func() { <-turns }()
				if ctx.Err() != nil {
					return
				}
				if err := r.trainOne(ctx, host, arm, seed); err != nil {
					once.Do(func() { first = r.failed(arm, seed, err) })
					stop()
				}
			})
		}
	}
	all.Wait()
	return first
}

// trainOne trains a run unless it is done.
func (r *runner) trainOne(ctx context.Context, host experiment.Host, arm Arm, seed uint64) error {
	dir := r.folder(arm, seed)
	if _, err := os.Stat(filepath.Join(dir, keptFile)); err == nil {
		return nil
	}
	cfg, err := r.config(arm, seed)
	if err != nil {
		return err
	}
	if err := r.adopt(arm, seed, cfg); err != nil {
		return err
	}
	if done, err := finished(dir, cfg); done || err != nil {
		return err
	}
	t, err := r.startOrResume(dir, cfg, host)
	if err != nil {
		return err
	}
	defer t.Close()
	return t.Train(ctx, r.show)
}

// adopt copies a run that a sweep has trained into the study, without the files that only resuming needs. A run that
// the sweep has begun is left to the sweep.
func (r *runner) adopt(arm Arm, seed uint64, cfg experiment.Config) error {
	from, to := r.begun(arm, seed), r.folder(arm, seed)
	if from == to {
		return nil
	}
	done, err := finished(from, cfg)
	if err == nil && !done {
		err = fmt.Errorf("%s is not trained to its end: continue its sweep first", from)
	}
	if err != nil {
		return err
	}
	for _, name := range trained { // the configuration last: with it the run counts as there
		if _, err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

// begun is the folder in which the study or a sweep has begun a run. If there is none, it is the study's folder of the
// run.
func (r *runner) begun(arm Arm, seed uint64) string {
	own := r.folder(arm, seed)
	if exists(filepath.Join(own, experiment.ConfigFile)) {
		return own
	}
	for _, s := range r.plan.Sweeps {
		dir := filepath.Join(s, "runs", sweep.RunName(r.family, arm.Name, seed))
		if exists(filepath.Join(dir, experiment.ConfigFile)) {
			return dir
		}
	}
	return own
}

// announce writes the list of a study's runs, and keeps the runs that earlier studies announced in the folder. So the
// list also shows the runs that wait.
func announce(dir string, plan Plan, family string, arms []Arm) error {
	manifest := sweep.Folder{Name: plan.Name}
	path := filepath.Join(dir, PlanFile)
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &manifest); err != nil {
			return fmt.Errorf("study: %s: %w", path, err)
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("study: %w", err)
	}
	for seed := uint64(1); seed <= uint64(plan.Seeds); seed++ {
		for _, arm := range arms {
			run := sweep.Run{Name: runName(arm, seed), Family: family, System: arm.Name, Seed: seed}
			if !slices.ContainsFunc(manifest.Runs, func(r sweep.Run) bool { return r.Name == run.Name }) {
				manifest.Runs = append(manifest.Runs, run)
			}
		}
	}
	return atomicfile.WriteJSON(path, manifest)
}

func runName(arm Arm, seed uint64) string { return fmt.Sprintf("%s-seed%d", arm.Name, seed) }

func (r *runner) folder(arm Arm, seed uint64) string {
	return filepath.Join(r.runs, runName(arm, seed))
}

// finished reports whether the run in dir is trained to its end. A run of another configuration is an error. A finished
// run needs no checkpoint, so a packed run is enough.
func finished(dir string, cfg experiment.Config) (bool, error) {
	if !exists(filepath.Join(dir, experiment.ConfigFile)) {
		return false, nil
	}
	run, err := experiment.View(dir)
	if err != nil {
		return false, err
	}
	saved := experiment.Default()
	if _, err := run.ReadConfig(&saved); err != nil {
		return false, err
	}
	standing, err := run.Standing(saved)
	if err != nil || !standing.Finished {
		return false, err
	}
	return true, unlike(dir, saved, cfg)
}

// unlike is the error for a run that was made with another configuration.
func unlike(dir string, saved, cfg experiment.Config) error {
	same, err := saved.Equal(cfg)
	if err == nil && !same {
		err = fmt.Errorf("the run in %s was made with another configuration: choose another folder for the study", dir)
	}
	return err
}

func (r *runner) failed(arm Arm, seed uint64, err error) error {
	return fmt.Errorf("study %s: %s, seed %d: %w", r.plan.Name, arm.Name, seed, err)
}
