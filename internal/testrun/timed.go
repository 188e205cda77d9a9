package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"syscall"
)

// timedFlag is the first argument with which go test -exec has this program run a test's program.
const timedFlag = "-timed"

// timed runs a test's program and then prints the processor time that it and its children took. It returns the
// program's exit status.
func timed(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT) // go test sends SIGQUIT at its time limit
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		return 1
	}
	go func() {
		for s := range signals {
			cmd.Process.Signal(s)
		}
	}()
	err := cmd.Wait()
	if took := cmd.ProcessState; took != nil {
		fmt.Printf("processor time: %.2f s\n", (took.UserTime() + took.SystemTime()).Seconds())
	}
	if status, ok := errors.AsType[*exec.ExitError](err); ok && status.ExitCode() > 0 {
		return status.ExitCode()
	}
	if err != nil {
		return 1
	}
	return 0
}

var timeLine = regexp.MustCompile(`processor time: ([\d.]+) s\n$`)

// timeIn is the processor time in a line that timed printed.
func timeIn(line string) (seconds float64, ok bool) {
	m := timeLine.FindStringSubmatch(line)
	if m == nil {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(m[1], 64)
	return seconds, err == nil
}
