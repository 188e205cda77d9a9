// Command turns steps Gymnasium's environments by Nacre's families in Python and by the vector environments of other
// packages, in turns, and prints environment steps per second of processor time of all processes. It also trains PEARL
// on the point robot, natively and on the same robot as a Python class.
//
//	pip install 'gymnasium[mujoco]' stable-baselines3 envpool
//	go run ./bench/vecenv/turns -python .venv/bin/python            # steps: some minutes
//	go run ./bench/vecenv/turns -python .venv/bin/python -train bin/nacre
//
// It needs Linux, where a process's time can be read while it runs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"nacre/analysis/stats"
	"nacre/bench/vecenv"
	"nacre/internal/measurement"
	"nacre/internal/python"
	"nacre/internal/quiet"
	"nacre/sim"
	_ "nacre/sim/families"
)

// envs is the number of environments that are stepped together.
const envs = 16

// ids are Gymnasium's environments, with the calls of step of a turn.
var ids = []struct {
	id    string
	calls int
}{{"CartPole-v1", 4000}, {"Pendulum-v1", 3000}, {"HalfCheetah-v5", 1000}}

// ways are the other packages'. A turn of those with a process for each environment is shorter.
var ways = []struct {
	name, head string
	share      float64
}{
	{"sync", "SyncVectorEnv", 1}, {"async", "AsyncVectorEnv", 0.2}, {"subproc", "SubprocVecEnv", 0.2},
	{"envpool", "EnvPool", 1},
}

type options struct {
	python, nacre, commit string
	rounds                int
	write                 bool
}

