package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"nacre/experiment/checkpoint"
	"nacre/experiment/tfevents"
	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"
	"nacre/internal/shell"
	"nacre/rl"
	"nacre/rl/replay"
	"nacre/rl/weights"
)

// LostError reports a run that has results but no usable checkpoint to continue from.
type LostError struct {
	Dir    string
	Err    error   // the reason
	Branch *Origin // where the run branched from another; nil if it did not
}

func (e *LostError) Error() string {
	from := "from its beginning"
	if e.Branch != nil {
		from = fmt.Sprintf("from iteration %d of its parent %s", e.Branch.Iteration, shell.Line(e.Branch.Parent))
	}
	return fmt.Sprintf("%v: the run cannot be continued; to train it again %s: %s", e.Err, from,
		shell.Command("nacre", "resume", "--start-over", shell.Path(e.Dir)))
}

func (e *LostError) Unwrap() error { return e.Err }

// Resume continues the run in dir from its last checkpoint, bit for bit; Found says which checkpoint. If the last one
// is missing or damaged, Resume continues from the one before it, or from the newest that Host.KeepState stored. It
// makes weights, metrics and tasks again if they are missing, damaged or of another state. The notices say what was
// done, and what differs from the process before. A run that was stopped in its first collection has no checkpoint yet
// and begins anew, and a branch begins again where it branched. If a run has results but no whole checkpoint, the error
// is a *LostError; see StartOver.
func Resume(dir string, host Host) (t *Training, notices []string, err error) {
	return open(dir, host, nil, (*Training).restore)
}

// Extend resumes a run and makes it longer, even a finished one. The function `change` sets the new length (Config's
// EnvSteps, or the algorithm's Length) and must not set anything else. At its end the run is, byte for byte, what it
// would be with this length from the start. Resume does the same if the length was changed in the run's config.toml.
func Extend(dir string, host Host, change func(*Config) error) (t *Training, notices []string, err error) {
	return open(dir, host, change, (*Training).restore)
}

// StartOver begins the run in dir anew. It removes what the run computed and keeps its configuration. A branch begins
// again from its parent's checkpoint; if the parent lacks it, that is an error and nothing is removed.
func StartOver(dir string, host Host) (t *Training, notices []string, err error) {
	return open(dir, host, nil, func(t *Training, host Host) ([]string, error) {
		const notice = "started over: what was computed before was removed"
		record, err := t.run.Record()
		if err != nil || record.Branch == nil {
			return t.anew(host, notice)
		}
		return t.branchAgain(*record.Branch, host, notice)
	})
}

// open makes the agent of a run that this process writes. The function change may change its configuration. The
// function begin brings the training to the place where it continues.
func open(dir string, host Host, change func(*Config) error, begin func(*Training, Host) ([]string, error)) (
	t *Training, notices []string, err error) {
	rebuilt, err := rebuild(dir)
	if err != nil {
		return nil, nil, err
	}
	run, err := Open(dir)
	if err != nil {
		return nil, nil, err
	}
	cfg := Default()
	record, err := run.ReadConfig(&cfg)
	if err != nil {
		run.Close()
		return nil, nil, err
	}
	before := cfg
	if change != nil {
		if err := longer(&cfg, change); err != nil {
			run.Close()
			return nil, nil, fmt.Errorf("resume %s: %w", shell.Line(dir), err)
		}
	}
	a, err := NewAgent(cfg, host.recorded(record))
	if err != nil {
		run.Close()
		return nil, nil, ofNotebook(err, cfg, dir)
	}
	t = &Training{Agent: a, run: run, every: host.Keep, states: host.KeepState, before: before}
	if notices, err = begin(t, host); err != nil {
		t.Close()
		return nil, nil, fmt.Errorf("resume %s: %w", dir, err)
	}
	if rebuilt != "" {
		notices = append([]string{rebuilt}, notices...)
		if len(run.record.Sessions) == 0 {
			_, err = run.Begin(cfg, a.session(host))
		}
		if err = errors.Join(err, run.Notice(rebuilt)); err != nil {
			t.Close()
			return nil, nil, err
		}
	}
	return t, notices, nil
}

