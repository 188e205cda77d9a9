// Package pyfamily makes task families out of Python classes: of a file, of an installed module, or of Gymnasium's
// registry. The environments run in Python, in one process per worker of a pool. The interpreter is that of the active
// environment.
//
//	family, err := sim.Lookup("py:point.py:Point")            // a class of a file
//	family, err = sim.Lookup(`py:metaworld:ML1("push-v3")`)    // of a module, with arguments
//	family, err = sim.Lookup("gymnasium.make(Pendulum-v1)")    // one of Gymnasium's own: a family of one task
//	pool, err := sim.NewPool(family, 2, 16)
//
// After a name may follow options: ",horizon=200,seconds=120,hide=goal+context,observations=one-hot". The conventions
// by which a class has tasks are those of docs/python.md. Observations, actions and rewards lie in memory that both
// sides map; a step of a worker's environments is one byte each way on a pipe (worker.py has the protocol).
package pyfamily

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"nacre/internal/nearest"
	"nacre/internal/python"
	"nacre/sim"
)

// The beginnings of names that this package opens.
const (
	prefix     = "py:"
	gymnasiums = "gymnasium.make("
)

func init() {
	for _, p := range []string{prefix, gymnasiums} {
		sim.Opener(p, func(name string) (sim.Family, error) { return Open(name) })
	}
}

// Description is what a class says of itself when it is opened.
type Description struct {
	Obs         int      `json:"obs"`
	Act         int      `json:"act"`
	ActChoices  []int    `json:"act_choices"` // of discrete actions
	ObsChoices  []int    `json:"obs_choices"` // of observations that are whole numbers
	Horizon     int      `json:"horizon"`
	HorizonFrom string   `json:"horizon_from"` // what gives the horizon: an attribute, the option or nothing
	Task        int      `json:"task"`         // numbers of a task
	Numbers     bool     `json:"numbers"`      // whether tasks are numbers; if not, a task has one number, of its hash
	Success     bool     `json:"success"`      // a step's info has "success" or "is_success"
	Convention  string   `json:"convention"`   // how the class offers tasks, see docs/python.md
	Notices     []string `json:"notices"`
	Paths       []string `json:"paths"` // its sources: its file and what it loads from the same folder
	SHA256      string   `json:"sha256"`
	Versions    []string `json:"versions"` // of Python and the packages it loads

	Python python.Python `json:"-"`
}

// source describes it for the record of a run.
func (d *Description) source() string {
	text := "gymnasium's own"
	if d.SHA256 != "" {
		text = fmt.Sprintf("%s, sha256 %s", filepath.Base(d.Paths[0]), d.SHA256[:16])
		if n := len(d.Paths); n > 1 {
			text = fmt.Sprintf("%d files, sha256 %s", n, d.SHA256[:16])
		}
	}
	return text + "; " + strings.Join(d.Versions, ", ")
}

// Family is a family of a class in Python.
type Family struct {
	target target
	spec   sim.Spec
	about  Description
	seen   string // of the sources when it was opened
	print  *printer

	mu    sync.Mutex
	spare *worker // one that waits for work
	lists map[list]lists
	known map[string][]byte // pickled tasks by their numbers
}

// list is a call of Tasks.
type list struct {
	seed        uint64
	train, test int
}

type lists struct{ train, test []sim.Task }

var opened = struct {
	sync.Mutex
	by map[string]*Family
}{by: map[string]*Family{}}

