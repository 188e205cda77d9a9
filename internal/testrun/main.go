// Testrun runs go test and says at the end which tests were skipped and why: go test does not without -v, and with it
// one would have to search a hundred thousand lines.
//
//	go run ./internal/testrun -short ./...    the arguments are those of go test
//
// What fails is printed as soon as its package has ended. At the end come the sentences with which tests were skipped,
// each with its tests, and then go test's own line for every package. The exit status is not 0 where that of go test is
// not.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// pause is the time between two lines that say how far the tests are.
const pause = 10 * time.Second

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(1)
	}
	ok := follow(events, os.Stdout, time.Tick(pause))
	if cmd.Wait() != nil || !ok {
		os.Exit(1)
	}
}

// follow prints what the events of go test -json say and reports whether every package has passed. At each tick it
// prints how far the tests are.
func follow(events io.Reader, out io.Writer, tick <-chan time.Time) bool {
	began := time.Now()
	list := make(chan event)
	go decode(events, list)
	r := report{out: out, packages: map[string]*tests{}, skipped: map[string]map[string][]string{}}
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
