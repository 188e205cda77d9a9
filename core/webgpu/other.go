//go:build !(((linux || darwin) && (amd64 || arm64)) || js) || nogpu

package webgpu

import "nacre/core"

// New makes a device on an adapter. This build reaches none.
func New(Options) (core.Device, error) { return nil, unsupported() }

// Adapters lists the adapters. This build reaches none.
func Adapters() ([]Info, error) { return nil, unsupported() }

func unsupported() error {
	return &Error{NoLibrary, "WebGPU is reached on Linux and macOS on amd64 and arm64, and in browsers, and not in builds with the tag nogpu"}
}
