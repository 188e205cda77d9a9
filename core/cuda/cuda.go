// Package cuda runs compiled programs (core.Program) in float32 on NVIDIA GPUs. It needs no SDK to build and no cgo. It
// looks for the driver, the run-time compiler NVRTC and cuBLASLt when a device is made. If one is missing, the error
// says which. Its numbers are judged by core/ref; docs/gpu.md says what has been verified and how.
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
// Package core/gpu plans a program's launches and memory. Loading a program writes the source of the schedule's kernels
// in CUDA, compiles them, chooses algorithms for its matrix products and records everything as one CUDA graph with
// several branches. Run starts the graph and returns; reading an output waits for it.
package cuda

import (
	"nacre/core"
	"nacre/core/gpu"
)

// Options choose a GPU, by the driver's number, and how it computes. Products may also be "cublaslt", which is the same
// as empty.
type Options = core.DeviceOptions

// Precisions lists the precisions of the operands of matrix products. fp32: float32. tf32: rounded to TF32's 10 bits,
// many times as fast on tensor cores. tf32x3: each operand is the sum of two TF32 numbers; that needs three products
// and gives errors like float32's. bf16: rounded to bfloat16's 7 bits.
var Precisions = []string{"fp32", "tf32", "tf32x3", "bf16"}

// Planning returns the options with which programs are planned.
func Planning(o Options) gpu.Options {
	if o.Products == "own" {
		return gpu.Options{MaskedProducts: true, Vectors: true}
	}
	tf32 := o.Precision == "tf32"
	return gpu.Options{Transposes: tf32, Fours: tf32, Vectors: true}
}

// EnvLibraries names an environment variable with folders, separated by colons. The driver's library, NVRTC and
// cuBLASLt are looked for there instead of in the usual places.
const EnvLibraries = "NACRE_CUDA_LIBS"

// EnvSource names an environment variable for profilers. It holds a folder: the source of all kernels is written there,
// and the compiled kernels refer to the lines of these files.
const EnvSource = "NACRE_CUDA_SOURCE"

// Fault says at which step a GPU failed.
type Fault string

const (
	NoLibrary Fault = "library"  // a library is missing, or another library has its name
	OldDriver Fault = "driver"   // the driver is older than what this package or a library needs
	NoDevice  Fault = "device"   // no GPU, not the one asked for, or one that cannot be used
	NoNVRTC   Fault = "nvrtc"    // the run-time compiler is missing
	Compiling Fault = "compile"  // a kernel could not be compiled or loaded
	NoMemory  Fault = "memory"   // device memory or pinned memory is used up
	Products  Fault = "cublaslt" // cuBLASLt is missing or refused a product
	Launching Fault = "launch"   // work could not be given to the GPU
	LostGPU   Fault = "lost"     // the GPU was lost or faulted: everything it held is gone
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
	Driver         string `json:"driver"` // version of CUDA that the driver supports, e.g. "13.0"
	NVRTC          string `json:"nvrtc"`
	CublasLt       string `json:"cublaslt"`
}
