// Package cuda runs compiled programs (core.Program) in float32 on NVIDIA GPUs. It needs no SDK to build and no cgo:
// the driver, the run-time compiler NVRTC and cuBLASLt are looked for when a device is made, and where one is missing
// the error says which. Its numbers are judged by core/ref; docs/gpu.md says what has been verified and how.
//
//	dev, err := cuda.New(cuda.Options{})
//	var missing *cuda.Error
//	if errors.As(err, &missing) {
//		dev, err = cpu.New(cpu.Options{}) // missing.Fault says what the GPU lacks
//	}
//	mem, err := dev.NewMemory(program.ParamSpecs())
//	run, err := dev.Load(program, mem)
//	defer run.Close()
//	err = run.Run()
//
// Package core/gpu plans a program's launches and memory. Loading a program here prints the plan's kernels in CUDA,
// compiles them, chooses algorithms for its matrix products and records everything as one CUDA graph with several
// branches. Run starts the graph and returns; reading an output waits for it.
package cuda

import (
	"nacre/core"
	"nacre/core/gpu"
)

// Options choose a GPU, by the driver's number, and how it computes. Products may also be "cublaslt", as when it is
// empty.
type Options = core.DeviceOptions

// Precisions are those of the operands of matrix products: float32; rounded to TF32's 10 bits, which tensor cores
// multiply many times as fast; the sum of two TF32 numbers, of three products that matter, with errors like float32's;
// or rounded to bfloat16's 7 bits.
var Precisions = []string{"fp32", "tf32", "tf32x3", "bf16"}

// Planning is how programs are planned.
func Planning(o Options) gpu.Options {
	if o.Products == "own" {
		return gpu.Options{MaskedProducts: true, Vectors: true}
	}
	tf32 := o.Precision == "tf32"
	return gpu.Options{Transposes: tf32, Fours: tf32, Vectors: true}
}

// EnvLibraries names the environment variable with the folders, separated by colons, in which the driver's library,
// NVRTC and cuBLASLt are looked for instead of the usual places.
const EnvLibraries = "NACRE_CUDA_LIBS"

// EnvSource names the environment variable with a folder, for profilers: the text of all kernels is written there, and
// they are compiled with the numbers of its lines.
const EnvSource = "NACRE_CUDA_SOURCE"

// Fault says what a GPU failed at.
type Fault string

const (
	NoLibrary Fault = "library"  // a library is not there, or not the one it is named after
	OldDriver Fault = "driver"   // the driver is older than what this package or a library needs
	NoDevice  Fault = "device"   // no GPU, not the one asked for, or one that cannot be used
	NoNVRTC   Fault = "nvrtc"    // the run-time compiler is missing
	Compiling Fault = "compile"  // a kernel could not be compiled or loaded
	NoMemory  Fault = "memory"   // device memory or pinned memory is used up
	Products  Fault = "cublaslt" // cuBLASLt is missing or refused a product
	Launching Fault = "launch"   // work could not be given to the GPU
	LostGPU   Fault = "lost"     // the GPU fell away or faulted: whatever it held is gone
)

// Error says why a GPU could not be used.
type Error struct {
	Fault  Fault
	Detail string // library, call, code and what to do
}

func (e *Error) Error() string { return "cuda: " + string(e.Fault) + ": " + e.Detail }

// Info describes a GPU.
type Info struct {
	Name           string `json:"name"`
	Capability     string `json:"capability"` // e.g. "9.0"
	Multiprocessor int    `json:"multiprocessors"`
	Memory         int64  `json:"memory"` // bytes
	Driver         string `json:"driver"` // the CUDA version it speaks, e.g. "13.0"
	NVRTC          string `json:"nvrtc"`
	CublasLt       string `json:"cublaslt"`
}
