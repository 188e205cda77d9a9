//go:build unix

package experiment

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// errHeld is what tryLock reports when another open file has the lock.
var errHeld = errors.New("lock is held")

// tryLock takes an advisory lock that ends with the open file, so also when the process is killed.
func tryLock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errHeld
	}
	return err
}
