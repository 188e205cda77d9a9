//go:build unix

package plainfile

import "syscall"

// nonblock lets a pipe without a writer be opened, to be refused, instead of waiting for one.
const nonblock = syscall.O_NONBLOCK
