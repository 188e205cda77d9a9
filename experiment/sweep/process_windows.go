package sweep

import (
	"os"
	"os/exec"
	"syscall"
)

// askToEnd ends a process; Windows has no signal that it could save its work on. Its last checkpoint stays.
func askToEnd(p *os.Process) error { return p.Kill() }

// ownGroup keeps Ctrl+C from a process.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
