//go:build !linux || !(amd64 || arm64) || nogpu

package cuda

import "nacre/core"

// New makes a device on a GPU. This build supports no GPU.
func New(Options) (core.Device, error) { return nil, unsupported() }

// Probe describes a GPU. This build supports no GPU.
func Probe(int) (Info, error) { return Info{}, unsupported() }

// Times measures the launches of a loaded program. This build loads none.
func Times(core.Runner, int) ([]float64, error) { return nil, unsupported() }

func unsupported() error {
	return &Error{NoLibrary, "GPUs are reached on Linux on amd64 and arm64 only, and not in builds with the tag nogpu"}
}
