package main

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/experiment"
)

// command runs the program to its end, of which it says status and standard error; it gets three minutes.
func command(t *testing.T, args ...string) (status int, stderr string) {
	t.Helper()
	cmd := program(args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(3*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), said.String()
}

// unfinished is a run that was interrupted by a signal after its first checkpoint.
func unfinished(t *testing.T, with syscall.Signal) (dir string, status int) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	cmd := program(trainArgs(dir, set("pearl.iterations=400")...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 12_000 {
		if _, err := os.Stat(filepath.Join(dir, experiment.CheckpointFile)); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Signal(with)
	_ = cmd.Wait()
	return dir, cmd.ProcessState.ExitCode()
}

func finished(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	if status, stderr := command(t, trainArgs(dir)...); status != 0 {
		t.Fatal(stderr)
	}
	return dir
}

func removeAll(t *testing.T, dir, pattern string) {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(dir, pattern))
	if len(found) == 0 {
		t.Fatalf("no %s in %s", pattern, dir)
	}
	for _, path := range found {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func attackNoCheckpoint(t *testing.T) {
	dir, _ := unfinished(t, syscall.SIGINT)
	removeAll(t, dir, "checkpoint*")
	before := contents(t, dir, experiment.MetricsFile)
	go func() { // a program that starts over would train for minutes
		time.Sleep(time.Minute)
		for _, pid := range children(os.Getpid()) {
			if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.Contains(line,
				[]byte("resume\x00"+dir)) {
				_ = syscall.Kill(pid, syscall.SIGINT)
			}
		}
	}()
	status, stderr := command(t, "resume", dir)
	if contents(t, dir, experiment.MetricsFile) != before {
		t.Error("resume starts over and writes over the metrics")
	}
	if status != exitFailed || stderr == "" {
		t.Errorf("status %d, %q", status, stderr)
	}
}

func attackNoWeights(t *testing.T) {
	dir := finished(t)
	before := contents(t, dir, experiment.WeightsFile)
	removeAll(t, dir, experiment.WeightsFile)
	status, stderr := command(t, "resume", dir)
	if after, err := os.ReadFile(filepath.Join(dir, experiment.WeightsFile)); err != nil || string(after) != before {
		t.Errorf("resume ends with status %d, says %q and has not made the weights again: %v", status, stderr, err)
	}
}

func attackDamagedCheckpoint(t *testing.T) {
	dir := finished(t)
	before := contents(t, dir, experiment.WeightsFile)
	if err := os.Truncate(filepath.Join(dir, experiment.CheckpointFile), 1000); err != nil {
		t.Fatal(err)
	}
	if status, stderr := command(t, "resume", dir); status != 0 || contents(t, dir, experiment.WeightsFile) != before {
		t.Errorf("resume ends with status %d and has no older checkpoint: %q", status, stderr)
	}
}

// Metrics that are removed while a run trains are there again when it has stopped.
func attackNoMetrics(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd := program(trainArgs(dir, set("pearl.iterations=30")...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, experiment.MetricsFile)
	removed := false
	for range 24_000 {
		if data, _ := os.ReadFile(path); bytes.Count(data, []byte("\n")) > 3 {
			removed = os.Remove(path) == nil
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Wait(); err != nil || !removed {
		t.Errorf("the training ends with the error %v; the metrics were removed: %v", err, removed)
	}
	data, _ := os.ReadFile(path)
	if rows := bytes.Count(data, []byte("\n")); rows != 31 {
		t.Errorf("metrics.csv, removed during the training, has %d of 31 rows at its end", rows)
	}
}

func attackLongText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "long.toml")
	if err := os.WriteFile(file, []byte("family = \""+strings.Repeat("é", 1_500_000)+"\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := program("train", "--config", file, "--out", filepath.Join(t.TempDir(), "run"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if used := cmd.ProcessState.UserTime(); used > 5*time.Second || cmd.ProcessState.ExitCode() == 0 {
		t.Errorf("status %d after %.1f s of processor time", cmd.ProcessState.ExitCode(), used.Seconds())
	}
}

func attackPipe(t *testing.T) {
	dir := finished(t)
	path := filepath.Join(dir, experiment.CheckpointFile)
	if err := os.Rename(path, path+".kept"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if status, stderr := command(t, "resume", dir); status != exitFailed || !strings.Contains(stderr, "pipe") {
		t.Errorf("resume hangs, is ended after three minutes with status %d, and says %q", status, stderr)
	}
}

// A run whose terminal is closed has saved where it was.
func attackHangup(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("under nohup a closed terminal ends nothing")
	}
	dir, status := unfinished(t, syscall.SIGHUP)
	if status != exitInterrupted {
		t.Errorf("the run ends unsaved, with status %d", status)
	}
	if status, stderr := command(t, "verify", "run", dir); status != 0 {
		t.Errorf("nacre verify run: status %d, %q", status, stderr)
	}
}

func attackEmpty(t *testing.T) {
	dir := finished(t)
	if err := os.WriteFile(filepath.Join(dir, experiment.ConfigFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if status, stderr := command(t, "resume", dir); status != exitFailed || !strings.Contains(stderr, "empty") {
		t.Errorf("status %d, %.34q, without a word that the file is empty", status, stderr)
	}
}
