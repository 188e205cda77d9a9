//go:build !unix

package atomicfile

import "syscall"

// errNoSpace is ERROR_DISK_FULL of Windows.
const errNoSpace = syscall.Errno(112)

// syncDir does nothing: these systems offer no way to sync a directory.
func syncDir(string) error { return nil }
