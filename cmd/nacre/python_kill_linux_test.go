package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/experiment"
	"nacre/internal/heavy"
)

// A run on a class in Python survives kills: of its program, of one of its workers and of both in turn. After a kill no
// process is left, and in the end it has the bytes of a run left alone. There are six kills, and fifty in make soak.
func TestKillsOnPython(t *testing.T) {
	heavy.Skip(t, "starts and kills programs")
	kills := 6
	if os.Getenv("NACRE_SOAK") != "" {
		kills = 50
	}
	_, train := pointOnPython(t)
	parent := t.TempDir()
	whole, broken := filepath.Join(parent, "whole"), filepath.Join(parent, "broken")
	started := time.Now()
	must(t, train(whole)...)
	alone := time.Since(started)
	finished := 0
	for kill := range kills {
		if runKilled(t, broken, train(broken), kill%3, time.Duration(rand.Int64N(int64(alone)))) {
			sameRun(t, "after kills", broken, whole)
			finished++
			if err := os.RemoveAll(broken); err != nil { // and again from the beginning
				t.Fatal(err)
			}
		}
	}
	runKilled(t, broken, train(broken), 0, 10*time.Minute)
	sameRun(t, "after kills", broken, whole)
	t.Logf("%d kills, %d runs ended between them", kills, finished)
}

// runKilled trains or resumes, kills program, worker or both after a while, and reports whether the run had ended.
func runKilled(t *testing.T, dir string, args []string, victim int, after time.Duration) bool {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, experiment.ConfigFile)); err == nil {
		args = []string{"resume", dir}
	}
	cmd, stderr := separate(args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var workers []int
	timer := time.AfterFunc(after, func() {
		workers = childrenOf(cmd.Process.Pid)
		if victim != 0 && len(workers) > 0 {
			_ = syscall.Kill(workers[0], syscall.SIGKILL)
		}
		if victim != 1 {
			_ = cmd.Process.Kill()
		}
	})
	err := cmd.Wait()
	timer.Stop()
	var exit *exec.ExitError
	switch {
	case err == nil:
	case !errors.As(err, &exit):
		t.Fatal(err)
	case exit.Exited() && !strings.Contains(stderr.String(), "killed"):
		t.Fatalf("%v: %s; expected that it names the worker's end", err, stderr)
	}
	for _, pid := range workers {
		for until := time.Now().Add(2 * time.Minute); syscall.Kill(-pid, 0) == nil; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("two minutes after the program, processes of group %d are left", pid)
			}
		}
	}
	return err == nil
}

// childrenOf are the processes that a program has begun.
func childrenOf(of int) (out []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(of) {
			out = append(out, pid)
		}
	}
	return out
}
