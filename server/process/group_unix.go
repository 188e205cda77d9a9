//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the child into a process group of its own, so that Ctrl-C in the server's terminal does not reach it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func startOnThread(cmd *exec.Cmd, _ <-chan struct{}) error { return cmd.Start() }

// limitMemory does nothing: other systems do not count private writable memory. The Go runtime's own limit holds.
func limitMemory(int64) error { return nil }

func preferAsVictim() {}
