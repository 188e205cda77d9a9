package runs

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"nacre/experiment"
	"nacre/experiment/foreign"
	"nacre/experiment/sweep"
	"nacre/internal/plainfile"
	"nacre/internal/shell"
	"nacre/sim"
)

// watched lists the files of a run folder whose size and date show that something has changed. The last one lies in the
// folder of the run's sweep and belongs to the run's last process.
var watched = [...]string{experiment.ConfigFile, experiment.MetricsFile, experiment.TimingFile,
	experiment.EvaluationFile, NoteFile, experiment.LockFile, "../../state"}

// stamp is a file's size and date. The zero value stands for a file that does not exist.
type stamp struct {
	size int64
	time time.Time
}

// entry is a run of an index.
type entry struct {
	path, dir string

	mu      sync.Mutex
	group   *group
	plan    sweep.Run // the run in the group's manifest
	planned bool
	foreign bool         // it is the log of another program
	log     *foreign.Log // the log as it was last read
	queue   sweep.State  // Slurm's state when the run was last read
	stamps  [len(watched)]stamp
	watch   *experiment.Watch
	cached  template

	run *Run // the last state of the run; guarded by the index
}

func newEntry(root, path string) *entry {
	return &entry{path: path, dir: filepath.Join(root, filepath.FromSlash(path))}
}

// belongs sets the group of a run, the run in the group's manifest, and whether the run is the log of another program.
func (e *entry) belongs(g *group, plan sweep.Run, planned, log bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.group, e.plan, e.planned, e.foreign = g, plan, planned, log
}

// file is the path of a watched file.
func (e *entry) file(i int) string {
	if i == len(watched)-1 {
		return filepath.Join(e.dir, watched[i], e.plan.Name+".json")
	}
	return filepath.Join(e.dir, watched[i])
}

// changed is when the run was last written, as far as that is known. The index is locked.
func (e *entry) changed() time.Time {
	if e.run == nil {
		return time.Now() // a run that is not read yet comes first
	}
	return e.run.Changed
}

// look reads what has changed in the folder; the second result is false if nothing has changed.
func (e *entry) look(known *configs) (*Run, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.foreign {
		return e.lookAtLog()
	}
	var now [len(watched)]stamp
	newest := time.Time{}
	for i, name := range watched {
		if i == len(watched)-1 && !(e.planned && e.group.sweep) {
			break
		}
		if info, err := plainfile.Lstat(e.file(i)); err == nil {
			now[i] = stamp{info.Size(), info.ModTime()}
			if name != NoteFile && name != experiment.LockFile && info.ModTime().After(newest) {
				newest = info.ModTime()
			}
		}
	}
	queue := sweep.State("")
	if e.planned {
		queue = e.group.queued(e.plan.Name)
	}
	same := now == e.stamps && queue == e.queue && e.run != nil && e.run.Group == e.group.name()
	// a process that is killed changes no file
	if same && (e.run.State != Running || queue == sweep.Running || e.state(false) == Running) {
		return nil, false
	}
	run := &Run{Path: e.path, Group: e.group.name(), Changed: newest, Latest: map[string]Number{}}
	if e.planned && now[0] == (stamp{}) && !e.lost() {
		e.awaited(run)
	} else if err := e.read(run, known, now); err != nil {
		run.State, run.Problem = Broken, err.Error()
	}
	e.told(run, queue)
	e.stamps, e.queue = now, queue
	return run, true
}

// awaited fills in a run that has not begun with what its group's manifest says.
func (e *entry) awaited(to *Run) {
	to.State, to.Note = Waiting, Note{Tags: []string{}}
	to.Algorithm, to.Title, to.Family, to.Seed = e.plan.System, experiment.Title(e.plan.System), e.plan.Family,
		e.plan.Seed
}

// lost reports whether the run's folder has a checkpoint and no configuration.
func (e *entry) lost() bool {
	_, err := experiment.View(e.dir)
	_, ok := errors.AsType[*experiment.NoConfigError](err)
	return ok
}

// told adds what the sweep's folder and Slurm tell about a run that no process here is writing.
func (e *entry) told(to *Run, queue sweep.State) {
	if !e.planned || !e.group.sweep || to.State != Waiting && to.State != Interrupted && to.State != Failed {
		return
	}
	switch queue {
	case sweep.Running:
		to.State, to.Problem = Running, ""
		return
	case sweep.Queued:
		to.State, to.Problem = Queued, ""
		return
	}
	if last, err := e.group.folder.LastAttempt(e.plan.Name); err == nil && last.Error != "" {
		to.State, to.Problem = Failed, last.Error
	}
}

