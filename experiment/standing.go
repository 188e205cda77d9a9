package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"nacre/internal/plainfile"
	"nacre/internal/shell"
)

// Standing says how far a run is, according to its metrics.
type Standing struct {
	Iterations int     `json:"iterations"` // number of complete iterations
	EnvSteps   int64   `json:"env_steps"`
	Updates    int64   `json:"updates"`
	Share      float64 `json:"share"`   // done share of the schedule, 0 to 1
	Seconds    float64 `json:"seconds"` // seconds of work in those iterations, over all processes
	Finished   bool    `json:"finished"`
	// Damage says, for a run that has its evaluation but damaged files, what is wrong and what to type. Such a run does
	// not count as finished. Damage is empty if no file is damaged.
	Damage string `json:"damage,omitempty"`
}

// Watch follows the run of a configuration. The run may be under way in another process.
type Watch struct {
	Latest map[string]float64 // the last number in each column of the metrics
	// Numbers is a hash of the numbers in the first row of the metrics. It is equal for copies of one run, even if a
	// copy claims another seed. It is empty if this row is not there yet or has too few numbers.
	Numbers string
	run     *Run
	cfg     Config

	metrics, timing *Follower
	standing        Standing
	end             int    // number of rows after which the run is complete; 0 if it is not
	wrong           string // what is wrong with a row
}

// Watch begins to follow a run. Nothing is read yet.
func (r *Run) Watch(cfg Config) *Watch {
	return &Watch{Latest: map[string]float64{}, run: r, cfg: cfg, metrics: Follow(r.Path(MetricsFile)),
		timing: Follow(r.Path(TimingFile))}
}

// Standing reads what was added to the run's files since the last call, and says how far the run is now.
func (w *Watch) Standing() (Standing, error) {
	rows, again, err := w.metrics.Read()
	if err != nil {
		return w.standing, fmt.Errorf("%w; %s", err, w.run.cure())
	}
	s := &w.standing
	if again {
		clear(w.Latest)
		s.Iterations, s.EnvSteps, s.Updates, w.wrong, w.end = 0, 0, 0, "", 0
	}
	if err := w.check(rows); err != nil {
		return *s, err
	}
	s.Iterations += len(rows)
	for _, row := range rows {
		for i, v := range row {
			column := w.metrics.Columns[i]
			counts := column == "env_steps" || column == "updates"
			if !math.IsNaN(v) && !(counts && math.IsInf(v, 0)) {
				w.Latest[column] = v
			}
		}
	}
	for column, to := range map[string]*int64{"env_steps": &s.EnvSteps, "updates": &s.Updates} {
		v, ok := w.Latest[column]
		if s.Iterations > 0 && !ok {
			return *s, fmt.Errorf("metrics: %s has no column %s", w.run.Path(MetricsFile), column)
		}
		*to = int64(v)
	}
	if rows, again, err = w.timing.Read(); err != nil {
		return *s, err
	}
	if again {
		s.Seconds = 0
	}
	for _, row := range rows {
		for _, v := range row[1:] { // the first number is the iteration
			if !math.IsNaN(v) {
				s.Seconds += v
			}
		}
	}
	if s.Share, err = share(w.cfg, s.Iterations, s.EnvSteps); err != nil {
		return *s, err
	}
	s.Damage = ""
	if s.Finished = w.run.Has(EvaluationFile); s.Finished {
		s.Damage, err = w.damage()
		s.Finished = s.Damage == "" && err == nil
	}
	return *s, err
}

// check looks for the first row that is not of the iteration after the row before, or has no number of steps, and for
// the one that completes the run.
func (w *Watch) check(rows [][]float64) error {
	of, _, err := w.cfg.Schedule()
	for i, row := range rows {
		line := w.standing.Iterations + i + 2
		if w.cfg.EnvSteps == 0 && line-1 == of {
			w.end = line - 1
		}
		if line == 2 {
			w.Numbers = numbersOf(row)
		}
		for j, v := range row {
			if w.metrics.Columns[j] == "env_steps" && w.cfg.EnvSteps > 0 && w.end == 0 && v >= float64(w.cfg.EnvSteps) {
				w.end = line - 1
			}
			switch column := w.metrics.Columns[j]; {
			case w.wrong != "":
			case column == "iteration" && v != float64(line-2):
				w.wrong = fmt.Sprintf("%s has iteration %v on line %d; expected %d, a row for each iteration",
					MetricsFile, v, line, line-2)
			case (column == "env_steps" || column == "updates") && (v != math.Trunc(v) || math.IsInf(v, 0)):
				w.wrong = fmt.Sprintf("%s has %s = %v on line %d; expected a whole number", MetricsFile, column, v,
					line)
			}
		}
	}
	return err
}

// numbersOf is a text of the numbers of a row that are not whole. It is empty for fewer than five different ones, which
// two seeds could share by chance.
func numbersOf(row []float64) string {
	broken := map[float64]bool{}
	for _, v := range row {
		if v != math.Trunc(v) && v == v {
			broken[v] = true
		}
	}
	if len(broken) < 5 {
		return ""
	}
	sum := sha256.Sum256(fmt.Append(nil, slices.Sorted(maps.Keys(broken))))
	return hex.EncodeToString(sum[:8])
}

