package cell

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Run runs a command of the shell and prints what it prints; a line !ls of a cell calls it. The error of a command that
// fails is an *exec.ExitError, with its exit status. An interrupt of the cell ends the command and all that it started.
func Run(command string) error {
	return run(command, stream{"stdout"})
}

// Lines runs a command of the shell and returns the lines that it prints to its standard output; files := !ls in a cell
// calls it. If the command fails, Lines returns these lines and the error, see Run.
func Lines(command string) ([]string, error) {
	var out bytes.Buffer
	err := run(command, &out)
	lines := []string{}
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines, err
}

func run(command string, stdout io.Writer) error {
	ctx := Context()
	cmd, err := shell(ctx, command)
	if err == nil {
		cmd.Stdout, cmd.Stderr = &whole{to: stdout}, &whole{to: stream{"stderr"}}
		err = cmd.Run()
		cmd.Stdout.(*whole).flush()
		cmd.Stderr.(*whole).flush()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("!%s: %w", command, err)
	}
	return nil
}

// stream is standard output or standard error of the current cell, or of the process.
type stream struct{ name string }

func (s stream) Write(b []byte) (int, error) {
	if c := Current(); c != nil {
		c.Stream(s.name, strings.ToValidUTF8(string(b), "\ufffd"))
		return len(b), nil
	}
	if s.name == "stderr" {
		return os.Stderr.Write(b)
	}
	return os.Stdout.Write(b)
}

// whole holds back the first bytes of a character until the others arrive.
type whole struct {
	to   io.Writer
	rest []byte
}

func (w *whole) Write(b []byte) (int, error) {
	text := append(w.rest, b...)
	n := len(text)
	for k := 1; k < utf8.UTFMax && k <= n; k++ {
		if utf8.RuneStart(text[n-k]) {
			if !utf8.FullRune(text[n-k:]) {
				n -= k
			}
			break
		}
	}
	w.rest = bytes.Clone(text[n:])
	_, err := w.to.Write(text[:n])
	return len(b), err
}

func (w *whole) flush() {
	if len(w.rest) > 0 {
		w.to.Write(w.rest)
	}
}
