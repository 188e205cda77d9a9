package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nacre/experiment"
	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"
	"nacre/rl/config"
)

// These are the files and folders of a sweep's folder.
const (
	ManifestFile = "sweep.json" // the runs
	configsDir   = "configs"    // NAME.toml, what each run trains
	runsDir      = "runs"       // NAME/, the run folders
	logsDir      = "logs"       // NAME.log, what each run printed
	stateDir     = "state"      // NAME.json, the last attempt at each run
	slurmDir     = "slurm"      // job scripts and what was submitted
)

// maxJSON is how large a file of a sweep's folder may be, in bytes.
const maxJSON = 64 << 20

// Folder is a sweep on disk. Work on the sweep needs only this folder, not the plan.
type Folder struct {
	Dir  string `json:"-"`
	Name string `json:"name"`
	Runs []Run  `json:"runs"`
	// Others are runs that other plans began in the same folder. They are kept, but no process works on them.
	Others []Run `json:"-"`

	shared bool // see Share
}

// Prepare makes or updates the sweep's folder. Runs that have begun stay as they are. It is an error if the plan would
// change one of them.
func Prepare(p Plan) (*Folder, error) {
	f, err := planned(p)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{configsDir, runsDir, logsDir, stateDir} {
		if err := os.MkdirAll(filepath.Join(f.Dir, dir), 0o755); err != nil {
			return nil, fmt.Errorf("sweep: %w", err)
		}
	}
	for _, r := range f.Runs {
		if err := f.configure(r); err != nil {
			return nil, err
		}
	}
	all := *f
	all.Runs = slices.Concat(f.Runs, f.Others)
	return f, atomicfile.WriteJSON(filepath.Join(f.Dir, ManifestFile), all)
}

// OpenPlan opens the folder of a plan with all runs of the plan, including those that are not prepared yet. It is an
// error if the plan has other settings than those with which a run began.
func OpenPlan(p Plan) (*Folder, error) {
	if _, err := Open(p.Out); err != nil {
		return nil, err
	}
	return planned(p)
}

// planned is a plan's folder as far as it is there: the runs of the plan, and those that others began.
func planned(p Plan) (*Folder, error) {
	runs, err := p.Expand()
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: p.Out, Name: p.Name, Runs: runs}
	for _, r := range runs {
		if err := f.unchanged(r); err != nil {
			return nil, err
		}
	}
	f.Others, err = f.others()
	return f, err
}

// unchanged refuses a run that was begun with other settings than the plan's. It was begun with those in its own
// folder: a longer plan, with which it could not go on, left others in the sweep's.
func (f *Folder) unchanged(r Run) error {
	if !f.begun(r) {
		return nil
	}
	before, err := f.config(r)
	if err != nil {
		return err
	}
	if _, err = experiment.Longer(r.Config, before); err == nil { // a run that only gets longer is trained further
		return nil
	}
	own := experiment.Default()
	if unread := config.Resolve(&own, experiment.ConfigFileLayer(f.ownConfig(r))); unread == nil {
		if _, other := experiment.Longer(r.Config, own); other == nil {
			return nil
		}
	}
	return fmt.Errorf("sweep: %s was begun with %w; give the plan another name or out, or move that run's folder away",
		f.RunDir(r), err)
}

