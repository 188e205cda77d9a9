package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/runs"
	"nacre/experiment/runs/runstest"
	"nacre/internal/fatal"
)

func Example() {
	root, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	if _, err := runstest.Make(root, "study/pearl-seed1", 3, "pearl.latent=4"); err != nil {
		fmt.Println(err)
		return
	}
	index := runs.Open(root)
	if err := index.Refresh(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range index.Runs() {
		fmt.Printf("%s: %s on %s, %s after %d iterations, return %.1f\n", r.Path, r.Title, r.Family, r.State,
			r.Iterations, r.Latest["adapted_return"])
	}
	// Output:
	// study/pearl-seed1: TCL-PEARL on point-goal, interrupted after 3 iterations, return 2.0
}

var must = fatal.On

func synthetic(t testing.TB, root, path string, iterations int, set ...string) string {
	t.Helper()
	dir, err := runstest.Make(root, path, iterations, set...)
	must(t, err)
	return dir
}

// refresh looks at the folders again; a test does not wait until new ones are due.
func refresh(t *testing.T, root string, x **runs.Index) []*runs.Run {
	t.Helper()
	*x = runs.Open(root)
	must(t, (*x).Refresh(context.Background()))
	return (*x).Runs()
}

// What is written is seen, and only the runs that changed are new; what cannot be read is told in its place.
// A number is the same however it is written; a text is not.
func TestHas(t *testing.T) {
	r := &runs.Run{Seed: 1, Family: "01", Settings: map[string]string{"pearl.latent": "3", "lr": "0.001",
		"name": `"7"`},
		Latest: map[string]runs.Number{"return": 2.5}}
	r.Iterations = 1000
	for pair, want := range map[string]bool{"seed=1": true, "seed=01": true, "seed=1.0": true, "seed=2": false,
		"pearl.latent=3.0": true, "pearl.latent=30e-1": true, "pearl.latent=4": false, "lr=1e-3": true,
		"lr=0.01": false,
		"name=7":  true, "name=7.0": false, "family=1": false, "family=01": true, "iterations=1e3": true,
		"return=2.50": true,
		"seed=":       false, "seed=one": false} {
		key, value, _ := strings.Cut(pair, "=")
		if r.Has(key, value) != want {
			t.Errorf("%s: %v", pair, !want)
		}
	}
}

func TestIndex(t *testing.T) {
	root := t.TempDir()
	a := synthetic(t, root, "a/one", 2)
	synthetic(t, root, "a/two", 1, "seed=7", "tcl.window=12")
	synthetic(t, root, "b", 0)
	for _, hidden := range []string{".trash/run", "node_modules/run"} {
		synthetic(t, root, hidden, 1)
	}
	must(t, os.MkdirAll(filepath.Join(root, "broken"), 0o755))
	must(t, os.WriteFile(filepath.Join(root, "broken", experiment.ConfigFile), []byte("algorithm = 'perl'\n"), 0o644))
	must(t, os.Symlink(root, filepath.Join(root, "a", "loop")))
	var x *runs.Index
	list := refresh(t, root, &x)
	var paths []string
	for _, r := range list {
		paths = append(paths, r.Path)
	}
	if want := []string{"a/one", "a/two", "b", "broken"}; !slices.Equal(paths, want) {
		t.Fatalf("runs %v, want %v", paths, want)
	}
	if r := list[3]; r.State != runs.Broken || !strings.Contains(r.Problem, "perl") {
		t.Errorf("a broken run: %s, %q", r.State, r.Problem)
	}
	if r := list[1]; r.Seed != 7 || r.Settings["tcl.window"] != "12" || r.Group != "a" || r.State != runs.Interrupted {
		t.Errorf("run of another seed: %+v", r)
	}
	if c := runs.Columns(list[:3]); !slices.Equal(c, []string{"tcl.window"}) {
		t.Errorf("settings that differ: %v", c)
	}
	version := x.Since(0).Version
	must(t, x.Refresh(context.Background()))
	if c := x.Since(version); len(c.Runs) > 0 || c.Version != version {
		t.Errorf("nothing was written, and %d runs changed", len(c.Runs))
	}
	must(t, runstest.Grow(a, 2, 9))
	must(t, x.Refresh(context.Background()))
	c := x.Since(version)
	if len(c.Runs) != 1 || c.Runs[0].Iterations != 9 || c.Runs[0].EnvSteps != 9000 ||
		c.Runs[0].Latest["adapted_return"] != 8 {
		t.Fatalf("after seven more iterations: %+v", c.Runs)
	}
	curve, err := x.Curve(c.Runs[0], "adapted_return", 4)
	must(t, err)
	if fmt.Sprint(curve.Values, curve.Updates) != "[0 2 5 8] [10 30 60 90]" {
		t.Errorf("four points of the curve: %v over %v", curve.Values, curve.Updates)
	}
	if _, err := x.Curve(c.Runs[0], "adapted_retrun", 4); err == nil ||
		!strings.Contains(err.Error(), "adapted_return") {
		t.Errorf("a column that is not there: %v", err)
	}
	if _, err := x.Find("../one"); !errors.Is(err, runs.ErrUnknown) {
		t.Errorf("a path that is no run: %v", err)
	}
}

// A run whose numbers have gone to infinity is told of like any other.
func TestInfinite(t *testing.T) {
	root := t.TempDir()
	dir := synthetic(t, root, "one", 1)
	f, err := os.OpenFile(filepath.Join(dir, experiment.MetricsFile), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("1,2000,20,-Inf,,+Inf\n")
	must(t, errors.Join(err, f.Close()))
	var x *runs.Index
	list := refresh(t, root, &x)
	text, err := json.Marshal(list)
	must(t, err)
	var again []*runs.Run
	must(t, json.Unmarshal(text, &again))
	if v := again[0].Latest; v["adapted_return"] != runs.Number(math.Inf(-1)) || v["kl"] != runs.Number(math.Inf(1)) {
		t.Errorf("%s", text)
	}
	c, err := x.Curve(again[0], "adapted_return", 100)
	must(t, err)
	if want := "the column adapted_return is NaN or infinite in 1 of 2 rows of metrics.csv, first -Inf on line 3: " +
		"they are left out"; len(c.Values) != 1 || !slices.Contains(c.Notes, want) {
		t.Errorf("%+v", c)
	}
}

// A run is running while a process has its lock, and no longer when that is gone.
func TestRunning(t *testing.T) {
	root := t.TempDir()
	dir := synthetic(t, root, "one", 1)
	x := runs.Open(root)
	state := func() runs.State {
		t.Helper()
		must(t, x.Refresh(context.Background()))
		r, err := x.Find("one")
		must(t, err)
		return r.State
	}
	if s := state(); s != runs.Interrupted {
		t.Errorf("state %s before", s)
	}
	run, err := experiment.Open(dir)
	must(t, err)
	if s := state(); s != runs.Running {
		t.Errorf("state %s with the lock held", s)
	}
	pid, host, err := run.Writer()
	if here, _ := os.Hostname(); pid != os.Getpid() || host != here || err != nil {
		t.Errorf("written by %d on %s (%v)", pid, host, err)
	}
	must(t, run.Close())
	if s := state(); s != runs.Interrupted {
		t.Errorf("state %s after", s)
	}
}

// Two people's notes: the second hears of the first's and loses nothing.
func TestNotes(t *testing.T) {
	dir := t.TempDir()
	n, err := runs.ReadNote(dir)
	must(t, err)
	mine, err := runs.WriteNote(dir, runs.Note{Text: "good", Tags: []string{"b", "a", "b"}, Revision: n.Revision})
	must(t, err)
	if !slices.Equal(mine.Tags, []string{"a", "b"}) || mine.Revision != 1 {
		t.Errorf("note %+v", mine)
	}
	other, err := runs.WriteNote(dir, runs.Note{Text: "bad", Revision: n.Revision})
	if !errors.Is(err, runs.ErrConflict) || other.Text != "good" {
		t.Errorf("a late change: %+v, %v", other, err)
	}
	for _, bad := range []runs.Note{{Tags: []string{"a,b"}, Revision: 1}, {Tags: []string{""}, Revision: 1},
		{Text: strings.Repeat("a", runs.MaxNote+1), Revision: 1}, {Text: "\xff", Revision: 1}} {
		if _, err := runs.WriteNote(dir, bad); err == nil {
			t.Errorf("%.60q was written", fmt.Sprint(bad))
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, runs.NoteFile), []byte("{"), 0o644))
	if _, err := runs.WriteNote(dir, runs.Note{Text: "x"}); err == nil {
		t.Error("a broken note was written over")
	}
}

func FuzzNote(f *testing.F) {
	for _, text := range []string{"", "{}", `{"text": "a", "tags": ["b"], "revision": 3}`, `{"tags": null}`,
		`{"tags": [1]}`, "[[[[", `{"revision": 1e99}`} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		must(t, os.WriteFile(filepath.Join(dir, runs.NoteFile), text, 0o644))
		n, err := runs.ReadNote(dir)
		if err != nil {
			return
		}
		n.Text += "."
		if len(n.Text) > runs.MaxNote {
			return
		}
		if again, err := runs.WriteNote(dir, n); err != nil || again.Text != n.Text {
			t.Fatalf("%q was read, and not written: %v", text, err)
		}
	})
}

// Folders are read while somebody lists them, and those that go are no longer listed.
func TestListedMeanwhile(t *testing.T) {
	root := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 60 {
		synthetic(t, root, fmt.Sprintf("g%d/r%d", i%5, i), r.IntN(20), fmt.Sprintf("seed=%d", i))
	}
	x := runs.Open(root)
	done := make(chan error)
	go func() { done <- x.Refresh(context.Background()) }()
	for {
		select {
		case err := <-done:
			must(t, err)
			if n := len(x.Runs()); n != 60 {
				t.Errorf("%d runs", n)
			}
			must(t, os.RemoveAll(filepath.Join(root, "g0")))
			if n := len(refresh(t, root, &x)); n != 48 {
				t.Errorf("%d runs after 12 are gone", n)
			}
			return
		default:
			x.Since(0)
		}
	}
}
