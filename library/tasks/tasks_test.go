package tasks_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
	"nacre/library"
	"nacre/library/tasks"
)

var update = flag.Bool("update", false, "write the counts into docs/measurements")

const counts = "../../docs/measurements/tasks-2026-11-23.json"

// prepare makes the runs and files that the tasks read.
const prepare = `import (
	"nacre/analysis/frame"
	"nacre/experiment"
	"nacre/library/lab"
)
small := lab.Set("pearl.hidden=8", "pearl.encoder_hidden=8", "pearl.updates_per_iteration=4", "pearl.initial_steps=40", "pearl.meta_batch=3",
	"pearl.batch=8", "pearl.context=8", "pearl.tasks_per_iteration=2", "train_tasks=5", "test_tasks=4", "evaluation.every=1")
for k, algorithm := range []string{"pearl", "tcl-pearl", "pearl", "tcl-pearl"} {
	lab.Train("quick/point-goal", small, lab.Algorithm(algorithm), lab.Seed(1+k/2), lab.Iterations(2), lab.Quiet(), lab.Folder("runs/"+string(rune('a'+k))))
}
e := lab.Open("runs/a").Embed(experiment.EmbedOptions{Windows: 12})
e.Save("runs/a/embeddings.npz")
f := frame.Of(e).Drop("label", "std0", "std1", "std2", "std3", "std4")
f = f.Compute("return", func(r frame.Row) float64 { return r.Number("mean0") / 3 })
f.Compute("task", func(r frame.Row) float64 { return float64(r.Index() / 12) }).WriteCSV("contexts.csv")`

// Every cell runs and shows a table or a picture.
func TestCells(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s := session(t)
	run(t, s, prepare)
	for _, task := range tasks.All() {
		t.Run(task.Name, func(t *testing.T) {
			shown := run(t, s, task.Cell).Value
			if shown == nil || shown.MIME["image/png"] == nil && shown.MIME["text/html"] == nil {
				t.Errorf("shows %v", shown)
			}
		})
	}
	python(t)
}

func session(t *testing.T) kernel.Session {
	s, err := kernel.New(kernel.Options{Library: library.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func run(t *testing.T, s kernel.Session, code string) kernel.Reply {
	t.Helper()
	r, _ := execute(t, s, code)
	return r
}

func execute(t *testing.T, s kernel.Session, code string) (kernel.Reply, *kerneltest.Output) {
	t.Helper()
	out := &kerneltest.Output{}
	r := s.Execute(t.Context(), kernel.Request{Code: code}, out)
	if r.Error != nil {
		t.Fatalf("%s\n%s", code, r.Error.Message)
	}
	return r, out
}

// python runs the programs in Python, where the packages are and NACRE_PROGRAM names a nacre for them to call.
func python(t *testing.T) {
	program, interpreter := os.Getenv("NACRE_PROGRAM"), os.Getenv("NACRE_PYTHON")
	if program == "" || interpreter == "" {
		t.Log("Python's programs run where NACRE_PYTHON has pandas, matplotlib and scikit-learn, and NACRE_PROGRAM " +
			"is nacre")
		return
	}
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "nacre")); err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks.All() {
		t.Run(task.Name+".py", func(t *testing.T) {
			cmd := exec.Command(interpreter, "-c", task.Python)
			cmd.Env = append(os.Environ(), "MPLBACKEND=agg", "OMP_NUM_THREADS=1", "PATH="+bin+":"+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// No cell is longer than 1.2 times Python, and the page's table has what is counted.
func TestCounts(t *testing.T) {
	var rows []any
	for _, task := range tasks.All() {
		cell, python := tasks.Count(task.Cell), tasks.Count(task.Python)
		if 5*cell.Lines > 6*python.Lines || 5*cell.Characters > 6*python.Characters {
			t.Errorf("%s: %+v in a cell, %+v in Python", task.Title, cell, python)
		}
		rows = append(rows, map[string]any{"of": []string{task.Title}, "cells": map[string]any{
			"lines": cell.Lines, "python_lines": python.Lines, "characters": cell.Characters,
			"python_characters": python.Characters,
		}})
	}
	column := func(name, head string) map[string]string { return map[string]string{"name": name, "head": head} }
	text, err := json.MarshalIndent(map[string]any{
		"what": "Ten exploratory tasks as cells and as Python", "date": "2026-11-23", "commit": "2dccd26",
		"machine":    "any: text is counted",
		"conditions": "Imports count, blank lines and indentation do not", "spread": "",
		"commands": []string{"go test ./library/tasks -run Counts -update"}, "labels": []string{"task"},
		"columns": []any{column("lines", "lines"), column("python_lines", "lines, Python"),
			column("characters", "characters"), column("python_characters", "characters, Python")},
		"rows": rows,
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(counts, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(counts); err != nil ||
		strings.TrimSpace(string(old)) != strings.TrimSpace(string(text)) {
		t.Error(fmt.Errorf("the measurement is not what is counted (%v): go test ./library/tasks -run Counts -update",
			err))
	}
}
