package lockfile

import (
	"os"

	"golang.org/x/sys/windows"
)

// alone reports whether no other process can see the files.
const alone = false

// errTaken is the system's error when another open file has the lock.
var errTaken error = windows.ERROR_LOCK_VIOLATION

// system takes a lock that ends with the open file, so also when the process is killed.
func system(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}

// missing reports nothing: every file system of Windows has such locks.
func missing(error) bool { return false }

func inode(os.FileInfo) uint64 { return 0 }

// alive knows nothing of other processes: they are told by the token's changes.
func alive(int, uint64) (lives, known bool) { return true, false }
