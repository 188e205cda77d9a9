// Package quiet lets a measurement of speed have the machine to itself. During a measurement, the queue of trainings
// that runs in the background (bench/evidence) stops.
//
//	defer quiet.Measure()()
package quiet

import (
	"os"
	"path/filepath"

	"nacre/internal/home"
)

// file is locked, shared, by every process that measures. If such a process is killed, the system releases its lock.
const file = "measuring.lock"

// open opens the file of a lock, and creates it if needed.
func open(file string) (*os.File, error) {
	dir, err := home.Dir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, file), os.O_CREATE|os.O_RDWR, 0o644)
}
