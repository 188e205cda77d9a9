package experiment

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// errHeld is what tryLock reports when another open file has the lock.
var errHeld = errors.New("lock is held")

// tryLock takes a lock that ends with the open file, so also when the process is killed.
func tryLock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}
