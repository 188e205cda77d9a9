//go:build unix

package runs

import (
	"os/exec"
	"syscall"
)

// apart lets a process live on when the one that started it ends.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// interrupt asks a process to save and end.
func interrupt(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }
