package experiment

import (
	"fmt"
	"math"
)

// Standing says how far a run is, as its metrics tell it.
type Standing struct {
	Iterations int     `json:"iterations"` // complete ones
	EnvSteps   int64   `json:"env_steps"`
	Updates    int64   `json:"updates"`
	Share      float64 `json:"share"`   // of the schedule, 0 to 1
	Seconds    float64 `json:"seconds"` // of work in those iterations, over all sessions
	Finished   bool    `json:"finished"`
}

// Watch follows the run of a configuration, which may be under way in another process.
type Watch struct {
	Latest map[string]float64 // by column of the metrics: the last number in it
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

// Standing reads what has been added to the run's files since the last time and says how far it is now.
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
		for _, v := range row[1:] { // the first is the iteration
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

// Outgrown is the standing of a run whose folder is of a configuration that c is longer than; any other stays as it is.
func (s Standing) Outgrown(r *Run, c Config) (_ Standing, err error) {
	own := Default()
	if _, err := r.ReadConfig(&own); err != nil {
		return s, nil // that is told by who goes on with it
	}
	if longer, err := Longer(c, own); err != nil || !longer {
		return s, nil
	}
	s.Finished = false
	s.Share, err = share(c, s.Iterations, s.EnvSteps)
	return s, err
}

// Standing reads how far the run of a configuration is.
func (r *Run) Standing(cfg Config) (Standing, error) { return r.Watch(cfg).Standing() }

// share is the part of the schedule that is done.
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
