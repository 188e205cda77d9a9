//go:build !unix

package cell

import (
	"context"
	"errors"
	"os/exec"
)

// errNoShell is the error of commands where no program can be started.
var errNoShell = errors.New("no command runs here: cells in a browser's tab and on Windows have no shell")

func shell(context.Context, string) (*exec.Cmd, error) { return nil, errNoShell }
