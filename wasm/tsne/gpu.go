//go:build js && wasm

package main

import (
	"strings"
	"syscall/js"
	"time"

	"nacre/tsne"
	"nacre/tsne/webgpu"
)

// What the page may say of where iterations are to be made: on a real GPU if there is one and points are many, on the
// processor, or on any adapter of WebGPU's.
const (
	deviceAuto   = "auto"
	deviceCPU    = "cpu"
	deviceWebGPU = "webgpu"
)

// engage opens the GPU that a layout message asks for, and returns what is to be said if there is none.
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

// tell tells the page what has been noted of the layout since it was told last, such as that its GPU fell away.
func (p *program) tell() {
	notes := p.session.Notes()
	for _, n := range notes[p.told:] {
		post("notice", map[string]any{"text": strings.TrimPrefix(n, "tsne: ")})
	}
	p.told = len(notes)
}

// mostStride is how many iterations a GPU makes at most while messages wait.
const mostStride = 50

// setStride has a GPU make about as many iterations between two looks at messages as a frame has time for; reading them
// takes time as well. The processor makes one after the other.
func (p *program) setStride(took time.Duration) {
	switch {
	case p.session.Device() == "" || took > 3*pieceTime:
		p.stride = max(p.stride/2, 1)
	case took < 2*pieceTime:
		p.stride = min(2*p.stride, mostStride)
	}
}
