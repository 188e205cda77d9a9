package process

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts the child into a process group of its own, so that Ctrl-C in the server's terminal does not reach it,
// and has the system kill it should the server die without saying so.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// startOnThread starts cmd on a thread that lives as long as the child: the death signal is sent when the thread that
// started it ends.
func startOnThread(cmd *exec.Cmd, done <-chan struct{}) error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			<-done
		}
	}()
	return <-started
}

// limitMemory makes the system refuse this process more than n bytes of private writable memory.
func limitMemory(n int64) error {
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: uint64(n), Max: uint64(n)})
}

// preferAsVictim tells the system that, should memory run out all the same, this process is to go and not the server.
func preferAsVictim() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0) }
