// Package runs keeps track of every run folder below a root: which runs are being trained, how far they are, and their
// results. There is no database: everything is read from the folders, and an index of them is made in a second and
// thrown away.
//
//	index := runs.Open("runs")
//	err := index.Refresh(ctx) // fast if little has changed
//	for _, r := range index.Runs() {
//		fmt.Println(r.Path, r.State, r.Share, r.Latest["adapted_return"])
//	}
//
// Notes are kept in the run folders (Note), and Jobs starts, stops and resumes runs as processes of their own.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"nacre/experiment"
	"nacre/experiment/sweep"
	"nacre/internal/folders"

	"nacre/internal/plainfile"
)

// State says whether a run is being trained, waits or has ended, and how.
type State string

// A run is in one of these states.
const (
	Running State = "running" // a process is writing it, here or, as Slurm says, on another node
	Queued  State = "queued"  // a run of a sweep that Slurm will start or continue
	Waiting State = "waiting" // a run of a sweep or study that has not begun
	// begun, but not finished, and no process is writing it; if it was killed, Problem says so
	Interrupted State = "interrupted"
	Failed      State = "failed"   // its last process gave up with an error; Problem says which
	Broken      State = "broken"   // it cannot be read; Problem says why
	Finished    State = "finished" // trained to the end of its schedule, and evaluated
	Log         State = "log"      // the log of another program, which is only read
)

// States lists the states in the order in which runs are listed.
var States = []State{Running, Queued, Waiting, Interrupted, Failed, Broken, Finished, Log}

// Run holds what is known of a run: from its folder, or, if it has not begun, from its sweep or study. A Run that was
// handed out is not changed any more.
type Run struct {
	Path      string `json:"path"`  // path below the root, with slashes
	Group     string `json:"group"` // path of its sweep or study; if it has none, of its parent folder
	Algorithm string `json:"algorithm"`
	Title     string `json:"title"` // title of the algorithm
	Family    string `json:"family"`
	Preset    string `json:"preset"`
	Seed      uint64 `json:"seed"`
	State     State  `json:"state"`
	Problem   string `json:"problem,omitempty"`
	experiment.Standing
	Left    float64           `json:"left"`   // seconds to the end at the pace so far; 0 if unknown
	Latest  map[string]Number `json:"latest"` // the last number of each column of the metrics
	Device  string            `json:"device"`
	Started time.Time         `json:"started"`
	Changed time.Time         `json:"changed"` // time of the last change in the folder
	Note    Note              `json:"note"`
	// system, family and seed; of several runs with the same identity only one counts in a mean
	Identity string `json:"identity"`
	// a text that is equal for copies of one run, whatever their seeds, and for logs that begin alike
	Numbers string `json:"numbers,omitempty"`
	// for another program's log: the program, and the columns that are read
	About string `json:"about,omitempty"`

	// Settings holds the values of the configuration, as JSON, by dotted key.
	Settings map[string]string `json:"-"`
	// Version grows with every change of any run of the index.
	Version uint64 `json:"version"`
}

// Index lists every run folder below a root. Its methods may be called at the same time.
type Index struct {
	Root string
	// Links says that links below the root are followed. Leave it false if the folder is served or published.
	Links bool

	refreshing sync.Mutex // one at a time
	mu         sync.Mutex
	entries    map[string]*entry // by path
	removed    map[string]uint64 // paths that are gone, and the version at which they went
	version    uint64
	walked     time.Time
	notes      []string // of the last walk
	configs    configs
	logs       logFolders
	groups     map[string]*group // sweeps and studies, by path
	asked      time.Time         // when Slurm was asked last
	read       int               // entries that have been
	awaiting   map[chan struct{}]int
}

// Open makes an index of a root. It reads nothing yet.
func Open(root string) *Index {
	return &Index{Root: root, entries: map[string]*entry{}, removed: map[string]uint64{},
		configs: configs{known: map[string]template{}}}
}

// walkEvery is how often all folders are looked through for new runs; those that are known are looked at every time.
const walkEvery = 3 * time.Second

// Refresh brings the index up to date. It looks for new folders, and reads the changes in known ones. While it works,
// Runs already returns the runs that have been read.
func (x *Index) Refresh(ctx context.Context) error {
	x.refreshing.Lock()
	defer x.refreshing.Unlock()
	if time.Since(x.walked) > walkEvery {
		if err := x.walk(ctx); err != nil {
			return err
		}
		x.walked = time.Now()
	}
	x.askSlurm(ctx)
	x.mu.Lock()
	todo := slices.SortedFunc(maps.Values(x.entries), func(a, b *entry) int {
		// those that changed last are read first
		return cmp.Or(b.changed().Compare(a.changed()), cmp.Compare(a.path, b.path))
	})
	x.mu.Unlock()
	work := make(chan *entry)
	var all sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for e := range work {
				if run, changed := e.look(&x.configs); changed {
					x.put(e, run)
				}
			}
		})
	}
	var err error
