package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/experiment/checkpoint"
	"nacre/experiment/tfevents"
	"nacre/internal/atomicfile"
	"nacre/internal/shell"
	"nacre/rl"
	"nacre/rl/config"
)

// Origin names the run from which this run was branched.
type Origin struct {
	Parent    string   `toml:"parent" json:"parent"`       // folder of the parent
	Iteration int      `toml:"iteration" json:"iteration"` // number of complete iterations that both share
	Changed   []string `toml:"changed" json:"changed"`     // "pearl.lr_policy = 0.001, it was 0.0003"
}

// unchangeable are the settings that a branch cannot change, with the reason.
var unchangeable = map[string]string{
	"algorithm": "it would have nothing to go on from", "family": "it is what the state was learned on",
	"preset":      "it says where the run's values started from",
	"seed":        "the tasks and random streams of the history are its",
	"train_tasks": "what was collected is of them", "test_tasks": "the history's evaluations are of them",
	"arithmetic": "the state was computed in it",
}

// Branch begins a run in the new folder `out`. It begins with the state that the run in the folder `from` had after the
// given number of complete iterations: with its history, its replay and its random streams. That run must have a
// checkpoint of this iteration: its last, the one before it, or one that Host.KeepState stored. The function `change`
// changes settings. Some settings cannot be changed, such as sizes of networks; the error names the setting. Without a
// change the branch ends, byte for byte, as the run did.
func Branch(from string, iteration int, out string, host Host,
	change func(*Config) error) (t *Training, notices []string, err error) {
	b := branching{from: from, at: iteration, host: host}
	if b.parent, err = View(from); err != nil {
		return nil, nil, err
	}
	old := Default()
	if b.record, err = b.parent.ReadConfig(&old); err != nil {
		return nil, nil, err
	}
	cfg := old
	if change != nil {
		if err := change(&cfg); err != nil {
			return nil, nil, err
		}
	}
	if t, err = b.begin(old, cfg, out); err != nil {
		return nil, nil, fmt.Errorf("branch of %s after %d iterations: %w", shell.Line(from), iteration, err)
	}
	return t, t.run.record.Sessions[0].Notices, nil
}

// branching is a call of Branch.
type branching struct {
	from    string
	at      int
	host    Host
	parent  *Run
	record  Record
	changed []string // changed settings of its configuration
}

