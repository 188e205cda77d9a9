package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"nacre/core"
	"nacre/experiment/checkpoint"
	"nacre/experiment/tfevents"
	"nacre/internal/plainfile"
	"nacre/internal/safetensors"
	"nacre/rl"
	"nacre/sim"
)

// Finding is Verify's finding about a file of a run.
type Finding struct {
	File   string `json:"file"`
	State  string `json:"state"`           // Whole, Missing, Damaged or Other
	About  string `json:"about,omitempty"` // what the file holds, or what is wrong with it
	Remade bool   `json:"remade"`          // Resume works without the file or makes it again
}

// Values of Finding.State.
const (
	Whole   = "whole"
	Missing = "missing"
	Damaged = "damaged"
	Other   = "of another configuration" // a checkpoint that does not fit config.toml
)

// Verify reads everything that training wrote in the run folder at dir. It verifies checksums, compares files with the
// checkpoint, and changes nothing. It makes no agent, so it also works if the run's family or device is not available.
// If the run is being trained meanwhile, the files may have been written at different times. If the folder is no run,
// that is an error.
func Verify(dir string) ([]Finding, error) {
	run, err := View(dir)
	if _, ok := errors.AsType[*NoConfigError](err); ok {
		run = &Run{Dir: dir}
	} else if err != nil {
		return nil, err
	}
	v := verifier{run: run}
	cfg := Default()
	_, err = run.ReadConfig(&cfg)
	v.add(ConfigFile, "", err, false)
	if err == nil {
		v.cfg = &cfg
	}
	defer func() {
		v.found[0].Remade = v.found[0].State == Missing && (v.is(1, Whole) || len(v.found) > 2 && v.is(2, Whole))
	}()
	newest := v.checkpoint(CheckpointFile, cfg, err == nil)
	before := v.checkpoint(PreviousCheckpointFile, cfg, err == nil)
	state := newest
	if newest == nil {
		state = before
	}
	for _, name := range run.states() {
		if state != nil {
			break
		}
		state = v.checkpoint(name, cfg, err == nil)
	}
	if state == nil && run.results() == "" && v.is(1, Missing) && v.is(2, Missing) {
		return v.found[:1], nil // stopped in its first collection: Resume begins the run anew
	}
	if newest != nil && v.is(2, Missing) { // a run with one checkpoint so far
		v.found = v.found[:2]
	}
	for i := range v.found[1:] {
		v.found[1+i].Remade = state != nil
	}
	err = v.tasks()
	v.add(TasksFile, "", err, true)
	for _, name := range []string{MetricsFile, TimingFile} {
		v.series(name, state)
	}
	v.weights(state)
	if run.Has(EvaluationFile) || v.trained() {
		_, err := run.ReadEvaluation()
		if err == nil && v.whole(MetricsFile) {
			var says string
			if says, err = run.otherEvaluation(); says != "" {
				err = errors.New(says)
			}
		}
		v.add(EvaluationFile, "", err, state != nil)
	}
	if p, err := run.pruned(); err == nil && p != nil {
		v.found = slices.DeleteFunc(v.found, func(f Finding) bool {
			return f.State == Missing && p.Removed[f.File] > 0
		})
	}
	return v.found, v.events()
}

type verifier struct {
	run   *Run
	cfg   *Config // nil if it cannot be read
	found []Finding
}

// saved holds what Verify compares files with.
type saved struct {
	at      place
	texts   map[string][]byte    // texts of MetricsFile and TimingFile; nil from older programs
	weights map[string][]float64 // weights by parameter
}

func (v *verifier) add(name, about string, err error, remade bool) {
	f := Finding{File: name, State: Whole, About: about, Remade: remade}
	if err != nil {
		f.State, f.About = Damaged, err.Error()
		if errors.Is(err, rl.ErrOther) {
			f.State = Other
		}
		if errors.Is(err, fs.ErrNotExist) {
			f.State = Missing
		}
	}
	v.found = append(v.found, f)
}

// whole reports whether a file was found whole.
func (v *verifier) whole(name string) bool {
	return slices.ContainsFunc(v.found, func(f Finding) bool { return f.File == name && f.State == Whole })
}

// trained reports whether the metrics reach the end of the schedule, where a run is evaluated.
func (v *verifier) trained() bool {
	if v.cfg == nil {
		return false
	}
	s, err := v.run.Standing(*v.cfg)
	return err == nil && s.Share >= 1
}

func (v *verifier) is(i int, state string) bool { return v.found[i].State == state }

// checkpoint verifies a generation. It returns nil if the run cannot continue from it.
func (v *verifier) checkpoint(name string, cfg Config, configured bool) *saved {
	s := &saved{texts: map[string][]byte{}, weights: map[string][]float64{}}
	err := checkpoint.Load(v.run.Path(name), "", func(r *checkpoint.Reader) (err error) {
		if configured {
			if err := v.run.continued(r.Header(), cfg); err != nil {
				return err
			}
		}
		if err := r.JSON("place", &s.at); err != nil {
			return err
		}
		for _, file := range []string{MetricsFile, TimingFile} {
			if s.texts[file], err = text(r, file); err != nil {
				return err
			}
		}
		return s.readWeights(r)
	})
	v.add(name, fmt.Sprintf("after %d iterations, %d environment steps", s.at.Iteration, s.at.EnvSteps), err, false)
	if err != nil {
		return nil
	}
	return s
}

