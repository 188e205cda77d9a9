package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/analysis/frame"
	"nacre/experiment"
	"nacre/experiment/foreign"
	"nacre/experiment/study"
	"nacre/experiment/tables"
	"nacre/library/cell"
	"nacre/library/display"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/sim"
	"nacre/sim/recording"
	"nacre/tsne"
)

// Run is a run folder with the agent trained in it.
type Run struct {
	Dir  string
	cfg  experiment.Config
	host experiment.Host
	at   []setting // values of the settings that Over varies
	name string    // name of its system in a sweep; empty means the name of its algorithm
	log  *foreign.Log
}

// Open opens a run folder, or the log of another program, which can only be read.
func Open(dir string) (*Run, error) {
	if foreign.Tool(dir) != "" && !isRun(dir) {
		runs, err := OpenAll(dir)
		if err != nil {
			return nil, err
		}
		if len(runs) > 1 {
			return nil, fmt.Errorf("lab: %s holds %d runs; expected one, or OpenAll", dir, len(runs))
		}
		return runs[0], nil
	}
	run, err := experiment.View(dir)
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir, cfg: experiment.Default()}
	_, err = run.ReadConfig(&r.cfg)
	return r, err
}

// train begins, continues or finds the run, and makes a shorter one longer.
func (r *Run) train(ctx context.Context, w *watch) error {
	found, longer, err := r.find()
	if err != nil {
		return err
	}
	if found != nil && !longer {
		standing, err := found.Standing(r.cfg)
		if err == nil && standing.Finished { // resuming repairs or reports what else there is
			w.found(r)
			return nil
		}
	}
	var t *experiment.Training
	if found == nil {
		t, err = experiment.Start(r.Dir, r.cfg, r.host)
	} else {
		t, _, err = experiment.Extend(r.Dir, r.host, func(c *experiment.Config) error { *c = r.cfg; return nil })
	}
	if err != nil {
		return err
	}
	return r.watched(ctx, t, w)
}

// watched trains what is open to its end, and closes it.
func (r *Run) watched(ctx context.Context, t *experiment.Training, w *watch) (err error) {
	defer t.Close()
	w.begin(t)
	stop, followed := make(chan struct{}), make(chan error)
	go func() { followed <- w.follow(r, stop) }()
	err = t.Train(ctx, w.progress())
	close(stop)
	if failed := <-followed; err == nil {
		err = failed
	}
	if err == nil {
		w.finished()
	}
	return err
}

