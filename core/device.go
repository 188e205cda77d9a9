package core

// Device makes memory and loads programs. Implementations: core/ref (float64, the judge), core/cpu.
type Device interface {
	// Name says what runs, e.g. "cpu/avx512 ×2".
	Name() string
	// NewMemory allocates the named parameters, zero, with zero optimiser state.
	NewMemory(params []ParamSpec) (Memory, error)
	// Load prepares a program to run on parameters in m. Programs loaded with the same Memory share parameters and
	// must not run at the same time, unless none of them steps a parameter.
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
	// Run executes the program once. It allocates nothing.
	Run() error
	// Read copies an output of the last Run.
	Read(output string, dst []float32) error
	Read64(output string, dst []float64) error
	// Close gives workers and buffers back.
	Close() error
}
