package runs

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"nacre/experiment"
)

// watched are the files of a run folder whose size and date tell that something has changed.
var watched = []string{experiment.ConfigFile, experiment.MetricsFile, experiment.TimingFile, experiment.EvaluationFile, NoteFile, experiment.LockFile}

// stamp is a file's size and date; the zero value is that of a file that is not there.
type stamp struct {
	size int64
	time time.Time
}

// entry is a run folder of an index.
type entry struct {
	path, group, dir string

	mu     sync.Mutex
	stamps [6]stamp
	text   string // of the configuration
	watch  *experiment.Watch
	cached template

	run *Run // the last state; guarded by the index
}

func newEntry(root, path, group string) *entry {
	return &entry{path: path, group: group, dir: filepath.Join(root, filepath.FromSlash(path))}
}

// changed is when the run was last written, as far as that is known. The index is locked.
func (e *entry) changed() time.Time {
	if e.run == nil {
		return time.Now() // what is not read yet comes first
	}
	return e.run.Changed
}

// look reads what has changed in the folder; the second result is false where nothing has.
func (e *entry) look(known *configs) (*Run, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var now [6]stamp
	newest := time.Time{}
	for i, name := range watched {
		if info, err := os.Lstat(filepath.Join(e.dir, name)); err == nil {
			now[i] = stamp{info.Size(), info.ModTime()}
			if name != NoteFile && name != experiment.LockFile && info.ModTime().After(newest) {
				newest = info.ModTime()
			}
		}
	}
	same := now == e.stamps && e.run != nil
	if same && (e.run.State != Running || e.state(false) == Running) { // a process that is killed changes no file
		return nil, false
	}
	run := &Run{Path: e.path, Group: e.group, Changed: newest}
	if err := e.read(run, known, now); err != nil {
		run.State, run.Problem = Broken, err.Error()
	}
	e.stamps = now
	return run, true
}

// read fills in a run.
func (e *entry) read(to *Run, known *configs, now [6]stamp) error {
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
	if n := len(t.record.Sessions); n > 0 {
		to.Device, to.Started = t.record.Sessions[n-1].Device, t.record.Sessions[0].Started
	}
	if to.Standing, err = e.watch.Standing(); err != nil {
		e.watch = nil // so that it is read from the beginning next time
		return err
	}
	to.Latest = maps.Clone(e.watch.Latest)
	to.State = e.state(to.Finished)
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

// configs remembers what configurations mean: runs of a sweep differ in little more than the seed, and reading one takes
// longer than everything else. It is emptied when it has grown large.
type configs struct {
	mu    sync.Mutex
	known map[string]template // by the text without record and seed
}

const maxKnown = 4096

// read reads the configuration of a run folder.
func (c *configs) read(run *experiment.Run) (template, error) {
	text, err := os.ReadFile(run.Path(experiment.ConfigFile))
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

// split takes the record and the line of the seed out of a configuration's text; the seed is -1 where there is none to be
// found in the way in which runs write it.
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
