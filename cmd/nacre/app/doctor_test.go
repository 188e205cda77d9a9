package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nacre/core"
	"nacre/experiment/progress"
	"nacre/internal/home"
)

// A device that is there, and one that is not.
func TestAccelerator(t *testing.T) {
	b := core.Backend{Title: "abacus", Probe: func() (string, error) { return "ten beads", nil }}
	if c := accelerator(b); c != (Check{Name: "abacus", Status: OK, Found: "ten beads"}) {
		t.Errorf("%+v", c)
	}
	b.Probe = func() (string, error) { return "a frame", errors.New("buy beads") }
	if c := accelerator(b); c != (Check{"abacus", Missing, "a frame", "buy beads; training runs on the CPU"}) {
		t.Errorf("%+v", c)
	}
	b.Probe = func() (string, error) { return "", errors.New("buy beads") }
	if c := accelerator(b); c != (Check{"abacus", Missing, "cannot be used", "buy beads; training runs on the CPU"}) {
		t.Errorf("%+v", c)
	}
}

// What is on this machine is looked for; of what nacre setup fetches there is nothing.
func TestDoctor(t *testing.T) {
	t.Setenv(home.Variable, t.TempDir())
	report, err := Doctor(Providers{
		CPUKernel: func() string { return "avx2" },
		MuJoCo:    func() (string, error) { return "", errors.New("run `nacre setup`") },
		MetaWorld: func() (string, error) { return "", errors.New("run make") },
	})
	if err != nil && !errors.Is(err, ErrProblem) {
		t.Fatal(err)
	}
	byName := map[string]Check{}
	for _, c := range report.Checks {
		byName[c.Name] = c
		if c.Found == "" || c.Status != OK && c.Advice == "" {
			t.Errorf("%s says nothing: %+v", c.Name, c)
		}
	}
	if got := byName["Go"].Found; got != runtime.Version() {
		t.Errorf("Go %q", got)
	}
	if byName["CPU kernel"].Found != "avx2" || byName["MuJoCo"].Status != Missing ||
		!strings.Contains(byName["MuJoCo"].Advice, "run `nacre setup`") {
		t.Errorf("providers: %+v, %+v", byName["CPU kernel"], byName["MuJoCo"])
	}
	if !strings.Contains(byName["families"].Found, "point-goal") {
		t.Errorf("families: %q", byName["families"].Found)
	}
	if c := byName["Meta-World"]; c.Status != Missing || !strings.HasPrefix(c.Advice, "run make;") {
		t.Errorf("Meta-World absent: %+v", c)
	}
	if found := fetched("MuJoCo", func() (string, error) { return "3.3.0, /lib", nil }); found.Status != OK ||
		found.Found != "3.3.0, /lib" {
		t.Errorf("MuJoCo present: %+v", found)
	}
	t.Setenv(home.Variable, "/srv/nacre")
	if c := cache(); c.Status != OK || c.Found != "/srv/nacre" {
		t.Errorf("cache: %+v", c)
	}

	var text bytes.Buffer
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Checks {
		if !strings.Contains(text.String(), c.Found) || !strings.Contains(text.String(), c.Advice) {
			t.Errorf("%s is not in the text", c.Name)
		}
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	if c := folder(dir); !strings.HasPrefix(c.Found, "can be written") {
		t.Errorf("%+v", c)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left %v behind", entries)
	}
	if c := folder(filepath.Join(dir, "missing")); c.Status != Problem {
		t.Errorf("missing folder: %+v", c)
	}
}

func TestPrint(t *testing.T) {
	var out bytes.Buffer
	env := &Env{Out: &out, Err: &out, Progress: progress.Silent(), Log: Messages(&out, slog.LevelWarn)}
	report := Report{[]Check{{Name: "a", Status: OK, Found: "b <c>"}}}
	if err := env.Print(report, report.WriteText); err != nil ||
		out.String() != "ok       a  b <c>\n\nNothing is missing.\n" {
		t.Errorf("text %q, %v", out.String(), err)
	}
	out.Reset()
	env.JSON = true
	if err := env.Print(report, report.WriteText); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back.Checks[0] != report.Checks[0] {
		t.Errorf("JSON %s: %v", out.String(), err)
	}
	out.Reset()
	env.Notice("no GPU was found")
	if out.String() != "no GPU was found\n" {
		t.Errorf("notice %q", out.String())
	}
}
