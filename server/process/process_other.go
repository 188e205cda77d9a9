//go:build !unix

package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"

	"nacre/kernel"
)

// Offered reports whether this system has kernels as child processes.
const Offered = false

func ownGroup() *syscall.SysProcAttr                       { return nil }
func startOnThread(cmd *exec.Cmd, _ <-chan struct{}) error { return cmd.Start() }
func killGroup(p *os.Process)                              { _ = p.Kill() }
func signalName(*os.ProcessState) string                   { return "" }

func (w *printed) follow() {
	defer close(w.done)
	for {
		n, err := w.r.Read(w.buf[:])
		w.take(w.buf[:n])
		if err != nil {
			return
		}
	}
}

func (w *printed) drain() {}

// Serve always fails, because the child needs inherited pipes.
func Serve(context.Context, kernel.Session) error {
	return errors.New("kernels as child processes need Linux or macOS")
}
