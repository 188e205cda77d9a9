package notebooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nacre/analysis/frame"
	"nacre/analysis/plots"
	"nacre/cmd/nacre/app"
	"nacre/experiment/progress"
	"nacre/experiment/study"
	"nacre/internal/heavy"
	"nacre/kernel"
	"nacre/library"
	"nacre/library/display"
	"nacre/notebooks"
	"nacre/sim"
	_ "nacre/sim/families"
)

// TestMain lets the test binary be the kernel that the notebooks run in.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "kernel" {
		env := &app.Env{Out: io.Discard, Err: os.Stderr, Log: slog.New(slog.DiscardHandler)}
		err := app.Kernel(context.Background(), env, app.KernelOptions{Pipe: true},
			func(string) (kernel.Session, error) {
				return kernel.New(kernel.Options{Library: library.New()})
			})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// output holds what the tests look at of a cell.
type output struct {
	Type string         `json:"output_type"`
	Data map[string]any `json:"data"`
	Text []string       `json:"text"`
}

// run runs a notebook and returns everything its cells showed.
func run(t *testing.T, name string, parameters ...string) []output {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(name))
	env := &app.Env{Out: io.Discard, Err: io.Discard, Log: slog.New(slog.DiscardHandler), Progress: progress.Silent()}
	o := app.ExecuteOptions{File: name, Out: out, Parameters: parameters, Timeout: 5 * time.Minute, Memory: "none"}
	if err := app.Execute(context.Background(), env, o); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct{ Outputs []output }
	}
	if err := json.Unmarshal(b, &nb); err != nil {
		t.Fatal(err)
	}
	var shown []output
	for _, c := range nb.Cells {
		shown = append(shown, c.Outputs...)
	}
	return shown
}

// count is how many outputs have a form, and whether each of them has the others too.
func count(t *testing.T, shown []output, mime string, beside ...string) int {
	t.Helper()
	n := 0
	for _, o := range shown {
		if o.Data[mime] == nil {
			continue
		}
		n++
		for _, b := range beside {
			if o.Data[b] == nil {
				t.Errorf("an output of type %s has no %s beside it", mime, b)
			}
		}
	}
	return n
}

const (
	curves    = display.CurvesMIME
	embedding = display.EmbeddingMIME
	rollout   = display.RolloutMIME
)

func TestQuickstart(t *testing.T) {
	heavy.Skip(t, "trains the three arms of the quickstart")
	shown := run(t, "quickstart.ipynb", "iterations=2", "windows=12", "folder="+t.TempDir())
	if c, e := count(t, shown, curves, "image/png", "text/plain"),
		count(t, shown, embedding, "image/png", "text/plain"); c != 1 || e != 2 {
		t.Errorf("%d curves and %d embeddings, expected 1 and 2", c, e)
	}
	if n := count(t, shown, "text/html", "text/plain"); n != 3 {
		t.Errorf("%d tables, expected 3", n)
	}
}

func TestControls(t *testing.T) {
	heavy.Skip(t, "trains again for every control")
	shown := run(t, "controls.ipynb", "iterations=2", "windows=16", "folder="+t.TempDir(),
		"changes=pearl.updates_per_iteration=4")
	if n := count(t, shown, display.ScrubberMIME, "image/png", "text/plain"); n != 1 {
		t.Errorf("%d scrubbers, expected 1", n)
	}
	if n := count(t, shown, display.ControlMIME, "text/html", "text/plain"); n != 2 {
		t.Errorf("%d controls, expected 2", n)
	}
	if e, r := count(t, shown, embedding, "image/png"), count(t, shown, rollout, "image/png"); e != 1 || r != 1 {
		t.Errorf("%d embeddings and %d rollouts, expected 1 and 1", e, r)
	}
}

func TestHalfCheetah(t *testing.T) {
	heavy.Skip(t, "trains on MuJoCo")
	if _, err := sim.Lookup("cheetah-vel"); err != nil {
		t.Skip(err)
	}
	shown := run(t, "half-cheetah.ipynb", "iterations=1", "films=2", "folder="+t.TempDir(),
		"changes=pearl.hidden=16 pearl.encoder_hidden=16 pearl.updates_per_iteration=4 pearl.meta_batch=4 "+
			"pearl.batch=16 pearl.initial_steps=200 train_tasks=4 test_tasks=3")
	// Two states are saved; of those that follow each other at once the last is shown.
	if c, r := count(t, shown, curves, "image/png"), count(t, shown, rollout, "image/png"); c != 1 || r < 1 || r > 2 {
		t.Errorf("%d curves and %d films, expected 1 and 1 or 2", c, r)
	}
}