// Open makes the family of a name: it starts Python, makes one environment, resets and steps it once. A name that was
// opened before gives the same family, unless the interpreter or a source file has changed.
func Open(name string) (*Family, error) {
	opened.Lock()
	defer opened.Unlock()
	t, err := parse(name)
	if err == nil {
		err = available()
	}
	var p python.Python
	if err == nil {
		p, err = python.Find()
	}
	if err != nil {
		return nil, fmt.Errorf("family %s: %w", nearest.Quote(name), err)
	}
	if f := opened.by[name]; f != nil && f.target.File == t.File && f.about.Python == p &&
		f.seen == stamp(f.about.Paths) {
		return f, nil
	}
	f := &Family{target: t, print: &printer{out: os.Stderr, shown: map[string]bool{}}, lists: map[list]lists{},
		known: map[string][]byte{}}
	w, err := f.start(p)
	if err != nil {
		return nil, fmt.Errorf("family %s: %w", nearest.Quote(name), err)
	}
	if err := w.ask(request{Op: "open", Target: &t, Seconds: t.silence.Seconds(), Describe: true},
		&f.about); err != nil {
		w.close()
		return nil, fmt.Errorf("family %s: %w", nearest.Quote(name), lacking(err, p))
	}
	f.about.Python, f.seen = p, stamp(f.about.Paths)
	d := &f.about
	f.spec = sim.Spec{Name: name, ObsDim: d.Obs, ObsChoices: d.ObsChoices, ActDim: d.Act, ActChoices: d.ActChoices,
		Horizon: d.Horizon, TaskDim: d.Task, Source: d.source(), NoSuccess: !d.Success}
	f.keep(w)
	opened.by[name] = f
	return f, nil
}

// lacking adds to the error of an import which Python was asked.
func lacking(err error, p python.Python) error {
	if !strings.Contains(err.Error(), "ModuleNotFoundError") {
		return err
	}
	return fmt.Errorf("%w; Python is %s: activate the environment that has the module, or set %s", err, p,
		python.Variable)
}

