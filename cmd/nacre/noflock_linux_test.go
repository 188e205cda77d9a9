package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/internal/heavy"
)

// withoutFlock is nacre as a process whose flock answers an error, in this process and in those it starts.
func withoutFlock(t *testing.T, answer string, args ...string) *exec.Cmd {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace to take flock away: apt-get install strace brings it")
	}
	if err := exec.Command(strace, "-o", os.DevNull, "true").Run(); err != nil {
		t.Skipf("strace may not watch a process here (%v): run where ptrace is allowed", err)
	}
	cmd := exec.Command(strace,
		append([]string{"-f", "--seccomp-bpf", "-o", os.DevNull, "-e", "trace=flock", "-e", "inject=flock:error=" +
			answer, os.Args[0]}, args...)...)
	cmd.Env = append(os.Environ(), "NACRE_TEST_PROCESS=1")
	return cmd
}

// On a file system without flock a run trains under a lock of files, says so once and records it; a second writer is
// refused while it does, and it is continued after a kill.
func TestTrainWithoutFlock(t *testing.T) {
	answers := []string{"ENOSYS", "ENOLCK", "EOPNOTSUPP"}
	if testing.Short() {
		answers = answers[:1]
	}
	whole := filepath.Join(t.TempDir(), "whole")
	must(t, trainArgs(whole)...)
	for _, answer := range answers {
		dir := filepath.Join(t.TempDir(), "run")
		out, err := withoutFlock(t, answer, trainArgs(dir)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", answer, err, out)
		}
		if strings.Count(string(out), "flock is not there on this file system") != 1 ||
			!strings.Contains(contents(t, dir, experiment.ConfigFile), "flock is not there") {
			t.Errorf("%s: said %s", answer, out)
		}
		sameRun(t, answer, dir, whole)
		// A process with flock sees the holder without it, and the other way round.
		run, err := experiment.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := withoutFlock(t, answer, "resume", dir).CombinedOutput(); err == nil ||
			!strings.Contains(string(out), "another process is writing this run") {
			t.Errorf("%s: beside another writer: %v\n%s", answer, err, out)
		}
		run.Close()
	}
}

// The runs of a sweep have the same locks.
func TestSweepWithoutFlock(t *testing.T) {
	heavy.Skip(t, "two runs in processes of their own")
	dir := t.TempDir()
	plan := filepath.Join(dir, "plan.toml")
	text := "name = \"s\"\nout = \"" + filepath.Join(dir, "out") + "\"\nfamilies = [\"point-goal\"]\nseeds = [1, 2]\n" +
		"preset = \"quick/point-goal\"\n" +
		"set = [\"" + strings.Join(append(tiny, "pearl.iterations=2"), "\", \"") +
		"\"]\n[[systems]]\nname = \"pearl\"\nalgorithm = \"pearl\"\n"
	if err := os.WriteFile(plan, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := withoutFlock(t, "ENOLCK", "sweep", plan).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "out", "logs", "*.log"))
	if err != nil || len(logs) != 2 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	for _, log := range logs {
		if text := contents(t, filepath.Dir(log), filepath.Base(log)); strings.Count(text, "flock is not there") != 1 {
			t.Errorf("%s: %s", log, text)
		}
	}
}