// find is the run that is in the folder, nil if there is none, and whether it is to become longer. One of another
// configuration is an error.
func (r *Run) find() (found *experiment.Run, longer bool, err error) {
	if _, err := os.Stat(filepath.Join(r.Dir, experiment.ConfigFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	run, err := experiment.View(r.Dir)
	if err != nil {
		return nil, false, err
	}
	old := experiment.Default()
	if _, err := run.ReadConfig(&old); err != nil {
		return nil, false, err
	}
	if longer, err = experiment.Longer(r.cfg, old); err != nil {
		return nil, false, fmt.Errorf("%s holds another run: %w; choose another Folder", r.Dir, err)
	}
	return run, longer, nil
}

// Config is the run's configuration.
func (r *Run) Config() experiment.Config { return r.cfg }

// String is the run's title and folder.
func (r *Run) String() string { return r.Title() + ", in " + r.Dir }

// Title names the run by its settings.
func (r *Run) Title() string {
	if r.log != nil {
		return r.log.Title()
	}
	return fmt.Sprintf("%s on %s, seed %d", rl.Title(r.cfg.Algorithm), r.cfg.Family, r.cfg.Seed)
}

// among tells the run from others of the same family that were asked for together.
func (r *Run) among() string { return fmt.Sprintf("%s, seed %d", r.arm(), r.cfg.Seed) }

// arm is what a run has in common with those that differ from it in the seed.
func (r *Run) arm() string {
	parts := []string{rl.Title(r.cfg.Algorithm)}
	for _, s := range r.at {
		parts = append(parts, s.name+" "+s.value)
	}
	return strings.Join(parts, ", ")
}

// Metrics is a table of the training's metrics, with one row per iteration, and with columns algorithm and seed.
func (r *Run) Metrics() *frame.Frame {
	if r.log != nil {
		return r.named(r.log.Frame())
	}
	f, err := frame.Read(filepath.Join(r.Dir, experiment.MetricsFile))
	if err != nil {
		return frame.Failed(err)
	}
	return r.named(f)
}

// seed is the run's, missing of a log that names none.
func (r *Run) seed() float64 {
	if r.log != nil && !r.log.Seeded {
		return math.NaN()
	}
	return float64(r.cfg.Seed)
}

// named adds the columns that distinguish the rows of several runs.
func (r *Run) named(f *frame.Frame) *frame.Frame {
	f = f.Label("algorithm", func(frame.Row) string { return rl.Title(r.cfg.Algorithm) }).
		Compute("seed", func(frame.Row) float64 { return r.seed() })
	for _, s := range r.at {
		f = f.With(column(s.name, slices.Repeat([]string{s.value}, f.Len())))
	}
	return f
}

// column is one of numbers where all texts are.
func column(name string, texts []string) frame.Column {
	v := make([]float64, len(texts))
	for i, text := range texts {
		var err error
		if v[i], err = strconv.ParseFloat(text, 64); err != nil {
			return frame.Texts(name, texts)
		}
	}
	return frame.Numbers(name, v)
}

// Returns is a table of the returns in the final evaluation. It has one row per trajectory, with columns task, repeat,
// trajectory, return, success (1 or 0), steps and adapted. Trajectories are counted from 0. The column adapted says
// which trajectories are after adaptation.
func (r *Run) Returns() *frame.Frame {
	run, err := experiment.View(r.Dir)
	if err != nil {
		return frame.Failed(err)
	}
	result, err := run.ReadEvaluation()
	if err != nil {
		return frame.Failed(err)
	}
	return r.named(ofResult(result))
}

func ofResult(result protocol.Result) *frame.Frame {
	names := []string{"task", "repeat", "trajectory", "adapted", "return", "success", "steps"}
	columns := make([][]float64, len(names))
	for k, task := range result.Tasks {
		for repeat := range task.Return {
			for t, v := range task.Return[repeat] {
				row := []float64{float64(k), float64(repeat), float64(t), 0, v, 0, float64(task.Len[repeat][t])}
				if t >= result.Protocol.Explore {
					row[3] = 1
				}
				if task.Success[repeat][t] {
					row[5] = 1
				}
				for j, x := range row {
					columns[j] = append(columns[j], x)
				}
			}
		}
	}
	f := frame.New()
	for j, name := range names {
		f = f.With(frame.Numbers(name, columns[j]))
	}
	return f
}

// agent opens the run's agent, for as long as do takes.
func (r *Run) agent(do func(*experiment.Agent) error) error {
	a, err := experiment.LoadAgent(r.Dir, r.host)
	if err != nil {
		return err
	}
	return errors.Join(do(a), a.Close())
}

// Embed makes the posteriors of contexts of several tasks. Without o these are 200 windows of the agent's own rollouts
// for each of 8 tasks. At most one o is given.
func (r *Run) Embed(o ...experiment.EmbedOptions) (e *tsne.Embeddings, err error) {
	var options experiment.EmbedOptions
	for _, options = range o {
	}
	err = r.agent(func(a *experiment.Agent) error {
		e, err = a.Embed(cell.Context(), options)
		return err
	})
	return e, err
}

// Embedded returns the embeddings of contexts of one kind that a study has left in the run's folder.
func (r *Run) Embedded(kind experiment.ContextKind) (*tsne.Embeddings, error) {
	name, _ := study.ContextFiles(kind)
	e, err := tsne.Load(filepath.Join(r.Dir, name), "")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("lab: %s has no embeddings of kind %s (%s); Embed makes some", r.Dir, kind, name)
	}
	return e, err
}

// TSNE lays out the embeddings of Embed and measures how well tasks are told apart. The perplexity is 30, or the
// largest that the number of contexts allows if that is less.
func (r *Run) TSNE(o ...experiment.EmbedOptions) (*Layout, error) {
	e, err := r.Embed(o...)
	if err != nil {
		return nil, err
	}
	return Plane(r.Title(), e)
}

// TestTasks returns the tasks on which the run is evaluated, in the order in which Rollout counts them.
func (r *Run) TestTasks() (tasks []sim.Task, err error) {
	err = r.agent(func(a *experiment.Agent) error {
		tasks = a.TestTasks
		return nil
	})
	return tasks, err
}

// Rollout lets the agent adapt to the given test tasks, counted from 0, by the run's protocol. It records the last
// episode on each task. If no task is given, it uses all test tasks.
func (r *Run) Rollout(tasks ...int) (display.Rollout, error) {
	rec := recording.Recorder{Pictures: true}
	err := r.agent(func(a *experiment.Agent) error {
		on := a.TestTasks
		if len(tasks) > 0 {
			on = nil
		}
		for _, k := range tasks {
			if k < 0 || k >= len(a.TestTasks) {
				return fmt.Errorf("lab: test task %d of %s; expected 0 to %d", k, a.Spec.Name, len(a.TestTasks)-1)
			}
			on = append(on, a.TestTasks[k])
		}
		rec.Family = a.Family
		p := a.Config.Evaluation.Protocol
		p.Repeats, p.CarryBelief = 1, false // side by side, each from the prior: the recorder keeps the last round
		_, err := protocol.Evaluate(cell.Context(), &rec, on, p, a.Learner.Adapter(), r.cfg.Seed)
		return err
	})
	err = errors.Join(err, rec.Close())
	return display.Rollout{Title: r.Title(), Episodes: rec.Recordings}, err
}

// Runs are several runs.
type Runs []*Run

// OpenAll opens run folders, folders of sweeps, logs of other programs, and folders that hold such folders. Each run is
// opened once; links are followed. The cell shows what was left out. The columns of step and return in a log are found
// by their names, and the log's curve says which they are. OpenLogs takes their names from the caller.
func OpenAll(paths ...string) (Runs, error) { return OpenLogs("", "", paths...) }

// OpenLogs is OpenAll with the names of the columns of environment steps and of the return in the logs of other
// programs. If a name is empty, the column is found as in OpenAll.
func OpenLogs(steps, returns string, paths ...string) (Runs, error) {
	list, notes, err := tables.LoadWith(foreign.Columns{Step: steps, Return: returns}, paths...)
	if err != nil {
		return nil, err
	}
	for _, line := range notes {
		display.Show(display.Text(line))
	}
	var runs Runs
	for _, t := range list {
		runs = append(runs, &Run{Dir: t.Dir, cfg: t.Config, name: t.System, log: t.Log})
	}
	return runs, nil
}

// isRun reports whether a folder is a run's.
func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, experiment.ConfigFile))
	return err == nil
}

