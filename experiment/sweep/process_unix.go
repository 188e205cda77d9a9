//go:build unix

package sweep

import (
	"os"
	"os/exec"
	"syscall"
)

// askToEnd has a process save its work and end.
func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// ownGroup keeps the terminal's Ctrl+C from a process. askToEnd asks it to end, once.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd)
}
