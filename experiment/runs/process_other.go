//go:build !unix

package runs

import (
	"errors"
	"os/exec"
)

// apart lets a process live on when the one that started it ends.
func apart(*exec.Cmd) {}

// interrupt asks a process to save and end.
func interrupt(int) error {
	return errors.New("this system knows no way to ask a process to end; stop it with Ctrl-C where it runs")
}
