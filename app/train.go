package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"nacre/config"
	"nacre/experiment"
	"nacre/protocol"
)

// TrainReport is what nacre train and nacre resume print.
type TrainReport struct {
	Run        string           `json:"run"` // folder
	Algorithm  string           `json:"algorithm"`
	Family     string           `json:"family"`
	Seed       uint64           `json:"seed"`
	Device     string           `json:"device"`
	Iterations int              `json:"iterations"`
	EnvSteps   int64            `json:"env_steps"`
	Updates    int64            `json:"updates"`
	Notices    []string         `json:"notices,omitempty"`
	Evaluation protocol.Summary `json:"evaluation"` // of the test tasks at the end
}

// Train makes a run folder and trains in it.
func Train(ctx context.Context, env *Env, o TrainOptions) error {
	cfg, err := o.resolve()
	if err != nil {
		return err
	}
	dir := o.Out
	if dir == "" {
		dir = filepath.Join("runs", fmt.Sprintf("%s-%s-seed%d", strings.ReplaceAll(cfg.Family, "/", "-"), cfg.Algorithm, cfg.Seed))
	}
	t, err := experiment.Start(dir, cfg, experiment.Host{Workers: o.Workers, Kernel: kernelOf("", o.Precision)})
	if err != nil {
		return err
	}
	defer t.Close()
	return env.train(ctx, t, nil)
}

// resolve lays the configuration's layers over each other: preset, file, algorithm and family, assignments, seed.
func (o TrainOptions) resolve() (experiment.Config, error) {
	cfg := experiment.Default()
	if o.Preset == "" && o.Config == "" {
		return cfg, Usagef("neither --preset nor --config: expected one of them, \"nacre presets\" lists presets")
	}
	if o.Preset != "" {
		var err error
		if cfg, err = experiment.Preset(o.Preset); err != nil {
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

// Resume continues a run from its checkpoint.
func Resume(ctx context.Context, env *Env, o ResumeOptions) error {
	t, notices, err := experiment.Resume(o.Dir, experiment.Host{Workers: o.Workers})
	if err != nil {
		return err
	}
	defer t.Close()
	for _, n := range notices {
		env.Notice(n)
	}
	return env.train(ctx, t, notices)
}

func (env *Env) train(ctx context.Context, t *experiment.Training, notices []string) error {
	if err := t.Train(ctx, env.Progress); err != nil {
		if errors.Is(err, ErrInterrupted) {
			return fmt.Errorf("%w; continue with: nacre resume %s", err, t.Dir())
		}
		return err
	}
	result, err := t.Result()
	if err != nil {
		return err
	}
	r := TrainReport{
		Run: t.Dir(), Algorithm: t.Config.Algorithm, Family: t.Config.Family, Seed: t.Config.Seed, Device: t.Device(),
		Iterations: t.Iteration(), EnvSteps: t.EnvSteps(), Updates: t.Updates(), Notices: notices, Evaluation: result.Summary,
	}
	return env.Print(r, r.WriteText)
}

// WriteText prints the report for a person.
func (r TrainReport) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, `%s on %s, seed %d, on %s: %d iterations, %d environment steps, %d updates
adapted return on test tasks %.4g (95 %% over tasks %s)
run folder %s
`, r.Algorithm, r.Family, r.Seed, r.Device, r.Iterations, r.EnvSteps, r.Updates,
		r.Evaluation.Adapted.Mean, between(r.Evaluation.Adapted), r.Run)
	return err
}
