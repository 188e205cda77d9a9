// Testrun runs go test and lists at the end which tests were skipped and why. go test shows this only with -v, and then
// it prints a hundred thousand lines.
//
//	go run ./internal/testrun -short ./...    the arguments are those of go test
//
// With -report FOLDER it also prints the processor time of every package and writes a report. The report has the tests
// whose runs ended differently (passed, failed or skipped), the slowest tests, and with -cover the statements that
// tests reach.
//
//	go run ./internal/testrun -report out -short -cover -count 3 ./...
//
// The output of failed tests is printed as soon as their package has ended. At the end come the sentences with which
// tests were skipped, each with its tests, and then go test's own line for every package. The exit status is 0 only if
// that of go test is 0.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pause is the time between two lines that say how far the tests are.
const pause = 10 * time.Second

func main() {
	args := os.Args[1:]
	if len(args) > 1 && args[0] == timedFlag {
		os.Exit(timed(args[1:]))
	}
	ok, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// run runs go test and reports whether all has passed.
func run(args []string) (ok bool, err error) {
	folder := ""
	if len(args) > 0 && args[0] == "-report" {
		if len(args) < 2 {
			return false, errors.New("-report needs a folder; expected -report FOLDER and the arguments of go test")
		}
		folder, args = args[1], args[2:]
	}
	measured := []string{"test", "-json"}
	profile := ""
	if folder != "" {
		program, err := os.Executable()
		if err != nil {
			return false, err
		}
		measured = append(measured, "-exec", program+" "+timedFlag)
		if slices.Contains(args, "-cover") {
			temp, err := os.MkdirTemp("", "testrun")
			if err != nil {
				return false, err
			}
			defer os.RemoveAll(temp)
			profile = filepath.Join(temp, "profile")
			measured = append(measured, "-coverprofile", profile)
		}
	}
	cmd := exec.Command("go", append(measured, args...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return false, err
	}
	seen := map[string]*history{}
	ok = follow(events, os.Stdout, time.Tick(pause), seen)
	ok = cmd.Wait() == nil && ok
	if folder == "" {
		return ok, nil
	}
	r := record{command: "go run ./internal/testrun -report " + strings.Join(append([]string{folder}, args...), " "),
		seen: seen}
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	if err != nil {
		return false, fmt.Errorf("go list -m: %w", err)
	}
	path, root, _ := strings.Cut(strings.TrimSpace(string(module)), " ")
	if r.module = path; profile != "" {
		if r.covered, err = coverage(profile, path, root); err != nil {
			return false, err // no package could be tested
		}
	}
	fmt.Println("\nProcessor seconds of each package:")
	for _, pkg := range r.packages() {
		fmt.Printf("%8.1f  %s\n", seen[pkg].seconds, pkg)
	}
	return ok, r.write(folder)
}

// follow prints what the events of go test -json say and reports whether every package has passed. At each tick it
// prints how far the tests are. What it learns of each package goes to seen.
func follow(events io.Reader, out io.Writer, tick <-chan time.Time, seen map[string]*history) bool {
	began := time.Now()
	list := make(chan event)
	go decode(events, list)
	r := report{out: out, packages: map[string]*tests{}, skipped: map[string]map[string][]string{},
		seen: seen}
	for {
		select {
		case e, more := <-list:
			if !more {
				return r.end(time.Since(began))
			}
			r.add(e)
		case <-tick:
			fmt.Fprintf(out, "testing: %d packages after %.0f s\n", len(r.summary), time.Since(began).Seconds())
		}
	}
}
