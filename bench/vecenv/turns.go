package vecenv

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

//go:embed turns.py
var turns string

// Turns steps one of Gymnasium's environments in the vector environments of several Python packages, a turn at a time,
// so that other ways can be measured in between. It is not safe for concurrent use.
type Turns struct {
	Versions map[string]string // by way: its package's version, or "missing: " and why
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	said     strings.Builder
	closed   bool
}

// Turn is what a turn took.
type Turn struct {
	Steps int     `json:"steps"` // of all environments together
	Wall  float64 `json:"wall"`  // seconds by the clock
}

// NewTurns starts a Python that makes envs environments of an id in every way that it has packages for: sync and async
// are Gymnasium's vector environments, subproc is Stable-Baselines3's, and envpool EnvPool's.
func NewTurns(ctx context.Context, python, id string, envs int) (*Turns, error) {
	t := &Turns{cmd: exec.CommandContext(ctx, python, "-c", turns, id, strconv.Itoa(envs))}
	t.cmd.Stderr = &t.said
	in, err := t.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.in, t.out = in, bufio.NewReader(out)
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	return t, t.answer(&t.Versions)
}

// Has reports whether there is a way of this name.
func (t *Turns) Has(way string) bool {
	v, is := t.Versions[way]
	return is && !strings.HasPrefix(v, "missing: ")
}

// Take makes so many calls of step of one way.
func (t *Turns) Take(way string, calls int) (turn Turn, err error) {
	if !t.Has(way) {
		return turn, fmt.Errorf("vecenv: there is no way %s: %s", way, t.Versions[way])
	}
	if _, err := fmt.Fprintln(t.in, way, calls); err != nil {
		return turn, err
	}
	return turn, t.answer(&turn)
}

// answer reads a line of JSON. Lines that packages print are passed over.
func (t *Turns) answer(to any) error {
	for {
		line, err := t.out.ReadString('\n')
		if err != nil {
			err = errors.Join(err, t.Close())
			return fmt.Errorf("vecenv: %s ended: %w: %s", t.cmd.Path, err, last(t.said.String()))
		}
		if strings.HasPrefix(line, "{") {
			return json.Unmarshal([]byte(line), to)
		}
	}
}

// Close ends the Python and its environments. A second Close does nothing.
func (t *Turns) Close() error {
	if t.closed {
		return nil
	}
	t.closed = true
	return errors.Join(t.in.Close(), t.cmd.Wait())
}
