//go:build !(((linux || darwin) && (amd64 || arm64)) || js) || nogpu

package webgpu

import (
	"context"

	"nacre/internal/wgpu"
	"nacre/tsne"
)

// Accelerator is a device with its kernels, of which this build makes none.
type Accelerator struct{}

// Close gives the device back.
func (*Accelerator) Close() {}

// Load implements tsne.Accelerator.
func (*Accelerator) Load(context.Context, tsne.Work) (tsne.Descent, error) {
	return nil, tsne.ErrStretched
}

// Open makes an engine on an adapter. This build reaches none.
func Open(Options) (*Accelerator, error) {
	_, _, err := wgpu.Open(wgpu.Options{})
	return nil, err
}
