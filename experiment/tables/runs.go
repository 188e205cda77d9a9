package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/experiment/foreign"
	"nacre/experiment/sweep"
	"nacre/internal/folders"
	"nacre/internal/plainfile"
	"nacre/rl/protocol"
)

// Run holds the data of a run folder that tables and plots need.
type Run struct {
	Dir    string `json:"run"`
	System string `json:"system"` // the sweep's name for it, otherwise the algorithm
	experiment.Standing
	Config  experiment.Config  `json:"-"`
	Session experiment.Process `json:"-"` // the last process
	Curve   []Point            `json:"-"` // evaluations during training
	Final   *protocol.Result   `json:"-"` // evaluation at the end; nil before it
	Log     *foreign.Log       `json:"-"` // log of another program; nil for a run folder
	Notes   []string           `json:"-"` // what is wrong with a run folder, and what was left out of its curve
	metrics experiment.Series  // the rows of a run folder that count
	lost    []float64          // steps of the evaluations that are NaN, infinite or too large
	end     float64            // last step of a log, which need not be whole
}

// Point is one evaluation of the test tasks during training.
type Point struct {
	EnvSteps, Return, Success float64
}

// Load reads run folders, folders of sweeps, logs of other programs, and folders that hold such folders, each run once.
// Notes say what was left out.
func Load(paths ...string) (runs []Run, notes []string, err error) {
	return LoadWith(foreign.Columns{}, paths...)
}

// LoadWith is Load with the columns to read from logs of other programs.
func LoadWith(c foreign.Columns, paths ...string) (runs []Run, notes []string, err error) {
	seen := map[string]bool{}
	var failed error
	note := func(line string) { notes = append(notes, line) }
	for _, path := range paths {
		found, err := load(path, c, note)
		if bad, ok := errors.AsType[*runError](err); ok && len(paths) > 1 {
			note(bad.leftOut())
			if failed == nil {
				failed = bad
			}
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			return nil, nil, nothing(path, notes)
		}
		for _, r := range found {
			if dir := folders.Real(r.Dir); !seen[dir] {
				seen[dir] = true
				runs = append(runs, r)
			} else {
				note(fmt.Sprintf("%s was named before: counted once", r.Dir))
			}
		}
	}
	if len(runs) == 0 && failed != nil {
		return nil, notes, failed
	}
	return runs, notes, nil
}

// runError is the error of a run folder that cannot be read.
type runError struct {
	dir string
	err error
}

func (e *runError) Error() string { return fmt.Sprintf("%s: %v", e.dir, e.err) }

func (e *runError) Unwrap() error { return e.err }

func (e *runError) leftOut() string { return fmt.Sprintf("%s is left out: %v", e.dir, e.err) }

// nothing is the error of a path without runs.
func nothing(path string, notes []string) error {
	about := fmt.Sprintf("%s holds no run folder: expected one with a %s, the folder of a sweep, or the log of "+
		"another program", path, experiment.ConfigFile)
	if len(notes) > 0 {
		about += " (" + strings.Join(notes, "; ") + ")"
	}
	return errors.New(about)
}

