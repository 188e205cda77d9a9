//go:build unix

package python_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/pack"
	"nacre/experiment/progress"
	"nacre/internal/fatal"
	"nacre/internal/python"
	"nacre/internal/python/pythontest"
)

// trainVariable names the run folder in which a process of these tests trains until it is killed.
const trainVariable = "NACRE_TEST_TRAIN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(trainVariable); dir != "" {
		fmt.Println(train(dir))
		os.Exit(1)
	}
	os.Exit(pythontest.Main(m))
}

// train trains longer than a test waits.
func train(dir string) error {
	cfg, err := experiment.Preset("quick/point-goal")
	if err != nil {
		return err
	}
	if err := experiment.Change(&cfg, append(smallest(cfg.Algorithm), "pearl.iterations=1000000")...); err != nil {
		return err
	}
	training, err := experiment.Start(dir, cfg, experiment.Host{Workers: 1})
	if err != nil {
		return err
	}
	return training.Train(context.Background(), progress.Silent())
}

// trained starts a process that trains in a folder.
func trained(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), trainVariable+"="+dir)
	fatal.On(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd
}

// A run whose process is killed is watched to its last row. Then watch ends, says so, and the run's state is "killed",
// whether the lock is the system's, a token of this machine, or one of another machine that shows no sign of life.
func TestWatchEndsWhenTheProcessIsKilled(t *testing.T) {
	environment(t)
	dir := filepath.Join(t.TempDir(), "run")
	fatal.On(t, os.MkdirAll(filepath.Join(dir, ".lock.d"), 0o700))
	fatal.On(t, os.WriteFile(filepath.Join(dir, ".lock.d", "free"), nil, 0o600)) // so that the process takes a token
	process := trained(t, dir)
	p, err := python.Find()
	fatal.On(t, err)
	watch := exec.CommandContext(t.Context(), p.Path, "testdata/watch.py", dir)
	watch.Env = append(os.Environ(), "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1")
	watch.Stderr = os.Stderr
	out, err := watch.StdoutPipe()
	fatal.On(t, err, watch.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "row 3 running" {
	}
	fatal.On(t, process.Process.Kill())
	process.Wait()
	rest, err := io.ReadAll(out)
	if err := errors.Join(err, watch.Wait()); err != nil {
		t.Fatalf("%v: %s", err, rest)
	}
	metrics, err := experiment.ReadMetrics(filepath.Join(dir, experiment.MetricsFile))
	fatal.On(t, err)
	want := fmt.Sprintf("%d rows, killed: %s: no process trains this run, which has %[1]d iterations: the last one "+
		"left no word, so it was killed, or its machine went down; `nacre resume` continues it", len(metrics.Rows), dir)
	got := strings.Split(strings.TrimSpace(string(rest)), "\n")
	if last := got[len(got)-1]; last != want {
		t.Errorf("%q; want %q", last, want)
	}
}

// The state of a run is what its record says, and that of a folder in which nothing has trained is unknown.
func TestState(t *testing.T) {
	environment(t)
	dir := run(t, "pearl", "point-goal")
	config := filepath.Join(dir, experiment.ConfigFile)
	text, err := os.ReadFile(config)
	fatal.On(t, err)
	says := func(ended string) {
		t.Helper()
		changed := strings.Replace(string(text), "ended = 'finished'", ended, 1)
		if changed == string(text) && ended != "ended = 'finished'" {
			t.Fatalf("%s has no word of its end", config)
		}
		fatal.On(t, os.WriteFile(config, []byte(changed), 0o600))
	}
	state := func(path, want string) {
		t.Helper()
		code := "import sys, nacre_rl; r = nacre_rl.Run(sys.argv[1]); print(len(list(r.watch())), r.state)"
		if got, err := script(t, "-W", "ignore", "-c", code, path); err != nil || got != want {
			t.Errorf("%s: %v, %q; want %q", path, err, got, want)
		}
	}
	state(dir, "2 finished\n")
	for ended, want := range map[string]string{"ended = 'interrupted'": "2 interrupted\n", "": "2 finished\n",
		"ended = 'failed: no room'": "2 failed: no room\n", "ended = 'running'": "2 killed\n"} {
		says(ended)
		state(dir, want)
	}
	says("ended = 'running'")
	packed := filepath.Join(t.TempDir(), "cut.zip")
	_, err = pack.Folder(dir, packed)
	fatal.On(t, err)
	state(packed, "2 killed\n")
	says("")
	fatal.On(t, os.Remove(filepath.Join(dir, experiment.EvaluationFile)))
	state(dir, "2 unknown\n")
}
