//go:build unix

package sweep

import (
	"os"
	"os/exec"
	"syscall"
)

// askToEnd has a process save its work and end.
func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// ownGroup keeps the terminal's Ctrl+C from a process: it is told by askToEnd, once.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd)
}
