package fidelity

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"nacre/internal/heavy"
	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

var archives = flag.String("archives", "*", "the archives of the folder whole to run, as a pattern of their names")

var every = flag.Int("every", 3, "compile one in so many of the programs of the folder whole: 234 builds take minutes")

// minimum is the share of the programs that must print what `go run` prints.
const minimum = 0.9

// TestWhole runs each program of the folder whole as a cell and compares with what `go run` printed: its standard
// output, and then how it ended. A program that fails must be refused or end with an error, never print something else
// and end well.
func TestWhole(t *testing.T) {
	needsCells(t)
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			every := *every
			switch {
			case e.name != "yaegi":
				heavy.Skip(t, "it builds many programs")
			case testing.Short():
				every = 8
			default:
				every = 1
			}
			whole(t, e, every)
		})
	}
}

// whole runs one in every programs.
func whole(t *testing.T, e testEngine, every int) {
	files, err := filepath.Glob("whole/" + *archives + ".txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	pass, total, seen := 0, 0, 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			rerun(t, file, a)
			continue
		}
		want := map[string]string{}
		for _, f := range a.Files {
			want[f.Name] = string(f.Data)
		}
		group := strings.TrimSuffix(filepath.Base(file), ".txtar")
		groupPass, groupTotal := 0, 0
		for _, f := range a.Files {
			name, ok := strings.CutSuffix(f.Name, ".go")
			if !ok {
				continue
			}
			if seen++; seen%every != 0 {
				continue
			}
			groupTotal++
			expected, ok := want[name+".out"]
			if !ok {
				t.Fatalf("%s has no output: run go test -run Whole -update", name)
			}
			got, refused := runProgram(t, e, string(f.Data))
			switch {
			case got == expected:
				groupPass++
			case refused:
				t.Logf("%s/%s is refused: %s", group, name, strings.TrimSpace(got))
			case strings.Contains(got, "not implemented on js"): // nor is it compiled
				t.Logf("%s/%s needs what a browser lacks: %s", group, name, strings.TrimSpace(got))
			default:
				t.Errorf("%s/%s is silently wrong: got\n%s\nwant\n%s", group, name, got, expected)
			}
		}
		t.Logf("%s: %d of %d", group, groupPass, groupTotal)
		pass += groupPass
		total += groupTotal
	}
	if *update {
		return
	}
	t.Logf("%d of %d programs as with go run", pass, total)
	if float64(pass) < minimum*float64(total) {
		t.Errorf("only %d of %d programs as with go run", pass, total)
	}
}

// runProgram runs a program as a cell of a new session. refused says that it ended with an error of its own.
func runProgram(t *testing.T, e testEngine, code string) (got string, refused bool) {
	s := e.start(t)
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out := &kerneltest.Output{}
	r := s.Execute(ctx, kernel.Request{Code: code}, out)
	got = out.Stdout()
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if r.Error == nil {
		return got, false
	}
	switch r.Error.Name {
	case "Panic":
		line, _, _ := strings.Cut(r.Error.Message, "\n")
		return got + "panic: " + line + "\n", false
	case "Exit":
		return got + r.Error.Message[strings.LastIndex(r.Error.Message, "exit"):] + "\n", false
	case "CompileError":
		if len(r.Error.Positions) > 0 && !strings.Contains(r.Error.Message, "not supported") {
			line, _, _ := strings.Cut(r.Error.Message, "\n")
			return got + "error: " + line + "\n", true
		}
	}
	return got + r.Error.Name + ": " + r.Error.Message + "\n", true
}

var (
	compileLine = regexp.MustCompile(`(?m)^\./main\.go:(\d+:\d+: .*)$`)
	panicLine   = regexp.MustCompile(`(?m)^\t?panic: (.*?)( \[recovered\])?$`)
	exitLine    = regexp.MustCompile(`(?m)^exit status (\d+)$`)
)

// rerun stores what go run prints of the programs of an archive.
func rerun(t *testing.T, file string, a *txtar.Archive) {
	out := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		name, ok := strings.CutSuffix(f.Name, ".go")
		if !ok {
			continue
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "main.go"), f.Data)
		write(t, filepath.Join(dir, "go.mod"), []byte("module main\n\ngo 1.26\n"))
		cmd := exec.Command("go", "run", ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		text := stdout.String()
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if err != nil {
			switch e := stderr.String(); {
			case compileLine.MatchString(e):
				text += "error: " + compileLine.FindStringSubmatch(e)[1] + "\n"
			case panicLine.MatchString(e):
				all := panicLine.FindAllStringSubmatch(e, -1) // the last is of the panic that ended it
				text += "panic: " + all[len(all)-1][1] + "\n"
			case exitLine.MatchString(e):
				text += "exit status " + exitLine.FindStringSubmatch(e)[1] + "\n"
			default:
				t.Fatalf("%s: %v\n%s", name, err, e)
			}
		}
		out.Files = append(out.Files, f, txtar.File{Name: name + ".out", Data: []byte(text)})
	}
	write(t, file, txtar.Format(out))
	fmt.Println("updated", file)
}

func write(t *testing.T, name string, data []byte) {
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
