package sweep

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"nacre/internal/atomicfile"
)

// Slurm holds what each run requests from the cluster. For empty strings and zeros the cluster's own values hold.
type Slurm struct {
	Partition string   `toml:"partition"`
	Account   string   `toml:"account"`
	Time      string   `toml:"time" comment:"time limit of one job; a run that needs longer continues in the next job"`
	CPUs      int      `toml:"cpus" range:"[0,4096]" comment:"number of cores of each run; 0 is 1"`
	Memory    string   `toml:"memory" comment:"memory of each run, for example 4G"`
	AtOnce    int      `toml:"at_once" range:"[0,100000]" comment:"largest number of runs at a time; 0 is no limit"`
	Restarts  int      `toml:"restarts" range:"[0,1000]" comment:"number of times that a run is queued again after its process was killed; 0 is 3"`
	Setup     []string `toml:"setup" comment:"lines of shell before the run, for example module load"`
	Options   []string `toml:"options" comment:"further options of sbatch, for example --gres=gpu:1"`
}

// Validate checks for values that would break the job script.
func (s Slurm) Validate() error {
	for key, words := range map[string][]string{
		"partition": {s.Partition}, "account": {s.Account}, "time": {s.Time}, "memory": {s.Memory},
		"options": s.Options,
	} {
		for _, w := range words {
			if strings.ContainsAny(w, "\r\n") {
				return fmt.Errorf("%s = %q, want one line", key, w)
			}
		}
	}
	for _, o := range s.Options {
		if !strings.HasPrefix(o, "-") {
			return fmt.Errorf("options = %q, want options of sbatch, which begin with -", o)
		}
	}
	return nil
}

//go:embed job.sh
var jobScript string

var jobTemplate = template.Must(template.New("job").Funcs(template.FuncMap{"quote": shellQuote}).Parse(jobScript))

// Submission is a job array of a sweep.
type Submission struct {
	Script    string    `json:"script"`
	Runs      []string  `json:"runs"` // tasks of the array, counted from 1
	Job       string    `json:"job"`  // job number; empty while it is not submitted
	Submitted time.Time `json:"submitted"`
}

// Script is the job script of a submission: an array with one task for each run in the list file.
func (f *Folder) Script(s Slurm, list string, tasks int, worker []string) (string, error) {
	dir, err := filepath.Abs(f.Dir)
	if err != nil {
		return "", fmt.Errorf("sweep: %w", err)
	}
	var b strings.Builder
	err = jobTemplate.Execute(&b, map[string]any{
		"Name": f.Name, "Dir": dir, "List": filepath.Join(dir, slurmDir, list), "Logs": filepath.Join(dir, logsDir),
		"Tasks":  tasks,
		"Worker": worker, "CPUs": max(1, s.CPUs), "Restarts": cmp.Or(s.Restarts, 3), "S": s,
	})
	if err != nil {
		return "", fmt.Errorf("sweep: job script: %w", err)
	}
	return b.String(), nil
}

// shellQuote writes a word as the shell reads it back.
func shellQuote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// WriteJobs writes the job script for the runs that are not finished and not yet given to Slurm. It returns nil if
// there are none.
func (f *Folder) WriteJobs(ctx context.Context, s Slurm, worker []string) (*Submission, error) {
	status, err := f.QueueStatus(ctx)
	if err != nil {
		return nil, err
	}
	sub := &Submission{}
	for _, r := range status {
		if r.State != Finished && r.State != Queued && r.State != Running {
			sub.Runs = append(sub.Runs, r.Name)
		}
	}
	if len(sub.Runs) == 0 {
		return nil, nil
	}
	before, err := f.Submissions()
	if err != nil {
		return nil, err
	}
	number := 1
	for _, b := range before {
		if b.Job != "" {
			number++
		}
	}
	list := fmt.Sprintf("runs-%d.txt", number)
	script, err := f.Script(s, list, len(sub.Runs), worker)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(f.Dir, slurmDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	sub.Script = filepath.Join(dir, fmt.Sprintf("job-%d.sh", number))
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, list), []byte(strings.Join(sub.Runs, "\n")+"\n"), 0o644),
		os.WriteFile(sub.Script, []byte(script), 0o755))
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	return sub, nil
}

// Submit gives a submission to sbatch and records it.
func (f *Folder) Submit(ctx context.Context, sub *Submission) error {
	out, err := slurm(ctx, "sbatch", "--parsable", sub.Script)
	if err != nil {
		return err
	}
	job, _, _ := strings.Cut(strings.TrimSpace(out), ";") // a cluster's name may follow
	if _, err := strconv.ParseUint(job, 10, 64); err != nil {
		return fmt.Errorf("sweep: sbatch printed %q, expected the number of a job", out)
	}
	sub.Job, sub.Submitted = job, time.Now().UTC().Truncate(time.Second)
	before, err := f.Submissions()
	if err != nil {
		return err
	}
	return atomicfile.WriteJSON(f.submissionsFile(), append(before, *sub))
}

func (f *Folder) submissionsFile() string { return filepath.Join(f.Dir, slurmDir, "jobs.json") }

// Submissions are the job arrays given to Slurm so far.
func (f *Folder) Submissions() (out []Submission, err error) {
	err = readJSON(f.submissionsFile(), &out)
	return out, err
}

// QueueStatus is Status with the answer of Slurm about the sweep's jobs (Queue).
func (f *Folder) QueueStatus(ctx context.Context) ([]RunStatus, error) {
	status, err := f.Status()
	if err != nil {
		return nil, err
	}
	states, err := f.Queue(ctx)
	if err != nil {
		return nil, err
	}
	for i := range status {
		if s, ok := states[status[i].Name]; ok && status[i].State != Finished {
			status[i].State = s
		}
	}
	return status, nil
}

// Queue asks Slurm for the sweep's jobs. It returns the names of the runs that wait in the queue and of the runs that
// are running. A running job may be on another node, whose locks this machine may not see. Without submissions Slurm is
// not asked.
func (f *Folder) Queue(ctx context.Context) (map[string]State, error) {
	subs, err := f.Submissions()
	if err != nil || len(subs) == 0 {
		return nil, err
	}
	// One line for each task that Slurm still has: array job, index, state. Asked for by number, a job that it has
	// forgotten would be an error.
	out, err := slurm(ctx, "squeue", "--noheader", "--array", "--me", "--format=%F %K %T")
	if err != nil {
		return nil, err
	}
	return queueStates(out, subs), nil
}

// queueStates reads squeue's lines: the state of each run that Slurm has a task for.
func queueStates(lines string, subs []Submission) map[string]State {
	out := map[string]State{}
	for _, line := range strings.Split(lines, "\n") {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		k := slices.IndexFunc(subs, func(s Submission) bool { return s.Job == fields[0] })
		task, err := strconv.Atoi(fields[1])
		if k < 0 || err != nil || task < 1 || task > len(subs[k].Runs) {
			continue
		}
		switch fields[2] {
		case "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STAGE_OUT", "SIGNALING":
			out[subs[k].Runs[task-1]] = Running
		case "PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "PREEMPTED", "RESIZING":
			out[subs[k].Runs[task-1]] = Queued
		}
	}
	return out
}

// slurm runs one of Slurm's commands and returns what it printed.
func slurm(ctx context.Context, name string, args ...string) (string, error) {
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("sweep: there is no %s here: call this on a machine of a Slurm cluster", name)
	}
	if err != nil {
		return "", fmt.Errorf("sweep: %s: %w: %s", name, err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}
