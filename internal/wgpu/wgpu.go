// Package wgpu makes buffers, kernels and lists of dispatches on a GPU by WebGPU: natively through a library that
// implements webgpu.h (on Vulkan or Metal), in a browser through navigator.gpu. It needs no SDK and no cgo, and knows
// nothing about the computations; core/webgpu trains with it, tsne/webgpu lays points out.
//
//	d, info, err := wgpu.Open(wgpu.Options{})
//	b, err := d.NewBuffer("numbers", n, false)
//	k, err := d.NewKernel(text, "main")
//	g, err := d.NewGroup([wgpu.Bindings]wgpu.Handle{b, …})
//	list := d.Record([]wgpu.Command{{Kernel: k, Group: g, Blocks: n / 128}})
//	err = d.Submit([]wgpu.Recording{list})
//	f, err := d.Fetch(b, 0, n)
//	err = f.Wait(func(words []uint32) { … })
//
// Every kernel has the same layout of buffers. Bindings 0, 1 and 5 are storage; 3, 4 and 6 are read-only storage; the
// binding Uniform holds the arguments of a launch.
package wgpu

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"unsafe"

	"nacre/internal/unusable"
)

const (
	Uniform  = 2 // the binding of a launch's arguments, by dynamic offset
	Bindings = 7 // buffers that a launch binds

	ArgumentWords = 256      // words of a launch's arguments
	MinWords      = 64       // smallest size of a buffer, in words
	Lanes         = 128      // lanes that an adapter must allow in a workgroup
	MinShared     = 16 << 10 // bytes of memory that a workgroup shares, at least

	maxAcross = 32_768 // largest number of workgroups in a launch's first dimension
)

// readOnly marks the bindings that no kernel writes.
var readOnly = [Bindings]bool{3: true, 4: true, 6: true}

// Options choose an adapter.
type Options struct {
	// Ordinal is the number of the adapter, from 0; adapters of real GPUs come before those that compute on a
	// processor.
	Ordinal int
	// Hardware refuses an adapter that computes on a processor.
	Hardware bool
	// For error messages: Software tells how a user asks for such an adapter, and Lost tells what to do when the GPU is
	// lost.
	Software, Lost string
}

// EnvLibrary names an environment variable with the file of a library that implements webgpu.h. It replaces the library
// that nacre setup fetches.
const EnvLibrary = "NACRE_WEBGPU_LIB"

// Fault says at which step an adapter failed.
type Fault string

const (
	// the library is missing or has another version; in a browser, there is no navigator.gpu
	NoLibrary Fault = "library"
	NoDevice  Fault = "device"  // no adapter, not the one asked for, or one that gives no device
	Limits    Fault = "limits"  // the adapter's limits are too small
	Compiling Fault = "compile" // a kernel could not be compiled
	NoMemory  Fault = "memory"  // the GPU's memory is used up
	Launching Fault = "launch"  // work could not be given to the GPU
	LostGPU   Fault = "lost"    // the GPU was lost or taken away: everything it held is gone
)

// Error says why an adapter could not be used.
type Error struct {
	Fault  Fault
	Detail string // call, the library's own words and what to do
}

func (e *Error) Error() string { return "webgpu: " + string(e.Fault) + ": " + e.Detail }

// Is makes an Error match unusable.Err, and so core.ErrUnusable. Whatever failed on an adapter, the caller may take
// another device.
func (e *Error) Is(target error) bool { return target == unusable.Err }

// Info describes an adapter.
type Info struct {
	Name     string // name of the GPU in its driver
	Driver   string // driver with its version; empty if unknown, as in a browser
	Backend  string // implementation of WebGPU: "Vulkan", "Metal", "the browser"
	Software bool   // the adapter computes on a processor
	Storage  int64  // bytes of the largest storage buffer
	Shared   int    // bytes of memory that the lanes of a workgroup share
}

func (i Info) String() string {
	kind := "GPU"
	if i.Software {
		kind = "software"
	}
	name := strings.Join(strings.Fields(i.Name+" "+i.Driver), " ")
	return fmt.Sprintf("%s (%s by %s), buffers to %.2f GB, %d kB shared", name, kind, i.Backend, float64(i.Storage)/1e9,
		i.Shared/1024)
}

// Command is one dispatch of a kernel on a group of buffers.
type Command struct {
	Kernel, Group Handle
	Arguments     int // number of the launch's arguments in the uniform buffer, in units of ArgumentWords
	Blocks        int // number of workgroups; more than 32,768 are launched in rows of 32,768
}

// across returns the workgroups of a launch in two dimensions.
func (c Command) across() (x, y int) {
	x = min(c.Blocks, maxAcross)
	return x, (c.Blocks + x - 1) / x
}

// NoAdapter is the error if there is no adapter.
func NoAdapter() *Error {
	return &Error{NoDevice, "there is no adapter: no GPU's driver was found"}
}

// choose checks that the chosen adapter exists.
func choose(all []Info, o Options) error {
	switch {
	case len(all) == 0:
		return NoAdapter()
	case o.Ordinal < 0 || o.Ordinal >= len(all):
		return &Error{NoDevice, fmt.Sprintf("there is no adapter number %d: there are %d, numbered from 0",
			o.Ordinal, len(all))}
	case o.Hardware && all[o.Ordinal].Software:
		return &Error{NoDevice, fmt.Sprintf("there is no GPU, only an adapter that computes on the processor (%s): "+
			"%s takes it", all[o.Ordinal].Name, o.Software)}
	}
	return nil
}

// Needs are the limits that an adapter must have, by WebGPU's names for them.
var Needs = map[string]int64{
	"maxStorageBuffersPerShaderStage":   Bindings - 1, // without a launch's arguments
	"maxComputeWorkgroupStorageSize":    MinShared,
	"maxComputeInvocationsPerWorkgroup": Lanes,
	"maxStorageBufferBindingSize":       128 << 20,
}

// enough checks an adapter's limits.
func enough(has map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(Needs)) {
		if has[name] < Needs[name] {
			return &Error{Limits, fmt.Sprintf("the adapter's %s is %d, want %d", name, has[name], Needs[name])}
		}
	}
	return nil
}

// lostGPU is the error of a lost GPU, with the reason given and what to do.
func lostGPU(said, advice string) *Error {
	said = cmp.Or(said, "the GPU fell away")
	return &Error{LostGPU, said + "; " + advice}
}

// TooLarge returns an error if the adapter cannot bind a buffer of that many words, otherwise nil.
func (i Info) TooLarge(what string, words int) error {
	if int64(words) > i.Storage/4 {
		return &Error{Limits, fmt.Sprintf("%.1f MB for %s: this adapter's buffers hold %.1f MB at most",
			float64(words)*4e-6, what, float64(i.Storage)*1e-6)}
	}
	return nil
}

// classOf is the binary logarithm of the words of the buffer that is used for a number of words. Buffers for copies to
// the host are used again.
func classOf(words int) int { return bits.Len(uint(max(words, MinWords) - 1)) }

// Words returns the bits of x's numbers, without copying the memory.
func Words(x []float32) []uint32 {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&x[0])), len(x))
}

// Floats returns x's bits read as float32 numbers, without copying the memory.
func Floats(x []uint32) []float32 {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&x[0])), len(x))
}