// others finds the runs that began in the folder and are not among Runs. It looks in the manifest and at the
// configurations, because older programs removed the runs of another plan from the manifest.
func (f *Folder) others() ([]Run, error) {
	known := map[string]bool{}
	for _, r := range f.Runs {
		known[r.Name] = true
	}
	var before Folder
	// A damaged manifest lists no run, and Prepare writes it anew; runs that began are found by their configurations.
	_ = readJSON(filepath.Join(f.Dir, ManifestFile), &before)
	subs, err := f.Submissions()
	if err != nil {
		return nil, err
	}
	var out []Run
	for _, r := range before.Runs {
		with := func(s Submission) bool { return slices.Contains(s.Runs, r.Name) }
		if !known[r.Name] && (f.begun(r) || f.attempted(r) || slices.ContainsFunc(subs, with)) {
			known[r.Name] = true
			out = append(out, r)
		}
	}
	entries, err := plainfile.ReadDir(filepath.Join(f.Dir, configsDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	for _, e := range entries {
		r := Run{Name: strings.TrimSuffix(e.Name(), ".toml")}
		if known[r.Name] || r.Name == e.Name() || !f.begun(r) {
			continue
		}
		if r.Config, err = f.config(r); err != nil {
			return nil, err
		}
		r.Family, r.Seed = r.Config.Family, r.Config.Seed
		r.System = systemOf(r)
		out = append(out, r)
	}
	return out, nil
}

// systemOf is the system in the name of a run of a known family and seed.
func systemOf(r Run) string {
	before, after, _ := strings.Cut(RunName(r.Family, "\n", r.Seed), "\n")
	return strings.TrimSuffix(strings.TrimPrefix(r.Name, before), after)
}

// begun reports whether a run has a run folder.
func (f *Folder) begun(r Run) bool {
	_, err := plainfile.Stat(f.ownConfig(r))
	return err == nil
}

// ownConfig is the configuration in the folder of a run.
func (f *Folder) ownConfig(r Run) string { return filepath.Join(f.RunDir(r), experiment.ConfigFile) }

// obstacle returns an error if something stands where a run that has no configuration yet would begin.
func (f *Folder) obstacle(r Run) error {
	info, err := plainfile.Stat(f.RunDir(r))
	if err != nil {
		return nil
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is a file, where the run's folder would be: move it away", f.RunDir(r))
	}
	var lost *experiment.NoConfigError
	if _, err := experiment.View(f.RunDir(r)); errors.As(err, &lost) {
		return err
	}
	return nil
}

// attempted reports whether a process tried to begin a run.
func (f *Folder) attempted(r Run) bool {
	_, err := plainfile.Stat(f.stateFile(r.Name))
	return err == nil
}

// configure writes the configuration of a run, unless that was begun with it.
func (f *Folder) configure(r Run) error {
	if before, err := f.config(r); err == nil && f.begun(r) {
		if same, err := before.Equal(r.Config); same || err != nil {
			return err
		}
	}
	text, err := config.Encode(r.Config)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(f.configFile(r.Name), text)
}

// Open reads the folder of a sweep. Its runs are those of the last plan and all runs that other plans began.
func Open(dir string) (*Folder, error) {
	f := &Folder{Dir: dir}
	data, err := plainfile.Read(filepath.Join(dir, ManifestFile), maxJSON)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("sweep: %s is not the folder of a sweep: it has no %s, which nacre sweep writes first",
			dir, ManifestFile)
	}
	if err == nil {
		err = json.Unmarshal(data, f)
	}
	if err != nil {
		return nil, fmt.Errorf("sweep: %s: %w; nacre sweep with the plan writes it again", filepath.Join(dir,
			ManifestFile), err)
	}
	others, err := f.others()
	f.Runs = append(f.Runs, others...)
	return f, err
}

// RunDir is the folder of a run.
func (f *Folder) RunDir(r Run) string { return filepath.Join(f.Dir, runsDir, r.Name) }

// LogFile is the path of the file that holds what a run printed.
func (f *Folder) LogFile(r Run) string { return filepath.Join(f.Dir, logsDir, r.Name+".log") }

// openLog opens that to write at its end.
func (f *Folder) openLog(r Run) (*os.File, error) {
	log, err := os.OpenFile(f.LogFile(r), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	return log, nil
}

func (f *Folder) configFile(name string) string {
	return filepath.Join(f.Dir, configsDir, name+".toml")
}

func (f *Folder) stateFile(name string) string { return filepath.Join(f.Dir, stateDir, name+".json") }

// config reads the configuration of a run. If a run that has begun lacks it, the configuration in the run's own folder
// is read.
func (f *Folder) config(r Run) (experiment.Config, error) {
	cfg := experiment.Default()
	file := f.configFile(r.Name)
	if _, err := plainfile.Stat(file); errors.Is(err, os.ErrNotExist) && f.begun(r) {
		file = f.ownConfig(r)
	}
	err := config.Resolve(&cfg, experiment.ConfigFileLayer(file))
	return cfg, err
}

// readJSON reads a file into v, which stays as it is where there is no file.
func readJSON(path string, v any) error {
	data, err := plainfile.Read(path, maxJSON)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("sweep: %s: %w", path, err)
	}
	return nil
}
