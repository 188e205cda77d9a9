package runs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nacre/experiment"
	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"
)

// Jobs starts, stops and resumes runs of an index as processes of this program, a few at a time. The others wait in a
// queue, which is stored in the root. The processes go on when Jobs and its program end.
type Jobs struct {
	index   *Index
	program []string // command line, without "train" or "resume"
	limit   int
	log     *slog.Logger

	mu      sync.Mutex
	waiting []Job
	active  map[string]bool // paths of the runs whose processes were started here and have not ended
	failed  []Job           // jobs whose processes gave up, the newest last
	closed  bool
}

// Job is a run that is to be trained.
type Job struct {
	Path   string   `json:"path"`             // path of the run folder below the root
	Resume bool     `json:"resume,omitempty"` // whether the folder holds a run that is to be continued
	Args   []string `json:"args,omitempty"`   // arguments of nacre train, without the folder
	Added  string   `json:"added"`            // date and time at which the job was added
	Error  string   `json:"error,omitempty"`  // the reason why its process gave up
}

// Spec describes a run to train.
type Spec struct {
	Preset string   `json:"preset"`
	Set    []string `json:"set"`  // changes to the preset, as key=value
	Seed   *uint64  `json:"seed"` // nil means the preset's seed
	// name of the new folder below "runs"; if empty, it is made from the other fields
	Name   string `json:"name"`
	Device string `json:"device"`
}

// QueueFile is the file in the root with the waiting jobs.
const QueueFile = ".nacre-queue.json"

// maxWaiting is the largest number of waiting runs.
const maxWaiting = 1000

// NewJobs continues the queue of the index's root. The argument program is the command line of this program. At most
// limit runs are trained at a time.
func NewJobs(index *Index, program []string, limit int, log *slog.Logger) (*Jobs, error) {
	j := &Jobs{index: index, program: program, limit: max(1, limit), log: log, active: map[string]bool{}}
	data, err := plainfile.Read(j.file(), 16<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &j.waiting)
	}
	if err != nil {
		return nil, fmt.Errorf("queue of runs: %s: %w", j.file(), err)
	}
	for _, w := range j.waiting {
		if !filepath.IsLocal(filepath.FromSlash(w.Path)) {
			return nil, fmt.Errorf("queue of runs: %s: run folder %s is not below %s", j.file(), short(w.Path),
				index.Root)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j, j.next()
}

func (j *Jobs) file() string { return filepath.Join(j.index.Root, QueueFile) }

// Close ends the starting of runs. Running trainings go on, and the queue is kept.
func (j *Jobs) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
}

// Queue lists the jobs that wait, in order, and the jobs whose processes gave up.
func (j *Jobs) Queue() (waiting, failed []Job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]Job{}, j.waiting...), append([]Job{}, j.failed...)
}

// folderName matches the names of run folders: no hidden folders, no paths.
var folderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Start queues a new run and returns its path. The configuration is checked before the run is queued.
func (j *Jobs) Start(s Spec) (path string, err error) {
	cfg, err := experiment.Preset(s.Preset)
	if err != nil {
		return "", err
	}
	if err := experiment.Change(&cfg, s.Set...); err != nil {
		return "", err
	}
	args := []string{"--preset", s.Preset}
	for _, pair := range s.Set {
		args = append(args, "--set", pair)
	}
	if s.Seed != nil {
		cfg.Seed = *s.Seed
		args = append(args, "--seed", strconv.FormatUint(*s.Seed, 10))
	}
	if s.Device != "" {
		args = append(args, "--device", s.Device)
	}
	name := cmp.Or(s.Name, fmt.Sprintf("%s-%s-seed%d", strings.ReplaceAll(s.Preset, "/", "-"), cfg.Algorithm, cfg.Seed))
	if !folderName.MatchString(name) {
		return "", fmt.Errorf("folder name %s; expected up to 100 letters, digits, dots, dashes and underscores",
			short(name))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for k := 1; ; k++ {
		path = "runs/" + name
		if k > 1 {
			path = fmt.Sprintf("runs/%s-%d", name, k)
		}
		if !j.taken(path) {
			break
		}
		if s.Name != "" {
			return "", fmt.Errorf("there is a folder %s already; choose another name", path)
		}
	}
	return path, j.add(Job{Path: path, Args: args})
}

// taken reports whether a path is a folder, or will be one. Jobs is locked.
func (j *Jobs) taken(path string) bool {
	_, err := os.Lstat(filepath.Join(j.index.Root, filepath.FromSlash(path)))
	return err == nil || j.active[path] || j.isWaiting(path)
}

func (j *Jobs) isWaiting(path string) bool {
	return slices.ContainsFunc(j.waiting, func(w Job) bool { return w.Path == path })
}

// Resume queues a run that was interrupted.
func (j *Jobs) Resume(path string) error {
	r, err := j.index.Find(path)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.active[path], r.State == Running:
		return fmt.Errorf("%s is being trained", path)
	case j.isWaiting(path):
		return fmt.Errorf("%s waits already", path)
	case r.State == Log:
		return fmt.Errorf("%s is the log of another program: it cannot be resumed", path)
	case r.State == Finished:
		return fmt.Errorf("%s is finished", path)
	case r.State == Queued:
		return fmt.Errorf("%s is with Slurm, which starts it", path)
	case r.State == Waiting, r.Settings == nil:
		return fmt.Errorf("%s has not begun; nacre sweep or nacre study starts it", path)
	}
	if err := plainfile.Writable(j.index.Dir(r)); err != nil {
		return err
	}
	return j.add(Job{Path: path, Resume: true})
}

