//go:build !unix

package plainfile

// nonblock is nothing: there are no named pipes in folders here.
const nonblock = 0