func (b *branching) begin(old, cfg Config, out string) (t *Training, err error) {
	file, err := b.checkpoint()
	if err != nil {
		return nil, err
	}
	differ, err := b.compare(old, cfg)
	if err != nil {
		return nil, err
	}
	if t, err = b.agent(old, cfg, file); err != nil {
		for _, d := range differ { // find the setting that cannot be changed
			one := old
			if config.Resolve(&one, config.Set(d.Key+"="+d.Now)) != nil {
				continue
			}
			if alone, failed := b.agent(old, one, file); failed != nil {
				return nil, fmt.Errorf("%s cannot be changed in a branch: with %s instead of %s the state does not "+
					"fit (%w)", d.Key, d.Now, d.Before, failed)
			} else if err := alone.Agent.Close(); err != nil {
				return nil, err
			}
		}
		return nil, err
	}
	run, err := Create(out)
	if err != nil {
		return nil, errors.Join(err, t.Agent.Close())
	}
	t.run = run
	if err := b.write(t, file); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// compare fills in the settings in which the branch differs from its parent. Those that a branch cannot change are an
// error.
func (b *branching) compare(old, cfg Config) ([]rl.Difference, error) {
	settings, err := old.Settings()
	if err != nil {
		return nil, err
	}
	differ, err := cfg.Differences(settings)
	if err != nil {
		return nil, err
	}
	for _, d := range differ {
		if why := unchangeable[d.Key]; why != "" {
			return nil, fmt.Errorf("%s cannot be changed in a branch: %s", d.Key, why)
		}
		b.changed = append(b.changed, fmt.Sprintf("%s = %s, it was %s", d.Key, d.Now, d.Before))
	}
	return differ, nil
}

// agent makes an agent of a configuration with the state of the checkpoint, without a folder.
func (b *branching) agent(old, cfg Config, file string) (t *Training, err error) {
	a, err := NewAgent(cfg, b.host.recorded(b.record))
	if err != nil {
		return nil, ofNotebook(err, cfg, b.from)
	}
	t = &Training{Agent: a, run: b.parent, every: b.host.Keep, states: b.host.KeepState, before: old}
	if err := b.load(t, old, file); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return t, nil
}

// load gives the agent of the branch the state of the checkpoint.
func (b *branching) load(t *Training, old Config, file string) error {
	err := checkpoint.Load(file, "", func(r *checkpoint.Reader) error {
		if err := b.parent.continued(r.Header(), old); err != nil {
			return err
		}
		metrics, err := text(r, MetricsFile)
		if err != nil {
			return err
		}
		head, _, _ := bytes.Cut(metrics, []byte("\n"))
		if want := strings.Join(t.columns(), ","); string(head) != want {
			return fmt.Errorf("the history's columns are %s; expected %s", head, want)
		}
		return t.loadState(r)
	})
	if err == nil {
		err = t.fits(room())
	}
	return err
}

// write writes the files of the new run. The record is first: with it a run that was killed meanwhile begins again
// where it branched.
func (b *branching) write(t *Training, file string) error {
	parent, err := filepath.Abs(b.from)
	if err != nil {
		return err
	}
	t.run.record.Branch = &Origin{Parent: parent, Iteration: b.at, Changed: b.changed}
	var metrics, timing []byte
	var longer *lengthened
	if err := checkpoint.Load(file, "", func(r *checkpoint.Reader) (err error) {
		if metrics, err = text(r, MetricsFile); err != nil {
			return err
		}
		if timing, err = text(r, TimingFile); err != nil {
			return err
		}
		longer, err = t.lengthened(r.Header(), true)
		return err
	}); err != nil {
		return err
	}
	if metrics == nil {
		return fmt.Errorf("%s is of an older program, which kept no history in it", file)
	}
	if _, err := t.run.Begin(t.Config, t.session(b.host)); err != nil {
		return err
	}
	if t.metrics, _, err = RestoreMetrics(t.run.Path(MetricsFile), t.at.Metrics, metrics, t.columns()...); err != nil {
		return err
	}
	if t.timing, _, err = RestoreMetrics(t.run.Path(TimingFile), t.at.Timing, timing, timingColumns...); err != nil {
		return err
	}
	if longer != nil && longer.last {
		if _, err := t.unevaluate(); err != nil {
			return err
		}
	}
	if err := t.run.WriteTasks(t.Spec.Name, t.TrainTasks, t.TestTasks); err != nil {
		return err
	}
	if err := b.copyKept(t); err != nil {
		return err
	}
	says := fmt.Sprintf("a branch of %s after %d iterations", parent, b.at)
	if len(b.changed) > 0 {
		says += ": " + strings.Join(b.changed, "; ")
	}
	if err := t.run.Notice(says); err != nil {
		return err
	}
	if err := t.save(); err != nil {
		return err
	}
	return t.retell()
}

// branchAgain begins the run, a branch of another, again where it branched. What it computed before is removed once the
// parent's state is loaded.
func (t *Training) branchAgain(o Origin, host Host, notice string) (notices []string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("the run is a branch of %s after %d iterations, where it cannot begin again: %w; to make "+
				"another branch: nacre branch PARENT --at %d --out NEW", shell.Line(o.Parent), o.Iteration, err,
				o.Iteration)
		}
	}()
	b := branching{from: o.Parent, at: o.Iteration, host: host}
	if b.parent, err = View(o.Parent); err != nil {
		return nil, err
	}
	old := Default()
	if b.record, err = b.parent.ReadConfig(&old); err != nil {
		return nil, err
	}
	file, err := b.checkpoint()
	if err != nil {
		return nil, err
	}
	if _, err := b.compare(old, t.Config); err != nil {
		return nil, err
	}
	if got, want := t.notLengths(b.changed), t.notLengths(o.Changed); !slices.Equal(got, want) {
		return nil, fmt.Errorf("it differs from its parent in %s; its record says %s: one of the two was changed since",
			list(got), list(want))
	}
	t.before = old
	if err := b.load(t, old, file); err != nil {
		return nil, err
	}
	if err := t.clear(); err != nil {
		return nil, err
	}
	if err := b.write(t, file); err != nil {
		return nil, err
	}
	t.found = fmt.Sprintf("no checkpoint: the run begins again as a branch of %s after %d iterations", o.Parent,
		o.Iteration)
	return []string{notice}, t.run.Notice(notice)
}

