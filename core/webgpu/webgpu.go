// Package webgpu runs compiled programs (core.Program) in float32 on any GPU that WebGPU reaches: natively through a
// library that speaks webgpu.h (on Vulkan or Metal), in a browser through the page's navigator.gpu. It needs no SDK and
// no cgo. Its numbers are judged by core/ref; docs/gpu.md says what has been verified and how.
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
// Package core/gpu plans a program's launches and memory. Loading a program here prints the plan's kernels in WGSL and
// makes a list of dispatches; Run gives the list to the GPU's queue and returns, and reading an output waits for it.
package webgpu

import (
	"nacre/core"
	"nacre/internal/wgpu"
)

// Options choose an adapter by Ordinal, those of real GPUs before those that compute on a processor, and by Hardware;
// Host runs small programs.
type Options = core.DeviceOptions

// EnvLibrary names the environment variable with the file of a library that speaks webgpu.h, instead of the one that
// nacre setup fetches.
const EnvLibrary = wgpu.EnvLibrary

// Error says why an adapter could not be used, by its Fault. It matches core.ErrUnusable.
type Error = wgpu.Error

// Fault says what an adapter failed at.
type Fault = wgpu.Fault

const (
	// the library is not there or has another version; in a browser, there is no navigator.gpu
	NoLibrary = wgpu.NoLibrary
	NoDevice  = wgpu.NoDevice  // no adapter, not the one asked for, or one that gives no device
	Limits    = wgpu.Limits    // the adapter's limits are too small
	Compiling = wgpu.Compiling // a kernel could not be compiled
	NoMemory  = wgpu.NoMemory  // the GPU's memory is used up
	Launching = wgpu.Launching // work could not be given to the GPU
	LostGPU   = wgpu.LostGPU   // the GPU fell away or was taken: whatever it held is gone
)

// Needs are the limits that an adapter must have, by WebGPU's names for them.
var Needs = wgpu.Needs

// Info describes an adapter.
type Info = wgpu.Info

// Adapters lists the adapters, those of real GPUs first; in a browser one at most.
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
