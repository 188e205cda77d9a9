package pack_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"nacre/experiment"
	"nacre/experiment/pack"
	"nacre/experiment/runs"
	"nacre/experiment/runs/runstest"
	"nacre/experiment/tables"
	"nacre/internal/fatal"
)

var must = fatal.On

// folder makes three runs, one of them in a folder of its own, with what only training on needs beside them.
func folder(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "mine")
	for i, name := range []string{"a/seed1", "a/seed2", "b"} {
		dir, err := runstest.Make(root, name, 3+i, fmt.Sprintf("seed=%d", i+1))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, experiment.CheckpointFile), make([]byte, 1000), 0o644))
		must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte(strings.Repeat("text ", 50)), 0o600))
	}
	return root
}

// Packing again, elsewhere and later, makes the same bytes, sorted and without checkpoints.
func TestSameBytes(t *testing.T) {
	root := folder(t)
	var first []byte
	for i := range 3 {
		out := filepath.Join(t.TempDir(), "out.zip")
		p, err := pack.Folder(root, out)
		must(t, err)
		// Three runs of config.toml, metrics.csv and notes.txt; locks and checkpoints stay behind.
		if p.Files != 9 || p.Left != 6 || p.LeftBytes < 3000 {
			t.Errorf("%+v", p)
		}
		data, err := os.ReadFile(out)
		must(t, err)
		if i == 0 {
			first = data
		} else if !bytes.Equal(data, first) {
			t.Error("other bytes")
		}
		must(t, os.Chtimes(filepath.Join(root, "b", "notes.txt"), time.Unix(int64(i), 0), time.Unix(int64(i), 0)))
		must(t, os.Chmod(filepath.Join(root, "b", "notes.txt"), 0o640))
	}
	z, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	must(t, err)
	for i, f := range z.File {
		if i > 0 && f.Name <= z.File[i-1].Name || f.Mode() != 0o644 || f.Modified.Year() != 1980 {
			t.Errorf("%s %s %s", f.Name, f.Mode(), f.Modified)
		}
	}
}

// What is known of runs in an archive is what is known of them in their folder.
func TestReadAlike(t *testing.T) {
	root := folder(t)
	out := filepath.Join(filepath.Dir(root), "mine.zip")
	_, err := pack.Folder(root, out)
	must(t, err)
	list := func(root string) (out []string) {
		x := runs.Open(root)
		must(t, x.Refresh(context.Background()))
		for _, r := range x.Runs() {
			c, err := x.Curve(r, "adapted_return", 10)
			must(t, err)
			out = append(out, fmt.Sprint(r.Path, r.State, r.Seed, r.Iterations, r.Latest, r.Settings, c))
		}
		if len(x.Notes()) > 0 {
			t.Errorf("notes %q", x.Notes())
		}
		return out
	}
	if a, b := list(root), list(out); len(a) != 3 || !reflect.DeepEqual(a, b) {
		t.Errorf("%q\n%q", a, b)
	}
	a, _, err := tables.Load(root)
	must(t, err)
	b, _, err := tables.Load(out)
	must(t, err)
	for i := range a {
		a[i].Dir, b[i].Dir = "", ""
	}
	if len(a) != 3 || fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) { // some successes are NaN
		t.Errorf("%+v\n%+v", a, b)
	}
	// Beside others in a folder, and by the path of one run within.
	if list, _, err := tables.Load(filepath.Dir(root)); err != nil || len(list) != 6 {
		t.Errorf("%d runs, %v", len(list), err)
	}
	if list, _, err := tables.Load(filepath.Join(out, "a", "seed2")); err != nil || len(list) != 1 ||
		list[0].Config.Seed != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}

// Where an archive is not what a command needs it says what it is and what to type.
func TestRefusals(t *testing.T) {
	root := folder(t)
	out := filepath.Join(filepath.Dir(root), "mine.zip")
	_, err := pack.Folder(root, out)
	must(t, err)
	one := filepath.Join(out, "b")
	if _, err := experiment.View(out); err == nil || !strings.Contains(err.Error(), "is not one run: it holds 3 (") ||
		!strings.Contains(err.Error(), "name one, such as "+filepath.Join(out, "a", "seed1")) {
		t.Error(err)
	}
	_, noted := runs.WriteNote(one, runs.Note{Text: "a"})
	_, opened := experiment.Open(one)
	_, created := experiment.Create(filepath.Join(out, "new"))
	_, _, resumed := experiment.Resume(one, experiment.Host{})
	for what, err := range map[string]error{"note": noted, "open": opened, "create": created, "resume": resumed} {
		if err == nil || !strings.Contains(err.Error(), "mine.zip is an archive, which is only read: unpack it") {
			t.Errorf("%s: %v", what, err)
		}
	}
	empty := t.TempDir()
	for want, args := range map[string][2]string{
		"expected a name that ends in .zip": {root, filepath.Join(empty, "x.tar")},
		"holds no run and no study":         {empty, filepath.Join(empty, "x.zip")},
		"is an archive already":             {out, filepath.Join(empty, "x.zip")},
		"exists already":                    {root, out},
		"no such file":                      {filepath.Join(empty, "none"), filepath.Join(empty, "x.zip")},
	} {
		if _, err := pack.Folder(args[0], args[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if entries, err := os.ReadDir(empty); err != nil || len(entries) > 0 {
		t.Errorf("%v was left, %v", entries, err)
	}
}

// A whole run packed as its own folder, or with that folder in it as zip -r does, is the run.
func TestOneRun(t *testing.T) {
	dir, err := runstest.Make(t.TempDir(), "run", 2)
	must(t, err)
	out := filepath.Join(t.TempDir(), "one.zip")
	_, err = pack.Folder(dir, out)
	must(t, err)
	outer := filepath.Join(t.TempDir(), "outer.zip")
	_, err = pack.Folder(filepath.Dir(dir), outer)
	must(t, err)
	for _, file := range []string{out, outer, filepath.Join(outer, "run")} {
		run, err := experiment.View(file)
		must(t, err)
		cfg := experiment.Default()
		_, err = run.ReadConfig(&cfg)
		must(t, err)
		s, err := run.Standing(cfg)
		idle, idleErr := run.Idle()
		if err = errors.Join(err, idleErr); err != nil || s.Iterations != 2 || !idle {
			t.Errorf("%s: %+v, idle %v, %v", file, s, idle, err)
		}
	}
}
