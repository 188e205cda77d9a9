// Package webgpu runs compiled programs (core.Program) in float32 on any GPU that WebGPU reaches: natively through a
// library that speaks webgpu.h (on Vulkan or Metal), in a browser through the page's navigator.gpu. It needs no SDK and no
// cgo. Its numbers are judged by core/ref; docs/gpu.md says what has been verified and how.
//
//	dev, err := webgpu.New(webgpu.Options{})
//	var missing *webgpu.Error
//	if errors.As(err, &missing) {
//		dev, err = cpu.New(cpu.Options{}) // missing.Fault says what is lacking
//	}
//	mem, err := dev.NewMemory(program.ParamSpecs())
//	run, err := dev.Load(program, mem)
//	defer run.Close()
//	err = run.Run()
//
// Package core/gpu plans a program's launches and memory. Loading a program here prints the plan's kernels in WGSL and makes
// a list of dispatches; Run gives the list to the GPU's queue and returns, and reading an output waits for it.
package webgpu

import (
	"fmt"
	"strings"

	"nacre/core"
	"nacre/core/gpu"
)

// Options choose an adapter and how it computes.
type Options struct {
	// Ordinal numbers the adapter from 0, those of real GPUs before those that compute on a processor.
	Ordinal int
	// Hardware refuses an adapter that computes on a processor.
	Hardware bool
	// Host, if set, runs what is too small for a GPU: programs that step no parameter and do little work, such as a
	// policy acting for a few environments. It sees the parameters as the GPU's last step left them.
	Host core.Device
}

// EnvLibrary names the environment variable with the file of a library that speaks webgpu.h, instead of the one that
// nacre setup fetches.
const EnvLibrary = "NACRE_WEBGPU_LIB"

// Fault is what an adapter failed at.
type Fault string

const (
	NoLibrary Fault = "library" // the library is not there or has another version; in a browser, there is no navigator.gpu
	NoDevice  Fault = "device"  // no adapter, not the one asked for, or one that gives no device
	Limits    Fault = "limits"  // the adapter's limits are too small
	Compiling Fault = "compile" // a kernel could not be compiled
	NoMemory  Fault = "memory"  // the GPU's memory is used up
	Launching Fault = "launch"  // work could not be given to the GPU
	LostGPU   Fault = "lost"    // the GPU fell away or was taken: whatever it held is gone
)

// Error says why an adapter could not be used.
type Error struct {
	Fault  Fault
	Detail string // call, the library's own words and what to do
}

func (e *Error) Error() string { return "webgpu: " + string(e.Fault) + ": " + e.Detail }

// Is makes errors.Is(e, core.ErrUnusable) true: with whatever an adapter has failed at, another device may be taken.
func (e *Error) Is(target error) bool { return target == core.ErrUnusable }

// Needs are the limits that an adapter must have, by WebGPU's names for them.
var Needs = map[string]int64{
	"maxStorageBuffersPerShaderStage":   6, // a kernel's bindings, without its arguments
	"maxComputeWorkgroupStorageSize":    16 << 10,
	"maxComputeInvocationsPerWorkgroup": gpu.BlockSize,
	"maxStorageBufferBindingSize":       128 << 20,
}

// Info describes an adapter.
type Info struct {
	Name     string // of the GPU, as its driver calls it
	Driver   string // and its version; empty where nobody tells, as in a browser
	Backend  string // what WebGPU is made of: "Vulkan", "Metal", "the browser"
	Software bool   // it computes on a processor
	Storage  int64  // bytes of the largest storage buffer
	Shared   int    // bytes of memory that the lanes of a workgroup share
}

func (i Info) String() string {
	kind := "GPU"
	if i.Software {
		kind = "software"
	}
	name := strings.Join(strings.Fields(i.Name+" "+i.Driver), " ")
	return fmt.Sprintf("%s (%s by %s), buffers to %.2f GB, %d kB shared", name, kind, i.Backend, float64(i.Storage)/1e9, i.Shared/1024)
}