// damage says what is wrong with the files of an evaluated run.
func (w *Watch) damage() (string, error) {
	s := w.standing
	says, err := w.run.badEvaluation()
	if err != nil {
		return "", err
	}
	done := fmt.Sprintf("iteration %d of %s", s.Iterations, lengthOf(w.cfg))
	if w.cfg.EnvSteps > 0 {
		done = fmt.Sprintf("%d of %s", s.EnvSteps, lengthOf(w.cfg))
	}
	done = strings.TrimSuffix(done, " iterations")
	half := w.metrics.half()
	switch {
	case says != "":
	case !w.run.Has(MetricsFile):
		says = MetricsFile + " is missing"
	case w.wrong != "":
		says = w.wrong
	case s.Share < 1 && half > 0:
		says = fmt.Sprintf("%s ends within line %d, at %s", MetricsFile, half, done)
	case s.Share < 1:
		says = fmt.Sprintf("%s ends at %s", MetricsFile, done)
	case half > 0:
		says = fmt.Sprintf("%s ends within line %d, after the end of the run", MetricsFile, half)
	case w.end < s.Iterations:
		says = fmt.Sprintf("%s has %d rows; the run ends after %d", MetricsFile, s.Iterations, w.end)
	default:
		return "", nil
	}
	return says + ", although the run was evaluated: " + w.run.cure(), nil
}

// badEvaluation says what is wrong with evaluation.json. It is empty if nothing is.
func (r *Run) badEvaluation() (string, error) {
	if err := plainfile.Check(r.Path(EvaluationFile)); err != nil {
		return "", fmt.Errorf("run folder: %w", err)
	}
	if _, err := r.ReadEvaluation(); err != nil {
		return strings.Replace(strings.TrimPrefix(err.Error(), "run folder: "), r.Path(EvaluationFile),
			EvaluationFile, 1), nil
	}
	return "", nil
}

// evaluationFault says what is wrong with evaluation.json beside metrics that are whole. It is empty if nothing is.
func (r *Run) evaluationFault() (string, error) {
	if says, err := r.badEvaluation(); err != nil || says != "" {
		return says, err
	}
	return r.otherEvaluation()
}

// otherEvaluation says that evaluation.json is not of the evaluation in the last row of the metrics. It is empty if it
// is, and for a run of several processes, which may have evaluated on different machines.
func (r *Run) otherEvaluation() (string, error) {
	record, err := r.Record()
	if err != nil || len(record.Sessions) != 1 {
		return "", err
	}
	result, err := r.ReadEvaluation()
	if err != nil {
		return "", err
	}
	metrics, err := ReadMetrics(r.Path(MetricsFile))
	if err != nil {
		return "", nil // said of that file
	}
	returns, err := metrics.Column("adapted_return")
	if n := len(returns); err == nil && n > 0 {
		if have, want := result.Summary.Adapted.Mean, returns[n-1]; math.Abs(have-want) > 1e-6*max(1, math.Abs(want)) {
			return fmt.Sprintf("%s has the return %v; the last row of %s has %v", EvaluationFile, have, MetricsFile,
				want), nil
		}
	}
	return "", nil
}

// cure says what to type so that a run's damaged files are made again.
func (r *Run) cure() string {
	dir := shell.Path(r.Dir)
	if err := plainfile.Writable(r.Dir); err != nil {
		return "pack the run again"
	}
	if r.Has(CheckpointFile) || r.Has(PreviousCheckpointFile) || len(r.states()) > 0 {
		return shell.Command("nacre", "resume", dir) + " repairs it"
	}
	return shell.Command("nacre", "resume", "--start-over", dir) + " trains it again, for it has no checkpoint"
}

// Outgrown returns how far the run is on its way to the length of c, if c differs from the configuration in the folder
// only by a longer run. In any other case it returns s unchanged.
func (s Standing) Outgrown(r *Run, c Config) (_ Standing, err error) {
	own := Default()
	if _, err := r.ReadConfig(&own); err != nil {
		return s, nil // reported when the run is continued
	}
	if longer, err := Longer(c, own); err != nil || !longer {
		return s, nil
	}
	s.Finished = false
	s.Share, err = share(c, s.Iterations, s.EnvSteps)
	return s, err
}

// Standing returns the progress of the run, whose configuration is cfg.
func (r *Run) Standing(cfg Config) (Standing, error) { return r.Watch(cfg).Standing() }

// share is the share of the schedule that is done.
func share(c Config, iterations int, envSteps int64) (float64, error) {
	of, _, err := c.Schedule()
	if err != nil {
		return 0, err
	}
	share := float64(iterations) / float64(of)
	if c.EnvSteps > 0 {
		share = float64(envSteps) / float64(c.EnvSteps)
	}
	return min(1, share), nil
}