// stamp changes when one of the files does.
func stamp(paths []string) string {
	var b strings.Builder
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", p, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// Spec implements sim.Family.
func (f *Family) Spec() sim.Spec { return f.spec }

// Describe returns what the class said of itself.
func (f *Family) Describe() Description { return f.about }

// Notices implements sim.Noticer.
func (f *Family) Notices() []string {
	notices := slices.Clone(f.about.Notices)
	if note := f.about.Python.Note; note != "" {
		notices = append(notices, note)
	}
	return notices
}

// Tasks implements sim.Family: those that the class has, or draws from the seed.
func (f *Family) Tasks(seed uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	if nTrain < 0 || nTest < 0 {
		return nil, nil, fmt.Errorf("sim: %s: %d train and %d test tasks; expected at least 1, or 0 for its own "+
			"numbers", f.spec.Name, nTrain, nTest)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l, known := f.lists[list{seed, nTrain, nTest}]
	if !known {
		if l, err = f.make(seed, nTrain, nTest); err != nil {
			return nil, nil, fmt.Errorf("sim: %s: %w", f.spec.Name, err)
		}
		f.lists[list{seed, nTrain, nTest}] = l
	}
	return clone(l.train), clone(l.test), nil
}

func clone(tasks []sim.Task) []sim.Task {
	out := slices.Clone(tasks)
	for i := range out {
		out[i].Params = slices.Clone(out[i].Params)
	}
	return out
}

// make lets the class make tasks.
func (f *Family) make(seed uint64, nTrain, nTest int) (l lists, err error) {
	w := f.spare
	if f.spare = nil; w == nil {
		if w, err = f.openWorker(false); err != nil {
			return l, err
		}
	}
	var answer struct{ Train, Test []pickled }
	if err := w.ask(request{Op: "tasks", Seed: seed % (1 << 32), Train: nTrain, Test: nTest}, &answer); err != nil {
		w.close()
		return l, err
	}
	f.keepLocked(w)
	shared := len(answer.Train) == len(answer.Test) && slices.EqualFunc(answer.Train, answer.Test,
		func(a, b pickled) bool { return slices.Equal(a.Numbers, b.Numbers) })
	if l.train, err = f.list("train", answer.Train, 0); err != nil {
		return l, err
	}
	first := len(l.train)
	if shared { // a family so small that both lists hold all there are
		first = 0
	}
	l.test, err = f.list("test", answer.Test, first)
	return l, err
}

// pickled is a task from Python.
type pickled struct {
	Numbers []float64
	Pickle  []byte
}

func (f *Family) list(what string, tasks []pickled, first int) ([]sim.Task, error) {
	out := make([]sim.Task, len(tasks))
	for i, t := range tasks {
		if len(t.Numbers) != f.spec.TaskDim {
			return nil, fmt.Errorf("%s task %d has %d numbers, others have %d; expected equally many", what, i,
				len(t.Numbers), f.spec.TaskDim)
		}
		out[i] = sim.Task{ID: first + i, Params: t.Numbers}
		if k := key(t.Numbers); f.known[k] == nil {
			f.known[k] = t.Pickle
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("it has no %s tasks; expected at least one", what)
	}
	return out, nil
}

// key tells tasks apart by their numbers.
func key(numbers []float64) string {
	b, _ := binary.Append(nil, binary.LittleEndian, numbers) // it fails only for other types
	return string(b)
}

// openWorker starts a process and opens the class in it, without waiting until it is open.
func (f *Family) openWorker(filmed bool) (*worker, error) {
	w, err := f.start(f.about.Python)
	if err != nil {
		return nil, err
	}
	return w, w.post(request{Op: "open", Target: &f.target, Seconds: f.target.silence.Seconds(), Filmed: filmed})
}

// lingering is how long a process waits for work that nobody has for it.
const lingering = 20 * time.Second

func (f *Family) keep(w *worker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keepLocked(w)
}

func (f *Family) keepLocked(w *worker) {
	f.spare = w
	time.AfterFunc(lingering, func() {
		f.mu.Lock()
		unused := f.spare == w
		if unused {
			f.spare = nil
		}
		f.mu.Unlock()
		if unused {
			w.close()
		}
	})
}

// take returns an open process: the one that waits, or a new one.
func (f *Family) take() (*worker, error) {
	f.mu.Lock()
	w := f.spare
	f.spare = nil
	f.mu.Unlock()
	if w != nil {
		return w, nil
	}
	return f.openWorker(false)
}

// NewBatch implements sim.Family. It starts a process and does not wait for it, so that those of a pool start together.
func (f *Family) NewBatch(n int) (sim.Batch, error) {
	b, err := f.unbegun(n)
	if err != nil {
		return nil, err
	}
	return b, b.begin()
}

func (f *Family) unbegun(n int) (*batch, error) {
	if n < 1 {
		return nil, fmt.Errorf("sim: %s: batch of %d environments; expected at least 1", f.spec.Name, n)
	}
	return &batch{of: f, n: n, task: make([]sim.Task, n), live: make([]bool, n), spec: f.spec}, nil
}

// pickleOf is the task as Python had it; nil of one that the class did not make.
func (f *Family) pickleOf(t sim.Task) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[key(t.Params)]
}

// request is what a worker is asked.
type request struct {
	Op       string    `json:"op"`
	Target   *target   `json:"target,omitempty"`
	Seconds  float64   `json:"seconds,omitempty"`
	Describe bool      `json:"describe,omitempty"`
	Filmed   bool      `json:"filmed,omitempty"`
	Seed     uint64    `json:"seed"`
	Train    int       `json:"train"`
	Test     int       `json:"test"`
	N        int       `json:"n,omitempty"`
	Size     int       `json:"size,omitempty"`
	I        int       `json:"i"`
	Task     []byte    `json:"task,omitempty"`
	Numbers  []float64 `json:"numbers,omitempty"`
	Steps    int       `json:"steps,omitempty"`
}

// problem is an answer that is none.
type problem struct {
	What   string `json:"error"`
	Place  string `json:"place"`
	Trace  string `json:"trace"`
	During string `json:"during"`
	At     int    `json:"at"` // environment, -1 where it is none's
}

func (p *problem) Error() string {
	text := p.What
	if p.Place != "" {
		text = fmt.Sprintf("%s (%s)", text, p.Place)
	}
	if p.During != "" && p.Trace != "" {
		text = "in " + p.During + ": " + text
	}
	if lines := strings.Split(p.Trace, "\n"); p.Trace != "" {
		lines = lines[max(0, len(lines)-traceLines):]
		text += "\n  " + strings.Join(lines, "\n  ")
	}
	return text
}

// traceLines is how many lines of a traceback are shown, the last ones.
const traceLines = 16
