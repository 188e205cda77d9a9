package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// schedIdle is the policy of threads that run when no other wants to.
const schedIdle = 5

// lowest gives all threads of this process nice 19 and the policy SCHED_IDLE, which those that come inherit, and the processes
// it starts.
func lowest() error {
	threads, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range threads {
		id, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: schedIdle, Nice: 19}
		if err := unix.SchedSetAttr(id, &attr, 0); err != nil && !os.IsNotExist(err) && !errors.Is(err, unix.ESRCH) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
