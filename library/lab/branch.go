package lab

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"nacre/experiment"
	"nacre/library/cell"
	"nacre/rl/config"
)

// Branch begins a run from the state that another run had after this number of complete iterations. From there it uses
// other settings (Set, Iterations) and trains to its end as Train does. Unless Folder is given, its folder is named
// after the other run's folder, the iteration and the changed settings. The same call again opens this branch. The
// other run must have a checkpoint of that iteration: its last, the one before, or one that
// On(experiment.Host{KeepState: n}) kept.
func Branch(run *Run, iteration int, options ...Option) (branch *Run, err error) {
	var p plan
	for _, o := range append(options, one) {
		o(&p)
	}
	switch {
	case p.err != nil:
		return nil, p.err
	case p.seed != nil || p.algorithm != "" || p.family != "":
		return nil, errors.New("lab: a branch with another seed, algorithm or family; expected settings only: it " +
			"shares these with its run")
	}
	change := func(c *experiment.Config) error {
		layers := []config.Layer{config.SetBy("lab.Set", p.pairs...)}
		for _, s := range p.named {
			key, err := keyOf(c.Algorithm, s.name)
			if err != nil {
				return err
			}
			layers = append(layers, config.SetBy("lab.Branch", key+"="+s.value))
		}
		return config.Resolve(c, layers...)
	}
	b := &Run{Dir: cmp.Or(p.folder, branchName(run.Dir, iteration, p)), host: p.host, cfg: run.cfg}
	b.host.Keep = cmp.Or(p.keep, b.host.Keep)
	if err := change(&b.cfg); err != nil {
		return nil, err
	}
	found, _, err := b.find()
	if err != nil {
		return nil, err
	}
	w := newWatch(Runs{b}, p.quiet, p.look)
	defer func() { w.end(err) }()
	if found != nil { // continue its own training, unless it has ended
		return b, b.train(cell.Context(), w)
	}
	t, _, err := experiment.Branch(run.Dir, iteration, b.Dir, b.host, change)
	if err != nil {
		return nil, err
	}
	return b, b.watched(cell.Context(), t, w)
}

// branchName tells branches of a run apart.
func branchName(dir string, iteration int, p plan) string {
	h := fnv.New32a()
	for _, pair := range p.pairs {
		h.Write([]byte(pair + "\n"))
	}
	for _, s := range p.named {
		h.Write([]byte(s.name + "=" + s.value + "\n"))
	}
	return fmt.Sprintf("%s-branch%d-%08x", strings.TrimRight(dir, "/"), iteration, h.Sum32())
}
