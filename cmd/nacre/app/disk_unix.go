//go:build linux || darwin

package app

import "golang.org/x/sys/unix"

// freeBytes returns the space that an ordinary user may still write in dir's file system.
func freeBytes(dir string) (uint64, bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
