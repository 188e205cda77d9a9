//go:build unix

package app

import (
	"syscall"
	"time"
)

// processorTime returns the processor time that this process has used, all threads together.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
