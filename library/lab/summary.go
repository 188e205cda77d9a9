package lab

import (
	"math"
	"path/filepath"

	"nacre/analysis/frame"
	"nacre/experiment"
	"nacre/sim"
)

// Summary is a table with one row per run: its settings, its progress, and the return and success rate after adaptation
// in its final evaluation. For another program's log they are the last values of the log. Values that do not exist yet
// are missing. So is the success rate if the family has no notion of success.
func (r Runs) Summary() *frame.Frame {
	return r.joined(func(run *Run) *frame.Frame {
		steps, updates, returned, success := math.NaN(), math.NaN(), math.NaN(), math.NaN()
		if run.log != nil {
			for _, last := range run.log.Points { // the last is left
				steps, returned, success = last.Steps, last.Return, last.Success
			}
		} else if m, err := frame.Read(filepath.Join(run.Dir, experiment.MetricsFile)); err == nil && m.Len() > 0 {
			at := func(name string) float64 {
				x, err := m.Numbers(name)
				if err != nil {
					return math.NaN()
				}
				return x[len(x)-1]
			}
			steps, updates = at("env_steps"), at("updates")
		}
		if view, err := experiment.View(run.Dir); err == nil {
			standing, failed := view.Standing(run.cfg)
			if result, err := view.ReadEvaluation(); err == nil && failed == nil && standing.Finished {
				if returned = result.Summary.Adapted.Mean; sim.Succeeds(run.cfg.Family) {
					success = result.Summary.AdaptedSuccess.Mean
				}
			}
		}
		f := run.named(frame.New(frame.Texts("family", []string{run.cfg.Family})))
		for _, c := range []struct {
			name  string
			value float64
		}{{"env_steps", steps}, {"updates", updates}, {"return", returned}, {"success", success}} {
			f = f.With(frame.Numbers(c.name, []float64{c.value}))
		}
		return f.With(frame.Texts("folder", []string{run.Dir}))
	})
}

// MIMEBundle shows runs as their Summary.
func (r Runs) MIMEBundle() (map[string]any, error) { return r.Summary().MIMEBundle() }

// MIMEBundle shows a run as its row of Runs.Summary.
func (r *Run) MIMEBundle() (map[string]any, error) { return Runs{r}.Summary().MIMEBundle() }