func (s *saved) readWeights(r *checkpoint.Reader) error {
	var specs []core.ParamSpec
	if err := r.JSON("parameters/specs", &specs); err != nil {
		return err
	}
	in, err := r.Section("parameters")
	if err != nil {
		return err
	}
	for _, p := range specs {
		for _, e := range entries(p) {
			if p.Rows < 0 || p.Cols < 0 || int64(e.size) > in.Size()/8 {
				return fmt.Errorf("section parameters: %s of %d×%d is larger than it", p.Name, p.Rows, p.Cols)
			}
			values := make([]float64, e.size)
			if err := checkpoint.ReadSlice(in, values); err != nil {
				return fmt.Errorf("section parameters: %s: %w", e.name, err)
			}
			if e.name == p.Name {
				s.weights[p.Name] = values
			}
		}
	}
	return nil
}

// tasks verifies that the tasks are those that the seed draws, if this program has the run's family.
func (v *verifier) tasks() error {
	_, train, test, err := v.run.ReadTasks()
	if err != nil || v.cfg == nil || v.cfg.Family == "" || sim.Opens(v.cfg.Family) { // that would start a program
		return err
	}
	family, err := sim.Lookup(v.cfg.Family)
	if err != nil {
		return nil
	}
	wantTrain, wantTest, err := family.Tasks(v.cfg.Seed, v.cfg.TrainTasks, v.cfg.TestTasks)
	if err != nil {
		return nil // reported when the agent is made
	}
	return otherTasks(train, test, wantTrain, wantTest)
}

// otherTasks says which task is not the one that the seed draws.
func otherTasks(train, test, wantTrain, wantTest []sim.Task) error {
	for _, of := range []struct {
		what       string
		have, want []sim.Task
	}{{"train", train, wantTrain}, {"test", test, wantTest}} {
		if len(of.have) != len(of.want) {
			return fmt.Errorf("%s has %d %s tasks; expected %d", TasksFile, len(of.have), of.what, len(of.want))
		}
		for i, t := range of.have {
			if w := of.want[i]; t.ID != w.ID || !slices.Equal(t.Params, w.Params) {
				return fmt.Errorf("%s has %s task %d as %v with id %d; the seed draws %v with id %d", TasksFile,
					of.what, i+1, t.Params, t.ID, w.Params, w.ID)
			}
		}
	}
	return nil
}

// series verifies metrics or timing: the file must begin as the checkpoint says.
func (v *verifier) series(name string, s *saved) {
	data, err := plainfile.Read(v.run.Path(name), maxText)
	var series Series
	if err == nil {
		series, err = parseMetrics(v.run.Path(name), data)
	}
	kept := s != nil && s.texts[name] != nil
	if err == nil && kept && !bytes.HasPrefix(data, s.texts[name]) {
		err = fmt.Errorf("its first %d bytes are not those the checkpoint keeps", len(s.texts[name]))
	}
	if err == nil && name == MetricsFile && v.cfg != nil {
		var notes []string
		if _, notes, err = series.Counted(*v.cfg); err == nil && len(notes) > 0 {
			err = errors.New(strings.Join(notes, "; "))
		}
	}
	about := fmt.Sprintf("%d rows", len(series.Rows))
	if err == nil && series.half > 0 {
		if about += ", and the beginning of one, as a killed program leaves it"; v.run.Has(EvaluationFile) {
			err = fmt.Errorf("it ends within line %d", series.half)
		}
	}
	if err == nil && kept && v.run.Has(EvaluationFile) && len(data) > len(s.texts[name]) {
		err = fmt.Errorf("it has %d bytes after the end of the run", len(data)-len(s.texts[name]))
	}
	if err == nil && name == MetricsFile && v.cfg != nil && v.run.Has(EvaluationFile) {
		standing, failed := v.run.Standing(*v.cfg)
		if err = failed; err == nil && standing.Share < 1 {
			err = fmt.Errorf("it ends after %d rows; the run has %s", len(series.Rows), lengthOf(*v.cfg))
		}
	}
	v.add(name, about, err, kept)
}

// weights verifies that the weights are those of the checkpoint.
func (v *verifier) weights(s *saved) {
	file, err := ReadWeights(v.run.Path(WeightsFile))
	if err == nil && s != nil {
		err = s.same(file)
	}
	about := ""
	if err == nil {
		about = fmt.Sprintf("%d tensors", len(file.Tensors))
	}
	v.add(WeightsFile, about, err, s != nil)
}

func (s *saved) same(file *safetensors.File) error {
	for name, want := range s.weights {
		t, ok := file.Tensor(name)
		n := max(len(t.Data32), len(t.Data64))
		if !ok || n != len(want) {
			return fmt.Errorf("tensor %s has %d values; the checkpoint's has %d", name, n, len(want))
		}
		for i, w := range want {
			have := 0.0
			if len(t.Data32) > 0 {
				have = float64(t.Data32[i])
			} else {
				have = t.Data64[i]
			}
			if have != w && (have == have || w == w) {
				return fmt.Errorf("tensor %s is not of the state in the checkpoint: value %d is %g, there %g",
					name, i, have, w)
			}
		}
	}
	return nil
}

func (v *verifier) events() error {
	files, err := tfevents.Files(v.run.Dir)
	for _, file := range files {
		n, whole, err := tfevents.Check(file)
		about := fmt.Sprintf("%d records", n)
		if !whole {
			about += ", and the beginning of one, as a killed program leaves it"
		}
		v.add(filepath.Base(file), about, err, false)
	}
	return err
}