// notLengths leaves out the changes of a run's length, which may change again after the branch.
func (t *Training) notLengths(changed []string) []string {
	return slices.DeleteFunc(slices.Clone(changed), func(c string) bool {
		key, _, _ := strings.Cut(c, " = ")
		return t.Config.Lengthens(key)
	})
}

func list(changed []string) string {
	if len(changed) == 0 {
		return "nothing"
	}
	return strings.Join(changed, "; ")
}

// unsaved reports whether the branch was killed before its first checkpoint: it has no more than its history.
func (o Origin) unsaved(r *Run) bool {
	if r.Has(EvaluationFile) || r.Has(WeightsFile) || r.prunedAway() != "" {
		return false
	}
	metrics, err := ReadMetrics(r.Path(MetricsFile))
	return err != nil || len(metrics.Rows) <= o.Iteration
}

// retell writes an event file of the metrics so far.
func (t *Training) retell() (err error) {
	if t.events, err = tfevents.Create(t.run.Dir); err != nil {
		return err
	}
	series, err := parseMetrics(t.metrics.path, t.metrics.Text())
	if err != nil {
		return err
	}
	for _, cells := range series.Rows {
		row := Row{}
		for i, v := range cells {
			if v == v {
				row[series.Columns[i]] = v
			}
		}
		if err := t.events.Scalars(int64(row["env_steps"]), row); err != nil {
			return err
		}
	}
	return nil
}

// copyKept copies the weights that the parent stored up to the branch.
func (b *branching) copyKept(t *Training) error {
	kept, err := Kept(b.from)
	if err != nil {
		return err
	}
	for _, n := range kept {
		if n > b.at {
			break
		}
		if err := os.MkdirAll(t.run.Path(KeptFolder), 0o755); err != nil {
			return err
		}
		data, err := os.ReadFile(b.parent.Path(keptFile(n)))
		if err == nil {
			err = atomicfile.WriteBytes(t.run.Path(keptFile(n)), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkpoint returns the file with the state after the wanted number of iterations.
func (b *branching) checkpoint() (string, error) {
	var there []int
	midway := ""
	for _, name := range b.states() {
		var at place
		err := checkpoint.Load(b.parent.Path(name), "", func(r *checkpoint.Reader) error {
			return r.JSON("place", &at)
		})
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			midway += fmt.Sprintf("; %v", err)
		case at.Phase != collecting:
			midway += fmt.Sprintf("; %s is of the middle of the iteration after %d", name, at.Iteration)
		case at.Iteration == b.at:
			return b.parent.Path(name), nil
		default:
			there = append(there, at.Iteration)
		}
	}
	has := "none of a complete iteration"
	if len(there) > 0 {
		slices.Sort(there)
		has = "those after " + strings.Trim(strings.ReplaceAll(fmt.Sprint(slices.Compact(there)), " ", ", "), "[]")
	}
	return "", fmt.Errorf("the run has no checkpoint of then; it has %s%s%s; \"nacre train --keep-checkpoints N\" "+
		"keeps one after every N iterations", has, midway, b.parent.prunedAway())
}

// states returns the files of checkpoints in the folder, the last one first.
func (b *branching) states() []string {
	names := []string{CheckpointFile, PreviousCheckpointFile}
	kept, err := os.ReadDir(b.parent.Path(StatesFolder))
	if err != nil { // no such folder
		return names
	}
	for _, e := range kept {
		if n, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ".bin")); err == nil &&
			filepath.Join(StatesFolder, e.Name()) == stateFile(n) {
			names = append(names, stateFile(n))
		}
	}
	return names
}
