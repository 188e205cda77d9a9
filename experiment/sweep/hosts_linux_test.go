package sweep_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/experiment/sweep"
	"nacre/internal/fatal"
	"nacre/internal/heavy"
)

func init() { otherHost = actAsHost }

// actAsHost is a process of another host: it works on a sweep as nacre sweep does there.
func actAsHost(name, dir string) error {
	if err := syscall.Sethostname([]byte(name)); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() { <-stop; cancel(errInterrupted) }()
	f, err := sweep.Open(dir)
	if err != nil {
		return err
	}
	r := sweep.Runner{Local: sweep.Local{Processes: 1}, Worker: []string{os.Args[0], "worker"},
		Show: progress.Lines(os.Stderr, 0)}
	out, err := r.Run(ctx, f)
	if err == nil && len(out.Failed) > 0 {
		err = fmt.Errorf("failed: %+v", out.Failed)
	}
	fmt.Printf("kept %d, finished %d, others %d, left %d\n", out.Kept, out.Finished, out.Others, out.Left)
	return err
}

// host starts a process of another host, whose name is its own in a namespace. wrapped is a command that runs it.
func host(t *testing.T, name string, f *sweep.Folder, wrapped ...string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	argv := append(slices.Clone(wrapped), os.Args[0], "host", name, f.Dir)
	cmd, said := exec.CommandContext(t.Context(), argv[0], argv[1:]...), &strings.Builder{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUTS}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Skipf("a process with another host's name cannot be started (%v): run as root", err)
	}
	return cmd, said
}

// results is the collected table without the columns that depend on clocks and interruptions.
func results(t *testing.T, f *sweep.Folder) (rows [][]string) {
	t.Helper()
	status, err := f.Status()
	fatal.On(t, err)
	path := filepath.Join(t.TempDir(), sweep.ResultsFile)
	fatal.On(t, f.Collect(path, status))
	text, err := os.Open(path)
	fatal.On(t, err)
	defer text.Close()
	rows, err = csv.NewReader(text).ReadAll()
	fatal.On(t, err)
	for _, column := range []string{"seconds", "attempts"} {
		i := slices.Index(rows[0], column)
		for _, row := range rows[1:] {
			row[i] = ""
		}
	}
	return rows
}

// seeded is small with more seeds, of one system.
func seeded(out string, seeds ...uint64) sweep.Plan {
	p := small(out)
	p.Systems, p.Seeds, p.Local.Processes = p.Systems[:1], seeds, 1
	return p
}

// Two hosts with one folder share a sweep: each run is trained once, and the results are those of a sweep on one.
func TestHostsShare(t *testing.T) {
	heavy.Skip(t, "trains two sweeps of six runs")
	seeds := []uint64{1, 2, 3, 4, 5, 6}
	whole := prepare(t, seeded(filepath.Join(t.TempDir(), "whole"), seeds...))
	out, err := engine(seeded("", seeds...)).Run(t.Context(), whole)
	if err != nil || out.Finished != 6 {
		t.Fatalf("on one host: %+v, %v", out, err)
	}
	shared := prepare(t, seeded(filepath.Join(t.TempDir(), "shared"), seeds...))
	one, saidOne := host(t, "one", shared)
	two, saidTwo := host(t, "two", shared)
	if err1, err2 := one.Wait(), two.Wait(); err1 != nil || err2 != nil {
		t.Fatalf("%v: %s\n%v: %s", err1, saidOne, err2, saidTwo)
	}
	status, err := shared.Status()
	fatal.On(t, err)
	by := map[string]int{}
	for _, s := range status {
		if s.State != sweep.Finished || s.Attempt.Number != 1 {
			t.Errorf("%s: %s after attempt %d; want one", s.Name, s.State, s.Attempt.Number)
		}
		by[s.Attempt.Host]++
	}
	if by["one"] == 0 || by["two"] == 0 || by["one"]+by["two"] != 6 {
		t.Errorf("runs by host: %v; want some of each\n%s\n%s", by, saidOne, saidTwo)
	}
	for name, said := range map[string]string{"one": saidOne.String(), "two": saidTwo.String()} {
		if want := fmt.Sprintf("finished %d, others %d, left 0", by[name], 6-by[name]); !strings.Contains(said, want) {
			t.Errorf("%s says %s; want %s", name, said, want)
		}
	}
	same(t, whole, shared)
	if x, y := results(t, whole), results(t, shared); !slices.EqualFunc(x, y, slices.Equal) {
		t.Errorf("results %v; want %v", y, x)
	}
}

// A host that is killed while it writes a run leaves a lock. Another one, which found the run taken, finishes it from
// its checkpoint; where there is no flock too.
func TestHostDies(t *testing.T) {
	heavy.Skip(t, "trains two sweeps, and waits until a host without flock counts as dead")
	for name, wrapped := range map[string][]string{"flock": nil, "without flock": {"strace", "-f", "--seccomp-bpf",
		"-o", os.DevNull, "-e", "trace=flock", "-e", "inject=flock:error=ENOLCK"}} {
		t.Run(name, func(t *testing.T) {
			if wrapped != nil {
				if err := exec.Command(wrapped[0], "-o", os.DevNull, "true").Run(); err != nil {
					t.Skipf("strace cannot take flock away (%v): apt-get install strace, where ptrace is allowed", err)
				}
			}
			plan := seeded(filepath.Join(t.TempDir(), "shared"), 1, 2)
			plan.Set[0] = "pearl.iterations=40"
			shared := prepare(t, plan)
			dying, _ := host(t, "dying", shared, wrapped...)
			waitFor(t, shared, shared.Runs[0], experiment.CheckpointFile)
			living, said := host(t, "living", shared, wrapped...)
			waitFor(t, shared, shared.Runs[1], experiment.CheckpointFile)
			status, err := shared.Status()
			fatal.On(t, err)
			if a := status[0].Attempt; a.Host != "dying" {
				t.Fatalf("run 1 is %+v; want the dying host's", status[0])
			}
			fatal.On(t, syscall.Kill(status[0].Attempt.PID, syscall.SIGSTOP), dying.Process.Kill(),
				syscall.Kill(status[0].Attempt.PID, syscall.SIGKILL))
			dying.Wait()
			if err := living.Wait(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			status, err = shared.Status()
			fatal.On(t, err)
			for i, attempts := range []int{2, 1} {
				if s := status[i]; s.State != sweep.Finished || s.Attempt.Host != "living" ||
					s.Attempt.Number != attempts {
					t.Errorf("%s: %s by %s at attempt %d; want the living host's at %d\n%s", s.Name, s.State,
						s.Attempt.Host, s.Attempt.Number, attempts, said)
				}
			}
			whole := seeded(filepath.Join(t.TempDir(), "whole"), 1, 2)
			whole.Set[0] = plan.Set[0]
			undisturbed := prepare(t, whole)
			if _, err := engine(whole).Run(t.Context(), undisturbed); err != nil {
				t.Fatal(err)
			}
			same(t, undisturbed, shared)
			if x, y := results(t, undisturbed), results(t, shared); !slices.EqualFunc(x, y, slices.Equal) {
				t.Errorf("results %v; want %v", y, x)
			}
		})
	}
}
