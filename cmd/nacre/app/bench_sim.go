package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"nacre/analysis/stats"
	"nacre/bench/vecenv"
	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/rates"
)

// SimReport is the output of nacre bench sim.
type SimReport struct {
	Workers  int         `json:"workers"`
	Episodes float64     `json:"point_goal_episodes_per_s"` // random actions, wall clock, median over rounds
	Rounds   int         `json:"rounds"`
	Families []SimTiming `json:"families"`
	Missing  string      `json:"missing,omitempty"` // why Families is empty
}

// SimTiming says how fast one family is stepped.
type SimTiming struct {
	One    rates.Rates   `json:"one_worker"`
	All    *rates.Rates  `json:"all_workers,omitempty"` // with all workers, if there is more than one worker
	Python *vecenv.Rates `json:"python,omitempty"`
}

// AllFamilies makes nacre bench sim step every family on MuJoCo, one variant of each.
const AllFamilies = "all"

// BenchSimOptions are the flags of nacre bench sim.
type BenchSimOptions struct {
	Family  string // a family on MuJoCo, or AllFamilies
	Python  string // Python interpreter that has the defining packages; if empty, the packages are not measured
	Workers int
	Envs    int // environments per worker; 0: the family's own number
	Steps   int // steps of Family per environment and round
	Rounds  int
}

// BenchSim times the point robot's episodes. If MuJoCo is present, it also times the steps of one family or of all
// families, beside a plain loop in C and, if asked, beside the Python package.
func BenchSim(ctx context.Context, env *Env, o BenchSimOptions) error {
	o.Workers = cmp.Or(o.Workers, runtime.NumCPU())
	r := SimReport{Workers: o.Workers, Rounds: o.Rounds, Families: []SimTiming{}}
	names, err := o.names()
	if err != nil && !errors.Is(err, sim.ErrUnavailable) {
		return err
	}
	if err != nil {
		r.Missing = advice(err)
	}
	if r.Episodes, err = pointRate(ctx, env, o); err != nil {
		return err
	}
	stage := env.Progress.Stage("plain C and batches in turns", len(names))
	defer stage.Done()
	for _, name := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		stage.Describe(name)
		t, err := o.time(ctx, name)
		if err != nil {
			return err
		}
		r.Families = append(r.Families, t)
		stage.Add(1)
	}
	stage.Done()
	return env.Print(r, r.WriteText)
}

// names lists the families to step.
func (o BenchSimOptions) names() ([]string, error) {
	if o.Family != AllFamilies {
		_, err := sim.Lookup(o.Family)
		if err != nil {
			return nil, err
		}
		return []string{o.Family}, nil
	}
	var names []string
	var missing error
	for _, s := range sim.Families() {
		if strings.Contains(s.Name, ":") || strings.HasPrefix(s.Name, "point-") {
			continue
		}
		if _, err := sim.Lookup(s.Name); err != nil {
			missing = err
			continue
		}
		names = append(names, s.Name)
	}
	if len(names) > 0 {
		missing = nil
	}
	return names, missing
}

// time measures one family in all ways.
func (o BenchSimOptions) time(ctx context.Context, name string) (t SimTiming, err error) {
	if o.Envs == 0 {
		f, err := sim.Lookup(name)
		if err != nil {
			return t, err
		}
		o.Envs = sim.ChunkOf(f)
	}
	if t.One, err = rates.Measure(name, 1, o.Envs, o.Steps, o.Rounds); err != nil {
		return t, err
	}
	if o.Workers > 1 {
		all, err := rates.Measure(name, o.Workers, o.Envs, o.Steps, o.Rounds)
		if err != nil {
			return t, err
		}
		t.All = &all
	}
	if o.Python != "" {
		python, err := vecenv.Measure(ctx, o.Python, name, o.Envs, o.Steps, o.Workers)
		if err != nil {
			return t, err
		}
		t.Python = &python
	}
	return t, nil
}

// pointRate returns the point robot's episodes per second.
func pointRate(ctx context.Context, env *Env, o BenchSimOptions) (float64, error) {
	family, err := sim.Lookup("point-goal")
	if err != nil {
		return 0, err
	}
	train, _, err := family.Tasks(1, 0, 0)
	if err != nil {
		return 0, err
	}
	pool, err := sim.NewPool(family, o.Workers, o.Envs)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	envs := cmp.Or(o.Envs, sim.ChunkOf(family))
	episodes := make([]sim.Episode, 50*o.Workers*envs)
	for i := range episodes {
		episodes[i] = sim.Episode{Task: train[i%len(train)], Seed: rng.New(1, rng.Rollout, uint64(i)).Uint64()}
	}
	stage := env.Progress.Stage("point-goal", o.Rounds)
	defer stage.Done()
	var rates []float64
	for range o.Rounds {
		start := time.Now()
		if _, err := pool.Rollout(ctx, episodes, sim.RandomPolicy(family, episodes), 0); err != nil {
			return 0, err
		}
		rates = append(rates, float64(len(episodes))/time.Since(start).Seconds())
		stage.Add(1)
	}
	return stats.Median(rates), nil
}

// WriteText prints the report as text.
func (r SimReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "point-goal: %.0f episodes of 20 steps per second on %d workers (random actions, median of %d "+
		"rounds)\n", r.Episodes, r.Workers, r.Rounds)
	if r.Missing != "" {
		_, err := fmt.Fprintf(w, "families on MuJoCo: %s\n", r.Missing)
		return err
	}
	fmt.Fprintf(w, "\nControl steps per second, medians of %d rounds: of processor time with one worker, by the "+
		"clock with %d.\n", r.Rounds, r.Workers)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "family\tC loop\tbatch\tratio\tall workers\t")
	python := len(r.Families) > 0 && r.Families[0].Python != nil
	if python {
		fmt.Fprint(t, "Python\tbatch/Python\tPython, all workers\tstepped there\t")
	}
	fmt.Fprintln(t)
	for _, f := range r.Families {
		all := f.One
		if f.All != nil {
			all = *f.All
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.3f\t%.0f\t", f.One.Family, f.One.PlainC, f.One.Batch, f.One.Ratio, all.Wall)
		if p := f.Python; p != nil {
			fmt.Fprintf(t, "%.0f\t%.1f\t%.0f\t%s\t", p.Sync.CPU, f.One.Batch/p.Sync.CPU, p.Async.Wall, p.Stepped)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
