package runs_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/experiment/runs"
)

// Logs of other programs are listed with their curves, and nothing of them can be changed.
func TestLogsOfOtherPrograms(t *testing.T) {
	root := t.TempDir()
	synthetic(t, root, "ours/seed1", 2)
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("theirs/ppo_s1/progress.csv", "time/total_timesteps,eval/mean_reward,train/loss\n10,1,0.5\n20,2,\n")
	write("theirs/wandb_export_1.csv", "Step,a - eval/return,a - eval/return__MIN,a - eval/return__MAX\n1,2,2,2\n")
	write("theirs/odd/progress.csv", "x,y\n1,2\n")
	var x *runs.Index
	found := map[string]*runs.Run{}
	for _, r := range refresh(t, root, &x) {
		found[r.Path] = r
	}
	ppo := found["theirs/ppo_s1"]
	if len(found) != 4 || ppo == nil || ppo.State != runs.Log || ppo.Seed != 1 || ppo.EnvSteps != 20 ||
		ppo.Latest["adapted_return"] != 2 || ppo.Latest["train/loss"] != 0.5 ||
		!strings.Contains(ppo.About, `steps from "time/total_timesteps", return from "eval/mean_reward"`) {
		t.Fatalf("%v, %+v", found, ppo)
	}
	if r := found["theirs/odd"]; r.State != runs.Broken ||
		!strings.Contains(r.Problem, "none of its columns is known to be the step") {
		t.Errorf("%+v", r)
	}
	if r := found["theirs/wandb_export_1.csv#a"]; r == nil || r.State != runs.Log || r.EnvSteps != 1 {
		t.Errorf("%+v", r)
	}
	for column, want := range map[string]int{"adapted_return": 2, "train/loss": 1} {
		if c, err := x.Curve(ppo, column, 100); err != nil || len(c.Values) != want || c.Steps[0] != 10 {
			t.Errorf("%s: %+v, %v", column, c, err)
		}
	}
	w := httptest.NewRecorder()
	(&runs.Service{Index: x}).ServeHTTP(w, httptest.NewRequest(http.MethodPut, "/note?run=theirs/ppo_s1",
		strings.NewReader(`{"text": "mine"}`)))
	if entries, err := os.ReadDir(filepath.Join(root, "theirs", "ppo_s1")); w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), "is the log of another program") || err != nil || len(entries) != 1 {
		t.Errorf("a note: %d %s, %v", w.Code, w.Body, entries)
	}

	// What its program adds is seen.
	write("theirs/ppo_s1/progress.csv", "time/total_timesteps,eval/mean_reward,train/loss\n10,1,0.5\n20,2,\n30,7,\n")
	must(t, x.Refresh(t.Context()))
	if r, err := x.Find("theirs/ppo_s1"); err != nil || r.EnvSteps != 30 || r.Latest["adapted_return"] != 7 {
		t.Errorf("%+v, %v", r, err)
	}

	// A copy under another seed has the same numbers, also if it ends earlier.
	write("theirs/ppo_s2/progress.csv", "time/total_timesteps,eval/mean_reward,train/loss\n10,1,0.5\n20,2,\n")
	write("theirs/ppo_s3/progress.csv", "time/total_timesteps,eval/mean_reward,train/loss\n10,1,0.25\n20,2,\n30,inf,\n")
	var again *runs.Index
	found = map[string]*runs.Run{}
	for _, r := range refresh(t, root, &again) {
		found[r.Path] = r
	}
	a, b := found["theirs/ppo_s1"], found["theirs/ppo_s2"]
	if a == nil || b == nil {
		t.Fatalf("found %v", found)
	}
	if a.Numbers == "" || a.Numbers != b.Numbers || a.Identity == b.Identity {
		t.Errorf("%q and %q, of %q and %q", a.Numbers, b.Numbers, a.Identity, b.Identity)
	}
	if c := found["theirs/ppo_s3"]; c == nil || c.Numbers == a.Numbers {
		t.Errorf("another log: %+v", c)
	}
	if c, err := again.Curve(found["theirs/ppo_s3"], "adapted_return", 100); err != nil || len(c.Values) != 2 ||
		!slices.Equal(c.Notes, []string{"column adapted_return is infinite in 1 of 3 rows: they are left out"}) {
		t.Errorf("%+v, %v", c, err)
	}
}
