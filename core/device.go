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
	// Name says what runs: the name it is opened by, "/", its precision or kernel, and what hardware it is, e.g.
	// "cpu/avx512 ×2" or "cuda:1/tf32 NVIDIA H100".
	Name() string
	// NewMemory allocates the named parameters, zero, with zero optimiser state.
	NewMemory(params []ParamSpec) (Memory, error)
	// Load prepares a program to run on parameters in m, which must be this device's. Programs loaded with the same
	// Memory share parameters and must not run at the same time, unless none of them steps a parameter. A program that
	// Validate rejects, a parameter that m lacks and an operation that the device has no kernel for are errors.
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
	// Run executes the program once, or starts it: reading an output or a parameter waits for its end. It allocates
	// nothing that grows with the program. Equal inputs, parameters and moments give equal bits on one device.
	Run() error
	// Read copies an output of the last Run.
	Read(output string, dst []float32) error
	Read64(output string, dst []float64) error
	// Close gives workers and buffers back; a second Close does nothing. A closed Runner does not run.
	Close() error
}

// Backend is a kind of device, as core/devices lists it.
type Backend struct {
	Name        string   // by which it is opened: "cpu", "cuda"
	Title       string   // for people: "NVIDIA GPU"
	Numbered    bool     // a number may follow the name to choose one of several: "cuda:1"
	Accelerator bool     // the device "auto" is the first of these that can be used
	Precisions  []string // of matrix products; the first is the default
	Together    bool     // programs of several memories may run as one; see DeviceOptions.Together

	// Open makes a device. The error matches ErrUnusable where this machine lacks something.
	Open func(DeviceOptions) (Device, error)
	// Probe tells what there is of the hardware and its libraries on this machine, in a line. The error says what is
	// missing and what to do about it. Nil where there is nothing to look for.
	Probe func() (found string, err error)
}

// DeviceOptions choose among the devices of a backend and how one computes. A backend takes no notice of what it does
// not have, but for Precision.
type DeviceOptions struct {
	// Ordinal numbers the devices of a backend that has several, from 0.
	Ordinal int

	// Precision is that of the operands of matrix products, one of Backend.Precisions; empty is the first. Sums and all
	// else stay in float32. "float32" is "fp32".
	Precision string

	// Workers is, on the CPU, the number of goroutines that compute, the one calling Run among them; 0 is GOMAXPROCS.
	Workers int

	// Kernel is, on the CPU, the set of inner loops: "avx512", "avx2", "simd128" (WebAssembly and arm64) or "go". Empty
	// is the value of the environment variable NACRE_CPU or, where that is empty too, the fastest this machine runs.
	Kernel string

	// Products is, on a GPU, who multiplies matrices: "own" for Nacre's own kernels, in float32 only; empty is the
	// vendor's library.
	Products string

	// Together, if above 1, is how many memories with the same parameters will be made on the device, one by one, such
	// as those of a configuration's seeds: what is loaded on all of them alike runs as one program, whose launches each
	// do the work of all. It begins when the last of them is started, or waited for with nobody else to start; each
	// result has the same bits as alone. A memory whose programs are closed is waited for no more. See
	// Backend.Together.
	Together int

	// Hardware refuses an adapter that computes on the processor in a GPU's place.
	Hardware bool

	// Host, on a GPU, runs what is too small for one: programs that step no parameter and do little work, such as a
	// policy acting for a few environments. It sees the parameters as the GPU's last step left them. Nil leaves all to
	// the GPU.
	Host Device
}

// CheckPrecision finds the precision asked for among those of a device, the default first: "" is the default and
// "float32" is "fp32". The error of another has the device's.
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

// ErrUnusable marks the errors of devices that this machine does not have or lacks the libraries for, so that another
// device may be taken.
var ErrUnusable = unusable.Err

// Described is a Device that knows more about what it runs on than its name says.
type Described interface{ Describe() Description }

// Description holds what a run's record keeps of a device.
type Description struct {
	Hardware  string   // model, memory, capability
	Libraries string   // and their versions: "driver 13.0, NVRTC 13.0"
	Notices   []string // what a reader of results must know, such as a fall-back
}
