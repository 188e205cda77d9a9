//go:build !unix

package cell

import (
	"context"
	"os/exec"
)

func shell(context.Context, string) (*exec.Cmd, error) { return nil, errNoShell }
