//go:build unix

package lockfile

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// alone reports whether no other process can see the files.
const alone = false

// errTaken is the system's error when another open file has the lock.
var errTaken error = unix.EWOULDBLOCK

// flock is the system's call; tests put file systems without it in its place.
var flock = unix.Flock

// system takes an advisory lock that ends with the open file, so also when the process is killed.
func system(f *os.File) error {
	for {
		if err := flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// missing reports whether an error of system says that the file system has no such locks.
func missing(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOLCK) || errors.Is(err, unix.EOPNOTSUPP) ||
		errors.Is(err, unix.ENOTSUP)
}

func inode(info os.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}

// alive reports whether a process of this machine, which began at start, lives, if that is known.
func alive(pid int, start uint64) (lives, known bool) {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return false, true
	}
	began, ended, err := started(pid)
	return began == start && !ended, err == nil
}
