//go:build !(((linux || darwin) && (amd64 || arm64)) || js) || nogpu

package webgpu

import (
	"nacre/core"
	"nacre/internal/wgpu"
)

// New makes a device on an adapter. This build reaches none.
func New(o Options) (core.Device, error) {
	_, _, err := wgpu.Open(wgpu.Options{Ordinal: o.Ordinal, Hardware: o.Hardware})
	return nil, err
}
