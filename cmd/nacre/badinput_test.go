package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/experiment"
)

// fails runs a command line that has to fail with status 1 and one line that holds every wanted piece.
func fails(t *testing.T, args []string, want ...string) string {
	t.Helper()
	status, stdout, stderr := nacre(t.Context(), append(args, "--quiet")...)
	line := strings.TrimSuffix(stderr, "\n")
	if status != exitFailed || strings.Contains(line, "\n") || stdout != "" {
		t.Errorf("nacre %s: status %d, %q", strings.Join(args, " "), status, stderr)
	}
	for _, w := range want {
		if !strings.Contains(line, w) {
			t.Errorf("nacre %s:\n got  %s\n want %s", strings.Join(args, " "), line, w)
		}
	}
	return line
}

func TestBadConfigurations(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	file := filepath.Join(t.TempDir(), "my.toml")
	if err := os.WriteFile(file, []byte("seed = 1\n[pearl]\nlatnet = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--preset", "quik/point-goal"}, []string{`"quik/point-goal"`, `did you mean "quick/point-goal"?`}},
		{[]string{"--preset", "quick/point-goal", "--family", "point-gaol"},
			[]string{`"point-gaol"`, `did you mean "point-goal"?`}},
		{[]string{"--preset", "quick/point-goal", "--algorithm", "tcl_pearl"},
			[]string{`algorithm "tcl_pearl" does not exist; did you mean "tcl-pearl"?`}},
		{[]string{"--preset", "quick/point-goal", "--set", "pearl.laten=7"},
			[]string{"unknown key pearl.laten; the nearest is pearl.latent"}},
		{[]string{"--preset", "quick/point-goal", "--set", "pearl.latent=0"},
			[]string{"pearl.latent = 0: expected a value in [1,256]"}},
		{[]string{"--preset", "quick/point-goal", "--set", "pearl.latent=many"},
			[]string{"pearl.latent", "many", "expected a whole number"}},
		{[]string{"--preset", "quick/point-goal", "--set", "evaluation.protocol.z=mode"},
			[]string{`evaluation.protocol.z = "mode": expected one of "mean", "sample"`}},
		{[]string{"--preset", "quick/point-goal", "--set", "evaluation.protocol.scored=0"},
			[]string{"evaluation.protocol.scored = 0: expected a value in [1,1000]"}},
		{[]string{"--config", file}, []string{"my.toml:3", "unknown key pearl.latnet; the nearest is pearl.latent"}},
		{[]string{"--config", filepath.Join(dir, "no.toml")}, []string{"no.toml", "no such file"}},
		{[]string{"--preset", "quick/point-goal", "--set", "pearl.meta_batch=1"},
			[]string{"pearl.meta_batch = 1 with tcl-pearl"}},
	} {
		fails(t, append([]string{"train", "--out", dir}, c.args...), c.want...)
		if _, err := os.Stat(dir); err == nil {
			t.Fatalf("train %v left a folder behind", c.args)
		}
	}
	fails(t, []string{"resume", dir}, "run folder "+dir+" does not exist")
	fails(t, []string{"eval", filepath.Dir(file)}, "is not a run folder")
	fails(t, []string{"tsne", file + ".npz"}, file+".npz does not exist")
	if status, _, stderr := nacre(t.Context(), "train"); status != exitUsage ||
		!strings.Contains(stderr, "neither --preset nor --config") {
		t.Errorf("train without a configuration: %d, %q", status, stderr)
	}
}

