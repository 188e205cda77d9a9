package main

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nacre/cmd/nacre/app"
	"nacre/experiment"
)

// One finished run is pruned when that is asked for twice; one that is not finished never.
func TestPruneRuns(t *testing.T) {
	root := t.TempDir()
	must(t, trainArgs(filepath.Join(root, "done"), "--set", "pearl.iterations=2")...)
	if err := os.CopyFS(filepath.Join(root, "half"), os.DirFS(filepath.Join(root, "done"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, "half", experiment.EvaluationFile)); err != nil {
		t.Fatal(err)
	}
	said := must(t, "runs", root, "--prune")
	if !strings.Contains(said, "nothing was removed: --yes") || !strings.Contains(said, "1 run") ||
		contents(t, filepath.Join(root, "done"), experiment.CheckpointFile) == "" {
		t.Errorf("dry: %s", said)
	}
	var report app.PruneReport
	if err := json.Unmarshal([]byte(must(t, "runs", root, "--prune", "--yes", "--json")), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Runs) != 1 || report.Runs[0].Run != "done" || report.Runs[0].Removed != report.Bytes ||
		report.Bytes == 0 || report.Unfinished != 1 {
		t.Errorf("report %+v", report)
	}
	if _, err := os.Stat(filepath.Join(root, "half", experiment.CheckpointFile)); err != nil {
		t.Error(err)
	}
	if status, _, stderr := nacre(t.Context(), "resume", filepath.Join(root, "done")); status != exitFailed ||
		!strings.Contains(stderr, "nacre runs --prune") {
		t.Errorf("resumed: %d, %s", status, stderr)
	}
	if said := must(t, "runs", root, "--prune"); !strings.Contains(said, "nothing to prune") {
		t.Errorf("again: %s", said)
	}
	for _, args := range [][]string{{"--yes"}, {"--prune", "--serve"}, {"--prune", "--filter", "nonsense"}} {
		if status, _, stderr := nacre(t.Context(), append([]string{"runs", root}, args...)...); status != exitUsage {
			t.Errorf("%v: %d, %s", args, status, stderr)
		}
	}
}

// unzipped are the texts of a bundle by name.
func unzipped(t *testing.T, path string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(text)
	}
	return out
}

// A bundle tells what a developer asks first, of a whole run and of one that is broken in any way, and nothing of a
// person.
func TestBundle(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home of", "jdoe")
	run := filepath.Join(home, "runs", "point")
	t.Setenv("HOME", home)
	t.Setenv("USER", "jdoe")
	t.Setenv("NACRE_TOKEN", "abcdef123456")
	secrets := []string{"jdoe", "abcdef123456", "ghp_0123456789abcdefghij", "hunter2hunter2",
		"0123456789abcdef0123456789abcdef01234567", "eyJhbGciOiJIUzI1NiJ9"}
	must(t, trainArgs(run, "--set", "pearl.iterations=2")...)
	log := "epoch 1\nWANDB_API_KEY=0123456789abcdef0123456789abcdef01234567\nAuthorization: Bearer " +
		"eyJhbGciOiJIUzI1NiJ9.e30.abc\n" +
		"fetched https://jdoe:hunter2hunter2@example.org/x with ghp_0123456789abcdefghij\n/home/jdoe/data: no such " +
		"file\npanic: boom\n"
	if err := os.MkdirAll(filepath.Join(home, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "logs", "point.log"), []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "b.zip")
	said := must(t, "report", run, "--bundle", "-o", out)
	got := unzipped(t, out)
	for name, want := range map[string]string{
		"README.txt": "files.txt", "versions.txt": runtime.GOOS, "doctor.txt": "current folder",
		"settings.toml": "pearl.iterations", "log.txt": "panic: boom",
		"error.txt": "nothing is known", "files.txt": experiment.CheckpointFile, "environment.txt": "NACRE_TOKEN",
	} {
		if name == "settings.toml" {
			want = "iterations = 2"
		}
		if !strings.Contains(got[name], want) || !strings.Contains(said, name) {
			t.Errorf("%s is %q, want %q; said %q", name, got[name], want, said)
		}
	}
	for name, text := range got {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %s: %q", name, secret, text)
			}
		}
		if strings.Contains(text, home) {
			t.Errorf("%s has the home folder", name)
		}
	}
	for what, spoil := range map[string]func() error{
		"no configuration": func() error {
			return os.Rename(filepath.Join(run, "config.toml"), filepath.Join(run, "c"))
		},
		"a folder as metrics": func() error {
			os.Remove(filepath.Join(run, "metrics.csv"))
			return os.Mkdir(filepath.Join(run, "metrics.csv"), 0o755)
		},
		"half a checkpoint": func() error { return os.Truncate(filepath.Join(run, "checkpoint.bin"), 99) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		must(t, "report", run, "--bundle", "-o", out)
		if strings.Contains(unzipped(t, out)["error.txt"], "nothing is known") {
			t.Errorf("%s: %q", what, unzipped(t, out)["error.txt"])
		}
	}
	must(t, "report", "--bundle", "-o", out)
	if _, has := unzipped(t, out)["settings.toml"]; has {
		t.Error("without a run there are settings")
	}
	for _, args := range [][]string{{"report"}, {"report", "--bundle", "-o", "x.html"},
		{"report", filepath.Join(home, "none"), "--bundle"}} {
		if status, _, stderr := nacre(t.Context(), args...); status == 0 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: %d, %s", args, status, stderr)
		}
	}
}
