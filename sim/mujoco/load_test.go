//go:build mujoco && cgo

package mujoco

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/home"
	"nacre/sim"
)

// library compiles a library of another version, or one that lacks a function, under the name of the right one.
func library(t *testing.T, dir, text string) string {
	t.Helper()
	source, file := filepath.Join(t.TempDir(), "library.c"), filepath.Join(dir, home.Library())
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", file, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

func TestUnfitLibraries(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	right := Path()
	if Version() != home.MuJoCoVersion || !filepath.IsAbs(right) {
		t.Errorf("loaded %s from %s", Version(), right)
	}
	cache := t.TempDir()
	inCache := filepath.Join(cache, home.MuJoCo, "lib")
	t.Setenv(home.Variable, cache)
	named := func(path string) func() { return func() { t.Setenv(Variable, path) } }
	for name, c := range map[string]struct {
		set  func()
		want string
	}{
		"another version in the cache": {func() { library(t, inCache, "int mj_version(void) { return 327; }") },
			"MuJoCo 3.2.7 at " + filepath.Join(inCache, home.Library()) + ", expected 3.3.0: run `nacre setup`"},
		"one of the new numbering": {func() { library(t, inCache, "int mj_version(void) { return 3005001; }") },
			"MuJoCo 3.5.1 at "},
		"a library without functions": {func() { library(t, inCache, "int mj_version(void) { return 330; }") },
			"it has no mj_"},
		"something else": {func() { library(t, inCache, "int sum;") }, "it has no function mj_version"},
		"half a download": {func() {
			library(t, inCache, "int sum;") // also makes the folder
			if err := os.WriteFile(filepath.Join(inCache, home.Library()), []byte("\x7fELF"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "cannot be loaded ("},
		"a half of the right one": {func() {
			text, err := os.ReadFile(right)
			if err == nil {
				err = os.MkdirAll(inCache, 0o755)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(inCache, home.Library()), text[:len(text)/2], 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "cannot be loaded (it is damaged"},
		"a variable that names nothing": {named("/nonexistent/libmujoco.so"), "expected in NACRE_MUJOCO the file " +
			home.Library()},
		"a variable that names an old file": {named(library(t, t.TempDir(), "int mj_version(void) { return 312; }")),
			"MuJoCo 3.1.2 at "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(Variable, "")
			c.set()
			err := find()
			if !errors.Is(err, sim.ErrUnavailable) || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	// The right one by the variable, as a file and as a folder, although the cache's is broken.
	for _, place := range []string{right, filepath.Dir(right)} {
		t.Setenv(Variable, place)
		if err := find(); err != nil {
			t.Errorf("%s: %v", place, err)
		}
	}
}