// add puts a job into the queue. Jobs is locked.
func (j *Jobs) add(job Job) error {
	if len(j.waiting) >= maxWaiting {
		return fmt.Errorf("%d runs wait already; expected at most %d", len(j.waiting), maxWaiting)
	}
	job.Added = time.Now().UTC().Format(time.RFC3339)
	j.waiting = append(j.waiting, job)
	j.failed = slices.DeleteFunc(j.failed, func(f Job) bool { return f.Path == job.Path })
	return j.next()
}

// Stop takes a run out of the queue, or asks the process that is writing it, whoever started it, to save a checkpoint
// and end.
func (j *Jobs) Stop(path string) error {
	j.mu.Lock()
	if j.isWaiting(path) {
		defer j.mu.Unlock()
		j.waiting = slices.DeleteFunc(j.waiting, func(w Job) bool { return w.Path == path })
		return j.save()
	}
	j.mu.Unlock()
	r, err := j.index.Find(path)
	if err != nil {
		return err
	}
	run, err := experiment.View(j.index.Dir(r))
	if err != nil {
		return err
	}
	pid, host, err := run.Writer()
	if err != nil {
		return err
	}
	here, _ := os.Hostname()
	switch {
	case pid == 0:
		return fmt.Errorf("%s: no process that could be stopped is writing it", path)
	case host != here:
		return fmt.Errorf("%s is being trained on %s, by process %d; stop it there", path, host, pid)
	}
	if err := interrupt(pid); err != nil {
		return fmt.Errorf("%s: process %d: %w", path, pid, err)
	}
	return nil
}

// Forget removes a run from the list of jobs whose processes gave up.
func (j *Jobs) Forget(path string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failed = slices.DeleteFunc(j.failed, func(f Job) bool { return f.Path == path })
}

// next starts as many waiting jobs as may run, and stores the queue. Jobs is locked.
func (j *Jobs) next() error {
	for !j.closed && len(j.active) < j.limit && len(j.waiting) > 0 {
		job := j.waiting[0]
		j.waiting = j.waiting[1:]
		if err := j.run(job); err != nil {
			job.Error = err.Error()
			j.failed = append(j.failed, job)
			j.log.Warn("a run could not be started", "run", job.Path, "error", err)
		}
	}
	return j.save()
}

func (j *Jobs) save() error {
	if len(j.waiting) == 0 {
		if err := os.Remove(j.file()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("queue of runs: %w", err)
		}
		return nil
	}
	return atomicfile.WriteJSON(j.file(), j.waiting)
}

// run starts the process of a job. Jobs is locked.
func (j *Jobs) run(job Job) error {
	dir := filepath.Join(j.index.Root, filepath.FromSlash(job.Path))
	args := slices.Clone(j.program[1:])
	if job.Resume {
		args = append(args, "resume", dir)
	} else {
		args = append(append(append(args, "train"), job.Args...), "--out", dir)
	}
	log := j.LogFile(job.Path)
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		return err
	}
	out, err := plainfile.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	cmd := exec.Command(j.program[0], args...)
	cmd.Stdout, cmd.Stderr = out, out
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return errors.Join(err, out.Close())
	}
	j.active[job.Path] = true
	go func() {
		err := errors.Join(cmd.Wait(), out.Close())
		j.ended(job, err)
	}()
	return nil
}

// interruptedStatus is this program's exit status when it was interrupted and has saved.
const interruptedStatus = 130

// ended notes that a process is gone.
func (j *Jobs) ended(job Job, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.active, job.Path)
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == interruptedStatus) {
		job.Error = cmp.Or(j.lastLine(job.Path), err.Error())
		j.failed = append(j.failed, job)
	}
	if err := j.next(); err != nil {
		j.log.Warn("the queue of runs could not be saved", "error", err)
	}
}

// LogFile is the path of the file with the output of a run's processes. It has the output only of processes that were
// started here.
func (j *Jobs) LogFile(path string) string {
	dir := filepath.Join(j.index.Root, filepath.FromSlash(path))
	return filepath.Join(filepath.Dir(filepath.Dir(dir)), "logs", filepath.Base(dir)+".log")
}

// maxLog is the number of bytes that are read from a log's end.
const maxLog = 64 << 10

// Log returns the end of the output of a run's processes, including processes of sweeps.
func (j *Jobs) Log(path string) (string, error) {
	text, _, err := plainfile.Tail(j.LogFile(path), maxLog)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.ToValidUTF8(text, "�"), err
}

func (j *Jobs) lastLine(path string) string {
	text, err := j.Log(path)
	if err != nil {
		return ""
	}
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
