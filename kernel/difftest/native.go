package difftest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Result is what a program printed, and how it ended: "" where it ended well, "panic: ..." where not.
type Result struct {
	Output string
	End    string
}

const mark = "\x00difftest "

// runner is the part of a batch that runs its programs one after another.
const runner = `package main

import (
	"fmt"
	"os"
)

func run(name string, f func()) {
	fmt.Print("\x00difftest begin ", name, "\n")
	end := ""
	func() {
		defer func() {
			switch x := recover().(type) {
			case nil:
			case error:
				end = "panic: " + x.Error()
			case fmt.Stringer:
				end = "panic: " + x.String()
			default:
				end = "panic: " + fmt.Sprint(x)
			}
		}()
		f()
	}()
	fmt.Print("\x00difftest end ", name, " ", end, "\n")
	os.Stdout.Sync()
}
`

// Compiled builds the programs as one and runs them. Programs are compiled in the folder dir.
func Compiled(ctx context.Context, dir string, programs []*Program) ([]Result, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	files := map[string]string{"go.mod": "module main\n\ngo 1.26\n", "runner.go": runner}
	var calls strings.Builder
	for _, p := range programs {
		files[p.Prefix+".go"] = p.Source(p.Prefix + "main")
		fmt.Fprintf(&calls, "\trun(%q, %smain)\n", p.Prefix, p.Prefix)
	}
	files["main.go"] = "package main\n\nfunc main() {\n" + calls.String() + "}\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	// Neither inlined nor optimised: the programs run once, and building them is what takes time.
	build := exec.CommandContext(ctx, "go", "build", "-gcflags=-N -l", "-ldflags=-s -w", "-o", "batch", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the programs: %w\n%s", err, out)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "batch"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	results := make([]Result, len(programs))
	rest := stdout.String()
	for k, p := range programs {
		begin, end := mark+"begin "+p.Prefix+"\n", mark+"end "+p.Prefix+" "
		_, after, ok := strings.Cut(rest, begin)
		output, after, ended := strings.Cut(after, end)
		if !ok || !ended {
			return nil, fmt.Errorf("the compiled program %s did not end: %v\n%s", p.Prefix, err, stderr.Bytes())
		}
		results[k].Output = output
		results[k].End, rest, _ = strings.Cut(after, "\n")
		if at := strings.Index(after, mark); at >= 0 { // the panic's text may have several lines
			results[k].End, rest = strings.TrimSuffix(after[:at], "\n"), after[at:]
		} else {
			results[k].End = strings.TrimSuffix(after, "\n")
		}
	}
	return results, nil
}
