package sweep

import (
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// allowedCores lists the cores this process may use.
func allowedCores() []int {
	var set unix.CPUSet
	var cores []int
	if unix.SchedGetaffinity(0, &set) == nil {
		for c := range len(set) * 64 {
			if set.IsSet(c) {
				cores = append(cores, c)
			}
		}
	}
	if len(cores) == 0 {
		for c := range runtime.NumCPU() {
			cores = append(cores, c)
		}
	}
	return cores
}

// pin keeps the calling thread, and the processes it starts, on cores.
func pin(cores []int) error {
	var set unix.CPUSet
	for _, c := range cores {
		set.Set(c)
	}
	return unix.SchedSetaffinity(0, &set)
}

// endWithParent has a process save its work and end when the thread that started it is gone, as after a kill -9 of
// this process.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM }
