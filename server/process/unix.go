//go:build unix

package process

import (
	"errors"
	"math/rand/v2"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Offered reports whether this system has kernels as child processes.
const Offered = true

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

// follow passes on text until the pipe is closed.
func (w *printed) follow() {
	defer close(w.done)
	raw, err := w.r.SyscallConn()
	for more := true; err == nil && more; {
		err = raw.Read(func(fd uintptr) (ready bool) {
			ready, more = w.read(fd)
			return ready
		})
	}
}

// drain passes on the text that is in the pipe now.
func (w *printed) drain() {
	raw, err := w.r.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		for more := true; more; {
			var ready bool
			ready, more = w.read(fd)
			more = more && ready
		}
	})
}

// read passes on what can be read without waiting. It reports whether that was anything, the end included, and whether
// more may come.
func (w *printed) read(fd uintptr) (ready, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := syscall.Read(int(fd), w.buf[:])
	switch {
	case errors.Is(err, syscall.EINTR):
		return true, true
	case errors.Is(err, syscall.EAGAIN):
		return false, true
	case err != nil || n == 0:
		return true, false
	}
	w.take(w.buf[:n])
	return true, true
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
