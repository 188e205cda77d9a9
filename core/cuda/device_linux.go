//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"sync/atomic"

	"nacre/core"
	"nacre/core/gpu"
)

// device implements core.Device.
type device struct {
	*driver
	compiler *compiler
	lt       *cublasLt // nil if all products are our own kernel's
	info     Info
	options  Options
	groups   groups
	graphs   atomic.Int64 // launched
	fallen   atomic.Int64 // products that our own kernel makes in cuBLASLt's place
}

// New makes a device on a GPU. The error is an *Error that says what is missing.
func New(o Options) (core.Device, error) {
	if o.Products != "" && o.Products != "cublaslt" && o.Products != "own" {
		return nil, fmt.Errorf("cuda: products by %q: want \"cublaslt\" or \"own\"", o.Products)
	}
	if o.Products == "own" && o.TF32 {
		return nil, fmt.Errorf("cuda: this package's own products are in float32 only, not in TF32")
	}
	d, err := openDriver(o.Ordinal)
	if err != nil {
		return nil, err
	}
	g := &device{driver: d, options: o}
	if err := g.prepare(); err != nil {
		return nil, err
	}
	return g, nil
}

// prepare finds compiler and cuBLASLt.
func (g *device) prepare() error {
	leave, err := g.enter()
	if err != nil {
		return err
	}
	defer leave()
	if err := g.describe(&g.info); err != nil {
		return err
	}
	if g.compiler, err = openCompiler(g.info.Capability); err != nil {
		return err
	}
	g.info.NVRTC = fmt.Sprintf("%d.%d", g.compiler.major, g.compiler.minor)
	if g.options.Products == "own" {
		return nil
	}
	if g.lt, err = openCublasLt(g.driver, g.options.TF32); err != nil {
		return err
	}
	g.info.CublasLt = fmt.Sprint(g.lt.version)
	return nil
}

// Probe describes a GPU, or says what is missing.
func Probe(ordinal int) (Info, error) {
	d, err := New(Options{Ordinal: ordinal})
	if err != nil {
		return Info{}, err
	}
	return d.(*device).info, nil
}

// Describe implements core.Described.
func (g *device) Describe() core.Description {
	d := g.info.description()
	if n := g.fallen.Load(); n > 0 {
		d.Notices = append(d.Notices, fmt.Sprintf("%d matrix products are by Nacre's own kernel in float32: cuBLASLt %s has no algorithm for them that works", n, g.info.CublasLt))
	}
	if g.compiler.cache == "" {
		d.Notices = append(d.Notices, "compiled kernels are not kept and every start compiles again: "+g.compiler.why)
	}
	return d
}

// Name says what runs, e.g. "cuda:0/tf32 NVIDIA H100 80GB HBM3".
func (g *device) Name() string {
	precision := "fp32"
	if g.options.TF32 {
		precision = "tf32"
	}
	if g.lt == nil {
		precision += "+own"
	}
	return fmt.Sprintf("cuda:%d/%s %s", g.options.Ordinal, precision, g.info.Name)
}

// hostWork is the largest program, in operations of matrix products, that runs on the host if it steps nothing: below it
// a processor is done before a GPU has been asked and has answered.
const hostWork = 10e6

// Load prepares a program. See Options.Host for programs that run elsewhere.
func (g *device) Load(p *core.Program, m core.Memory) (core.Runner, error) {
	mem, ok := m.(*memory)
	if !ok || mem.gpu.driver != g.driver {
		return nil, fmt.Errorf("cuda: the memory belongs to another device (%T)", m)
	}
	if err := g.fits(p, mem); err != nil {
		return nil, err
	}
	if g.options.Host != nil && !steps(p) && p.FLOPs() < hostWork {
		return g.loadOnHost(p, mem)
	}
	return g.loadHere(p, mem)
}

// fits reports a program that is broken, or has parameters that the memory lacks.
func (g *device) fits(p *core.Program, mem *memory) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("cuda: %w", err)
	}
	for _, s := range p.ParamSpecs() {
		if i, ok := mem.index[s.Name]; !ok || mem.specs[i] != s {
			return fmt.Errorf("cuda: program %q needs parameter %q %d×%d, which the memory does not hold", p.Name, s.Name, s.Rows, s.Cols)
		}
	}
	return nil
}

// steps reports whether a program changes parameters.
func steps(p *core.Program) bool {
	for _, l := range p.Levels {
		for _, in := range l.Whole {
			if p.Values[in.Out].Kind == core.Param {
				return true
			}
		}
	}
	return false
}

// hostRunner is a program on the host that sees the GPU's parameters.
type hostRunner struct {
	core.Runner
	mem *memory
}

func (g *device) loadOnHost(p *core.Program, mem *memory) (core.Runner, error) {
	mirror, err := mem.host()
	if err != nil {
		return nil, err
	}
	r, err := g.options.Host.Load(p, mirror)
	return &hostRunner{r, mem}, err
}

func (r *hostRunner) Run() error {
	if err := r.mem.refresh(); err != nil {
		return err
	}
	return r.Runner.Run()
}

// planning is what the device's products can do: our own kernel's more than cuBLASLt's.
func (g *device) planning() gpu.Options {
	return gpu.Options{MaskedProducts: g.lt == nil, Vectors: true}
}
