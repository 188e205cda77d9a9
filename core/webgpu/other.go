//go:build !(((linux || darwin) && (amd64 || arm64)) || js) || nogpu

package webgpu

import (
	"nacre/core"
	"nacre/internal/wgpu"
)

// New makes a device on an adapter. In this build it always fails.
func New(o Options) (core.Device, error) {
	_, _, err := wgpu.Open(wgpu.Options{Ordinal: o.Ordinal, Hardware: o.Hardware})
	return nil, err
}
