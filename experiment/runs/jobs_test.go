package runs_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nacre/experiment/runs"
	"nacre/experiment/runs/runstest"
	"nacre/internal/heavy"
)

func TestMain(m *testing.M) {
	if !runstest.Program() {
		os.Exit(m.Run())
	}
}

// The life of a run: started, watched, stopped, resumed to its end; with a second one in the queue meanwhile, over
// HTTP.
func TestLife(t *testing.T) {
	heavy.Skip(t, "it trains from start to end, twice stopped")
	t.Setenv(runstest.Variable, "1")
	root := t.TempDir()
	program, err := os.Executable()
	must(t, err)
	index := runs.Open(root)
	jobs, err := runs.NewJobs(index, []string{program}, 1, slog.New(slog.DiscardHandler))
	must(t, err)
	defer jobs.Close()
	site := httptest.NewServer(&runs.Service{Index: index, Jobs: jobs})
	defer site.Close()
	call := func(method, path string, body, to any) (status int) {
		t.Helper()
		text, err := json.Marshal(body)
		must(t, err)
		req, err := http.NewRequest(method, site.URL+path, strings.NewReader(string(text)))
		must(t, err)
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		must(t, err)
		if to != nil {
			must(t, json.Unmarshal(data, to))
		}
		return resp.StatusCode
	}
	until := func(what string, ok func(l runs.Listing) bool) runs.Listing {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			var l runs.Listing
			if call("GET", "/list?since=0", nil, &l); ok(l) {
				return l
			}
		}
		t.Fatalf("never %s", what)
		return runs.Listing{}
	}
	state := func(l runs.Listing, path string) (s runs.State, iterations int) {
		for _, r := range l.Runs {
			if r.Path == path {
				return r.State, r.Iterations
			}
		}
		return "", 0
	}

	var message struct{ Message, Path string }
	if s := call("POST", "/start", runs.Spec{Preset: "quick/pont-goal"}, &message); s != 400 ||
		!strings.Contains(message.Message, "quick/point-goal") {
		t.Errorf("an unknown preset: %d %q", s, message.Message)
	}
	if s := call("POST", "/start", runs.Spec{Preset: "quick/point-goal", Name: "../x"}, &message); s != 400 ||
		!strings.Contains(message.Message, "folder name") {
		t.Errorf("a name that is a path: %d %q", s, message.Message)
	}
	long := append([]string{"pearl.iterations=100000"}, runstest.Small...)
	seed := uint64(5)
	if s := call("POST", "/start", runs.Spec{Preset: "quick/point-goal", Set: long, Seed: &seed, Name: "long"},
		&message); s != 200 || message.Path != "runs/long" {
		t.Fatalf("start: %d %+v", s, message)
	}
	short := append([]string{"pearl.iterations=2"}, runstest.Small...)
	call("POST", "/start", runs.Spec{Preset: "quick/point-goal", Set: short}, &message)
	second := message.Path
	l := until("running, with another waiting", func(l runs.Listing) bool {
		s, n := state(l, "runs/long")
		return s == runs.Running && n >= 2 && len(l.Waiting) == 1
	})
	if strings.Join(l.Columns, " ") != "" { // one run
		t.Errorf("settings that differ: %v", l.Columns)
	}
	if s := call("POST", "/resume?run="+url.QueryEscape("runs/long"), nil, &message); s != 400 ||
		!strings.Contains(message.Message, "is being trained") {
		t.Errorf("resuming what runs: %d %q", s, message.Message)
	}
	call("POST", "/stop?run="+url.QueryEscape("runs/long"), nil, nil)
	until("stopped, and the other finished", func(l runs.Listing) bool {
		s, _ := state(l, "runs/long")
		other, _ := state(l, second)
		return s == runs.Interrupted && other == runs.Finished && len(l.Waiting) == 0 && len(l.Failed) == 0
	})
	var d runs.Detail
	call("GET", "/run?run="+url.QueryEscape(second), nil, &d)
	if d.Adapted == nil || len(d.Tasks) == 0 {
		t.Fatalf("adaptation of the finished run: %+v", d)
	}
	for k, mean := range d.Adapted.Return {
		sum := 0.0
		for _, task := range d.Tasks {
			sum += task.Return[k]
		}
		if got := sum / float64(len(d.Tasks)); math.Abs(got-mean.Mean) > 1e-9 || d.Tasks[0].Success != nil {
			t.Errorf("trajectory %d: mean over the tasks' rows %v, expected %v; %+v", k, got, mean.Mean, d.Tasks[0])
		}
	}
	var defaults map[string]string
	call("GET", "/defaults?preset=quick/point-goal&algorithm=rl2", nil, &defaults)
	if defaults["algorithm"] != `"rl2"` || defaults["rl2.discount"] == "" {
		t.Errorf("settings of RL² on a preset of PEARL: %v", defaults)
	}
	if s := call("GET", "/defaults?preset=quick/point-goal&algorithm=rl3", nil, &message); s != 400 ||
		!strings.Contains(message.Message, "rl3") {
		t.Errorf("an unknown algorithm: %d %q", s, message.Message)
	}
	var curves []runs.Curve
	call("GET", "/curve?column=adapted_return&run="+url.QueryEscape(second), nil, &curves)
	if len(curves) != 1 || len(curves[0].Values) == 0 {
		t.Errorf("curve of the finished run: %+v", curves)
	}
	call("GET", "/curve?column=adapted_return&run=gone&run="+url.QueryEscape(second), nil, &curves)
	if len(curves) != 1 {
		t.Errorf("curves of that run and one that is gone: %+v", curves)
	}
	if l := until("listed", func(runs.Listing) bool {
		return true
	}); strings.Join(l.Columns, " ") != "pearl.iterations" {
		t.Errorf("settings that differ: %v", l.Columns)
	}
	var note runs.Note
	call("PUT", "/note?run="+url.QueryEscape(second), runs.Note{Text: "fine"}, &note)
	if s := call("PUT", "/note?run="+url.QueryEscape(second), runs.Note{Text: "other"}, &note); s != 409 ||
		note.Text != "fine" {
		t.Errorf("a late note: %d %+v", s, note)
	}
	if s := call("POST", "/resume?run="+url.QueryEscape("runs/long"), nil, nil); s != 200 {
		t.Fatalf("resume: %d", s)
	}
	_, before := state(l, "runs/long")
	until("further on", func(l runs.Listing) bool {
		s, n := state(l, "runs/long")
		return s == runs.Running && n > before+2
	})
	call("POST", "/stop?run="+url.QueryEscape("runs/long"), nil, nil)
	until("stopped again", func(l runs.Listing) bool { s, _ := state(l, "runs/long"); return s == runs.Interrupted })
}

