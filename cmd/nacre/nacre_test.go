package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nacre/cmd/nacre/app"
	"nacre/experiment"
	"nacre/internal/loopback"
	"nacre/rl/config"
	"nacre/server/nbdiff"
	"nacre/server/nbformat"
)

// fake records the options that actions would be called with, instead of calling them, and returns err.
type fake struct {
	got any
	env *app.Env
	err error
}

// context is one under which commands record themselves.
func (f *fake) context() context.Context {
	return context.WithValue(context.Background(), insteadKey{}, func(env *app.Env, o any) error {
		f.got, f.env = o, env
		return f.err
	})
}

// call runs a command line and records what it would do.
func call(f *fake, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(f.context(), args, &out, &err)
	return status, out.String(), err.String()
}

func TestOptions(t *testing.T) {
	active, err := os.Executable() // stands for an interpreter
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("NACRE_PYTHON", active)
	for line, want := range map[string]any{
		"train": app.TrainOptions{Seeds: 1},
		"train -a tcl-pearl -f point-goal -p oyster --config c.toml --set a.b=1,2 --set c=x -s 0 -o runs/a " +
			"-w 2": app.TrainOptions{Seeds: 1,
			Algorithm: "tcl-pearl", Family: "point-goal", Preset: "oyster", Config: "c.toml",
			Set:       []string{"a.b=1,2", "c=x"},
			SeedGiven: true, Out: "runs/a", Host: experiment.Host{Workers: 2}},
		"train -s 1e3": app.TrainOptions{Seeds: 1, Seed: 1000, SeedGiven: true},
		"train --device cuda:1 --precision tf32 --seeds 3 --keep 2": app.TrainOptions{Seeds: 3,
			Host: experiment.Host{Keep: 2, Device: "cuda:1", Precision: "tf32"}},
		"resume runs/a -w 1 --keep 5 --set pearl.iterations=9": app.ResumeOptions{Dir: "runs/a",
			Set: []string{"pearl.iterations=9"}, Host: experiment.Host{Workers: 1, Keep: 5}},
		"branch runs/a --at 5 --set a=b -o runs/b --keep-checkpoints 5": app.BranchOptions{Dir: "runs/a", At: 5,
			Set: []string{"a=b"}, Out: "runs/b", Host: experiment.Host{KeepState: 5}},
		"resume runs/a --device auto": app.ResumeOptions{Dir: "runs/a",
			Host: experiment.Host{Device: "auto"}},
		"eval runs/a": app.EvalOptions{Dir: "runs/a", Explore: -1,
			Scored: -1, Repeats: -1},
		"eval runs/a --protocol oyster --explore 0 --scored 3 --repeats 2 --z mean --actions sampled --train-tasks " +
			"--seed 9": app.EvalOptions{
			Dir: "runs/a", Protocol: "oyster", Explore: 0, Scored: 3, Repeats: 2, Z: "mean", Actions: "sampled",
			Train: true, Seed: 9},
		"embed runs/a": app.EmbedOptions{Dir: "runs/a", Tasks: 8, Windows: 200, Context: "window"},
		"study push --scale paper --ablate momentum --pack p": app.StudyOptions{Name: "push", Layouts: -1,
			Scale: "paper", Ablate: "momentum", Pack: "p",
			Out: "out/push-paper"},
		"study check out/push --layouts": app.CheckStudyOptions{Dir: "out/push", Layouts: true},
		"study extend out/push --sweep out/s": app.ExtendStudyOptions{Dir: "out/push", Arm: "pearl-windows",
			Sweeps: []string{"out/s"}},
		"embed runs/a --vary-start": app.EmbedOptions{Dir: "runs/a", Tasks: 8, Windows: 200,
			Context: "window", Vary: true},
		"embed runs/a --tasks 4 --out x.csv": app.EmbedOptions{Dir: "runs/a", Tasks: 4, Windows: 200,
			Context: "window", Out: "x.csv"},
		"tsne x.npz --perplexity 20 --start pca": app.TSNEOptions{Inputs: []string{"x.npz"}, Perplexity: 20,
			Start: "pca"},
		"tsne x.csv --method barnes-hut": app.TSNEOptions{Inputs: []string{"x.csv"}, Method: "barnes-hut"},
		"tsne runs/a runs/b -o c":        app.TSNEOptions{Inputs: []string{"runs/a", "runs/b"}, Out: "c"},
		"study quickstart": app.StudyOptions{Name: "quickstart", Layouts: -1,
			Out: "out/quickstart"},
		"study point-goal --seeds 5 --windows 50 --layouts 0 --set a=1 -w 1": app.StudyOptions{Name: "point-goal",
			Seeds:   5,
			Windows: 50, Set: []string{"a=1"}, Host: experiment.Host{Workers: 1}, Out: "out/point-goal"},
		"rollout point-goal": app.RolloutOptions{Family: "point-goal", Policy: "random", Episodes: 1},
		"rollout --run runs/a --task 2 -n 3 --train-tasks -o a.npz --steps 9 -s 4": app.RolloutOptions{Policy: "random",
			Run: "runs/a", Task: 2,
			Episodes: 3, Train: true, Out: "a.npz", Steps: 9, Seed: 4},
		"render point-goal": app.RenderOptions{What: "point-goal", Out: "episode.png", At: -1},
		"render runs/a runs/b b.npz -o a.json": app.RenderOptions{What: "runs/a", Beside: []string{"runs/b", "b.npz"},
			Out: "a.json", At: -1},
		"render runs/a -o a.gif --task 2 --train-tasks --steps 9 -s 4 --size 90x60 --fps 12.5 --at 3 --strip 4 " +
			"--camera ,20": app.RenderOptions{
			What: "runs/a", Out: "a.gif", Task: 2, Train: true, Steps: 9, Seed: 4, Size: "90x60", FPS: 12.5, At: 3,
			Strip: 4, Camera: ",20"},
		"verify envs": app.VerifyOptions{Families: []string{}},
		"verify envs ant-dir --from full --forced": app.VerifyOptions{
			Families: []string{"ant-dir"}, From: "full", Forced: true},
		"bench update --check": app.BenchUpdateOptions{Check: true,
			Size: "both", Algorithm: "both", Updates: 20, Seeds: 1},
		"bench update --vs torch --updates 8": app.BenchUpdateOptions{Versus: "torch",
			Size: "both", Algorithm: "both", Updates: 8, Python: active, Seeds: 1},
		"bench update --explain --size oyster": app.BenchUpdateOptions{Explain: true,
			Size: "oyster", Algorithm: "both", Updates: 20, Seeds: 1},
		"bench update --size oyster --algo pearl --kernel avx2 --updates 3": app.BenchUpdateOptions{Size: "oyster",
			Algorithm: "pearl", Updates: 3, Seeds: 1, Host: experiment.Host{Kernel: "avx2"}},
		"bench sim -f all --vs python --python /venv/python": app.BenchSimOptions{Family: "all",
			Python: "/venv/python", Steps: 200, Rounds: 11},
		"bench sim --workers 1 --rounds 3": app.BenchSimOptions{Family: "cheetah-vel",
			Workers: 1, Steps: 200, Rounds: 3},
		"bench tsne --sizes 1600,5000 --peers openTSNE --python p": app.BenchTSNEOptions{Sizes: []int{1600, 5000},
			Peers:  []string{"openTSNE"},
			Python: "p", Node: "node", Workers: 1},
		"setup":                             app.SetupOptions{},
		"setup --gpu":                       app.SetupOptions{GPU: true},
		"setup --from a --from b --install": app.SetupOptions{Wheels: []string{"a", "b"}, Install: true},
		"examples":                          app.ExamplesOptions{Dir: "."},
		"examples a":                        app.ExamplesOptions{Dir: "a"},
		"notebook":                          app.NotebookOptions{Address: loopback.Host(), Port: 8888, Processes: 1},
		"notebook a.ipynb --address ::1 --port 0 --token abc --allow-host h --allow-host i --kernel-memory 8GB " +
			"--engine yaegi --browser": app.NotebookOptions{
			Path: "a.ipynb", Address: "::1", Token: "abc", Hosts: []string{"h", "i"}, Memory: "8GB", Engine: "yaegi",
			Browser: true, Processes: 1},
		"runs out --serve --port 0 --processes 2": app.NotebookOptions{
			Path: "out", Address: loopback.Host(), Runs: true, Processes: 2},
		"fmt a.ipynb b.ipynb --check": app.FormatOptions{Files: []string{"a.ipynb", "b.ipynb"}, Check: true},
		"diff a.ipynb b.ipynb": app.DiffOptions{Files: []string{"a.ipynb", "b.ipynb"}, When: "auto",
			Options: nbdiff.Options{Context: 3}},
		"diff --whole -U 0 a /b 0 100644 /c 0 100644": app.DiffOptions{
			When: "auto", Options: nbdiff.Options{Whole: true},
			Files: []string{"a", "/b", "0", "100644", "/c", "0", "100644"}},
		"diff --text --sources a.ipynb": app.DiffOptions{Files: []string{"a.ipynb"}, Text: true, When: "auto",
			Options: nbdiff.Options{Context: 3, Sources: true}},
		"clean a.ipynb --keep-outputs --drop metadata.kernelspec": app.CleanOptions{Files: []string{"a.ipynb"},
			In: os.Stdin, Name: "standard input", Cleaning: nbformat.Cleaning{KeepOutputs: true,
				Drop: []string{"metadata.kernelspec"}}},
		"run a.ipynb":     app.ExecuteOptions{File: "a.ipynb"},
		"execute a.ipynb": app.ExecuteOptions{File: "a.ipynb"},
		"run a.ipynb -o b.ipynb -p x=1 -p y=2 --timeout 90s": app.ExecuteOptions{File: "a.ipynb", Out: "b.ipynb",
			Parameters: []string{"x=1", "y=2"}, Timeout: 90 * time.Second},
		"kernel -f c.json":                  app.KernelOptions{ConnectionFile: "c.json"},
		"kernel --pipe --engine yaegi":      app.KernelOptions{Pipe: true, Engine: "yaegi"},
		"kernelspec install":                app.KernelspecOptions{},
		"kernelspec install --prefix /venv": app.KernelspecOptions{Prefix: "/venv"},
		"kernelspec install --engine go":    app.KernelspecOptions{Engine: "go"},
		"sweep p.toml":                      app.SweepOptions{Plan: "p.toml", On: "local"},
		"sweep p.toml --on slurm --dry-run --processes 3": app.SweepOptions{Plan: "p.toml", On: "slurm", DryRun: true,
			Processes: 3},
		"sweep p.toml --device cuda:1 --together 3": app.SweepOptions{Plan: "p.toml", On: "local", Together: 3,
			Host: experiment.Host{Device: "cuda:1"}},
		"sweep status p.toml":           app.SweepFolderOptions{Path: "p.toml"},
		"sweep collect out/p -o t.csv":  app.SweepFolderOptions{Path: "out/p", Out: "t.csv"},
		"sweep worker out/p a-run":      app.SweepWorkerOptions{Path: "out/p", Runs: []string{"a-run"}},
		"sweep worker p.toml --index 3": app.SweepWorkerOptions{Path: "p.toml", Runs: []string{}, Index: 3},
		"sweep worker out/p r s --share": app.SweepWorkerOptions{Path: "out/p", Share: true,
			Runs: []string{"r", "s"}},
		"bench kernel --cells 9 --lines 5": app.BenchKernelOptions{Cells: 9, Lines: 5, Loads: 5},
	} {
		var f fake
		status, _, stderr := call(&f, strings.Fields(line)...)
		if status != 0 || !reflect.DeepEqual(f.got, want) {
			t.Errorf("nacre %s: status %d %s\n got  %+v\n want %+v", line, status, stderr, f.got, want)
		}
	}
}

