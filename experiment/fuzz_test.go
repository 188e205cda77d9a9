package experiment

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"nacre/internal/bounded"
	"nacre/internal/heavy"
	"nacre/rl/protocol"
)

// FuzzRunFiles reads any text as each of the text files of a run folder.
func FuzzRunFiles(f *testing.F) {
	for _, name := range []string{ConfigFile, TasksFile, MetricsFile, TimingFile} {
		text, err := os.ReadFile(filepath.Join(older, "pearl", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
	}
	for _, text := range []string{"", "{}", "a,b\n1,\n", "a\n\n", "a,a\n", "[record]\nsessions = [{started = 1}]",
		`{"train": [{"id": 1e99}]}`, `{"Tasks": [[[[`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		defer bounded.Input(t, len(text))()
		dir := t.TempDir()
		for _, name := range []string{ConfigFile, TasksFile, EvaluationFile} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run, err := View(dir)
		if err != nil {
			t.Fatal(err)
		}
		cfg := Default()
		run.ReadConfig(&cfg)
		run.ReadTasks()
		var result protocol.Result
		whole := json.Unmarshal(text, &result) == nil && result.Check() == nil
		if _, err := run.ReadEvaluation(); (err == nil) != whole {
			t.Fatalf("evaluation: %v", err)
		}
		series, err := parseMetrics("x", text)
		for _, row := range series.Rows {
			if len(row) != len(series.Columns) {
				t.Fatalf("a row of %d cells in %d columns, %v", len(row), len(series.Columns), err)
			}
		}
	})
}

func TestLargeInputs(t *testing.T) {
	heavy.Skip(t, "it reads files of many megabytes")
	dir := t.TempDir()
	bounded.Large(t, func(text []byte) {
		for _, name := range []string{ConfigFile, TasksFile, EvaluationFile} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run, err := View(dir)
		if err != nil {
			t.Fatal(err)
		}
		cfg := Default()
		run.ReadConfig(&cfg)
		run.ReadTasks()
		run.ReadEvaluation()
		parseMetrics("x", text)
	}, []byte("{}"), []byte("a,b\n1,2\n"))
}
