//go:build linux && cgo

package compile

import (
	"fmt"
	"plugin"

	"nacre/kernel/internal/live"
)

// loads says whether this program can load plugins.
const loads = true

// Load loads the plugin of a cell, which stays in the process, and returns its function.
func Load(file, name string) (func(*live.Cell), error) {
	if _, err := plugin.Open(file); err != nil {
		return nil, fmt.Errorf("the compiled cell does not fit this program, which was built from other sources or with other flags than there are now: %w", err)
	}
	run := live.Take(name)
	if run == nil {
		return nil, fmt.Errorf("the compiled cell %s has no function", name)
	}
	return run, nil
}