// A flag that was set as if it were a setting is named.
func TestFlagAsSetting(t *testing.T) {
	f := fake{err: &config.KeyError{Where: "--set device=cuda", Key: "device"}}
	if status, _, stderr := call(&f, "train", "--set", "device=cuda"); status != exitFailed ||
		stderr != "nacre: --set device=cuda: unknown key device; --device is a flag of its own\n" {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// A mistake in the call is one line on standard error that names the value and what was expected, and status 2.
func TestUsageErrors(t *testing.T) {
	for line, want := range map[string]string{
		"trian":           `nacre: unknown command "nacre trian"; did you mean "train"?`,
		"study qickstart": `nacre: unknown command "nacre study qickstart"; did you mean "quickstart"? (known: check, cheetah-vel, extend, families, point-goal, push, quickstart); see "nacre study --help"`,
		"bench updat":     `nacre: unknown command "nacre bench updat"; did you mean "update"?`,
		"train extra":     `nacre: unexpected argument "extra"; see "nacre train --help"`,
		"train " +
			"--sed 3": `nacre: unknown flag --sed; did you mean --seed?; see "nacre train --help"`,
		"train --xyzzy": `nacre: unknown flag --xyzzy; see`,
		"train -x":      `nacre: unknown shorthand flag: 'x'`,
		"train " +
			"--seed -1": `nacre: --seed "-1": expected a whole number from 0 to 9223372036854775807; see`,
		"train --seed " +
			"9223372036854775808": `nacre: --seed "9223372036854775808": expected a whole number from 0 to 9223372036854775807; see`,
		"train --seed " +
			"1.5": `nacre: --seed "1.5": expected a whole number from 0 to 9223372036854775807; see`,
		"eval a " +
			"--seed x": `nacre: --seed "x": expected a whole number from 0 to 9223372036854775807; see`,
		"train --seeds two":       `nacre: --seeds "two": expected a whole number; see`,
		"train --seeds 6.5e1":     `nacre: --seeds 65: expected a whole number from 1 to 64; see`,
		"table runs a --at 1e99":  `nacre: --at "1e99": expected a whole number from -9223372036854775808 to 9223372036854775807`,
		"table runs a --at 1.5":   `nacre: --at "1.5": expected a whole number; see`,
		"table runs a --at -1e3":  `nacre: --at -1000: expected a number of environment steps, or 0; see`,
		"train --seeds 0":         `nacre: --seeds 0: expected a whole number from 1 to 64; see`,
		"tsne a --perplexity ten": `nacre: --perplexity "ten": expected a number; see`,
		"branch a " +
			"--at 3": `nacre: expected --at, the iterations to begin after, and --out, the folder of the new run; see`,
		"branch a --at 0 -o b":                `nacre: --at 0: expected a whole number from 1 to 1000000; see`,
		"resume a --start-over --set seed=1":  `nacre: --start-over with --set: expected one of them`,
		"runs . --filter state=faild":         `nacre: --filter state=faild: no such state; did you mean "failed"?`,
		"train --precision fp31":              `nacre: --precision "fp31" is none of device cpu's; did you mean "fp32"? (known: bf16, bf16x3, fp32); see "nacre train --help"`,
		"sweep p --device cuda --precision f": `nacre: --precision "f" is none of device cuda's (known: bf16, fp32, tf32, tf32x3); see "nacre sweep --help"`,
		"bench update --device gpu":           `nacre: --device "gpu" is unknown`,
		"train " +
			"--workers -1": `nacre: --workers -1: expected a whole number from 0 to 1024; see "nacre train --help"`,
		"train --log-level loud": `nacre: --log-level loud: expected debug, info, warn or error`,
		"resume":                 `nacre: expected a run folder, got 0 arguments; see "nacre resume --help"`,
		"report a --out " +
			"a.pdf": `nacre: --out a.pdf: expected a name that ends in .html; see "nacre report --help"`,
		"sweep":                  `nacre: expected the file of a plan, got 0 arguments; see "nacre sweep --help"`,
		"sweep p.toml --on slum": `nacre: --on slum: unknown word; did you mean "slurm"?`,
		"table":                  `nacre: expected the name of a table, ml1, ml1-all, controls, runs, runtime, tsne, got no arguments`,
		"table " +
			"ml1": `nacre: table ml1: expected run folders or a sweep, or --paper for the paper's own figures`,
		"table ml1 a --paper": `nacre: table ml1 --paper takes no runs, got a`,
		"table " +
			"ml3 a": `nacre: table "ml3": expected one of ml1, ml1-all, controls, runs, runtime, tsne`,
		"table controls --paper":       `nacre: table "controls": expected one of ml1, ml1-all, tsne, runtime`,
		"table ml1 a --at -5":          `nacre: --at -5: expected a number of environment steps, or 0`,
		"curves":                       `nacre: expected run folders or a sweep, got no arguments`,
		"resume a b":                   `nacre: expected a run folder, got 2 arguments`,
		"eval a --z meen":              `nacre: --z meen: unknown word; did you mean "mean"?`,
		"eval a --explore 5000":        `nacre: --explore 5000: expected a whole number from -1 to 1000`,
		"embed a --tasks 1":            `nacre: --tasks 1: expected a whole number from 2 to 1000`,
		"tsne":                         `nacre: expected files of embeddings or run folders, got no arguments`,
		"tsne a --method bh":           `nacre: --method bh: unknown word`,
		"tsne a --perplexity 0.5":      `nacre: --perplexity 0.5: expected a number above 1`,
		"tsne a --perplexity NaN":      `nacre: --perplexity NaN: expected a number above 1`,
		"study quickstart --seeds 101": `nacre: --seeds 101: expected a whole number from 0 to 100`,
		"bench update --size small":    `nacre: --size small: unknown word`,
		"bench update --kernel " +
			"avx": `nacre: --kernel avx: unknown word; did you mean "avx2"? (known: avx2, avx512, go, simd128)`,
		"render":                 `nacre: expected a family, a recording or a run folder, got no arguments`,
		"render a --strip 1":     `nacre: --strip 1: expected at least 2 pictures`,
		"render a --strip 101":   `nacre: --strip 101: expected a whole number from 0 to 100`,
		"render a --fps 60":      `nacre: --fps 60: expected at most 50`,
		"render a --fps NaN":     `nacre: --fps NaN: expected at most 50`,
		"render a --at -2":       `nacre: --at -2: expected a whole number from -1`,
		"render a --policy goal": `nacre: --policy goal: unknown word`,
		"bench update --vs " +
			"julia": `nacre: --vs julia: unknown word (known: jax, torch, torch-compile, torch-graph)`,
		"bench tsne --sizes 99":                `nacre: --sizes 99: expected a whole number from 100 to 1000000`,
		"bench sim --envs -1":                  `nacre: --envs -1: expected a whole number from 0 to 10000`,
		"notebook a b":                         `nacre: expected a folder or a notebook, got 2 arguments`,
		"notebook --port 70000":                `nacre: --port 70000: expected a whole number from 0 to 65535`,
		"notebook --engine gomacro":            `nacre: --engine gomacro: unknown word`,
		"run":                                  `nacre: expected a notebook, got 0 arguments`,
		"run a --timeout -1s":                  `nacre: --timeout -1s: expected a time such as 90s or 2h`,
		"kernel":                               `nacre: expected either --connection-file or --pipe`,
		"kernel --pipe -f c.json":              `nacre: expected either --connection-file or --pipe`,
		"kernelspec install --user --prefix a": `nacre: expected either --user or --prefix`,
		"kernelspec install --engine c":        `nacre: --engine c: unknown word (known: auto, go, yaegi)`,
		"bench kernel --loads 0":               `nacre: --loads 0: expected a whole number from 1`,
		"bench kernel --cells 2":               `nacre: --cells 2: expected a whole number from 3`,
	} {
		var f fake
		status, stdout, stderr := call(&f, strings.Fields(line)...)
		if status != exitUsage || !strings.HasPrefix(stderr, want) {
			t.Errorf("nacre %s: status %d\n got  %s want %s", line, status, stderr, want)
		}
		if strings.Count(stderr, "\n") != 1 || stdout != "" || f.got != nil {
			t.Errorf("nacre %s: more than one line, or work was done: %q, %q, %v", line, stdout, stderr, f.got)
		}
	}
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		want   string
	}{
		{errors.New("run folder runs/a is not empty"), exitFailed, "nacre: run folder runs/a is not empty\n"},
		{errors.New("two\n  lines\n"), exitFailed, "nacre: two; lines\n"},
		{fmt.Errorf("training: %w; continue with nacre resume runs/a", app.ErrInterrupted), exitInterrupted,
			"nacre: training: interrupted; continue with nacre resume runs/a\n"},
		{context.Canceled, exitInterrupted, "nacre: context canceled\n"},
	} {
		status, _, stderr := call(&fake{err: c.err}, "train")
		if status != c.status || stderr != c.want {
			t.Errorf("%v: status %d, %q; want %d, %q", c.err, status, stderr, c.status, c.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	var f fake
	call(&f, "eval", "runs/a", "--json", "--log-level", "info")
	if !f.env.JSON || f.env.Quiet {
		t.Errorf("env %+v", f.env)
	}
	var stderr bytes.Buffer
	f = fake{}
	status := run(f.context(), []string{"train"}, &bytes.Buffer{}, &stderr)
	f.env.Notice("no GPU was found")
	f.env.Log.Info("not shown at this level")
	f.env.Progress.Stage("train", 0)
	if got := stderr.String(); status != 0 || got != "no GPU was found\ntrain\n" {
		t.Errorf("status %d, standard error %q", status, got)
	}
	stderr.Reset()
	run(f.context(), []string{"train", "--quiet"}, &bytes.Buffer{}, &stderr)
	f.env.Progress.Stage("train", 0)
	f.env.Notice("still said")
	if got := stderr.String(); got != "still said\n" {
		t.Errorf("quiet: standard error %q", got)
	}
}

func TestInterrupt(t *testing.T) {
	signals := make(chan os.Signal)
	exited := make(chan int, 1)
	var stderr bytes.Buffer
	ctx := interruptible(context.Background(), signals, &stderr, func(status int) { exited <- status })
	if ctx.Err() != nil {
		t.Fatal("cancelled before any signal")
	}
	signals <- os.Interrupt
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), app.ErrInterrupted) || !strings.Contains(stderr.String(), "interrupt again") {
		t.Errorf("cause %v, message %q", context.Cause(ctx), stderr.String())
	}
	signals <- syscall.SIGHUP // of a terminal that is closed: nobody's impatience
	select {
	case status := <-exited:
		t.Errorf("a second SIGHUP ended the program with %d", status)
	default:
	}
	signals <- syscall.SIGTERM
	if status := <-exited; status != exitInterrupted {
		t.Errorf("status %d after the second signal", status)
	}
}

// Every command explains itself to a stranger.
func TestHelp(t *testing.T) {
	var f fake
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Short == "" {
			t.Errorf("%s has no description", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no description", c.CommandPath(), f.Name)
			}
		})
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		status, stdout, stderr := call(&f, args...)
		if status != 0 || stderr != "" || !strings.Contains(stdout, "Usage:") {
			t.Errorf("nacre %v: status %d, %q", args, status, stderr)
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	root := newRoot(&bytes.Buffer{}, &bytes.Buffer{})
	visit(root)
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	for _, want := range []string{"bench", "doctor", "embed", "envs", "eval", "examples", "presets", "resume", "setup",
		"study", "sweep", "table", "train", "tsne", "version"} {
		if !slices.Contains(names, want) {
			t.Errorf("no command %s among %v", want, names)
		}
	}
	if status, stdout, _ := call(&f); status != 0 || !strings.Contains(stdout, "nacre doctor") {
		t.Errorf("nacre alone: status %d, %q", status, stdout)
	}
}

// The overview names every command once, under a heading, on one screen; "run" is still what "execute" is.
func TestOverview(t *testing.T) {
	var f fake
	_, help, _ := call(&f, "--help")
	if n := strings.Count(help, "\n"); n > 40 {
		t.Errorf("nacre --help has %d lines, want at most 40", n)
	}
	for _, c := range newRoot(&bytes.Buffer{}, &bytes.Buffer{}).Commands() {
		listed := regexp.MustCompile(`\n  (\w+, )?` + c.Name() + `(, \w+)?  `)
		if n := len(listed.FindAllString(help, -1)); n != 1 || c.GroupID == "" {
			t.Errorf("nacre --help names %s %d times, under %q", c.Name(), n, c.GroupID)
		}
	}
	for _, h := range headings {
		if !strings.Contains(help, "\n"+string(h)+"\n  ") {
			t.Errorf("nacre --help has nothing under %q", h)
		}
	}
}

// Two commands of one name, and one that belongs to none, end the program at its start.
func TestRegistryMistakes(t *testing.T) {
	named := func(name string) maker { return func(*app.Env) *cobra.Command { return &cobra.Command{Use: name} } }
	for name, parent := range map[string]string{"train": "", "run": "", "check": "study", "bike": "trian"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q under %q: registered", name, parent)
				}
				delete(subcommands, "trian")
			}()
			if parent == "" {
				addCommand(newRoot(&bytes.Buffer{}, &bytes.Buffer{}), named(name)(nil))
				return
			}
			before := subcommands[parent]
			defer func() { subcommands[parent] = before }()
			registerUnder(parent, named(name))
			newRoot(&bytes.Buffer{}, &bytes.Buffer{})
		}()
	}
}

func TestVersionAndDoctor(t *testing.T) {
	var f fake
	status, stdout, _ := call(&f, "version")
	if status != 0 || !strings.HasPrefix(stdout, "nacre ") {
		t.Errorf("version: %d, %q", status, stdout)
	}
	_, stdout, _ = call(&f, "version", "--json")
	var v map[string]string
	if err := json.Unmarshal([]byte(stdout), &v); err != nil || v["go"] == "" {
		t.Errorf("version --json: %q, %v", stdout, err)
	}
	var out, errs bytes.Buffer
	status = run(context.Background(), []string{"doctor", "--json"}, &out, &errs)
	var report app.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Checks) < 8 {
		t.Errorf("doctor --json: %q, %v", out.String(), err)
	}
	problem := false
	for _, c := range report.Checks {
		problem = problem || c.Status == app.Problem
	}
	if problem != (status == exitFailed) || !problem && status != 0 {
		t.Errorf("doctor: status %d, problem %v", status, problem)
	}
}
