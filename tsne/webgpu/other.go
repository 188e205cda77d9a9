//go:build !(((linux || darwin) && (amd64 || arm64)) || js) || nogpu

package webgpu

import (
	"nacre/internal/wgpu"
	"nacre/tsne"
)

// Open makes an engine on an adapter. This build reaches none.
func Open(Options) (tsne.Engine, error) {
	_, _, err := wgpu.Open(wgpu.Options{})
	return nil, err
}
