// Command discrete trains RL² on bandits and RL² and VariBAD on the grid world. It prints their returns beside those of
// the reference policies, of the best policy, and of RL²'s paper.
//
//	go run ./bench/discrete                    # both tables: minutes on one processor
//	go run ./bench/discrete -write grid        # and docs/measurements/grid-DATE.json
//
// Every row is trained with several seeds. A seed's agents are evaluated on the same bandits as the reference policies,
// 1,000 of them as in the paper, and on all goals of the grid world, ten times each.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"nacre/core/cpu"
	_ "nacre/experiment" // the algorithms
	"nacre/internal/measurement"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/sim"
	_ "nacre/sim/families"
)

// tables are what the program can measure, by name.
var tables = []struct {
	name string
	make func(ctx context.Context, seeds int) (measurement.Measurement, error)
}{{"bandits", bandits}, {"grid", grid}}

func main() {
	seeds := flag.Int("seeds", 3, "seeds of every row")
	write := flag.Bool("write", false, "write docs/measurements/NAME-DATE.json")
	commit := flag.String("commit", "unknown", "of the program, for those files")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args(), *seeds, *write, *commit); err != nil {
		fmt.Fprintln(os.Stderr, "discrete:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string, seeds int, write bool, commit string) error {
	if seeds < 1 {
		return fmt.Errorf("-seeds %d: expected at least 1", seeds)
	}
	var all []string
	for _, t := range tables {
		all = append(all, t.name)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return fmt.Errorf("a table %q: expected %s", name, strings.Join(all, ", "))
		}
	}
	for _, t := range tables {
		if len(names) > 0 && !slices.Contains(names, t.name) {
			continue
		}
		m, err := t.make(ctx, seeds)
		if err != nil {
			return err
		}
		show(m)
		if !write {
			continue
		}
		m.Date, m.Commit = time.Now().Format("2006-01-02"), commit
		m.Machine = measurement.Machine() + "; one core used"
		path, err := measurement.Save(".", t.name, m)
		if err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}

// show prints the rows.
func show(m measurement.Measurement) {
	fmt.Println(m.What)
	for _, r := range m.Rows {
		fmt.Print(strings.Join(r.Of, ", "), ":")
		for _, c := range m.Columns {
			cell, is := r.Cells[c.Name]
			switch {
			case !is:
			case cell.Words != "":
				fmt.Printf("  %s %s", c.Head, cell.Words)
			case cell.Seeds != nil:
				fmt.Printf("  %s %.*f", c.Head, c.Digits, cell.Seeds)
			default:
				fmt.Printf("  %s %.*f", c.Head, c.Digits, cell.Value)
			}
		}
		fmt.Println()
	}
}

// pool has the environments in which one processor trains and evaluates.
func pool(family string) (sim.Family, *sim.Pool, error) {
	f, err := sim.Lookup(family)
	if err != nil {
		return nil, nil, err
	}
	p, err := sim.NewPool(f, 1, 16)
	return f, p, err
}

// train trains a preset with further settings and evaluates it on n test tasks, or on all of them if n is 0. It returns
// the mean returns of a trial's episodes and the number of environment steps of the training.
func train(ctx context.Context, preset string, seed uint64, n int, settings ...string) (returns []float64, steps int,
	err error) {
	c, err := rl.Preset(preset)
	if err == nil {
		err = rl.Change(&c, settings...)
	}
	if err != nil {
		return nil, 0, err
	}
	a, err := rl.Lookup(c.Algorithm)
	if err != nil {
		return nil, 0, err
	}
	family, environments, err := pool(c.Family)
	if err != nil {
		return nil, 0, err
	}
	defer environments.Close()
	tasks, _, err := family.Tasks(seed, c.TrainTasks, c.TestTasks)
	if err != nil {
		return nil, 0, err
	}
	d, err := cpu.New(cpu.Options{Workers: 1})
	if err != nil {
		return nil, 0, err
	}
	l, err := a.New(c, rl.Setup{Spec: family.Spec(), Train: tasks, Seed: seed, Device: d, Pool: environments,
		Workers: 1, Envs: 16})
	if err != nil {
		return nil, 0, err
	}
	defer l.Close()
	if steps, err = learn(ctx, l, a, c); err != nil {
		return nil, 0, err
	}
	test, err := testTasks(family, n)
	if err != nil {
		return nil, 0, err
	}
	p := c.Evaluation.Protocol
	p.Repeats = 10
	if n > 0 {
		p.Repeats = 1
	}
	r, err := protocol.Evaluate(ctx, environments, test, p, l.Adapter(), seed)
	for _, x := range r.Summary.Return {
		returns = append(returns, x.Mean)
	}
	return returns, steps, err
}

// learn makes all iterations of a schedule.
func learn(ctx context.Context, l rl.Learner, a rl.Algorithm, c rl.Config) (steps int, err error) {
	iterations, updates := a.Schedule(c)
	for i := range iterations {
		n, err := l.Collect(ctx, i)
		if err != nil {
			return 0, err
		}
		steps += n
		for u := range updates {
			if err := l.Update(i, u); err != nil {
				return 0, err
			}
		}
		if err := l.Metrics(i, func(string, float64) {}); err != nil {
			return 0, err
		}
	}
	return steps, nil
}

// testTasks are those of every policy: n tasks that no agent trained on, or all there are if n is 0.
func testTasks(f sim.Family, n int) ([]sim.Task, error) {
	_, test, err := f.Tasks(1_000_003, 0, n)
	return test, err
}
