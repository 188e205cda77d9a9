// Package runstest is for tests of code that shows runs. It makes run folders without training, and a program that
// trains.
//
//	func TestMain(m *testing.M) {
//		if runstest.Program() {
//			return
//		}
//		os.Exit(m.Run())
//	}
//
//	dir, err := runstest.Make(root, "study/seed1", 20, "pearl.latent=4")
//	err = runstest.Grow(dir, 20, 21)
package runstest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"nacre/experiment"
	"nacre/experiment/progress"
)

// Variable is the name of an environment variable. If it is set, a program that calls Program trains.
const Variable = "NACRE_RUNS_TEST"

// Small are changes to quick/point-goal with which an iteration takes milliseconds.
var Small = []string{"pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.initial_steps=40", "pearl.meta_batch=3",
	"pearl.batch=8", "pearl.context=8",
	"pearl.updates_per_iteration=1", "pearl.tasks_per_iteration=2", "train_tasks=5", "test_tasks=4", "tcl.window=4"}

// Make makes the folder of a run of quick/point-goal with the changes set, as training would leave it after this number
// of iterations.
func Make(root, path string, iterations int, set ...string) (dir string, err error) {
	cfg, err := experiment.Preset("quick/point-goal")
	if err == nil {
		err = experiment.Change(&cfg, set...)
	}
	if err != nil {
		return "", err
	}
	dir = filepath.Join(root, filepath.FromSlash(path))
	run, err := experiment.Create(dir)
	if err != nil {
		return "", err
	}
	defer run.Close()
	if _, err := run.Begin(cfg, experiment.NewProcess()); err != nil {
		return "", err
	}
	return dir, Grow(dir, 0, iterations)
}

// Grow adds the iterations from, from+1, …, to−1. Their returns rise, each with its own noise.
func Grow(dir string, from, to int) error {
	f, err := os.OpenFile(filepath.Join(dir, experiment.MetricsFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if from == 0 {
		fmt.Fprintln(f, "iteration,env_steps,updates,adapted_return,adapted_success,kl")
	}
	for i := from; i < to; i++ {
		fmt.Fprintf(f, "%d,%d,%d,%d,,%g\n", i, 1000*(i+1), 10*(i+1), i, 1/float64(i+1))
	}
	return f.Close()
}

// Program does what nacre train and nacre resume do when Jobs call them, if Variable is set. Otherwise it returns
// false.
func Program() bool {
	if os.Getenv(Variable) == "" || len(os.Args) < 3 || os.Args[1] != "train" && os.Args[1] != "resume" {
		return false
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := work(ctx, os.Args[1], os.Args[2:]); err != nil {
		fmt.Println("nacre:", err)
		if ctx.Err() != nil {
			os.Exit(130)
		}
		os.Exit(1)
	}
	return true
}

func work(ctx context.Context, command string, args []string) (err error) {
	var t *experiment.Training
	host := experiment.Host{Workers: 1}
	if command == "resume" {
		t, _, err = experiment.Resume(args[0], host)
	} else {
		var cfg experiment.Config
		var set []string
		out := ""
		for i := 0; err == nil && i+1 < len(args); i += 2 {
			switch v := args[i+1]; args[i] {
			case "--preset":
				cfg, err = experiment.Preset(v)
			case "--set":
				set = append(set, v)
			case "--seed":
				set = append(set, "seed="+v)
			case "--out":
				out = v
			}
		}
		if err == nil {
			err = experiment.Change(&cfg, set...)
		}
		if err == nil {
			t, err = experiment.Start(out, cfg, host)
		}
	}
	if err != nil {
		return err
	}
	defer t.Close()
	return t.Train(ctx, progress.Silent())
}
