//go:build unix

package process

import (
	"os"
	"syscall"
)

// killGroup kills a child and everything in its process group.
func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	_ = p.Kill()
}

func signalName(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal().String()
	}
	return ""
}

// inheritedPipes are the child's ends of the two pipes.
func inheritedPipes() (requests, messages *os.File) {
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	return os.NewFile(3, "requests"), os.NewFile(4, "messages")
}
