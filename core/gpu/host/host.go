// Package host holds the CPU's side of devices for GPUs. Every device that runs schedules of core/gpu uses it. It lays
// the parameters of a memory out and finds them by name, copies them for programs that are too small for a GPU, and
// pads the rows of matrices. It calls no driver.
//
//	type memory struct {
//		*host.Parameters
//		… // where they lie on the GPU
//	}
//	m.Parameters, err = host.New("cuda", specs)
//	i, part, err := m.Entry("w.m", len(dst)) // the number of the parameter, and which part of it
package host

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"nacre/core"
	"nacre/core/gpu"
)

// Parameters are the parameters of one memory. They lie one after the other, with padded rows.
type Parameters struct {
	Specs  []core.ParamSpec
	Offset []int // for each parameter, its distance from the start in floats
	Total  int   // number of floats of all parameters

	device  string // name of the device, with which errors begin
	index   map[string]int
	version atomic.Int64 // counts the events that may have changed parameters

	mu     sync.Mutex
	twin   core.Memory
	copied int64 // version of the parameters that the copy holds
}

// New lays out the parameters of specs. Errors begin with the name device.
func New(device string, specs []core.ParamSpec) (*Parameters, error) {
	m := &Parameters{device: device, index: map[string]int{}, copied: -1}
	for _, s := range specs {
		if s.Name == "" || s.Rows < 1 || s.Cols < 1 {
			return nil, fmt.Errorf("%s: parameter %q has shape %d×%d; want a name and at least 1×1", device, s.Name,
				s.Rows, s.Cols)
		}
		if _, ok := m.index[s.Name]; ok {
			return nil, fmt.Errorf("%s: parameter %q is declared twice", device, s.Name)
		}
		m.index[s.Name] = len(m.Specs)
		m.Specs = append(m.Specs, s)
		m.Offset = append(m.Offset, m.Total)
		m.Total += gpu.RoundUp(gpu.Room(s.Rows, s.Cols))
	}
	return m, nil
}

// Params implements core.Memory.
func (m *Parameters) Params() []core.ParamSpec { return slices.Clone(m.Specs) }

// Of finds the parameter to which value v of program p belongs, as one of its versions. It returns the parameter's
// number. The program must fit.
func (m *Parameters) Of(p *core.Program, v int) int { return m.index[p.Values[v].Store] }

// Part says which part of a parameter an entry holds.
type Part int

const (
	Weights Part = iota // the parameter itself
	First               // moments
	Second              // moments
	Count               // number of Adam's steps
)

// Entry finds an entry of n numbers by its name. It returns the number of the parameter, and which part of it the entry
// is.
func (m *Parameters) Entry(name string, n int) (i int, part Part, err error) {
	i, ok := m.index[name]
	if !ok {
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			if i, ok = m.index[name[:dot]]; ok {
				part = First + Part(strings.Index("mvt", name[dot+1:]))
				ok = part >= First && len(name) == dot+2
			}
		}
	}
	if !ok {
		return 0, 0, fmt.Errorf("%s: no entry %q in memory", m.device, name)
	}
	want := m.Specs[i].Rows * m.Specs[i].Cols
	if part == Count {
		want = 1
	}
	if n != want {
		return 0, 0, fmt.Errorf("%s: entry %q holds %d numbers, got a slice of %d", m.device, name, want, n)
	}
	return i, part, nil
}

// Fits returns an error if the program is broken, or if the memory lacks one of its parameters.
func (m *Parameters) Fits(p *core.Program) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("%s: %w", m.device, err)
	}
	for _, s := range p.ParamSpecs() {
		if i, ok := m.index[s.Name]; !ok || m.Specs[i] != s {
			return fmt.Errorf("%s: program %q needs parameter %q %d×%d, which the memory does not hold", m.device,
				p.Name, s.Name, s.Rows, s.Cols)
		}
	}
	return nil
}

// Changed notes that parameters may change from now on.
func (m *Parameters) Changed() { m.version.Add(1) }