// TestShippedStudy computes one seed's figures of the study that comes with the notebooks and finds those it stored.
func TestShippedStudy(t *testing.T) {
	heavy.Skip(t, "measures a study again")
	whole, err := study.Open("data/push.zip")
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for _, arm := range whole.Arms {
		e := arm.Seeds[0].Embedding
		want = append(want, e.Plane.Ratio, e.Latent.Ratio, e.Posterior.Ratio)
	}
	var got []float64
	for _, o := range run(t, "tsne-study.ipynb", "layouts=-1", "again=false") {
		table, _ := json.Marshal(o.Data[frame.MIME])
		var f struct {
			Columns []struct {
				Name   string
				Values []any
			}
		}
		if json.Unmarshal(table, &f) != nil || len(f.Columns) < 2 || f.Columns[1].Name != "space" {
			continue
		}
		for _, c := range f.Columns {
			for _, v := range c.Values {
				if c.Name == "ratio" {
					if v, ok := v.(float64); ok {
						got = append(got, v)
					}
				}
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("ratios of the planes, means and posteriors %v, stored %v", got, want)
	}
}

func TestTSNEStudy(t *testing.T) {
	heavy.Skip(t, "lays out many planes")
	shown := run(t, "tsne-study.ipynb", "data=", "iterations=1", "windows=12", "layouts=1", "folder="+t.TempDir())
	if n := count(t, shown, embedding, "image/png", "text/plain"); n != 4 {
		t.Errorf("%d embeddings, expected 4", n)
	}
	// The paper's rows are data: 44.86/38.8 and 68.5/26.6.
	found := false
	for _, o := range shown {
		text := fmt.Sprint(o.Data["text/plain"])
		found = found || strings.Contains(text, "1.15619") && strings.Contains(text, "2.57519")
	}
	if !found {
		t.Error("the paper's ratios are not 1.156 and 2.575")
	}
}

func TestNewLoss(t *testing.T) {
	heavy.Skip(t, "trains in a notebook")
	shown := run(t, "new-loss.ipynb", "rounds=1", "updates=20", "folder="+t.TempDir())
	if c, n := count(t, shown, curves, "image/png", "text/plain"),
		count(t, shown, plots.ChartMIME, "image/png", "text/plain"); c != 1 || n != 3 {
		t.Errorf("%d curves and %d charts, expected 1 and 3", c, n)
	}
}

func TestFirstSteps(t *testing.T) {
	shown := run(t, "first-steps.ipynb", "iterations=1", "folder="+t.TempDir(),
		"more=pearl.hidden=8 pearl.encoder_hidden=8 pearl.updates_per_iteration=4 pearl.initial_steps=40 "+
			"train_tasks=5 test_tasks=4")
	charts, tables, embeddings := count(t, shown, plots.ChartMIME, "image/png"),
		count(t, shown, frame.MIME, "text/html"), count(t, shown, embedding, "image/png")
	if charts != 5 || tables != 4 || embeddings != 2 || count(t, shown, rollout) != 1 {
		t.Errorf("%d charts, %d tables and %d embeddings, expected 5, 4 and 2, and a rollout", charts, tables,
			embeddings)
	}
}

func TestEnvironments(t *testing.T) {
	heavy.Skip(t, "trains on several environments")
	shown := run(t, "environments.ipynb", "steps=10", "iterations=1", "folder="+t.TempDir())
	if n := count(t, shown, "image/png", "text/plain"); n < 1 {
		t.Error("no picture")
	}
	// The point robot always; the cheetah, the humanoid and the arm with MuJoCo.
	want := 1
	for _, name := range []string{"cheetah-vel", "humanoid-dir", "ml1/push"} {
		if _, err := sim.Lookup(name); err == nil {
			want++
		}
	}
	if n := count(t, shown, rollout, "image/png", "text/plain"); n != want {
		t.Errorf("%d rollouts, expected %d", n, want)
	}
	// The environment written in a cell is stepped, trained in and evaluated.
	if n := count(t, shown, curves, "image/png", "text/plain"); n != 1 {
		t.Errorf("%d live curves, expected 1", n)
	}
	var text []string
	for _, o := range shown {
		text = append(text, o.Text...)
	}
	if all := strings.Join(text, ""); !strings.Contains(all, "boat: ") || !strings.Contains(all, "point-goal: ") {
		t.Errorf("the rates of both environments are not told: %q", all)
	}
}

// The run of the reproduction is an ordinary one: a second pass finds it complete.
func TestReproduce(t *testing.T) {
	heavy.Skip(t, "trains a study")
	folder := filepath.Join(t.TempDir(), "run")
	for range 2 {
		shown := run(t, "reproduce.ipynb", "iterations=1", "folder="+folder)
		if n := count(t, shown, frame.MIME, "text/html"); n != 4 {
			t.Errorf("%d tables, expected presets, the return, push beside the paper and claims", n)
		}
	}
}

// What is shipped is every notebook here that is no copy of one.
func TestFiles(t *testing.T) {
	here, err := filepath.Glob("*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	here = slices.DeleteFunc(here, func(name string) bool { return strings.Contains(name, "-Copy") })
	shipped, err := fs.Glob(notebooks.Files, "*.ipynb")
	if err != nil || !slices.Equal(here, shipped) {
		t.Errorf("shipped are %v, here are %v (%v)", shipped, here, err)
	}
}
