//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"math/bits"
	"unsafe"
)

// What the rest of the package asks of WebGPU, in native_device.go of a library and in browser_js.go of a page:
//
//	openWire, Adapters                      a device of an adapter, and what adapters there are
//	newBuffer, freeBuffer, write, copyTo    buffers of words of 4 bytes, zero when new
//	newKernel, newGroup, freeGroup          a compute pipeline, and the buffers that kernels see
//	record, submit                          dispatches that are made again and again
//	fetch                                   copies from a buffer to the host; fetching.ready, fetching.wait
//	check                                   the first error that has come since
//
// Every kernel has one layout of buffers: by number of its binding.
const (
	params   = iota // P: parameters and the optimiser's state
	work            // W: inputs, outputs, intermediate values
	uniforms        // a launch's arguments, by dynamic offset
	tables          // T: the optimiser's and what inputs are filled with
	rows            // R: replay
	drawn           // D: random numbers, what they chose, noise, records
	rings           // S: where replay's rows lie
	bindings
)

// readOnly are the bindings that no kernel writes.
var readOnly = [bindings]bool{tables: true, rows: true, rings: true}

const (
	argumentWords = 256    // of a launch; the last is zero
	minWords      = 64     // of a buffer
	maxAcross     = 32_768 // workgroups of a launch's first dimension
)

// command is one dispatch.
type command struct {
	kernel, group handle
	arguments     int // number of the launch's arguments in the uniform buffer
	blocks        int
}

// across is the workgroups of a launch, in two dimensions.
func (c command) across() (x, y int) {
	x = min(c.blocks, maxAcross)
	return x, (c.blocks + x - 1) / x
}

// classOf is the binary logarithm of the words of a buffer for so many: buffers for copies to the host are used again.
func classOf(words int) int { return bits.Len(uint(max(words, minWords) - 1)) }

// bytesOf is the same memory as bytes.
func bytesOf(words []uint32) []byte {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 4*len(words))
}
