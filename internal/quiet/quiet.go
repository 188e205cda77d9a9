// Package quiet lets a measurement of speed have the machine to itself: while one is being made, the queue of trainings
// that runs behind everything else (bench/evidence) stands still.
//
//	defer quiet.Measure()()
package quiet

import (
	"os"
	"path/filepath"

	"nacre/internal/home"
)

// file is locked, shared, by every process that measures. The system gives the lock of a process back that was killed.
const file = "measuring.lock"

// open opens the file of the lock, and makes it.
func open() (*os.File, error) {
	dir, err := home.Dir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, file), os.O_CREATE|os.O_RDWR, 0o644)
}
