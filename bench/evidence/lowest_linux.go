package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// schedIdle is the policy of threads that run when no other wants to.
const schedIdle = 5

// autogroup holds the group of this session's processes. Where there is one the kernel shares the cores among sessions
// first: a policy and a nice value count within a session only.
const autogroup = "/proc/self/autogroup"

// lowest gives all threads of this process nice 19 and the policy SCHED_IDLE, which those that come inherit, and the
// processes it starts. A session of its own gets nice 19 as a whole; a session that others share keeps its own, which
// is an error.
func lowest() error {
	return errors.Join(lowestThreads(), lowestSession())
}

func lowestSession() error {
	enabled, err := os.ReadFile("/proc/sys/kernel/sched_autogroup_enabled")
	if err != nil || strings.TrimSpace(string(enabled)) == "0" {
		return nil
	}
	if session, err := unix.Getsid(0); err != nil || session != os.Getpid() {
		return errors.New("other sessions share the cores with this one as equals; begin it with setsid")
	}
	return os.WriteFile(autogroup, []byte("19"), 0)
}

func lowestThreads() error {
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
