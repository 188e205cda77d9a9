// Package lab does common research tasks in a few lines. It trains a preset with a live curve, shows returns,
// embeddings and rollouts of the run, and compares several algorithms and seeds. Each function calls one or two
// functions of packages experiment, tsne and analysis/plots.
//
//	run := lab.Train("quick/point-goal", lab.Latent(3), lab.Iterations(5)) // in a cell an error ends it by itself
//	run.Curve()     // return over environment steps
//	run.TSNE()      // the embeddings' layout, with its centroid table
//	run.Rollout(0)  // an episode on the first test task, after adaptation
//
// A run's folder lies below "runs" and is named after the run's settings. The same call again opens this run, or
// continues the run if it was interrupted. In a notebook a call ends when its cell is interrupted.
package lab

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"

	"nacre/experiment"
	"nacre/internal/nearest"
	"nacre/library/cell"
	"nacre/rl"
	"nacre/rl/config"
)

// Option changes what Train does.
type Option func(*plan)

// plan holds what is trained.
type plan struct {
	algorithm string
	seed      *uint64
	pairs     []string
	named     []setting
	folder    string
	under     string
	host      experiment.Host
	quiet     bool
	keep      int
	look      *look
	shared    bool              // whether several algorithms share it; not all of them read all settings
	own       map[string]string // the algorithms of Loss, by the names that it was given
	family    string            // another than the preset's, and what tells it from others of its name
	behaviour string
	over      []sweep
	at        []setting // the values of this plan of them
	err       error
}

// setting is a value by the name that it has in the table of any algorithm.
type setting struct{ name, value string }

// Algorithm trains another algorithm than the preset's. The argument name is one of rl.Names.
func Algorithm(name string) Option { return func(p *plan) { p.algorithm = name } }

// Seed sets the seed of the run: of its tasks, its parameters and all random numbers.
func Seed(seed int) Option {
	return func(p *plan) {
		s := uint64(seed)
		if p.seed = &s; seed < 0 {
			p.err = cmp.Or(p.err, fmt.Errorf("lab: seed = %d: expected %s", seed, config.WholeFromZero))
		}
	}
}

// Set changes values of the configuration by key=value, such as "tcl.window=20".
func Set(pairs ...string) Option { return func(p *plan) { p.pairs = append(p.pairs, pairs...) } }

// Iterations sets the length of the training.
func Iterations(n int) Option { return name("iterations", n) }

// Latent sets the number of latent dimensions of the context encoder.
func Latent(n int) Option { return name("latent", n) }

// name sets a value in the table of the algorithm that has it.
func name(key string, n int) Option {
	return func(p *plan) { p.named = append(p.named, setting{key, fmt.Sprint(n)}) }
}

// Over makes Compare train with each of several values of a setting, named as in the configuration ("tcl.window") or as
// in any table of the algorithm ("latent"). Metrics and Returns of the runs have the setting as a column.
func Over(setting string, values ...any) Option {
	return func(p *plan) { p.over = append(p.over, sweep{setting, values}) }
}

// sweep is a setting with its values.
type sweep struct {
	setting string
	values  []any
}

// Folder keeps the run in the folder dir, instead of a folder below "runs" named after the run.
func Folder(dir string) Option { return func(p *plan) { p.folder = dir } }

// Under keeps runs below the folder dir. "" means "runs", which is the default.
func Under(dir string) Option { return func(p *plan) { p.under = dir } }

// On chooses device, workers and more. The zero value is the CPU with one worker per core.
func On(host experiment.Host) Option { return func(p *plan) { p.host = host } }

// Quiet shows neither curve nor progress.
func Quiet() Option { return func(p *plan) { p.quiet = true } }

// Every calls the function do after every n iterations of the training and at its end. The function gets the run in its
// present state and can show it. If the run existed already, the function is not called.
//
//	lab.Train("quick/cheetah-vel", lab.Every(4, func(run *lab.Run) error {
//		film, err := run.Rollout(0)
//		display.Show(film)
//		return err
//	}))
func Every(n int, do func(*Run) error) Option {
	return func(p *plan) {
		p.pairs = append(p.pairs, fmt.Sprintf("checkpoint_every=%d", n))
		p.look = &look{do: do}
	}
}

// Train trains a preset to the end of its schedule and returns the run. While it trains, it draws the return on unseen
// tasks and shows its progress. A finished run is opened. An interrupted run is continued. A shorter run in the same
// Folder is trained further. A folder with another configuration is an error. If the cell is interrupted, a checkpoint
// is left.
func Train(preset string, options ...Option) (*Run, error) {
	runs, err := train(preset, nil, nil, append(slices.Clone(options), one))
	if err != nil {
		return nil, err
	}
	return runs[0], nil
}

// one refuses what takes several runs.
func one(p *plan) {
	if len(p.over) > 0 {
		p.err = cmp.Or(p.err, fmt.Errorf("lab: several values of %s in Train, which makes one run; expected Compare",
			p.over[0].setting))
	}
}

