package experiment

import (
	"errors"
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

// Standing reads how far the run of a configuration is; it may be under way in another process.
func (r *Run) Standing(cfg Config) (Standing, error) {
	s := Standing{Finished: r.Has(EvaluationFile)}
	if !r.Has(MetricsFile) {
		return s, nil
	}
	metrics, err := ReadMetrics(r.Path(MetricsFile))
	if err != nil {
		return s, err
	}
	if n := len(metrics.Rows); n > 0 {
		last := Series{Columns: metrics.Columns, Rows: metrics.Rows[n-1:]}
		for column, to := range map[string]*int64{"env_steps": &s.EnvSteps, "updates": &s.Updates} {
			v, err := last.Column(column)
			if err != nil {
				return s, err
			}
			*to = int64(v[0])
		}
		s.Iterations = n
	}
	if s.Share, err = share(cfg, s.Iterations, s.EnvSteps); err != nil {
		return s, err
	}
	if s.Finished {
		s.Share = 1
	}
	s.Seconds, err = r.seconds()
	return s, err
}

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

// seconds is the sum of timing.csv.
func (r *Run) seconds() (float64, error) {
	if !r.Has(TimingFile) {
		return 0, nil
	}
	timing, err := ReadMetrics(r.Path(TimingFile))
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, row := range timing.Rows {
		for _, v := range row[1:] { // the first is the iteration
			if !math.IsNaN(v) {
				sum += v
			}
		}
	}
	return sum, nil
}

// Idle reports whether no process is writing the run.
func (r *Run) Idle() (bool, error) {
	held, err := locked(r.Dir)
	if err != nil {
		if errors.Is(err, ErrLocked) {
			return false, nil
		}
		return false, err
	}
	return true, held.Close()
}
