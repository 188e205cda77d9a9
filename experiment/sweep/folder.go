package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"nacre/experiment"
	"nacre/internal/atomicfile"
	"nacre/rl/config"
)

// What a sweep's folder holds.
const (
	ManifestFile = "sweep.json" // the runs
	configsDir   = "configs"    // NAME.toml, what each run trains
	runsDir      = "runs"       // NAME/, the run folders
	logsDir      = "logs"       // NAME.log, what each run printed
	stateDir     = "state"      // NAME.json, the last attempt at each run
	slurmDir     = "slurm"      // job scripts and what was submitted
)

// Folder is a sweep on disk. Whoever works on it needs the folder only, not the plan it came from.
type Folder struct {
	Dir  string `json:"-"`
	Name string `json:"name"`
	Runs []Run  `json:"runs"`
}

// Prepare makes or updates the sweep's folder. Runs that were begun stay as they are; a plan that would change one of
// them is refused.
func Prepare(p Plan) (*Folder, error) {
	runs, err := p.Expand()
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: p.Out, Name: p.Name, Runs: runs}
	for _, dir := range []string{configsDir, runsDir, logsDir, stateDir} {
		if err := os.MkdirAll(filepath.Join(f.Dir, dir), 0o755); err != nil {
			return nil, fmt.Errorf("sweep: %w", err)
		}
	}
	for _, r := range runs {
		if err := f.configure(r); err != nil {
			return nil, err
		}
	}
	return f, writeJSON(filepath.Join(f.Dir, ManifestFile), f)
}

// configure writes a run's configuration, unless it is there.
func (f *Folder) configure(r Run) error {
	before, err := f.config(r.Name)
	switch {
	case err == nil:
		same, err := before.Equal(r.Config)
		if err != nil || same {
			return err
		}
		if _, err := os.Stat(filepath.Join(f.RunDir(r), experiment.ConfigFile)); err == nil {
			return fmt.Errorf("sweep: %s was begun with another configuration: give the plan another name or out, or remove that folder", f.RunDir(r))
		}
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	text, err := config.Encode(r.Config)
	if err != nil {
		return err
	}
	return atomicfile.Write(f.configFile(r.Name), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Open reads the folder of a sweep.
func Open(dir string) (*Folder, error) {
	f := &Folder{Dir: dir}
	data, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("sweep: %s is not the folder of a sweep: it has no %s, which nacre sweep writes first", dir, ManifestFile)
	}
	if err == nil {
		err = json.Unmarshal(data, f)
	}
	if err != nil {
		return nil, fmt.Errorf("sweep: %s: %w", filepath.Join(dir, ManifestFile), err)
	}
	return f, nil
}

// RunDir is the folder of a run.
func (f *Folder) RunDir(r Run) string { return filepath.Join(f.Dir, runsDir, r.Name) }

// LogFile is what a run printed.
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

// config reads what a run is to train.
func (f *Folder) config(name string) (experiment.Config, error) {
	cfg := experiment.Default()
	err := config.Resolve(&cfg, experiment.ConfigFileLayer(f.configFile(name)))
	return cfg, err
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// readJSON reads a file into v, which stays as it is where there is no file.
func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
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