feed:
	for _, e := range todo {
		select {
		case work <- e:
		case <-ctx.Done():
			err = ctx.Err()
			break feed
		}
	}
	close(work)
	all.Wait()
	return err
}

// put stores a new state of a run in the index.
func (x *Index) put(e *entry, run *Run) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.version++
	run.Version = x.version
	if e.run == nil {
		x.read++
	}
	e.run = run
	for c, n := range x.awaiting {
		if x.read >= n {
			close(c)
			delete(x.awaiting, c)
		}
	}
}

// known returns a channel that is closed when n runs have been read. Call forget if nobody waits for it any more.
func (x *Index) known(n int) (c chan struct{}, forget func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c = make(chan struct{})
	if x.read >= n {
		close(c)
		return c, func() {}
	}
	if x.awaiting == nil {
		x.awaiting = map[chan struct{}]int{}
	}
	x.awaiting[c] = n
	return c, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.awaiting, c)
	}
}

// walk finds the run folders. Hidden folders and what lies within a run folder are left out.
func (x *Index) walk(ctx context.Context) error {
	found := map[string]*group{} // groups by path of a run folder
	logs := map[string]bool{}    // paths of other programs' logs
	var inside []*group
	var notes []string
	note := func(line string) { notes = append(notes, line) }
	err := folders.Walk(x.Root, folders.Options{Stay: !x.Links, Note: note}, func(dir, below string) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if exists(dir, experiment.ConfigFile) || exists(dir, experiment.CheckpointFile) &&
			exists(dir, experiment.MetricsFile) {
			found[below] = groupOf(below, inside)
			return fs.SkipDir
		}
		if g := x.group(below, dir); g != nil {
			inside = append(inside, g)
		}
		for _, path := range x.logs.of(dir, below) {
			found[path], logs[path] = groupOf(path, inside), true
		}
		if logs[below] {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("run folders of %s: %w", x.Root, err)
	}
	plans := map[string]sweep.Run{}
	for _, g := range inside {
		for path, run := range g.planned() {
			if found[path] == nil {
				found[path] = g
			}
			plans[path] = run
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.groups, x.notes = map[string]*group{}, notes
	for _, g := range inside {
		x.groups[g.path] = g
	}
	for path, g := range found {
		e := x.entries[path]
		if e == nil {
			e = newEntry(x.Root, path)
			x.entries[path] = e
			delete(x.removed, path)
		}
		plan, planned := plans[path]
		e.belongs(g, plan, planned, logs[path])
	}
	for path := range x.entries {
		if _, ok := found[path]; !ok {
			x.version++
			x.removed[path] = x.version
			if x.entries[path].run != nil {
				x.read--
			}
			delete(x.entries, path)
		}
	}
	return nil
}

func exists(dir, name string) bool {
	_, err := plainfile.Lstat(filepath.Join(dir, name))
	return err == nil
}

// Notes says what Refresh left out below the root: links that lead nowhere or back, and folders without permission to
// read.
func (x *Index) Notes() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.notes
}

// Runs lists the runs that have been read, by path.
func (x *Index) Runs() []*Run { return x.Since(0).Runs }

// Changes holds the changes of runs since a version.
type Changes struct {
	Version uint64   `json:"version"`
	Total   int      `json:"total"` // number of known folders, read or not
	Runs    []*Run   `json:"runs"`
	Removed []string `json:"removed,omitempty"` // paths of the removed runs
}

// Since lists, by path, the runs that changed after a version. For version 0 it lists all runs.
func (x *Index) Since(version uint64) Changes {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := Changes{Version: x.version, Total: len(x.entries), Runs: []*Run{}}
	for _, e := range x.entries {
		if e.run != nil && e.run.Version > version {
			c.Runs = append(c.Runs, e.run)
		}
	}
	if version > 0 {
		for path, at := range x.removed {
			if at > version {
				c.Removed = append(c.Removed, path)
			}
		}
	}
	slices.SortFunc(c.Runs, func(a, b *Run) int { return cmp.Compare(a.Path, b.Path) })
	slices.Sort(c.Removed)
	return c
}

// ErrUnknown is the error of Find for a path that is not a run folder of the index.
var ErrUnknown = errors.New("no such run")

// Find returns a run by its path below the root.
func (x *Index) Find(path string) (*Run, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.entries[path]; e != nil && e.run != nil {
		return e.run, nil
	}
	return nil, fmt.Errorf("%w: %s is not among the %d run folders below %s", ErrUnknown, short(path),
		len(x.entries), x.Root)
}

// Dir is the folder of a run of the index.
func (x *Index) Dir(r *Run) string { return filepath.Join(x.Root, filepath.FromSlash(r.Path)) }

func short(s string) string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// sorted returns the sorted elements of a set. The list is not nil, so JSON has a list.
func sorted(set map[string]bool) []string {
	list := slices.AppendSeq([]string{}, maps.Keys(set))
	slices.Sort(list)
	return list
}
