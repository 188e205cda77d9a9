package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"nacre/experiment"
	"nacre/experiment/runs"
	"nacre/experiment/study"
	"nacre/internal/plainfile"
)

// report completes the copied folder of a study or of a run: it adds a report if there is none, and an episode to
// watch. It does nothing for other folders.
func (s *site) report(ctx context.Context, env *Env, dir, under string) error {
	run := exists(dir, experiment.ConfigFile) && exists(dir, experiment.MetricsFile)
	if !run && !exists(dir, study.ReportFile) {
		return nil
	}
	agents := []string{dir}
	if run {
		text, picture, err := runs.Report(dir)
		if err != nil {
			return fmt.Errorf("report of %s: %w", dir, err)
		}
		if err := errors.Join(s.made(path.Join(under, study.ReportFile), []byte(text)),
			s.made(path.Join(under, runs.LearningFile), picture)); err != nil {
			return err
		}
	} else {
		agents = nil
		entries, err := plainfile.ReadDir(filepath.Join(dir, "runs"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), "-seed1") {
				agents = append(agents, filepath.Join(dir, "runs", e.Name()))
			}
		}
	}
	s.about.Reports = append(s.about.Reports, path.Join(under, study.ReportFile))
	episode, err := watch(ctx, env, agents)
	if err != nil {
		env.Notice(fmt.Sprintf("%s gets no episode to watch: %v", dir, err))
		return nil
	}
	return s.made(path.Join(under, runs.RolloutFile), episode)
}

func exists(dir, name string) bool {
	_, err := plainfile.Stat(filepath.Join(dir, name))
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
	if err := Render(ctx, quiet, RenderOptions{What: agents[0], Beside: agents[1:], Out: file.Name(),
		At: -1}); err != nil {
		return nil, err
	}
	return os.ReadFile(file.Name())
}

// offered reports whether a site offers a file. It offers no Go sources beside notebooks and no files that are only
// needed to continue a training.
func offered(rel string) bool {
	base := filepath.Base(rel)
	switch filepath.Ext(base) {
	case ".go", ".lock", ".tmp":
		return false
	}
	return base != experiment.CheckpointFile && base != experiment.PreviousCheckpointFile &&
		!strings.HasPrefix(base, "events.out.tfevents")
}