// Found says what the run was resumed from, and at which point of the schedule that is.
func (t *Training) Found() string { return t.found }

// anew begins the run again in its folder.
func (t *Training) anew(host Host, notice string) ([]string, error) {
	if err := t.clear(); err != nil {
		return nil, err
	}
	if err := t.begin(host); err != nil {
		return nil, err
	}
	t.found = "the run begins anew"
	return []string{notice}, t.run.Notice(notice)
}

// clear removes what the run computed, but for checkpoints that others may branch from.
func (t *Training) clear() error {
	events, err := tfevents.Files(t.run.Dir)
	if err != nil {
		return err
	}
	for _, path := range append(events, t.run.Path(KeptFolder)) {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("run folder: %w", err)
		}
	}
	return t.run.Remove(EvaluationFile, WeightsFile, MetricsFile, TimingFile, CheckpointFile, PreviousCheckpointFile,
		PrunedFile)
}

func (t *Training) restore(host Host) (notices []string, err error) {
	older := false
	var metrics, timing []byte
	var longer *lengthened
	read := func(r *checkpoint.Reader) (err error) {
		older = r.Header().Settings == nil
		if metrics, err = text(r, MetricsFile); err != nil {
			return err
		}
		if timing, err = text(r, TimingFile); err != nil {
			return err
		}
		if err := t.load(r); err != nil {
			return err
		}
		longer, err = t.lengthened(r.Header(), false)
		return err
	}
	lost, err := checkpoint.Restore(t.run.Path(CheckpointFile), "", read)
	var missed *aheadError
	if errors.As(err, &missed) { // the last iteration is made again
		if err = checkpoint.Load(t.run.Path(PreviousCheckpointFile), "", read); err == nil {
			lost = errors.New("to make the last iteration again, which collected nothing ahead")
		} else {
			return nil, fmt.Errorf("%w; and the checkpoint before it does not help: %w", missed, err)
		}
	}
	from := PreviousCheckpointFile
	if errors.Is(err, os.ErrNotExist) || checkpoint.Damaged(err) {
		for _, name := range t.run.states() {
			if checkpoint.Load(t.run.Path(name), "", read) == nil {
				lost, err, from = fmt.Errorf("%s is missing or damaged", CheckpointFile), nil, name
				break
			}
		}
	}
	record, unread := t.run.Record()
	if unread != nil {
		return nil, unread
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		if b := record.Branch; b != nil && b.unsaved(t.run) {
			return t.branchAgain(*b, host, fmt.Sprintf("the run was stopped before its first checkpoint: it begins "+
				"again from its parent, after %d iterations", b.Iteration))
		}
		if results := t.run.results(); results != "" {
			return nil, &LostError{t.run.Dir, t.run.lacksCheckpoint(results), record.Branch}
		}
		return t.anew(host, "the run was stopped before its first checkpoint: it begins anew")
	case checkpoint.Damaged(err):
		return nil, &LostError{t.run.Dir, err, record.Branch}
	case err != nil:
		return nil, err
	}
	t.found = CheckpointFile
	if lost != nil {
		t.found = from
		if from == PreviousCheckpointFile {
			notices = append(notices, fmt.Sprintf("%v: continued from the checkpoint before it", lost))
			// The damaged file must not become the generation before the next one.
			err = os.Rename(t.run.Path(from), t.run.Path(CheckpointFile))
		} else {
			notices = append(notices, fmt.Sprintf("%v: continued from the kept %s", lost, from))
			err = copyFile(t.run.Path(from), t.run.Path(CheckpointFile))
		}
		if err != nil {
			return nil, err
		}
	}
	t.found += ", saved " + t.where()
	made, err := t.remake(metrics, timing)
	if err != nil {
		return nil, err
	}
	notices = append(notices, made...)
	if longer != nil {
		notices = append(notices, longer.notice)
		return t.trainOn(longer, host, notices)
	}
	// An older config.toml belongs to an older checkpoint. So the checkpoint is renewed before Begin renews
	// config.toml.
	if older {
		if err := t.save(); err != nil {
			return nil, err
		}
	}
	if len(notices) == 0 && !older && t.evaluated() { // there is nothing to do and nothing to report
		return nil, nil
	}
	if notices, err = t.goOn(host, notices); err == nil && !t.Done() {
		t.events, err = tfevents.Resume(t.run.Dir, t.unsaid())
	}
	return notices, err
}