// smallWork is the number of operations of matrix products below which a program is small. A processor has finished
// such a program before a GPU would have answered.
const smallWork = 10e6

// Small reports whether the host should run a program, because it changes no parameters and does little work.
func Small(p *core.Program) bool { return !Steps(p) && p.FLOPs() < smallWork }

// Steps reports whether a program changes parameters.
func Steps(p *core.Program) bool {
	for _, l := range p.Levels {
		if slices.ContainsFunc(l.Whole, func(in core.Instr) bool { return p.Values[in.Out].Kind == core.Param }) {
			return true
		}
	}
	return false
}

// Load loads a program on a device of the host. The program sees the GPU's parameters as they are after all work that
// was started before. The function copy must return all parameters, in the layout of m.
func (m *Parameters) Load(p *core.Program, on core.Device, copy func() ([]float32, error)) (core.Runner, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.twin == nil {
		var err error
		if m.twin, err = on.NewMemory(m.Specs); err != nil {
			return nil, err
		}
	}
	r, err := on.Load(p, m.twin)
	return &runner{r, m, copy}, err
}

// runner is a program on the host.
type runner struct {
	core.Runner
	of   *Parameters
	copy func() ([]float32, error)
}

func (r *runner) Run() error {
	if err := r.of.refresh(r.copy); err != nil {
		return err
	}
	return r.Runner.Run()
}

// refresh brings the copy up to date.
func (m *Parameters) refresh(copy func() ([]float32, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	version := m.version.Load()
	if m.copied == version || m.Total == 0 {
		return nil
	}
	all, err := copy()
	if err != nil {
		return err
	}
	for i, s := range m.Specs {
		x := make([]float64, s.Rows*s.Cols)
		Gather(x, all[m.Offset[i]:], s.Cols)
		if err := m.twin.Write(s.Name, x); err != nil {
			return err
		}
	}
	m.copied = version
	return nil
}

// Value finds an input or output of a program by its name; kind is "input" or "output". It must have n numbers.
func Value(device, kind string, p *core.Program, name string, n int) (int, error) {
	index := p.Inputs
	if kind == "output" {
		index = p.Outputs
	}
	v, ok := index[name]
	if !ok {
		return 0, fmt.Errorf("%s: program %q has no %s %q", device, p.Name, kind, name)
	}
	if x := p.Values[v]; n != x.Rows*x.Cols {
		return 0, fmt.Errorf("%s: %s %q is %d×%d, got a slice of %d numbers", device, kind, name, x.Rows, x.Cols, n)
	}
	return v, nil
}

// Scalars returns the values of named outputs, each of which must be a single number.
func Scalars(p *core.Program, names []string) (values []int, err error) {
	for _, name := range names {
		v, ok := p.Outputs[name]
		if !ok || p.Values[v].Rows*p.Values[v].Cols != 1 {
			return nil, fmt.Errorf("%q is not a 1×1 output", name)
		}
		values = append(values, v)
	}
	return values, nil
}

// Number is the type of the elements of matrices on the host.
type Number interface{ float32 | float64 }

// Size is the number of floats of a rows×cols matrix with padded rows.
func Size(rows, cols int) int { return rows * gpu.Pitch(cols) }

// Scatter copies a row-major matrix to rows that are gpu.Pitch(cols) apart. The numbers between these rows stay as they
// are.
func Scatter[T Number](dst []float32, src []T, cols int) {
	pitch := gpu.Pitch(cols)
	for i := range len(src) / cols {
		for j, x := range src[i*cols : (i+1)*cols] {
			dst[i*pitch+j] = float32(x)
		}
	}
}

// Gather is the inverse of Scatter.
func Gather[T Number](dst []T, src []float32, cols int) {
	pitch := gpu.Pitch(cols)
	for i := range len(dst) / cols {
		for j, x := range src[i*pitch : i*pitch+cols] {
			dst[i*cols+j] = T(x)
		}
	}
}