// A damaged or foreign checkpoint is refused with its reason, and so is a folder in use or with something in it.
func TestBadRunFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	interrupt(t, dir)
	fails(t, trainArgs(dir), "already holds a run", "nacre resume "+dir)
	fails(t, []string{"tsne", dir}, "has no embeddings.npz", "nacre embed "+dir)
	fails(t, []string{"embed", dir, "--windows", "3", "--length", "500000"},
		"windows of 500000 transitions; expected 1 to 20")
	fails(t, []string{"eval", dir, "--protocol", "oister"}, `did you mean "oyster"?`)

	path := filepath.Join(dir, experiment.CheckpointFile)
	whole := []byte(contents(t, dir, experiment.CheckpointFile))
	spoilt := func(data []byte, want ...string) {
		t.Helper()
		for _, generation := range []string{path, filepath.Join(dir, experiment.PreviousCheckpointFile)} {
			if err := os.WriteFile(generation, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		fails(t, []string{"resume", dir}, append(want, experiment.CheckpointFile)...)
	}
	spoilt(whole[:len(whole)/2], "truncated")
	version := append([]byte(nil), whole...)
	version[8]++ // after the magic
	spoilt(version, "version 2")
	flipped := append([]byte(nil), whole...)
	flipped[len(flipped)/2] ^= 1
	spoilt(flipped, "checksum")
	spoilt([]byte("not at all"), "not a nacre checkpoint")
	if status, _, stderr := nacre(t.Context(), "verify", "run", dir); status != exitFailed ||
		!strings.Contains(stderr, "2 cannot be made again") {
		t.Errorf("verify run: status %d, %q", status, stderr)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}

	text := contents(t, dir, experiment.ConfigFile)
	if err := os.WriteFile(filepath.Join(dir, experiment.ConfigFile),
		[]byte(strings.Replace(text, "discount = 0.9", "discount = 0.5", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, []string{"resume", dir}, "configuration")
	if err := os.WriteFile(filepath.Join(dir, experiment.ConfigFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := experiment.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	fails(t, []string{"resume", dir}, "another process is writing this run")
	held.Close()
	must(t, "resume", dir)
}

// A loss that is no longer a number stops the run: the error says which loss, where and which tasks, the checkpoint
// before it stays, and resuming from it comes to the same.
func TestDivergedRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	args := trainArgs(dir, set("pearl.lr_encoder=1", "pearl.encoder_layers=14", "pearl.encoder_hidden=128")...)
	first := fails(t, args, "kl became", "at iteration 0, update", "meta-batch tasks", dir+" keeps the last checkpoint")
	if again := fails(t, []string{"resume", dir}); again != first {
		t.Errorf("resumed, it ended otherwise:\n %s\n %s", first, again)
	}
	must(t, "eval", dir)
}

// On a full disk the run stops with the system's reason, the checkpoint before stays, and with space again it ends
// like a run left alone.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // there is no /dev/full; package checkpoint tests the same with a writer that fails
	}
	parent := t.TempDir()
	whole, dir := filepath.Join(parent, "whole"), filepath.Join(parent, "run")
	must(t, trainArgs(whole)...)
	interrupt(t, dir)
	before := contents(t, dir, experiment.CheckpointFile)
	temporary := filepath.Join(dir, experiment.CheckpointFile+".tmp")
	if err := os.Symlink("/dev/full", temporary); err != nil {
		t.Fatal(err)
	}
	// or it would take the checkpoint's place
	fails(t, []string{"resume", dir}, temporary+" is a device; expected a file")
	if err := os.Remove(temporary); err != nil {
		t.Fatal(err)
	}
	cmd, stderr := separate("resume", dir, "--quiet") // a file may have less than a checkpoint's bytes
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 16; exec "$0" "$@"`},
		append([]string{os.Args[0]}, cmd.Args[1:]...)...)
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), experiment.CheckpointFile) ||
		!strings.Contains(stderr.String(), "previous file is unchanged") {
		t.Errorf("without room: %v, %q", err, stderr)
	}
	if contents(t, dir, experiment.CheckpointFile) != before {
		t.Error("the checkpoint changed")
	}
	must(t, "resume", dir)
	sameRun(t, "after a full disk", dir, whole)
}

// Ctrl+C and the closing of a terminal reach the program as signals; the exit status is that of an interrupted program.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // a process cannot send another one an interrupt there
	}
	t.Run("interrupt", func(t *testing.T) { testSignal(t, os.Interrupt) })
	t.Run("hangup", func(t *testing.T) {
		if signal.Ignored(syscall.SIGHUP) {
			t.Skip("whoever runs this under nohup wants hangups to be ignored")
		}
		testSignal(t, syscall.SIGHUP)
	})
}

// What stands in place of a run's file is one sentence, and nothing waits for it.
func TestNoFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no named pipes in folders
	}
	dir := filepath.Join(t.TempDir(), "run")
	interrupt(t, dir)
	for name, want := range map[string]string{"mkfifo": "a named pipe", "ln -s /dev/zero": "a device",
		"ln -s loop": "symbolic links", "mkdir": "a folder"} {
		for _, file := range []string{experiment.CheckpointFile, experiment.ConfigFile, experiment.MetricsFile,
			experiment.WeightsFile} {
			path := filepath.Join(dir, file)
			if err := os.Rename(path, path+".kept"); err != nil {
				t.Fatal(err)
			}
			args := append(strings.Fields(name), path)
			if name == "ln -s loop" {
				args[2] = path
			}
			if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			fails(t, []string{"resume", dir}, want)
			if err := errors.Join(os.Remove(path), os.Rename(path+".kept", path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	must(t, "verify", "run", dir)
	must(t, "resume", dir)
}

func testSignal(t *testing.T, sent os.Signal) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd, stderr := separate(trainArgs(dir, "--set", "pearl.iterations=100000")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 120_000 {
		if _, err := os.Stat(filepath.Join(dir, experiment.CheckpointFile)); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(sent); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("after %v: %v", sent, err)
	}
	if !strings.Contains(stderr.String(), "continue with: nacre resume "+dir) {
		t.Errorf("standard error %q", stderr)
	}
}