// read fills in a run.
func (e *entry) read(to *Run, known *configs, now [len(watched)]stamp) error {
	var err error
	if to.Note, err = ReadNote(e.dir); err != nil {
		to.Note = Note{Problem: err.Error()}
	}
	folder, err := experiment.View(e.dir)
	if err != nil {
		return err
	}
	if now[0] != e.stamps[0] || e.watch == nil {
		t, err := known.read(folder)
		if err != nil {
			return err
		}
		e.cached, e.watch = t, folder.Watch(t.config)
	}
	t := e.cached
	to.Algorithm, to.Title, to.Family = t.config.Algorithm, experiment.Title(t.config.Algorithm), t.config.Family
	to.Preset, to.Seed, to.Settings = t.config.Preset, t.config.Seed, t.settings
	system := t.config.Algorithm
	if e.planned {
		system = e.plan.System
	}
	to.Identity = fmt.Sprintf("%s, %s, seed %d", system, to.Family, to.Seed)
	if n := len(t.record.Sessions); n > 0 {
		to.Device, to.Started = t.record.Sessions[n-1].Device, t.record.Sessions[0].Started
	}
	if to.Standing, err = e.watch.Standing(); err != nil {
		e.watch = nil // so the log is read from its beginning next time
		return err
	}
	if n := e.watch.Numbers; n != "" {
		to.Numbers = system + ", " + to.Family + ", " + n
	}
	to.Latest = make(map[string]Number, len(e.watch.Latest))
	for column, v := range e.watch.Latest {
		if column != "adapted_success" || sim.Succeeds(to.Family) {
			to.Latest[column] = Number(v)
		}
	}
	to.State = e.state(to.Finished)
	if to.State == Interrupted && to.Damage != "" {
		to.Problem = to.Damage
	} else if to.State == Interrupted {
		why, failed := t.record.WhyEnded()
		if failed {
			to.State = Failed
		}
		switch {
		case why != experiment.EndedInterrupted && why != experiment.EndedFinished:
			to.Problem = why
		case to.Share >= 1:
			to.Problem = fmt.Sprintf("trained to the end, and %s is missing: %s makes it", experiment.EvaluationFile,
				shell.Command("nacre", "resume", shell.Path(e.dir)))
		}
	}
	if to.State == Running && to.Share > 0 {
		to.Left = to.Seconds / to.Share * (1 - to.Share)
	}
	return nil
}

// state asks whether a process is writing the run, if it is not finished.
func (e *entry) state(finished bool) State {
	if finished {
		return Finished
	}
	if run, err := experiment.View(e.dir); err == nil {
		if idle, err := run.Idle(); err == nil && !idle {
			return Running
		}
	}
	return Interrupted
}

// template is a configuration as it was read, with its record.
type template struct {
	config   experiment.Config
	record   experiment.Record
	settings map[string]string
}

// configs remembers configurations that were read, because runs of a sweep differ in little more than the seed, and
// reading a configuration takes longer than everything else. It is emptied when it has grown large.
type configs struct {
	mu    sync.Mutex
	known map[string]template // templates by the configuration's text without record and seed
}

const maxKnown = 4096

// read reads the configuration of a run folder.
func (c *configs) read(run *experiment.Run) (template, error) {
	text, err := plainfile.Read(run.Path(experiment.ConfigFile), maxManifest)
	if err != nil {
		return template{}, err
	}
	key, seed := split(string(text))
	c.mu.Lock()
	t, ok := c.known[key]
	c.mu.Unlock()
	if ok && seed >= 0 {
		record, err := run.Record()
		if err != nil {
			return template{}, err
		}
		t.record, t.config.Seed = record, uint64(seed)
		return t, nil
	}
	t.config = experiment.Default()
	if t.record, err = run.ReadConfig(&t.config); err != nil {
		return template{}, err
	}
	settings, err := t.config.Settings()
	if err != nil {
		return template{}, err
	}
	t.settings = map[string]string{}
	for k, v := range settings {
		if k != "seed" {
			t.settings[k] = string(v)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxKnown {
		clear(c.known)
	}
	c.known[key] = t
	return t, nil
}

// split takes the record and the line of the seed out of a configuration's text. The seed is -1 if the text has no such
// line in the form in which runs write it.
func split(text string) (rest string, seed int64) {
	text, _, _ = strings.Cut(text, "\n[record]")
	before, after, ok := strings.Cut(text, "\nseed = ")
	if !ok {
		return text, -1
	}
	digits, after, _ := strings.Cut(after, "\n")
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' || n > 1<<60/10 {
			return text, -1
		}
		n = 10*n + int64(c-'0')
	}
	if digits == "" {
		return text, -1
	}
	return before + "\n" + after, n
}
