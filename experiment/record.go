package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	toml "github.com/pelletier/go-toml/v2"

	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"
	"nacre/internal/shell"
	"nacre/internal/version"
	"nacre/rl/config"
	"nacre/rl/protocol"
	"nacre/sim"
)

// recordTable is the table of config.toml that holds the record. It is not part of the configuration, so the file can
// be given to another run as it is.
const recordTable = "record"

// Record says what ran a configuration. It has one entry per process that worked on the run; the first process created
// it.
type Record struct {
	Branch   *Origin   `toml:"branch,omitempty"` // only in a branch of another run
	Sessions []Process `toml:"sessions"`
}

// Process is one process's work on a run.
type Process struct {
	Started   time.Time `toml:"started" json:"started"`
	Program   string    `toml:"program" json:"program"`
	Commit    string    `toml:"commit" json:"commit"`
	Go        string    `toml:"go" json:"go"`
	Platform  string    `toml:"platform" json:"platform"`
	CPUKernel string    `toml:"cpu_kernel" json:"cpu_kernel"`         // CPU kernel of the training core, e.g. "avx512"
	Device    string    `toml:"device" json:"device"`                 // device of training, e.g. "cpu/avx512 ×2"
	CUDA      string    `toml:"cuda,omitempty" json:"cuda,omitempty"` // versions, if a GPU was used
	MuJoCo    string    `toml:"mujoco" json:"mujoco"`                 // version, empty if MuJoCo was not used
	Family    string    `toml:"family" json:"family"`                 // definition of the environment (sim.Spec.Source)
	Workers   int       `toml:"workers" json:"workers"`
	// Notices tell a reader of the results, for example, that a fall-back was taken, that a window was shortened, or
	// that a version differs from that of the process before.
	Notices []string `toml:"notices" json:"notices,omitempty"`
	// Ended says how the process ended: EndedRunning while it works or if it was killed, EndedFinished,
	// EndedInterrupted, or EndedFailed followed by the error. It is empty for processes of older programs.
	Ended string `toml:"ended" json:"ended,omitempty"`
}

// Values of Process.Ended.
const (
	EndedRunning     = "running"
	EndedFinished    = "finished"
	EndedInterrupted = "interrupted"
	EndedFailed      = "failed: "
)

// WhyEnded is the reason why the last process of an unfinished run ended, if no process is writing the run now. It is a
// sentence without full stop, or empty if the reason is unknown. Failed reports whether the process ended with an
// error.
func (r Record) WhyEnded() (why string, failed bool) {
	if len(r.Sessions) == 0 {
		return "", false
	}
	switch ended := r.Sessions[len(r.Sessions)-1].Ended; {
	case ended == EndedRunning:
		return "killed, or its machine went down: its process left no word", false
	case strings.HasPrefix(ended, EndedFailed):
		return strings.TrimPrefix(ended, EndedFailed), true
	default:
		return ended, false
	}
}

// NewProcess returns the entry of the record for this process, whose work begins now. The caller fills in device,
// kernel and libraries.
func NewProcess() Process {
	v := version.Get()
	return Process{
		Started: time.Now().UTC().Truncate(time.Second),
		Program: v.Version, Commit: v.Commit, Go: v.Go, Platform: v.Platform, Ended: EndedRunning,
	}
}

// Begin writes config.toml with every value of cfg, and adds s to the record. If the run is resumed, Begin adds a
// notice for every value in s that differs from the process before and may change the numbers. It returns the added
// notices.
func (r *Run) Begin(cfg any, s Process) (added []string, err error) {
	text, err := config.Encode(cfg)
	if err != nil {
		return nil, err
	}
	record, err := r.Record()
	if err != nil {
		return nil, err
	}
	if record.Branch == nil {
		record.Branch = r.record.Branch
	}
	if n := len(record.Sessions); n > 0 {
		added = differences(record.Sessions[n-1], s)
		s.Notices = append(s.Notices, added...)
	}
	record.Sessions = append(record.Sessions, s)
	r.config, r.record = text, record
	return added, errors.Join(r.writeConfig(), r.told())
}