// copyFile copies a file of a run.
func copyFile(from, to string) error {
	in, err := plainfile.Open(from)
	if err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	defer in.Close()
	return atomicfile.Write(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// unsaid is the first step that the event files still lack: the step of the iteration under way or, if the iteration
// before is complete and written, the step after it.
func (t *Training) unsaid() int64 {
	if t.at.Phase == collecting {
		return t.at.EnvSteps + 1
	}
	return t.at.EnvSteps
}

// goOn adds this process to the run's record, with the notices and with what differs from the process before.
func (t *Training) goOn(host Host, notices []string) ([]string, error) {
	changes, err := t.run.Begin(t.Config, t.session(host))
	if err != nil {
		return nil, err
	}
	for _, n := range notices {
		if err := t.run.Notice(n); err != nil {
			return nil, err
		}
	}
	return append(notices, changes...), nil
}

// results names the first file that shows that the run had a checkpoint once. It is empty if there is no such file.
func (r *Run) results() string {
	for _, name := range []string{EvaluationFile, WeightsFile} {
		if r.Has(name) {
			return name
		}
	}
	if !r.Has(MetricsFile) {
		return ""
	}
	if metrics, err := ReadMetrics(r.Path(MetricsFile)); err == nil && len(metrics.Rows) > 0 {
		return fmt.Sprintf("%d rows of %s", len(metrics.Rows), MetricsFile)
	}
	return "" // only the header
}

// remake opens the files of computed values and takes them back to the checkpoint. It makes unusable files again. The
// texts are nil for checkpoints of older programs.
func (t *Training) remake(metrics, timing []byte) (made []string, err error) {
	again := func(lost error) {
		if lost != nil {
			made = append(made, fmt.Sprintf("%v: made again from the checkpoint", lost))
		}
	}
	if t.Done() { // rows after the last checkpoint of an unfinished run are made again
		made = append(made, t.beyond(MetricsFile, t.at.Metrics, metrics), t.beyond(TimingFile, t.at.Timing, timing))
		made = slices.DeleteFunc(made, func(s string) bool { return s == "" })
	}
	var lost error
	if t.metrics, lost, err = resumeMetrics(t.run.Path(MetricsFile), t.at.Metrics, metrics, t.columns()); err != nil {
		return nil, err
	}
	again(lost)
	columns := timingColumns
	if head, _, _ := bytes.Cut(timing, []byte("\n")); timing != nil &&
		len(strings.Split(string(head), ",")) == policyColumn {
		columns = timingColumns[:policyColumn]
	}
	t.timing, lost, err = resumeMetrics(t.run.Path(TimingFile), t.at.Timing, timing, columns)
	if err != nil && timing == nil { // runs of older programs have no column of the policy's time
		narrower, e := ResumeMetrics(t.run.Path(TimingFile), t.at.Timing, timingColumns[:policyColumn]...)
		if e != nil {
			return nil, err
		}
		t.timing, lost, err = narrower, nil, nil
	}
	if err != nil {
		return nil, err
	}
	again(lost)
	if lost = t.tasksLost(); lost != nil {
		if err := t.run.WriteTasks(t.Spec.Name, t.TrainTasks, t.TestTasks); err != nil {
			return nil, err
		}
		made = append(made, lost.Error()+": made again from the configuration")
	}
	if t.Done() && t.run.Has(EvaluationFile) {
		if says, err := t.run.evaluationFault(); err != nil {
			return nil, err
		} else if says != "" {
			made = append(made, says+": the test tasks are evaluated again")
			if err := t.run.Remove(EvaluationFile); err != nil {
				return nil, err
			}
		}
	}
	lost, err = t.remakeWeights()
	again(lost)
	return made, err
}

// beyond says how much of a file stands after the end of the run, if it begins as the checkpoint's.
func (t *Training) beyond(name string, end Position, text []byte) string {
	data, err := plainfile.Read(t.run.Path(name), maxText)
	if err != nil || int64(len(data)) <= end.Bytes || !bytes.HasPrefix(data, text) {
		return ""
	}
	rest := data[end.Bytes:]
	n := bytes.Count(rest, []byte("\n"))
	if rest[len(rest)-1] != '\n' {
		n++
	}
	return fmt.Sprintf("%s has %d lines after the end of the run, from line %d on: removed", name, n,
		1+bytes.Count(data[:end.Bytes], []byte("\n")))
}

// tasksLost says what is wrong with tasks.json. It is nil if the file has the tasks of the run.
func (t *Training) tasksLost() error {
	if !t.run.Has(TasksFile) {
		return fmt.Errorf("%s is missing", TasksFile)
	}
	_, train, test, err := t.run.ReadTasks()
	if err != nil {
		return err
	}
	return otherTasks(train, test, t.TrainTasks, t.TestTasks)
}

func resumeMetrics(path string, at Position, text []byte, columns []string) (m *Metrics, lost, err error) {
	if text == nil {
		m, err = ResumeMetrics(path, at, columns...)
		return m, nil, err
	}
	return RestoreMetrics(path, at, text, columns...)
}

// remakeWeights writes the weights again if they are not those of the loaded state, and says what they were.
func (t *Training) remakeWeights() (lost, err error) {
	var want, older bytes.Buffer // older: as programs wrote them that did not describe networks
	metadata := t.weightsOf()
	if err := writeWeights(&want, t.Learner.Memory(), metadata); err != nil {
		return nil, err
	}
	delete(metadata, weights.Key)
	if err := writeWeights(&older, t.Learner.Memory(), metadata); err != nil {
		return nil, err
	}
	path := t.run.Path(WeightsFile)
	have, err := plainfile.Read(path, 2*int64(want.Len())+1<<20)
	switch {
	case errors.Is(err, os.ErrNotExist):
		lost = fmt.Errorf("%s is missing", WeightsFile)
	case err != nil && plainfile.Check(path) != nil:
		return nil, err
	case bytes.Equal(have, want.Bytes()):
		return nil, nil
	case !bytes.Equal(have, older.Bytes()):
		lost = fmt.Errorf("%s is not of the state in the checkpoint", WeightsFile)
	}
	return lost, atomicfile.WriteBytes(path, want.Bytes())
}

// weightsOf returns the metadata of the file of weights.
func (t *Training) weightsOf() map[string]string {
	m := map[string]string{
		"algorithm": t.Config.Algorithm, "family": t.Config.Family, "preset": t.Config.Preset,
		"seed": fmt.Sprint(t.Config.Seed), "iteration": fmt.Sprint(t.at.Iteration),
		"env_steps": fmt.Sprint(t.at.EnvSteps),
	}
	if t.Spec.Discrete() {
		m["actions"] = t.Spec.Actions()
	}
	if t.described != "" {
		m[weights.Key] = t.described
	}
	return m
}

// text returns the section with a file's text, or nil if the checkpoint has none.
func text(r *checkpoint.Reader, name string) ([]byte, error) {
	if !r.Has(name) {
		return nil, nil
	}
	in, err := r.Section(name)
	if err != nil {
		return nil, err
	}
	out := make([]byte, in.Size())
	_, err = io.ReadFull(in, out)
	return out, err
}

func (t *Training) load(r *checkpoint.Reader) error {
	if err := t.run.continued(r.Header(), t.Config); err != nil {
		return err
	}
	return t.loadState(r)
}

func (t *Training) loadState(r *checkpoint.Reader) error {
	if err := r.JSON("place", &t.at); err != nil {
		return err
	}
	if err := LoadMemory(r, "parameters", t.Learner.Memory()); err != nil {
		return err
	}
	return loadParts(r, t.Learner.State())
}

// continued checks that a checkpoint of the run was made with cfg. The length of the run may differ.
func (r *Run) continued(h checkpoint.Header, cfg Config) error {
	if h.Settings == nil {
		hashes, err := oldHashes(r.Path(ConfigFile), cfg.Algorithm)
		if err == nil && !slices.Contains(hashes, h.ConfigHash) {
			err = fmt.Errorf("belongs to %w than that in %s: the program that wrote it (%s) kept a fingerprint of "+
				"the settings, %.12s, and theirs is %.12s now; which of them was changed, or written anew by another "+
				"program, it does not tell",
				rl.ErrOther, ConfigFile, h.Program, h.ConfigHash, hashes[len(hashes)-1])
		}
		return err
	}
	differ, err := cfg.Differences(h.Settings)
	differ = slices.DeleteFunc(differ, func(d rl.Difference) bool { return cfg.Lengthens(d.Key) })
	if err != nil || len(differ) == 0 {
		return err
	}
	d := &differ[0]
	err = d
	if d.Now == "" || d.Added {
		return fmt.Errorf("belongs to %w; it was written by another program (%s)", err, h.Program)
	}
	return fmt.Errorf("belongs to %w; its settings were changed after it was written", err)
}

// loadParts restores parts of a learner from the sections named after them.
func loadParts(r *checkpoint.Reader, parts []replay.Part) error {
	for _, part := range parts {
		in, err := r.Section(part.Name)
		if err != nil {
			return err
		}
		if err := part.Load(in); err != nil {
			return fmt.Errorf("section %s: %w", part.Name, err)
		}
	}
	return nil
}

func saveText(w *checkpoint.Writer, name string, m *Metrics) error {
	return w.Section(name, func(out io.Writer) error {
		_, err := out.Write(m.Text())
		return err
	})
}

// save writes the checkpoint and the weights. It writes metrics again if they were removed meanwhile.
func (t *Training) save() error {
	if err := t.run.Held(); err != nil {
		return err
	}
	for _, m := range []*Metrics{t.metrics, t.timing} {
		renewed, err := m.Renew()
		if err == nil && renewed && len(t.run.record.Sessions) > 0 {
			err = t.run.Notice(fmt.Sprintf("%s was removed or changed while training: written again", m.path))
		}
		if err != nil {
			return err
		}
	}
	if err := t.saveTo(t.run.Path(CheckpointFile)); err != nil {
		return err
	}
	return SaveWeights(t.run.Path(WeightsFile), t.Learner.Memory(), t.weightsOf())
}

// saveTo writes a checkpoint.
func (t *Training) saveTo(path string) error {
	if err := errors.Join(t.metrics.Sync(), t.timing.Sync()); err != nil {
		return err
	}
	t.at.Metrics, t.at.Timing = t.metrics.Position(), t.timing.Position()
	settings, err := t.Config.Settings()
	if err != nil {
		return err
	}
	return checkpoint.Save(path, checkpoint.Header{Settings: settings}, func(w *checkpoint.Writer) error {
		if err := w.JSON("place", t.at); err != nil {
			return err
		}
		if err := SaveMemory(w, "parameters", t.Learner.Memory()); err != nil {
			return err
		}
		for _, part := range t.Learner.State() {
			if err := w.Section(part.Name, part.Save); err != nil {
				return err
			}
		}
		return errors.Join(saveText(w, MetricsFile, t.metrics), saveText(w, TimingFile, t.timing))
	})
}
