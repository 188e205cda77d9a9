//go:build unix

package fidelity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// native is what `go run` makes of a program.
type native struct {
	Result
	Errors string        // standard error, without the report of a panic
	Took   time.Duration // of the processor
	Why    string        // why the program is not one to compare
}

// goRun builds and runs a program, or gives what an earlier call found.
func (k kept) goRun(t *testing.T, source string) native {
	key := []string{"go run", runtime.Version(), source}
	var n native
	if k.get(&n, key...) {
		return n
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), []byte(source))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "program", "main.go")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if err := build.Run(); err != nil {
		n = native{Why: "does not compile"}
	} else {
		n = runTwice(t, dir)
	}
	k.put(t, n, key...)
	return n
}

// runTwice runs a built program twice: what differs from run to run cannot be compared.
func runTwice(t *testing.T, dir string) native {
	var n [2]native
	for k := range n {
		n[k] = runOnce(t, dir)
	}
	switch {
	case n[0].End == "ran too long":
		return native{Why: "runs for more than " + limit.String()}
	case n[0].Result != n[1].Result || n[0].Errors != n[1].Errors:
		return native{Why: "prints something else in each run"}
	}
	return n[0]
}

func runOnce(t *testing.T, dir string) native {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "program"))
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOTRACEBACK=none")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	n := native{Result: Result{Output: tidy(stdout.String())}, Errors: tidyErrors(stderr.String())}
	n.Took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case ctx.Err() != nil:
		n.End = "ran too long"
	case err != nil:
		n.End = ending(stderr.String(), cmd.ProcessState.ExitCode())
		n.Errors = tidyErrors(reported.ReplaceAllString(stderr.String(), ""))
	}
	return n
}

// reported is how the run time reports a panic.
var reported = regexp.MustCompile(`(?ms)^(panic|fatal error): .*|(panic|fatal error): .*`)

// kept is a folder of what was found, in the user's cache: suites take hours.
type kept struct{ dir, binary string }

func newKept(t *testing.T) kept {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "nacre", "suites")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return kept{dir, sum(string(file))}
}

func sum(parts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h[:12])
}

// get reads what was found of the key into x, and reports whether it was.
func (k kept) get(x any, key ...string) bool {
	data, err := os.ReadFile(filepath.Join(k.dir, sum(key...)))
	return err == nil && json.Unmarshal(data, x) == nil
}

func (k kept) put(t *testing.T, x any, key ...string) {
	data, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(k.dir, sum(key...)), data)
}
