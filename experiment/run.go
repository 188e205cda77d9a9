package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nacre/experiment/checkpoint"
	"nacre/experiment/foreign"
	"nacre/internal/folders"
	"nacre/internal/lockfile"
	"nacre/internal/plainfile"
	"nacre/internal/shell"
	"nacre/rl/config"
)

// Names of the files in a run folder.
const (
	ConfigFile     = "config.toml"
	TasksFile      = "tasks.json"
	MetricsFile    = "metrics.csv"
	TimingFile     = "timing.csv"
	WeightsFile    = "weights.safetensors"
	CheckpointFile = "checkpoint.bin"
	LockFile       = ".lock" // held by the process that writes the run; holds its number (package lockfile)
)

// PreviousCheckpointFile is the generation before CheckpointFile.
var PreviousCheckpointFile = checkpoint.Previous(CheckpointFile)

// Limits on the size of a run folder's text files, in bytes. A configuration is about 10 kB; its record grows by half a
// kB with every resume.
const (
	maxConfig = config.MaxBytes
	maxText   = 1 << 28
)

// ErrLocked reports a run folder that another process is writing.
var ErrLocked = errors.New("another process is writing this run")

// Run is an open run folder.
type Run struct {
	Dir  string
	lock *lockfile.Lock // nil if the run is only viewed

	config []byte // configuration as Begin encoded it
	record Record
}

// Create makes the folder of a new run, with its parents, and takes its lock. If the folder exists it must be empty.
func Create(dir string) (*Run, error) {
	if err := plainfile.Writable(dir); err != nil {
		return nil, err
	}
	if err := checkOutside(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	if err := checkEmpty(dir); err != nil {
		return nil, err
	}
	run, err := taken(dir)
	if err != nil {
		return nil, err
	}
	// Another process may have created its run between the check and the lock.
	if err := checkEmpty(dir); err != nil {
		run.Close()
		return nil, err
	}
	return run, nil
}

// checkOutside refuses a folder within another run, where no program would look for it.
func checkOutside(dir string) error {
	at, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	for up := filepath.Dir(at); up != filepath.Dir(up); up = filepath.Dir(up) {
		r := Run{Dir: up}
		if r.Has(ConfigFile) && r.Has(TasksFile) {
			return fmt.Errorf("run folder %s lies within the run %s: choose a folder outside of it", shell.Line(dir),
				shell.Line(up))
		}
	}
	return nil
}

func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	for _, e := range entries {
		switch name := e.Name(); {
		// left by a process that was killed before its run began
		case lockfile.Makes(LockFile, name), name == ConfigFile+".tmp":
		case slices.Contains([]string{ConfigFile, CheckpointFile, PreviousCheckpointFile}, name):
			return fmt.Errorf("run folder %s already holds a run: continue it with: %s, or choose another folder",
				shell.Line(dir), shell.Command("nacre", "resume", shell.Path(dir)))
		default:
			return fmt.Errorf("run folder %s is not empty (it has %s): choose a new or empty folder", dir, e.Name())
		}
	}
	return nil
}

// Open takes the lock of an existing run in order to continue it. The error is ErrLocked while another process has the
// lock. If a process is killed, the system releases its lock.
func Open(dir string) (*Run, error) {
	if err := plainfile.Writable(dir); err != nil {
		return nil, err
	}
	if err := checkRun(dir); err != nil {
		return nil, err
	}
	return taken(dir)
}

// View opens an existing run for reading only. It needs no lock, because every file it reads is either replaced in one
// step or only appended to.
func View(dir string) (*Run, error) {
	if err := checkRun(dir); err != nil {
		return nil, err
	}
	return &Run{Dir: dir}, nil
}

// RunsOf lists the run folders in an archive by their paths. For a plain folder the list is empty.
func RunsOf(dir string) (list []string, err error) {
	if _, _, zipped := plainfile.Split(dir); !zipped {
		return nil, nil
	}
	err = folders.Walk(dir, folders.Options{Stay: true}, func(at, _ string) error {
		if _, err := plainfile.Stat(filepath.Join(at, ConfigFile)); err != nil {
			return nil
		}
		list = append(list, at)
		return fs.SkipDir
	})
	return list, err
}

