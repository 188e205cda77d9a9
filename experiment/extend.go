package experiment

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nacre/experiment/checkpoint"
	"nacre/experiment/tfevents"
	"nacre/internal/atomicfile"
	"nacre/rl"
)

// longer changes the configuration of a run to a longer one. A change of anything else is an error.
func longer(cfg *Config, change func(*Config) error) error {
	before, err := cfg.Settings()
	if err != nil {
		return err
	}
	if err := change(cfg); err != nil {
		return err
	}
	differ, err := cfg.Differences(before)
	if err != nil {
		return err
	}
	for _, d := range differ {
		if !cfg.Lengthens(d.Key) {
			return fmt.Errorf("%s = %s, it was %s: a run that goes on can only be made longer, by %s; nacre branch "+
				"begins another run from its state with other settings",
				d.Key, d.Now, d.Before, lengths(*cfg))
		}
	}
	return nil
}

// lengths names the settings that make a run longer.
func lengths(cfg Config) string {
	if a, err := rl.Lookup(cfg.Algorithm); err == nil && a.Length != "" {
		return a.Length + " or env_steps"
	}
	return "env_steps"
}

// lengthened says what a run needs that is now longer than its checkpoint says.
type lengthened struct {
	notice string
	last   bool // the last row of the metrics has an evaluation that a longer run would not have made
}

// aheadError reports a state from which a longer run cannot continue.
type aheadError struct{ setting string }

func (e *aheadError) Error() string {
	return fmt.Sprintf("%s collects the data of an iteration while the one before is updated, with the networks as "+
		"they were before, and the last iteration of the shorter run collected none", e.setting)
}

// lengthened compares the run's length with that of the loaded checkpoint. It returns nil if they are equal. Only a
// branch may be shorter than its parent.
func (t *Training) lengthened(h checkpoint.Header, branch bool) (*lengthened, error) {
	settings := rl.Settings(h.Settings)
	before := *t.Agent
	var err error
	// from an older program, whose fingerprint is that of the configuration
	if before.Config = t.before; settings == nil {
		settings, err = t.before.Settings()
	} else {
		before.Config, err = fromSettings(CheckpointFile, settings)
	}
	if err != nil {
		return nil, err
	}
	differ, err := t.Config.Differences(settings)
	differ = slices.DeleteFunc(differ, func(d rl.Difference) bool { return !t.Config.Lengthens(d.Key) })
	if err != nil || len(differ) == 0 {
		return nil, err
	}
	old := Training{Agent: &before, at: t.at}
	if t.Done() {
		return nil, fmt.Errorf("%s = %s is no more than the run has trained already (%s); expected more", differ[0].Key,
			differ[0].Now, t.so())
	}
	var says []string
	for _, d := range differ {
		if x, y := number(d.Now), number(d.Before); x != 0 && x < y && !branch {
			return nil, fmt.Errorf("%s = %s, it was %s; a run can only be made longer", d.Key, d.Now, d.Before)
		}
		says = append(says, fmt.Sprintf("%s = %s, it was %s", d.Key, d.Now, d.Before))
	}
	l := &lengthened{notice: "trained on: " + strings.Join(says, ", ")}
	ended := t.at.Iteration > 0 && t.at.Phase == collecting && old.Done()
	ahead, ok := t.Learner.(rl.Ahead)
	if ok && ahead.CollectsAhead() && (ended || t.at.Phase != collecting && old.complete(t.at.Iteration+1)) {
		return nil, &aheadError{t.algorithm.Tables[0].Name + ".collect_ahead"}
	}
	l.last = ended && (t.at.Iteration-1)%t.Config.Evaluation.Every != 0
	return l, nil
}

// so says how much was trained.
func (t *Training) so() string {
	return fmt.Sprintf("%d iterations, %d environment steps", t.at.Iteration, t.at.EnvSteps)
}

// number reads a cell of the metrics, or a setting as JSON.
func number(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64) // 0 if it is not a number
	return x
}

// trainOn changes the files of the run to what they would be now in a longer run. If the run is killed meanwhile, it is
// either still the shorter run, or is trained further when it is resumed.
func (t *Training) trainOn(l *lengthened, host Host, notices []string) ([]string, error) {
	if err := t.fits(room()); err != nil {
		return nil, err
	}
	if err := t.run.Remove(EvaluationFile); err != nil {
		return nil, err
	}
	if t.every > 0 && t.at.Iteration%t.every != 0 { // stored only because it was the last
		if err := t.run.Remove(keptFile(t.at.Iteration)); err != nil {
			return nil, err
		}
	}
	var row Row
	if l.last {
		var err error
		if row, err = t.unevaluate(); err != nil {
			return nil, err
		}
	}
	notices, err := t.goOn(host, notices)
	if err != nil {
		return nil, err
	}
	if err := t.save(); err != nil {
		return nil, err
	}
	if row == nil {
		t.events, err = tfevents.Resume(t.run.Dir, t.unsaid())
	} else if t.events, err = tfevents.Resume(t.run.Dir, t.at.EnvSteps); err == nil {
		err = t.events.Scalars(t.at.EnvSteps, row) // replaces what earlier files say about this step
	}
	return notices, err
}

// unevaluate removes the evaluation from the last row of the metrics, and returns the rest of the row.
func (t *Training) unevaluate() (Row, error) {
	text := bytes.TrimSuffix(t.metrics.Text(), []byte("\n"))
	start := bytes.LastIndexByte(text, '\n') + 1
	cells := strings.Split(string(text[start:]), ",")
	row := Row{}
	evaluated := append(t.returns(), "adapted_return", "adapted_success")
	if l, ok := t.Learner.(rl.Evaluated); ok {
		evaluated = append(evaluated, l.EvaluationMetrics()...)
	}
	for i, column := range t.metrics.columns {
		if slices.Contains(evaluated, column) {
			cells[i] = ""
		} else if cells[i] != "" {
			row[column] = number(cells[i])
		}
	}
	at := Position{Rows: t.metrics.at.Rows}
	changed := append(slices.Clone(text[:start]), strings.Join(cells, ",")+"\n"...)
	at.Bytes = int64(len(changed))
	if err := atomicfile.WriteBytes(t.metrics.path, changed); err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	again, err := ResumeMetrics(t.metrics.path, at, t.metrics.columns...)
	if err != nil {
		return nil, err
	}
	err = t.metrics.file.Close()
	t.metrics = again
	return row, err
}

// returns lists the columns of the trajectories' returns.
func (t *Training) returns() (names []string) {
	for i := range t.Config.Evaluation.Protocol.Trajectories() {
		names = append(names, returnColumn(i))
	}
	return names
}

// Longer reports whether cfg differs from old only in that its run is longer. If anything else differs, the error is
// the first difference.
func Longer(cfg, old Config) (bool, error) {
	settings, err := old.Settings()
	if err != nil {
		return false, err
	}
	differ, err := cfg.Differences(settings)
	if err != nil {
		return false, err
	}
	for i := range differ {
		d := &differ[i]
		if !cfg.Lengthens(d.Key) {
			return false, d
		}
		// 0 steps means the steps of the iterations, however many
		if x, y := number(d.Now), number(d.Before); x < y || y == 0 {
			return false, fmt.Errorf("%w; a run can only be made longer", d)
		}
	}
	return len(differ) > 0, nil
}
