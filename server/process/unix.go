//go:build unix

package process

import (
	"math/rand/v2"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
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
	return private(3, "requests"), private(4, "messages")
}

// private moves an inherited file away from the number everybody knows: a cell that writes to it, as C code does that
// mistakes a number for a file of its own, writes into nothing. Programs that the kernel starts do not inherit it.
func private(fd int, name string) *os.File {
	moved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 64+rand.IntN(64))
	if err != nil { // it is not there, or there are too many files
		syscall.CloseOnExec(fd)
		return os.NewFile(uintptr(fd), name)
	}
	_ = unix.Close(fd)
	_, _ = unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0) // takes the lowest number that is free
	return os.NewFile(uintptr(moved), name)
}