// several is the error of an archive that is no run but holds some.
func several(dir string, inside []string, err error) error {
	if err != nil {
		return err
	}
	n, names := len(inside), inside
	if n > 5 {
		names = append(slices.Clone(names[:5]), "…")
	}
	return fmt.Errorf("%s is not one run: it holds %d (%s); name one, such as %s", dir, n, strings.Join(names, ", "),
		inside[0])
}

func checkRun(dir string) error {
	err := plainfile.Check(filepath.Join(dir, ConfigFile))
	if errors.Is(err, os.ErrNotExist) {
		if _, statErr := plainfile.Stat(dir); statErr != nil {
			return fmt.Errorf("run folder %s does not exist", dir)
		}
		for _, name := range []string{CheckpointFile, PreviousCheckpointFile} {
			if _, err := plainfile.Lstat(filepath.Join(dir, name)); err == nil {
				return &NoConfigError{dir, name}
			}
		}
		if inside, err := RunsOf(dir); err != nil || len(inside) > 0 {
			return several(dir, inside, err)
		}
		if err := foreign.Refusal(dir); err != nil {
			return err
		}
		return fmt.Errorf("%s is not a run folder: it has no %s", shell.Line(dir), ConfigFile)
	}
	if err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return nil
}

// taken takes the lock of a run to write it.
func taken(dir string) (*Run, error) {
	for last := 9; ; last-- { // a process that only asks who writes the run also holds the lock for a moment
		lock, err := lockfile.Take(filepath.Join(dir, LockFile))
		if err == nil {
			return &Run{Dir: dir, lock: lock}, nil
		}
		if _, held := errors.AsType[*lockfile.HeldError](err); !held {
			return nil, fmt.Errorf("run folder: %w", err)
		}
		if last == 0 {
			return nil, fmt.Errorf("run folder %s: %w; wait for it or stop it", dir, ErrLocked)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Writer returns the process that is writing the run, and its machine. The result pid is 0 if there is none, or if an
// older program began writing.
func (r *Run) Writer() (pid int, host string, err error) {
	by, err := lockfile.Peek(r.Path(LockFile))
	if err != nil {
		return 0, "", fmt.Errorf("run folder: %w", err)
	}
	if by == nil {
		return 0, "", nil
	}
	return by.PID, by.Host, nil
}

// Idle reports whether no process is writing the run. Without flock, a process on another machine that has just died is
// still counted as writing.
func (r *Run) Idle() (bool, error) {
	if plainfile.Writable(r.Dir) != nil {
		return true, nil
	}
	by, err := lockfile.Peek(r.Path(LockFile))
	if err != nil {
		return false, fmt.Errorf("run folder: %w", err)
	}
	return by == nil, nil
}

// Held returns nil if this process may write the run. Otherwise the error says who has taken the run over. Without
// flock this can happen to a process that was stopped for a long time.
func (r *Run) Held() error {
	if r.lock == nil {
		return nil
	}
	if err := r.lock.Check(); err != nil {
		return fmt.Errorf("run folder %s: nothing more is written: %w", r.Dir, err)
	}
	return nil
}

// told records the lock's messages.
func (r *Run) told() error {
	if r.lock == nil {
		return nil
	}
	for _, n := range r.lock.Notices {
		if err := r.Notice(n); err != nil {
			return err
		}
	}
	return nil
}

// Path is the path of a file in the run folder.
func (r *Run) Path(name string) string { return filepath.Join(r.Dir, name) }

// Has reports whether the run folder contains that name. It does not check that it is a file; opening it does.
func (r *Run) Has(name string) bool {
	_, err := plainfile.Lstat(r.Path(name))
	return err == nil
}

// Remove removes files of the run folder if they exist.
func (r *Run) Remove(names ...string) error {
	for _, name := range names {
		if err := os.Remove(r.Path(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("run folder: %w", err)
		}
	}
	return nil
}

// Close releases the lock.
func (r *Run) Close() error {
	if r.lock == nil {
		return nil
	}
	err := r.lock.Close()
	r.lock = nil
	return err
}
