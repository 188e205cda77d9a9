//go:build unix

package quiet

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"nacre/internal/home"
)

// Poll is how often the queue checks whether a process measures.
const Poll = 300 * time.Millisecond

// Measure marks this process as measuring until done is called. If a queue is running, Measure waits until the queue
// has stopped. If the lock cannot be taken, Measure does nothing, because a measurement on a busy machine is better
// than none.
func Measure() (done func()) {
	f, err := open()
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
	f, err := open()
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil
}

// Queue takes the lock of the user's only queue. It returns an error while another process has the lock. Closing the
// file releases it.
func Queue() (*os.File, error) {
	dir, err := home.Dir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "queue.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