// What waits is kept when the server ends, and a run whose process gives up says why.
func TestQueueIsKept(t *testing.T) {
	t.Setenv(runstest.Variable, "1")
	root := t.TempDir()
	program, err := os.Executable()
	must(t, err)
	index := runs.Open(root)
	log := slog.New(slog.DiscardHandler)
	jobs, err := runs.NewJobs(index, []string{program}, 1, log)
	must(t, err)
	jobs.Close()
	path, err := jobs.Start(runs.Spec{Preset: "quick/point-goal", Set: runstest.Small})
	must(t, err)
	if waiting, _ := jobs.Queue(); len(waiting) != 1 {
		t.Fatalf("%d runs wait", len(waiting))
	}
	must(t, os.MkdirAll(filepath.Join(root, filepath.FromSlash(path)), 0o755))
	// its process will refuse the folder
	must(t, os.WriteFile(filepath.Join(root, filepath.FromSlash(path), "mine"), nil, 0o644))
	jobs, err = runs.NewJobs(index, []string{program}, 1, log)
	must(t, err)
	defer jobs.Close()
	for range 1200 {
		if _, failed := jobs.Queue(); len(failed) == 1 {
			if !strings.Contains(failed[0].Error, "is not empty") {
				t.Errorf("it gave up with %q", failed[0].Error)
			}
			if _, err := os.Stat(filepath.Join(root, runs.QueueFile)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the queue's file is still there: %v", err)
			}
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the run has not given up after two minutes")
}
