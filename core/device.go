package core

import (
	"fmt"
	"slices"

	"nacre/internal/nearest"
	"nacre/internal/unusable"
)

// Device makes memory and loads programs. Implementations: core/ref (float64, the judge), core/cpu, core/cuda,
// core/webgpu. Package core/devices lists them all and opens one by name; package core/coretest tests one. A Device may
// be used by several goroutines.
type Device interface {
	// Name names the device in use: the name it is opened by, "/", its precision or kernel, and its hardware, e.g.
	// "cpu/avx512 ×2" or "cuda:1/tf32 NVIDIA H100".
	Name() string
	// NewMemory allocates the named parameters, with zero values and zero optimiser state.
	NewMemory(params []ParamSpec) (Memory, error)
	// Load prepares a program to run on parameters in m, which must be this device's. Programs loaded with the same
	// Memory share parameters and must not run at the same time, unless none of them steps a parameter. It is an error
	// if Validate rejects the program, if m lacks a parameter, or if the device has no kernel for an operation.
	Load(p *Program, m Memory) (Runner, error)
}

// ParamSpec declares a stored parameter.
type ParamSpec struct {
	Name       string
	Rows, Cols int
}

// Memory holds parameters and their optimiser state on a device. Every parameter "q1/w0" has the entries
// "q1/w0" (rows×cols), "q1/w0.m" and "q1/w0.v" (Adam's moments) and "q1/w0.t" (1×1, Adam's step count).
// Reading and writing are exact for the device's precision; slices are row-major, rows·cols long.
type Memory interface {
	Params() []ParamSpec
	Read(entry string, dst []float64) error
	Write(entry string, src []float64) error
}

// Runner is a loaded program. It is not safe for concurrent use.
type Runner interface {
	// Write sets an input; src is row-major, rows·cols long. Inputs keep their content between runs.
	Write(input string, src []float32) error
	Write64(input string, src []float64) error
	// Run executes the program once, or starts it. Reading an output or a parameter then waits for its end. Run
	// allocates nothing that grows with the program. Equal inputs, parameters and moments give equal bits on one
	// device.
	Run() error
	// Read copies an output of the last Run.
	Read(output string, dst []float32) error
	Read64(output string, dst []float64) error
	// Close frees workers and buffers; a second Close does nothing. A closed Runner does not run.
	Close() error
}

// Backend is a kind of device, as core/devices lists it.
type Backend struct {
	Name        string   // name by which it is opened: "cpu", "cuda"
	Title       string   // name for people: "NVIDIA GPU"
	Numbered    bool     // a number may follow the name to choose one of several: "cuda:1"
	Accelerator bool     // "auto" takes the first backend with this flag that can be used
	Precisions  []string // precisions of matrix products; the first is the default
	Together    bool     // programs of several memories may run as one; see DeviceOptions.Together

	// Open makes a device. The error matches ErrUnusable if this machine lacks something.
	Open func(DeviceOptions) (Device, error)
	// Probe describes in a line the hardware and its libraries on this machine. The error says what is missing and what
	// to do about it. Nil if there is nothing to look for.
	Probe func() (found string, err error)
}

// DeviceOptions choose one of the devices of a backend and how it computes. A backend ignores options that it does not
// have, except Precision.
type DeviceOptions struct {
	// Ordinal numbers the devices of a backend that has several, from 0.
	Ordinal int

	// Precision is the precision of the operands of matrix products, one of Backend.Precisions; empty is the first.
	// Sums and everything else stay in float32. "float32" means "fp32".
	Precision string

	// Workers is the number of goroutines that compute on the CPU, including the caller of Run; 0 is GOMAXPROCS.
	Workers int

	// Kernel is the set of inner loops on the CPU: "avx512", "avx2", "simd128" (WebAssembly and arm64) or "go". If
	// empty, it is the value of the environment variable NACRE_CPU. If that is empty too, it is the fastest that this
	// machine runs.
	Kernel string

	// Products chooses on a GPU what multiplies matrices: "own" for Nacre's own kernels, in float32 only; empty for the
	// vendor's library.
	Products string

	// If Together is above 1, that many memories with the same parameters will be made on the device, for example one
	// per seed. If the same program is loaded on each of them, these programs run as one, and each launch does the work
	// of all. The common run begins when the last of the programs is started. It begins earlier if a caller waits for a
	// result and the other programs cannot be started, because they are closed or their callers wait too. Each result
	// has the same bits as alone. A memory whose programs are closed is no longer waited for. See Backend.Together.
	Together int

	// Hardware refuses an adapter that computes on the processor instead of a GPU.
	Hardware bool

	// Host runs, in place of a GPU, programs that are too small for it: programs that step no parameter and do little
	// work, such as a policy acting for a few environments. It sees the parameters as the GPU's last step left them. If
	// it is nil, the GPU runs everything.
	Host Device
}

// CheckPrecision looks up a precision in a device's list, whose first entry is the default. "" means the default, and
// "float32" means "fp32". The error of an unknown precision names those of the device.
func CheckPrecision(device string, known []string, asked string) (string, error) {
	name := asked
	switch asked {
	case "":
		return known[0], nil
	case "float32":
		name = "fp32"
	}
	if !slices.Contains(known, name) {
		return "", fmt.Errorf("precision %q is none of device %s's%s", asked, device, nearest.Hint(asked, known))
	}
	return name, nil
}

// ErrUnusable marks the errors of devices that this machine does not have, or for which it lacks the libraries. The
// caller may then take another device.
var ErrUnusable = unusable.Err

// Described is a Device that knows more about its hardware than its name says.
type Described interface{ Describe() Description }

// Description is what a run's record says about a device.
type Description struct {
	Hardware  string   // model, memory, capability
	Libraries string   // libraries with their versions: "driver 13.0, NVRTC 13.0"
	Notices   []string // what a reader of results must know, such as a fall-back
}
