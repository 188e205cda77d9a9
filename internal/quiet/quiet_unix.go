//go:build unix

package quiet

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Poll is how often the queue checks whether a process measures.
const Poll = 300 * time.Millisecond

// Measure marks this process as measuring until done is called. If a queue is running, Measure waits until the queue
// has stopped. If the lock cannot be taken, Measure does nothing, because a measurement on a busy machine is better
// than none.
func Measure() (done func()) {
	f, err := open(file)
	if err != nil {
		return func() {}
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_SH) != nil {
		f.Close()
		return func() {}
	}
	if q, err := Queue(); err == nil {
		q.Close()
	} else {
		time.Sleep(3 * Poll)
	}
	return func() { f.Close() }
}

// Measuring reports whether any process measures.
func Measuring() bool {
	f, err := open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil
}

// Queue takes the lock of the user's only queue. It returns an error while another process has the lock. Closing the
// file releases it.
func Queue() (*os.File, error) {
	f, err := open("queue.lock")
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
