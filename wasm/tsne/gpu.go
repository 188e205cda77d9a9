//go:build js && wasm

package main

import (
	"strings"
	"syscall/js"
	"time"

	"nacre/tsne"
	"nacre/tsne/webgpu"
)

// These are the page's choices of the place where iterations are made: on a real GPU if there is one and there are many
// points, on the processor, or on any adapter of WebGPU.
const (
	deviceAuto   = "auto"
	deviceCPU    = "cpu"
	deviceWebGPU = "webgpu"
)

// engage opens the GPU that a layout message asks for. If there is none, it returns a notice for the user.
func (p *program) engage(m js.Value) (notice string) {
	device, method := m.Get("device").String(), tsne.Method(m.Get("method").String())
	switch {
	case device != deviceWebGPU && (device != deviceAuto || p.data.Mean.Rows < teamPoints):
		return ""
	case method != tsne.MethodAuto && method != tsne.MethodFFT:
		if device == deviceWebGPU {
			return "WebAssembly computes: a GPU has the field on a grid only"
		}
		return ""
	}
	var err error
	if p.gpu, err = webgpu.Open(webgpu.Options{Software: device == deviceWebGPU}); err != nil {
		p.gpu = nil
		return "WebAssembly computes: " + err.Error()
	}
	return ""
}

// tell sends the page the new notices on the layout, for instance that its GPU is gone.
func (p *program) tell() {
	notes := p.session.Notes()
	for _, n := range notes[p.told:] {
		post("notice", map[string]any{"text": strings.TrimPrefix(n, "tsne: ")})
	}
	p.told = len(notes)
}

// mostStride is the largest number of iterations that a GPU makes while messages wait.
const mostStride = 50

// setStride sets how many iterations a GPU makes between two looks at messages: about as many as fit into a frame,
// because reading messages also takes time. The processor makes one iteration at a time.
func (p *program) setStride(took time.Duration) {
	switch {
	case p.session.Device() == "" || took > 3*pieceTime:
		p.stride = max(p.stride/2, 1)
	case took < 2*pieceTime:
		p.stride = min(2*p.stride, mostStride)
	}
}
