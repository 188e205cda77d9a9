//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

const errNoSpace = syscall.ENOSPC

// syncDir makes a rename in dir survive a power failure. Some network file systems cannot sync a directory and
// say EINVAL or ENOTSUP; there is nothing better to do on them.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
