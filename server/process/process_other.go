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

func ownGroup() *syscall.SysProcAttr                       { return nil }
func startOnThread(cmd *exec.Cmd, _ <-chan struct{}) error { return cmd.Start() }
func killGroup(p *os.Process)                              { _ = p.Kill() }
func signalName(*os.ProcessState) string                   { return "" }

// Serve is the child's side, which needs inherited pipes.
func Serve(context.Context, kernel.Session) error {
	return errors.New("kernels as child processes need Linux or macOS")
}