// Compare trains a preset with every combination of the algorithms, the seeds and the values of a varied setting
// (Over). It returns the runs in that order. One chart shows the curves of all runs while they train; runs that exist
// already are in it too. If algorithms or seeds are empty, the preset's are used. A value of Set is used by the
// algorithms that read it.
func Compare(preset string, algorithms []string, seeds []int, options ...Option) (Runs, error) {
	return train(preset, algorithms, seeds, options)
}

func train(preset string, algorithms []string, seeds []int, options []Option) (runs Runs, err error) {
	var base plan
	for _, o := range options {
		o(&base)
	}
	if base.err != nil {
		return nil, base.err
	}
	plans := base.crossed(algorithms, seeds)
	for _, p := range plans {
		if p.err != nil {
			return nil, p.err
		}
	}
	if base.folder != "" && len(plans) > 1 {
		return nil, fmt.Errorf("lab: one folder (%s) for %d runs; leave Folder out", base.folder, len(plans))
	}
	for _, p := range plans { // errors come before anything is trained
		cfg, err := p.config(preset)
		if err != nil {
			return nil, err
		}
		dir := cmp.Or(p.folder, filepath.Join(cmp.Or(p.under, "runs"), folderName(preset, cfg, p)))
		host := p.host
		host.Keep = cmp.Or(p.keep, host.Keep)
		runs = append(runs, &Run{Dir: dir, cfg: cfg, host: host, at: p.at})
	}
	watch := newWatch(runs, base.quiet, base.look)
	defer func() { watch.end(err) }()
	for _, r := range runs {
		if err := r.train(cell.Context(), watch); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// crossed is a plan for every seed of every algorithm with every value of what is varied.
func (p plan) crossed(algorithms []string, seeds []int) (plans []plan) {
	if k := len(p.at); k < len(p.over) {
		for _, v := range p.over[k].values {
			q := p
			q.at = append(slices.Clone(p.at), setting{p.over[k].setting, fmt.Sprint(v)})
			plans = append(plans, q.crossed(algorithms, seeds)...)
		}
		return plans
	}
	if len(algorithms) == 0 {
		algorithms = []string{p.algorithm}
	}
	for _, a := range algorithms {
		p.algorithm, p.shared = cmp.Or(p.own[a], a), len(algorithms) > 1
		if len(seeds) == 0 {
			plans = append(plans, p)
		}
		for _, s := range seeds {
			Seed(s)(&p)
			plans = append(plans, p)
		}
	}
	return plans
}

// config is the preset, changed.
func (p plan) config(preset string) (experiment.Config, error) {
	cfg, err := experiment.Preset(preset)
	if err != nil {
		return cfg, err
	}
	cfg.Algorithm = cmp.Or(p.algorithm, cfg.Algorithm)
	cfg.Family = cmp.Or(p.family, cfg.Family)
	if p.seed != nil {
		cfg.Seed = *p.seed
	}
	pairs := slices.Clone(p.pairs)
	if p.shared {
		pairs = slices.DeleteFunc(pairs, cfg.Ignores)
	}
	layers := []config.Layer{config.SetBy("lab.Set", pairs...)}
	for k, s := range slices.Concat(p.named, p.at) {
		option := "lab.Over"
		if k < len(p.named) {
			option = "lab." + strings.ToUpper(s.name[:1]) + s.name[1:] // Iterations or Latent
		}
		key := s.name
		if !strings.Contains(key, ".") {
			var err error
			if key, err = keyOf(cfg.Algorithm, s.name); err != nil {
				return cfg, err
			}
		}
		layers = append(layers, config.SetBy(option, key+"="+s.value))
	}
	return cfg, config.Resolve(&cfg, layers...)
}

// keyOf finds a setting in the tables that an algorithm reads.
func keyOf(algorithm, name string) (string, error) {
	a, err := rl.Lookup(algorithm)
	if err != nil {
		return "", err
	}
	var names []string
	for _, t := range a.Tables {
		for _, key := range config.Keys(t.Default) {
			if key == name {
				return t.Name + "." + name, nil
			}
			names = append(names, key)
		}
	}
	return "", fmt.Errorf("lab: %s has no setting %s%s", a.Title, nearest.Quote(name), nearest.Hint(name, names))
}

// folderName tells runs apart: what they are, and a few digits of everything that was changed.
func folderName(preset string, cfg experiment.Config, p plan) string {
	s := fmt.Sprintf("%s-%s-seed%d", strings.ReplaceAll(preset, "/", "-"), cfg.Algorithm, cfg.Seed)
	var changed []string
	for _, n := range slices.Concat(p.named, p.at) {
		changed = append(changed, n.name+"="+n.value)
	}
	if p.family != "" {
		changed = append(changed, "family="+p.family+" "+p.behaviour)
	}
	if changed = append(changed, p.pairs...); len(changed) == 0 {
		return s
	}
	h := fnv.New32a()
	for _, c := range changed {
		h.Write([]byte(c + "\n"))
	}
	return fmt.Sprintf("%s-%08x", s, h.Sum32())
}
