//go:build !(((linux || darwin) && (amd64 || arm64)) || js) || nogpu

package webgpu

import (
	"context"

	"nacre/internal/wgpu"
	"nacre/tsne"
)

// Accelerator is a device with its kernels. This build cannot make one.
type Accelerator struct{}

// Close frees the device.
func (*Accelerator) Close() {}

// Load implements tsne.Accelerator.
func (*Accelerator) Load(context.Context, tsne.Work) (tsne.Descent, error) {
	return nil, tsne.ErrStretched
}

// Open makes an accelerator on an adapter. This build reaches no adapter.
func Open(Options) (*Accelerator, error) {
	_, _, err := wgpu.Open(wgpu.Options{})
	return nil, err
}
