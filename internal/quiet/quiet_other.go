//go:build !unix

package quiet

// Measure does nothing here: the queue runs on Unix only.
func Measure() (done func()) { return func() {} }
