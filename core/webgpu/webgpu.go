// Package webgpu runs compiled programs (core.Program) in float32 on any GPU that WebGPU reaches: natively through a
// library that speaks webgpu.h (on Vulkan or Metal), in a browser through the page's navigator.gpu. It needs no SDK and
// no cgo. Its results are compared with core/ref; docs/gpu.md says what has been verified and how.
//
//	dev, err := webgpu.New(webgpu.Options{})
//	var missing *webgpu.Error
//	if errors.As(err, &missing) {
//		dev, err = cpu.New(cpu.Options{}) // missing.Fault says what is missing
//	}
//	mem, err := dev.NewMemory(program.ParamSpecs())
//	run, err := dev.Load(program, mem)
//	defer run.Close()
//	err = run.Run()
//
// Package core/gpu plans a program's launches and memory. Load prints the kernels of this schedule in WGSL and makes a
// list of dispatches. Run gives the list to the GPU's queue and returns. Reading an output waits for the GPU.
package webgpu

import (
	"nacre/core"
	"nacre/internal/wgpu"
)

// Options choose how a device computes. Ordinal chooses an adapter by number; real GPUs come before adapters that
// compute on the processor. Hardware allows only real GPUs. Host runs small programs.
type Options = core.DeviceOptions

// EnvLibrary names an environment variable. It holds the file of a library with the interface webgpu.h, to be used
// instead of the library that nacre setup fetches.
const EnvLibrary = wgpu.EnvLibrary

// Error says why an adapter could not be used, by its Fault. It matches core.ErrUnusable.
type Error = wgpu.Error

// Fault says at which step an adapter failed.
type Fault = wgpu.Fault

const (
	// the library is not there or has another version; in a browser, there is no navigator.gpu
	NoLibrary = wgpu.NoLibrary
	NoDevice  = wgpu.NoDevice  // there is no adapter, or not the chosen one, or it gives no device
	Limits    = wgpu.Limits    // the adapter's limits are too small
	Compiling = wgpu.Compiling // a kernel could not be compiled
	NoMemory  = wgpu.NoMemory  // the GPU's memory is used up
	Launching = wgpu.Launching // work could not be given to the GPU
	LostGPU   = wgpu.LostGPU   // the GPU is gone or was taken away, with everything in its memory
)

// Needs holds the limits that an adapter must have, by their names in WebGPU.
var Needs = wgpu.Needs

// Info describes an adapter.
type Info = wgpu.Info

// Adapters lists the adapters, real GPUs first. In a browser there is at most one.
func Adapters() ([]Info, error) { return wgpu.Adapters() }

// What kernels find at each binding of their layout, package wgpu's.
const (
	params   = iota // P: parameters and the optimiser's state
	work            // W: inputs, outputs, intermediate values
	uniforms        // a launch's arguments, by dynamic offset
	tables          // T: the optimiser's and what inputs are filled with
	rows            // R: replay
	drawn           // D: random numbers, what they chose, noise, records
	rings           // S: where replay's rows lie
)
