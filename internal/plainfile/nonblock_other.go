//go:build !unix

package plainfile

// nonblock does nothing: folders have no named pipes on this system.
const nonblock = 0