// differences lists what changed between two processes of one run. The number of workers is not listed, because results
// do not depend on it.
func differences(before, now Process) []string {
	var out []string
	for _, f := range []struct{ what, before, now string }{
		{"program", before.Program + " " + before.Commit, now.Program + " " + now.Commit},
		{"Go", before.Go, now.Go},
		{"platform", before.Platform, now.Platform},
		{"CPU kernel", before.CPUKernel, now.CPUKernel},
		{"device", deviceOf(before), deviceOf(now)},
		{"CUDA", before.CUDA, now.CUDA},
		{"MuJoCo", before.MuJoCo, now.MuJoCo},
		{"family", inPython(before.Family), inPython(now.Family)},
	} {
		if f.before != f.now {
			out = append(out, fmt.Sprintf("resumed with %s %s (before: %s): the continuation may not be bit-identical",
				f.what, f.now, f.before))
		}
	}
	return out
}

// inPython returns the source of a family in Python, or "". No other entry of a process has its files and packages.
func inPython(source string) string {
	if strings.Contains(source, "Python ") {
		return source
	}
	return ""
}

// deviceOf returns a process's GPU, or "cpu". The CPU's kernel and number of workers are compared separately.
func deviceOf(s Process) string {
	if name, _, _ := strings.Cut(s.Device, "/"); name == "cpu" {
		return name
	}
	return s.Device
}

// Notice adds a line to the notices of the current process, unless it is there already.
func (r *Run) Notice(text string) error {
	if len(r.record.Sessions) == 0 {
		return fmt.Errorf("run folder %s: a notice before the run has begun", r.Dir)
	}
	s := &r.record.Sessions[len(r.record.Sessions)-1]
	if slices.Contains(s.Notices, text) {
		return nil
	}
	s.Notices = append(s.Notices, text)
	return r.writeConfig()
}

// longestEnd is the length to which the record cuts an error.
const longestEnd = 2000

// ended records how the current process ended, if it was begun.
func (r *Run) ended(how string) error {
	n := len(r.record.Sessions)
	if n == 0 || !r.Has(ConfigFile) { // the folder was removed
		return nil
	}
	how = strings.ToValidUTF8(strings.Join(strings.Fields(how), " "), "�")
	if len(how) > longestEnd {
		how = strings.ToValidUTF8(how[:longestEnd], "") + "…"
	}
	r.record.Sessions[n-1].Ended = how
	return r.writeConfig()
}

func (r *Run) writeConfig() error {
	var b bytes.Buffer
	b.Write(r.config)
	b.WriteString("\n# What ran this configuration; not part of it.\n")
	e := toml.NewEncoder(&b)
	if err := e.Encode(map[string]Record{recordTable: r.record}); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return atomicfile.WriteBytes(r.Path(ConfigFile), b.Bytes())
}

// ReadConfig lays the run's configuration over cfg, checks it, and returns the record. Begin with Default: a run may be
// older than some settings, which its configuration then lacks.
func (r *Run) ReadConfig(cfg any) (Record, error) {
	if err := config.Resolve(cfg, ConfigFileLayer(r.Path(ConfigFile))); err != nil {
		return Record{}, r.ofOther(err)
	}
	return r.Record()
}

// remadeConfig says how a damaged config.toml is made again, as the end of a sentence.
func (r *Run) remadeConfig() string {
	if !r.Has(CheckpointFile) && !r.Has(PreviousCheckpointFile) || plainfile.Writable(r.Dir) != nil {
		return "; expected the whole file, as the run wrote it"
	}
	return fmt.Sprintf("; remove the file, then %s makes it again from the checkpoint",
		shell.Command("nacre", "resume", shell.Path(r.Dir)))
}

