package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"nacre/experiment"
	"nacre/internal/shell"
	"nacre/rl/config"
	"nacre/rl/protocol"
)

// TrainReport is the output of nacre train and nacre resume.
type TrainReport struct {
	Run        string           `json:"run"` // folder of the run
	Algorithm  string           `json:"algorithm"`
	Family     string           `json:"family"`
	Seed       uint64           `json:"seed"`
	Device     string           `json:"device"`
	Iterations int              `json:"iterations"`
	EnvSteps   int64            `json:"env_steps"`
	Updates    int64            `json:"updates"`
	Notices    []string         `json:"notices,omitempty"`
	Evaluation protocol.Summary `json:"evaluation"` // evaluation on the test tasks at the end
}

// TrainOptions are the flags of nacre train.
type TrainOptions struct {
	Algorithm string // one of rl.Names(); if empty, the preset's
	Family    string // if empty, the preset's
	Preset    string
	Config    string   // path of a TOML file; empty for none
	Set       []string // settings as key=value
	Seed      uint64
	SeedGiven bool // whether Seed was given; otherwise the configuration's seed is used
	Out       string
	Seeds     int // number of runs with consecutive seeds, trained side by side
	experiment.Host
}

// Train makes a run folder and trains in it.
func Train(ctx context.Context, env *Env, o TrainOptions) error {
	cfg, err := o.resolve()
	if err != nil {
		return err
	}
	if o.Seeds > 1 {
		return env.trainSeeds(ctx, o, cfg)
	}
	t, err := experiment.Start(o.folder(cfg), cfg, o.Host)
	if err != nil {
		return err
	}
	defer t.Close()
	return env.train(ctx, t, env.tell(t, nil))
}

// folder returns the folder of a run. Runs side by side need one each.
func (o TrainOptions) folder(cfg experiment.Config) string {
	switch {
	case o.Out == "":
		return filepath.Join("runs", fmt.Sprintf("%s-%s-seed%d", slug(cfg.Family),
			cfg.Algorithm, cfg.Seed))
	case o.Seeds > 1:
		return fmt.Sprintf("%s-seed%d", o.Out, cfg.Seed)
	}
	return o.Out
}

// slug returns a family's name as part of a folder's name. The name of a class in Python may have parentheses and
// quotes in it.
func slug(family string) string {
	return strings.Trim(special.ReplaceAllString(family, "-"), "-")
}

var special = regexp.MustCompile(`[^a-zA-Z0-9.:_]+`)

