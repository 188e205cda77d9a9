//go:build unix && !linux

package main

import "golang.org/x/sys/unix"

// lowest gives this process nice 19, and the processes it starts.
func lowest() error { return unix.Setpriority(unix.PRIO_PROCESS, 0, 19) }
