package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"nacre/analysis/plots"
	"nacre/experiment"
	"nacre/experiment/study"
)

// rolloutFile is an episode of each algorithm, for playback beside a report.
const rolloutFile = "rollout.json"

// report adds to the site what makes the folder of a study or of a run, copied under a name, worth reading: a report where
// there is none, and an episode to watch. Of other folders it does nothing.
func (s *site) report(ctx context.Context, env *Env, dir, under string) error {
	run := exists(dir, experiment.ConfigFile) && exists(dir, experiment.MetricsFile)
	if !run && !exists(dir, study.ReportFile) {
		return nil
	}
	agents := []string{dir}
	if run {
		text, picture, err := runReport(dir)
		if err != nil {
			return fmt.Errorf("report of %s: %w", dir, err)
		}
		if err := errors.Join(s.made(path.Join(under, study.ReportFile), text), s.made(path.Join(under, "learning.png"), picture)); err != nil {
			return err
		}
	} else {
		var err error
		if agents, err = filepath.Glob(filepath.Join(dir, "runs", "*-seed1")); err != nil {
			return err
		}
	}
	s.about.Reports = append(s.about.Reports, path.Join(under, study.ReportFile))
	episode, err := watch(ctx, env, agents)
	if err != nil {
		env.Notice(fmt.Sprintf("%s gets no episode to watch: %v", dir, err))
		return nil
	}
	return s.made(path.Join(under, rolloutFile), episode)
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// made adds a file that was not copied.
func (s *site) made(name string, data []byte) error {
	s.about.Files = slices.DeleteFunc(s.about.Files, func(f siteFile) bool { return f.Path == name })
	s.about.Files = append(s.about.Files, siteFile{Path: name, Size: int64(len(data)), Time: s.now})
	return s.write("files/"+name, data)
}

// watch records an episode of each agent on the first test task.
func watch(ctx context.Context, env *Env, agents []string) ([]byte, error) {
	if len(agents) == 0 {
		return nil, fmt.Errorf("no runs are kept: %w", fs.ErrNotExist)
	}
	file, err := os.CreateTemp("", "*.json")
	if err != nil {
		return nil, err
	}
	file.Close()
	defer os.Remove(file.Name())
	quiet := &Env{Out: io.Discard, Err: io.Discard, Progress: env.Progress, Log: env.Log}
	if err := Render(ctx, quiet, RenderOptions{What: agents[0], Beside: agents[1:], Out: file.Name(), At: -1}); err != nil {
		return nil, err
	}
	return os.ReadFile(file.Name())
}

// runReport is a page about one run, and the picture in it.
func runReport(dir string) (text, picture []byte, err error) {
	run, err := experiment.View(dir)
	if err != nil {
		return nil, nil, err
	}
	var cfg experiment.Config
	record, err := run.ReadConfig(&cfg)
	if err != nil {
		return nil, nil, err
	}
	metrics, err := experiment.ReadMetrics(run.Path(experiment.MetricsFile))
	if err != nil {
		return nil, nil, err
	}
	if len(metrics.Rows) == 0 {
		return nil, nil, errors.New("nothing is trained yet")
	}
	steps, err1 := metrics.Column("env_steps")
	updates, err2 := metrics.Column("updates")
	adapted, err3 := metrics.Column("adapted_return")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s on %s\n\n", experiment.Title(cfg.Algorithm), cfg.Family)
	last := len(steps) - 1
	fmt.Fprintf(&b, "Seed %d, %.0f environment steps, %.0f gradient updates", cfg.Seed, steps[last], updates[last])
	if n := len(record.Sessions); n > 0 {
		fmt.Fprintf(&b, " on %s", record.Sessions[n-1].Device)
	}
	fmt.Fprintf(&b, ". The full configuration is in [%s](%s).\n", experiment.ConfigFile, experiment.ConfigFile)
	if run.Has(experiment.EvaluationFile) {
		result, err := run.ReadEvaluation()
		if err != nil {
			return nil, nil, err
		}
		b.WriteString("\n## Adaptation to new tasks\n\n| trajectory on a new task | return |\n|---|---|\n")
		for i, r := range result.Summary.Return {
			fmt.Fprintf(&b, "| %d | %s |\n", i+1, r)
		}
		fmt.Fprintf(&b, "\nMeans over %d test tasks with 95 %% intervals.\n", cfg.TestTasks)
	}
	b.WriteString("\n## Learning\n\n![return after adaptation over training](learning.png)\n")
	picture, err = learningCurve(cfg, steps, adapted)
	return b.Bytes(), picture, err
}

func learningCurve(cfg experiment.Config, steps, adapted []float64) ([]byte, error) {
	line := plots.Series{Name: experiment.Title(cfg.Algorithm)}
	for i, y := range adapted {
		if !math.IsNaN(y) {
			line.X, line.Y = append(line.X, steps[i]), append(line.Y, y)
		}
	}
	figure, err := plots.Curves(plots.CurvePanel{
		Title: "Return on test tasks of " + cfg.Family, XLabel: "environment steps", YLabel: "return after adaptation", Series: []plots.Series{line},
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = figure.WritePNG(&b)
	return b.Bytes(), err
}

// offered says whether a file belongs on a site: Go sources beside notebooks and what only continues a training do not.
func offered(rel string) bool {
	base := filepath.Base(rel)
	switch filepath.Ext(base) {
	case ".go", ".lock", ".tmp":
		return false
	}
	return base != experiment.CheckpointFile && base != experiment.PreviousCheckpointFile && !strings.HasPrefix(base, "events.out.tfevents")
}