// ofOther adds to the error of an unknown setting which program has written the run.
func (r *Run) ofOther(err error) error {
	var unknown *config.KeyError
	if !errors.As(err, &unknown) {
		if _, value := errors.AsType[*config.ValueError](err); !value && r.Has(ConfigFile) {
			return fmt.Errorf("%w%s", err, r.remadeConfig())
		}
		return err
	}
	record, readErr := r.Record()
	if v := version.Get(); readErr == nil && len(record.Sessions) > 0 {
		if s := record.Sessions[len(record.Sessions)-1]; s.Commit != v.Commit {
			return fmt.Errorf("%w; the run was written by another program, %s %s, which has that setting, or it was "+
				"added by hand", err, s.Program, s.Commit)
		}
	}
	return fmt.Errorf("%w; if a newer program wrote it, use that one; if not, remove the line", err)
}

// Record returns the record of what ran the run so far. It is empty if the run has no config.toml yet. If the file ends
// before the record, that is an error.
func (r *Run) Record() (Record, error) {
	var file struct {
		Record *Record `toml:"record"`
	}
	data, err := plainfile.Read(r.Path(ConfigFile), maxConfig)
	if os.IsNotExist(err) {
		return Record{}, nil
	}
	if err == nil {
		err = toml.Unmarshal(bytes.TrimPrefix(data, byteOrderMark), &file)
	}
	if err != nil {
		return Record{}, fmt.Errorf("run folder: record in %s: %w", r.Path(ConfigFile), err)
	}
	if file.Record == nil {
		return Record{}, fmt.Errorf("run folder: %s ends on line %d without a table [record], so the rest of it is "+
			"lost%s", r.Path(ConfigFile), 1+bytes.Count(bytes.TrimSpace(data), []byte("\n")), r.remadeConfig())
	}
	return *file.Record, nil
}

// Tasks are the tasks of a run as they were used.
type Tasks struct {
	Family string `json:"family"`
	Train  []Task `json:"train"`
	Test   []Task `json:"test"`
}

// Task is sim.Task in tasks.json.
type Task struct {
	ID     int       `json:"id"`
	Params []float64 `json:"params"`
}

// WriteTasks writes tasks.json.
func (r *Run) WriteTasks(family string, train, test []sim.Task) error {
	file := Tasks{Family: family, Train: fromSim(train), Test: fromSim(test)}
	return atomicfile.WriteJSON(r.Path(TasksFile), file)
}

// ReadTasks reads tasks.json.
func (r *Run) ReadTasks() (family string, train, test []sim.Task, err error) {
	data, err := plainfile.Read(r.Path(TasksFile), maxText)
	if err != nil {
		return "", nil, nil, fmt.Errorf("run folder: %w", err)
	}
	var file Tasks
	if err := json.Unmarshal(data, &file); err != nil {
		return "", nil, nil, fmt.Errorf("run folder: %s: %w", r.Path(TasksFile), err)
	}
	return file.Family, toSim(file.Train), toSim(file.Test), nil
}

func fromSim(tasks []sim.Task) []Task {
	out := make([]Task, len(tasks))
	for i, t := range tasks {
		out[i] = Task{t.ID, t.Params}
	}
	return out
}

func toSim(tasks []Task) []sim.Task {
	out := make([]sim.Task, len(tasks))
	for i, t := range tasks {
		out[i] = sim.Task{ID: t.ID, Params: t.Params}
	}
	return out
}

// ReadEvaluation reads evaluation.json, which only a finished run has.
func (r *Run) ReadEvaluation() (protocol.Result, error) {
	var out protocol.Result
	data, err := plainfile.Read(r.Path(EvaluationFile), maxText)
	if err != nil {
		return out, fmt.Errorf("run folder: %w", err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		line := 1 + bytes.Count(data, []byte("\n"))
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			line = 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		}
		return out, fmt.Errorf("run folder: %s: line %d: %w", r.Path(EvaluationFile), line, err)
	}
	if err := out.Check(); err != nil {
		return out, fmt.Errorf("run folder: %s: %w", r.Path(EvaluationFile), err)
	}
	return out, nil
}
