//go:build !(linux && cgo)

package compile

import (
	"errors"

	"nacre/kernel/internal/live"
)

const loads = false

// Load fails: this program cannot load plugins.
func Load(file, name string) (func(*live.Cell), error) {
	return nil, errors.New("compiled cells need Linux, and a program built with cgo")
}
