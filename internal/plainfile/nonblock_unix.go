//go:build unix

package plainfile

import "syscall"

// nonblock lets a pipe without a writer be opened and then refused, instead of waiting for a writer.
const nonblock = syscall.O_NONBLOCK
