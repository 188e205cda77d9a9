package experiment

import (
	"fmt"
	"math"
)

// Standing says how far a run is, according to its metrics.
type Standing struct {
	Iterations int     `json:"iterations"` // number of complete iterations
	EnvSteps   int64   `json:"env_steps"`
	Updates    int64   `json:"updates"`
	Share      float64 `json:"share"`   // done share of the schedule, 0 to 1
	Seconds    float64 `json:"seconds"` // seconds of work in those iterations, over all processes
	Finished   bool    `json:"finished"`
}

// Watch follows the run of a configuration. The run may be under way in another process.
type Watch struct {
	Latest map[string]float64 // the last number in each column of the metrics
	run    *Run
	cfg    Config

	metrics, timing *Follower
	standing        Standing
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
		return w.standing, err
	}
	s := &w.standing
	if again {
		clear(w.Latest)
		s.Iterations, s.EnvSteps, s.Updates = 0, 0, 0
	}
	s.Iterations += len(rows)
	for _, row := range rows {
		for i, v := range row {
			if !math.IsNaN(v) {
				w.Latest[w.metrics.Columns[i]] = v
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
	s.Finished = w.run.Has(EvaluationFile)
	if s.Share, err = share(w.cfg, s.Iterations, s.EnvSteps); err != nil {
		return *s, err
	}
	if s.Finished {
		s.Share = 1
	}
	return *s, nil
}

// Outgrown returns the standing measured against the length of c, if c differs from the configuration in the folder
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

// Standing says how far the run of a configuration is.
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