// trainSeeds trains runs with consecutive seeds at the same time. One run leaves most of a GPU idle, so on a GPU their
// updates are one program. The workers are divided among the runs.
func (env *Env) trainSeeds(ctx context.Context, o TrainOptions, cfg experiment.Config) error {
	if last := cfg.Seed + uint64(o.Seeds-1); last > math.MaxInt64 {
		return Usagef("--seeds %d from seed %d on ends with %d: expected each to be %s", o.Seeds, cfg.Seed, last,
			config.WholeFromZero)
	}
	host := o.Host
	host.Workers = cmp.Or(host.Workers, runtime.NumCPU())
	host.Workers = max(1, host.Workers/o.Seeds)
	host, err := host.Together(o.Seeds)
	if err != nil {
		return err
	}
	runs := make([]*experiment.Training, o.Seeds)
	for i := range runs {
		c := cfg
		c.Seed += uint64(i)
		if runs[i], err = experiment.Start(o.folder(c), c, host); err != nil {
			for _, t := range runs[:i] {
				t.Close()
			}
			return err
		}
	}
	notices := env.tell(runs[0], nil)
	errs, reports := make([]error, len(runs)), make(TrainReports, len(runs))
	var all sync.WaitGroup
	for i, t := range runs {
		all.Go(func() {
			reports[i], errs[i] = env.finish(ctx, t, notices)
			errs[i] = errors.Join(errs[i], t.Close()) // closed at once: other runs wait for those that are open
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return env.Print(reports, reports.WriteText)
}

// tell adds a training's messages about its device and its folder to the notices, and prints them.
func (env *Env) tell(t *experiment.Training, notices []string) []string {
	notices = append(notices, t.Notices()...)
	for _, n := range notices {
		env.Notice(n)
	}
	return notices
}

// resolve puts the configuration's layers on top of each other: preset, file, algorithm and family, assignments, seed.
// The preset may be named in the file.
func (o TrainOptions) resolve() (experiment.Config, error) {
	cfg := experiment.Default()
	if o.Preset == "" && o.Config == "" {
		return cfg, Usagef("neither --preset nor --config: expected one of them, \"nacre presets\" lists presets")
	}
	if err := o.twice(); err != nil {
		return cfg, err
	}
	preset := o.Preset
	if o.Config != "" {
		named, err := experiment.PresetOf(o.Config)
		if err != nil {
			return cfg, err
		}
		if named != "" && preset != "" && named != preset {
			return cfg, Usagef("%s has preset = %q, and --preset is %s: expected one of them", o.Config, named, preset)
		}
		preset = cmp.Or(preset, named)
	}
	if preset != "" {
		var err error
		if cfg, err = experiment.Preset(preset); err != nil {
			return cfg, err
		}
	}
	var layers []config.Layer
	if o.Config != "" {
		layers = append(layers, experiment.ConfigFileLayer(o.Config))
	}
	layers = append(layers, func(any) error {
		if o.Algorithm != "" {
			cfg.Algorithm = o.Algorithm
		}
		if o.Family != "" {
			cfg.Family = o.Family
		}
		return nil
	}, config.Set(o.Set...))
	if o.SeedGiven {
		layers = append(layers, func(any) error { cfg.Seed = o.Seed; return nil })
	}
	return cfg, config.Resolve(&cfg, layers...)
}

// twice refuses a setting that a flag and --set give different values.
func (o TrainOptions) twice() error {
	seed := ""
	if o.SeedGiven {
		seed = strconv.FormatUint(o.Seed, 10)
	}
	for _, assignment := range o.Set {
		key, value, _ := strings.Cut(assignment, "=")
		key, value = strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), `"'`)
		for _, flag := range [][2]string{{"seed", seed}, {"algorithm", o.Algorithm}, {"family", o.Family}} {
			if key == flag[0] && flag[1] != "" && value != flag[1] {
				return Usagef("--set %s, and --%s is %s: expected one of them", assignment, flag[0], flag[1])
			}
		}
		if key == "preset" {
			return Usagef("--set %s would only change the name on record: choose the preset with --preset %s",
				assignment, value)
		}
	}
	return nil
}

// ResumeOptions are the flags of nacre resume.
type ResumeOptions struct {
	Dir       string
	StartOver bool     // train the run again from its beginning
	Set       []string // key=value of the setting that makes the run longer
	experiment.Host
}

// Resume continues a run from its checkpoint.
func Resume(ctx context.Context, env *Env, o ResumeOptions) error {
	resume := experiment.Resume
	switch {
	case o.StartOver:
		resume = experiment.StartOver
	case len(o.Set) > 0:
		resume = func(dir string, host experiment.Host) (*experiment.Training, []string, error) {
			return experiment.Extend(dir, o.Host, changed(o.Set))
		}
	}
	t, notices, err := resume(o.Dir, o.Host)
	if err != nil {
		return err
	}
	defer t.Close()
	env.Progress.Note(o.Dir + ": " + t.Found())
	return env.train(ctx, t, env.tell(t, notices))
}

// changed returns the change of a configuration by the assignments of --set.
func changed(set []string) func(*experiment.Config) error {
	return func(cfg *experiment.Config) error { return config.Resolve(cfg, config.Set(set...)) }
}

// BranchOptions are the flags of nacre branch.
type BranchOptions struct {
	Dir string // folder of the parent
	At  int    // number of complete iterations of the parent after which the branch begins
	Set []string
	Out string
	experiment.Host
}

// Branch begins a run from another run's state and trains it.
func Branch(ctx context.Context, env *Env, o BranchOptions) error {
	t, notices, err := experiment.Branch(o.Dir, o.At, o.Out, o.Host, changed(o.Set))
	if err != nil {
		return err
	}
	defer t.Close()
	return env.train(ctx, t, env.tell(t, notices))
}

func (env *Env) train(ctx context.Context, t *experiment.Training, notices []string) error {
	r, err := env.finish(ctx, t, notices)
	if err != nil {
		return err
	}
	return env.Print(r, r.WriteText)
}

// finish trains to the end and reports.
func (env *Env) finish(ctx context.Context, t *experiment.Training, notices []string) (TrainReport, error) {
	if err := t.Train(ctx, env.Progress); err != nil {
		if errors.Is(err, ErrInterrupted) {
			return TrainReport{}, fmt.Errorf("%w; continue with: %s", err,
				shell.Command("nacre", "resume", shell.Path(t.Dir())))
		}
		return TrainReport{}, err
	}
	result, err := t.Result()
	return TrainReport{
		Run: t.Dir(), Algorithm: t.Config.Algorithm, Family: t.Config.Family, Seed: t.Config.Seed, Device: t.Device(),
		Iterations: t.Iteration(), EnvSteps: t.EnvSteps(), Updates: t.Updates(), Notices: notices,
		Evaluation: result.Summary,
	}, err
}

// TrainReports are the reports of the runs of several seeds.
type TrainReports []TrainReport

// WriteText prints the reports as text.
func (rs TrainReports) WriteText(w io.Writer) error {
	for _, r := range rs {
		if err := r.WriteText(w); err != nil {
			return err
		}
	}
	return nil
}

// WriteText prints the report as text.
func (r TrainReport) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, `%s on %s, seed %d, on %s: %d iterations, %d environment steps, %d updates
adapted return on test tasks %.4g (95 %% over tasks %s)
run folder %s
`, r.Algorithm, r.Family, r.Seed, r.Device, r.Iterations, r.EnvSteps, r.Updates,
		r.Evaluation.Adapted.Mean, between(r.Evaluation.Adapted), r.Run)
	return err
}