// Where returns those runs for which the function keep is true.
func (r Runs) Where(keep func(*Run) bool) Runs {
	return slices.DeleteFunc(slices.Clone(r), func(run *Run) bool { return !keep(run) })
}

// joined puts frames of all runs below each other.
func (r Runs) joined(of func(*Run) *frame.Frame) *frame.Frame {
	all := frame.New()
	for k, run := range r {
		if f := of(run); k == 0 {
			all = f
		} else {
			all = all.Append(f)
		}
	}
	return all
}

// Metrics is Run.Metrics of all runs in one table.
func (r Runs) Metrics() *frame.Frame { return r.joined((*Run).Metrics) }

// Returns is Run.Returns of all runs in one table.
func (r Runs) Returns() *frame.Frame { return r.joined((*Run).Returns) }

// Configs is a table of the settings in which the runs differ. It has one row per setting and one column per run, named
// after the run's folder.
func (r Runs) Configs() *frame.Frame {
	var keys []string
	values := make([]map[string]string, len(r))
	for k, run := range r {
		settings, err := run.settings()
		if err != nil {
			return frame.Failed(err)
		}
		values[k] = settings
		for key := range settings {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	keys = slices.DeleteFunc(keys, func(key string) bool {
		return !slices.ContainsFunc(values, func(v map[string]string) bool { return v[key] != values[0][key] })
	})
	f := frame.New(frame.Texts("setting", keys))
	for k, run := range r {
		column := make([]string, len(keys))
		for i, key := range keys {
			column[i] = values[k][key]
		}
		name := filepath.Base(run.Dir)
		if f.Has(name) {
			name = run.Dir
		}
		f = f.With(frame.Texts(name, column))
	}
	return f
}

// settings are the run's by dotted key, of another program's log those that it tells.
func (r *Run) settings() (map[string]string, error) {
	if r.log != nil {
		return r.log.Settings(), nil
	}
	settings, err := r.cfg.Settings()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for key, v := range settings {
		out[key] = strings.Trim(string(v), `"`)
	}
	return out, nil
}
