package runs

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"nacre/experiment"
	"nacre/experiment/foreign"
	"nacre/internal/plainfile"
)

// logFolders remembers which folders hold logs of other programs, until something is added to a folder.
type logFolders struct {
	mu    sync.Mutex
	known map[string]logFolder
}

type logFolder struct {
	changed time.Time
	paths   []string
}

// of returns the paths, below the root, of the logs that lie directly in a folder. A folder that cannot be read holds
// none.
func (l *logFolders) of(dir, below string) []string {
	info, err := plainfile.Stat(dir)
	if err != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.known[dir]; ok && known.changed.Equal(info.ModTime()) {
		return known.paths
	}
	refs, _ := foreign.Find(dir)
	f := logFolder{changed: info.ModTime()}
	for _, ref := range refs {
		f.paths = append(f.paths, path.Join(below, filepath.ToSlash(strings.TrimPrefix(ref, dir))))
	}
	if l.known == nil {
		l.known = map[string]logFolder{}
	}
	l.known[dir] = f
	return f.paths
}

// lookAtLog is look for another program's log.
func (e *entry) lookAtLog() (*Run, bool) {
	file, _, _ := strings.Cut(e.dir, "#")
	now, newest := stamp{}, time.Time{}
	for _, name := range append([]string{file}, logFiles(file)...) {
		info, err := plainfile.Stat(name)
		if err != nil {
			continue
		}
		if now.size += info.Size(); info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	now.time = newest
	if now == e.stamps[0] && e.run != nil && e.run.Group == e.group.name() {
		return nil, false
	}
	run := &Run{Path: e.path, Group: e.group.name(), Changed: newest, Latest: map[string]Number{}, State: Log,
		Note: Note{Tags: []string{}}}
	log, err := foreign.Open(e.dir, foreign.Columns{})
	if err != nil {
		run.State, run.Problem = Broken, err.Error()
	} else {
		run.of(log)
	}
	e.log, e.stamps[0] = log, now
	return run, true
}

// logFiles returns the files in a folder. Its log has grown if they have.
func logFiles(dir string) (names []string) {
	entries, err := plainfile.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, filepath.Join(dir, entry.Name()))
		}
	}
	return names
}

// of fills a run in with a log.
func (r *Run) of(l *foreign.Log) {
	r.Algorithm, r.Title, r.Family, r.Seed, r.Identity = l.System, l.System, l.Family, l.Seed, l.Identity()
	r.Numbers = l.System + ", " + l.Family + ", " + l.Beginning()
	r.About = strings.Join(append([]string{l.Tool + "'s log: " + l.Rule()}, l.Notes...), "; ")
	r.Settings = l.Settings()
	r.Standing = experiment.Standing{Iterations: len(l.Points), Share: 1, EnvSteps: l.EnvSteps()}
	f := l.Frame()
	for _, name := range f.Names() {
		v, err := f.Numbers(name)
		if err != nil {
			continue
		}
		for _, x := range slices.Backward(v) {
			if !math.IsNaN(x) {
				r.Latest[name] = Number(x)
				break
			}
		}
	}
}

// logCurve is Curve for another program's log, which has neither updates nor times.
func (e *entry) logCurve(c Curve, most int) (Curve, error) {
	e.mu.Lock()
	l := e.log
	e.mu.Unlock()
	if l == nil {
		return c, ErrUnknown
	}
	f := l.Frame()
	steps, err := f.Numbers(l.Step)
	if err != nil {
		return c, err
	}
	values, err := f.Numbers(c.Column)
	if err != nil {
		return c, err
	}
	infinite := 0
	for _, v := range values {
		if math.IsInf(v, 0) {
			infinite++
		}
	}
	if infinite > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("column %s is infinite in %d of %d rows: they are left out", c.Column,
			infinite, len(values)))
	}
	c.take([3][]float64{steps, make([]float64, len(steps)), values}, make([]float64, len(steps)), most)
	return c, nil
}