func load(root string, c foreign.Columns, note func(string)) ([]Run, error) {
	if info, err := plainfile.Stat(root); err == nil && !info.IsDir() || err != nil && isLog(root) {
		return loadLogs(root, c)
	}
	var out []Run
	err := folders.Walk(root, folders.Options{Note: note}, func(path, _ string) (err error) {
		var runs []Run
		switch {
		case has(path, sweep.ManifestFile):
			runs, err = loadSweep(path, note)
		case has(path, experiment.ConfigFile):
			r, err := Read(path, "")
			if err != nil && path == root {
				return &runError{path, err}
			} else if err != nil {
				note((&runError{path, err}).leftOut())
				return fs.SkipDir
			}
			runs = []Run{r}
		default:
			if runs, err = loadLogs(path, c); err != nil && path != root {
				note(fmt.Sprintf("%s is left out: %v", path, err))
				return nil
			}
			if len(runs) == 0 || runs[0].Dir != path {
				out = append(out, runs...) // runs of files in the folder; other runs may be below it
				return err
			}
		}
		out = append(out, runs...)
		if err == nil {
			err = fs.SkipDir
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	return out, nil
}

func has(dir, name string) bool {
	_, err := plainfile.Stat(filepath.Join(dir, name))
	return err == nil
}

// loadSweep reads the runs of a sweep, including those that were not begun. One that cannot be read is left out.
func loadSweep(dir string, note func(string)) ([]Run, error) {
	f, err := sweep.Open(dir)
	if err != nil {
		return nil, err
	}
	status, err := f.Status()
	if err != nil {
		return nil, err
	}
	var out []Run
	for _, s := range status {
		if s.Other != "" {
			note((&runError{s.Dir, errors.New(s.Other)}).leftOut())
			continue
		}
		if s.Iterations == 0 && !s.Finished && s.Damage == "" {
			out = append(out, Run{Dir: s.Dir, System: s.System, Config: s.Run.Config})
			continue
		}
		r, err := Read(s.Dir, s.System)
		if err != nil {
			note((&runError{s.Dir, err}).leftOut())
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

// Read reads a run folder. The argument system is the sweep's name for it; if empty, its algorithm.
func Read(dir, system string) (Run, error) {
	r := Run{Dir: dir, System: system}
	run, err := experiment.View(dir)
	if err != nil {
		return r, err
	}
	r.Config = experiment.Default()
	record, err := run.ReadConfig(&r.Config)
	if err != nil {
		return r, err
	}
	if n := len(record.Sessions); n > 0 {
		r.Session = record.Sessions[n-1]
	}
	r.System = cmp.Or(r.System, r.Config.Algorithm)
	if r.Standing, err = run.Standing(r.Config); err != nil {
		return r, err
	}
	evaluations, counted, notes, err := run.Evaluations(r.Config)
	if err != nil {
		return r, err
	}
	r.metrics = counted
	if notes, err = r.curve(evaluations, notes); err != nil {
		return r, err
	}
	if r.Notes = notes; r.Damage != "" {
		r.Notes = append([]string{r.Damage}, notes...)
	}
	if r.Finished {
		result, err := run.ReadEvaluation()
		if err != nil {
			return r, err
		}
		r.Final = &result
	}
	return r, nil
}

// curve fills in the evaluations that count, and finds the lost ones. It appends a note on those that do not count.
func (r *Run) curve(evaluations []experiment.Evaluation, notes []string) ([]string, error) {
	var line stats.Line
	for _, e := range evaluations {
		line.X, line.Y = append(line.X, e.EnvSteps), append(line.Y, e.Return)
	}
	at, left := line.Counted("environment steps")
	for _, i := range at {
		r.Curve = append(r.Curve, Point(evaluations[i]))
	}
	if left != "" {
		notes = append(notes, left)
	}
	if len(r.metrics.Rows) == 0 {
		return notes, nil
	}
	steps, err := r.metrics.Column("env_steps")
	if err != nil {
		return nil, err
	}
	returns, err := r.metrics.Column("adapted_return")
	if err != nil {
		return nil, err
	}
	column := slices.Index(r.metrics.Columns, "adapted_return")
	for _, o := range r.metrics.Odd {
		if o.Column == column {
			r.lost = append(r.lost, steps[o.Row])
		}
	}
	for i, v := range returns {
		if math.Abs(v) > stats.MostSize && !math.IsInf(v, 0) {
			r.lost = append(r.lost, steps[i])
		}
	}
	return notes, nil
}

// last is the last environment step.
func (r Run) last() float64 { return max(r.end, float64(r.EnvSteps)) }

// Return is the mean of the evaluations in the last tenth of the given environment steps, (0.9·steps, steps], as in the
// paper's tables. If the last tenth has no evaluation, Return takes the last evaluation before. There are two
// exceptions: a NaN evaluation follows, or the gap from that last evaluation to the end is longer than any gap between
// two evaluations. Then the run has no value, and ok is false. If steps is 0, all steps of the run are meant.
func (r Run) Return(steps float64) (value float64, evaluations int, ok bool) {
	steps = cmp.Or(steps, r.last())
	var values []float64
	gap, before := 0.0, 0.0
	var last Point
	for _, p := range r.Curve {
		gap, before = max(gap, p.EnvSteps-before), p.EnvSteps
		if p.EnvSteps > steps {
			continue
		}
		if last, ok = p, true; p.EnvSteps > 0.9*steps {
			values = append(values, p.Return)
		}
	}
	if len(values) > 0 {
		return stats.Mean(values), len(values), true
	}
	ok = ok && steps-last.EnvSteps <= gap &&
		!slices.ContainsFunc(r.lost, func(at float64) bool { return at > last.EnvSteps && at <= steps })
	return last.Return, 1, ok
}

// reached reports whether a run has made that many environment steps, or for 0 whether it is finished.
func (r Run) reached(steps int64) bool {
	if steps == 0 {
		return r.Finished
	}
	return r.last() >= float64(steps)
}

// systems lists the systems of runs: those in order first, as far as there are runs of them, then the others by
// appearance.
func systems(runs []Run, order []string) []string {
	var found []string
	for _, r := range runs {
		if !slices.Contains(found, r.System) {
			found = append(found, r.System)
		}
	}
	var out []string
	for _, s := range order {
		if slices.Contains(found, s) {
			out = append(out, s)
		}
	}
	for _, s := range found {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