func main() {
	var o options
	flag.StringVar(&o.python, "python", "python3", "interpreter that has gymnasium, stable-baselines3 and envpool")
	flag.StringVar(&o.nacre, "train", "", "program nacre, to train with it instead")
	flag.IntVar(&o.rounds, "rounds", 5, "turns of every way")
	flag.BoolVar(&o.write, "write", false, "write docs/measurements/NAME-DATE.json")
	flag.StringVar(&o.commit, "commit", "unknown", "of the program, for that file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	defer quiet.Measure()()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "turns:", err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) error {
	if o.rounds < 1 {
		return fmt.Errorf("-rounds %d: expected at least 1", o.rounds)
	}
	interpreter, err := filepath.Abs(o.python)
	if err != nil {
		return err
	}
	if !strings.Contains(o.python, string(filepath.Separator)) {
		interpreter = o.python
	}
	o.python = interpreter
	if err := os.Setenv(python.Variable, interpreter); err != nil {
		return err
	}
	topic, measure := "vecenv", o.steps
	if o.nacre != "" {
		topic, measure = "bridged-training", o.trainings
	}
	m, err := measure(ctx)
	if err != nil || !o.write {
		return err
	}
	m.Date, m.Commit = time.Now().Format("2006-01-02"), o.commit
	m.Machine = measurement.Machine()
	path, err := measurement.Save(".", topic, m)
	if err == nil {
		fmt.Println(path)
	}
	return err
}

// steps compares the ways on all environments.
func (o options) steps(ctx context.Context) (measurement.Measurement, error) {
	m := measurement.Measurement{
		What: "Environment steps per second of processor time of all processes, 16 environments, random actions",
		Spread: fmt.Sprintf("lowest and highest of %d turns; the value is the median. Ratios are of turns of one round",
			o.rounds),
		Commands: []string{"go run ./bench/vecenv/turns -python .venv/bin/python -write"},
		Labels:   []string{"environment"},
		Columns:  []measurement.Column{{Name: "nacre", Head: "Nacre", Digits: -2, Bold: true}},
	}
	for _, w := range ways {
		m.Columns = append(m.Columns, measurement.Column{Name: w.name, Head: w.head, Digits: -2},
			measurement.Column{Name: "ratio_" + w.name, Head: "Nacre / " + w.head, Digits: 2})
	}
	for _, e := range ids {
		row, versions, err := o.row(ctx, e.id, e.calls)
		if err != nil {
			return m, err
		}
		m.Rows = append(m.Rows, row)
		m.Conditions = versions
	}
	return m, nil
}

// row measures one environment in turns and prints it.
func (o options) row(ctx context.Context, id string, calls int) (row measurement.Row, versions string, err error) {
	family, err := sim.Lookup("gymnasium.make(" + id + ")")
	if err != nil {
		return row, "", err
	}
	pool, err := sim.NewPool(family, 1, envs)
	if err != nil {
		return row, "", err
	}
	defer pool.Close()
	others, err := vecenv.NewTurns(ctx, o.python, id, envs)
	if err != nil {
		return row, "", err
	}
	defer others.Close()
	rates := map[string][]float64{}
	for round := range o.rounds + 1 { // the first one warms up
		own, err := rate(func() (int, error) { return rollout(ctx, family, pool, envs*calls, uint64(round)) })
		if err != nil {
			return row, "", err
		}
		found := map[string]float64{"nacre": own}
		for _, w := range ways {
			if !others.Has(w.name) {
				continue
			}
			found[w.name], err = rate(func() (int, error) {
				t, err := others.Take(w.name, int(w.share*float64(calls)))
				return t.Steps, err
			})
			if err != nil {
				return row, "", err
			}
			found["ratio_"+w.name] = own / found[w.name]
		}
		for name, x := range found {
			if round > 0 {
				rates[name] = append(rates[name], x)
			}
		}
	}
	row = measurement.Row{Of: []string{id}, Cells: cells(rates)}
	for _, w := range ways {
		if !others.Has(w.name) {
			row.Cells[w.name] = measurement.Cell{Words: "not there"}
			row.Cells["ratio_"+w.name] = measurement.Cell{Words: "not there"}
		}
	}
	fmt.Printf("%s: Nacre %.0f", id, row.Cells["nacre"].Value)
	for _, w := range ways {
		fmt.Printf("  %s %.0f (ratio %.2f)", w.head, row.Cells[w.name].Value, row.Cells["ratio_"+w.name].Value)
	}
	fmt.Println()
	versions = fmt.Sprintf("gymnasium %s, stable-baselines3 %s, envpool %s", others.Versions["sync"],
		others.Versions["subproc"], others.Versions["envpool"])
	fmt.Println(versions)
	return row, versions, nil
}

// cells are medians with the lowest and highest.
func cells(of map[string][]float64) map[string]measurement.Cell {
	out := map[string]measurement.Cell{}
	for name, x := range of {
		out[name] = measurement.Cell{Value: stats.Median(x), Low: slices.Min(x), High: slices.Max(x), Ranged: true}
	}
	return out
}

// rollout makes about so many steps of a family with random actions.
func rollout(ctx context.Context, f sim.Family, pool *sim.Pool, steps int, seed uint64) (made int, err error) {
	tasks, _, err := f.Tasks(1, 0, 0)
	if err != nil {
		return 0, err
	}
	for made < steps && err == nil {
		episodes := make([]sim.Episode, 8*envs)
		for i := range episodes {
			episodes[i] = sim.Episode{Task: tasks[0], Seed: seed<<32 + uint64(made) + uint64(i)}
		}
		var out []sim.Trajectory
		out, err = pool.Rollout(ctx, episodes, sim.RandomPolicy(f, episodes), min(200, f.Spec().Horizon))
		for _, t := range out {
			made += t.Len
		}
	}
	return made, err
}

// rate is steps per second of processor time of this process and all that it started.
func rate(take func() (steps int, err error)) (float64, error) {
	start, err := processorSeconds()
	if err != nil {
		return 0, err
	}
	steps, err := take()
	if err != nil {
		return 0, err
	}
	end, err := processorSeconds()
	return float64(steps) / (end - start), err
}

// processorSeconds sums the time of this process, of those below it, and of those that these have waited for.
func processorSeconds() (float64, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("no processes in /proc: this needs Linux")
	}
	parent, took := map[int]int{}, map[int]float64{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		_, rest, _ := strings.Cut(string(text), ") ") // a name may have spaces
		fields := strings.Fields(rest)
		if len(fields) < 15 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent[pid], _ = strconv.Atoi(fields[1])
		for _, ticks := range fields[11:15] { // user and system, its own and of children
			n, _ := strconv.ParseFloat(ticks, 64)
			took[pid] += n / 100
		}
	}
	sum := 0.0
	for pid := range parent {
		at := pid
		for at > 1 && at != os.Getpid() {
			at = parent[at]
		}
		if at == os.Getpid() {
			sum += took[pid]
		}
	}
	return sum, nil
}
