//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nacre/internal/heavy"
	"nacre/internal/python"
	"nacre/internal/python/pythontest"
)

// pointOnPython is the name of a family in Python, and the arguments that train PEARL on it in a folder.
func pointOnPython(t *testing.T) (name string, train func(dir string) []string) {
	t.Helper()
	if _, err := python.Find(); err != nil {
		t.Skip(err)
	}
	file, err := filepath.Abs("../../sim/pyfamily/testdata/plain.py")
	if err != nil {
		t.Fatal(err)
	}
	name = "py:" + file + ":Point"
	return name, func(dir string) []string {
		return append(trainArgs(dir, "--algorithm", "pearl"), "--family", name)
	}
}

// A run on a class in Python, killed again and again and resumed, ends with the bytes of one left alone, and so does
// one with other workers.
func TestRunOnPython(t *testing.T) {
	point, train := pointOnPython(t)
	parent := t.TempDir()
	one, two := filepath.Join(parent, "1"), filepath.Join(parent, "2")
	must(t, append(train(one), "--workers", "1")...)
	must(t, append(train(two), "--workers", "2")...)
	sameRun(t, "with two workers", two, one)
	record := contents(t, one, "config.toml")
	if !regexp.MustCompile(`family = .plain\.py, sha256 [0-9a-f]{16}; Python 3\.`).MatchString(record) {
		t.Errorf("the record does not have file, hash and version:\n%s", record)
	}
	if text := must(t, "envs", "--check", point); strings.Contains(text, "broken") ||
		!strings.Contains(text, "ok  seeding") {
		t.Error(text)
	}
	shares := strings.Replace(point, "plain.py:Point", "trust.py:Shares", 1)
	status, text, stderr := nacre(t.Context(), "envs", "--check", shares)
	if status != exitFailed || !strings.Contains(text, "broken  global generators") ||
		!strings.Contains(stderr, "see above") {
		t.Errorf("status %d: %s%s", status, text, stderr)
	}
	heavy.Skip(t, "Python starts again after every kill")
	testKilled(t, train)
}

// The page on Python is true: its file and its commands, as they stand there, with settings that make the run small.
func TestPageOnPython(t *testing.T) {
	page, err := os.ReadFile("../../docs/python.md")
	if err != nil {
		t.Fatal(err)
	}
	pythontest.Environment(t, "numpy", "gymnasium")
	t.Chdir(t.TempDir())
	commands := 0
	for _, block := range regexp.MustCompile("(?s)(?:<!-- file: (\\S+) -->\n\n)?```(\\w+)\n(.*?)```").
		FindAllStringSubmatch(string(page), -1) {
		if block[1] != "" {
			if err := os.WriteFile(block[1], []byte(block[3]), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for line := range strings.Lines(block[3]) {
			args := strings.Fields(line)
			if block[2] != "sh" || args[0] != "nacre" {
				t.Fatalf("%s: expected a command of nacre", line)
			}
			if args[1] == "train" {
				args = append(args, set(tiny...)...)
			}
			must(t, args[1:]...)
			commands++
		}
	}
	if commands == 0 {
		t.Error("the page has no command")
	}
}
