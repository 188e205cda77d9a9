//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"sync/atomic"

	"nacre/core"
	"nacre/core/gpu/host"
)

// device implements core.Device.
type device struct {
	*driver
	compiler *compiler
	lt       *cublasLt // nil if all products use our own kernel
	info     Info
	options  Options
	choices  *choices // of cuBLASLt's algorithms
	groups   groups
	graphs   atomic.Int64 // graphs that were launched
	fallen   atomic.Int64 // products that use our own kernel because cuBLASLt failed
}

// New makes a device on a GPU. The error is an *Error that says what is missing.
func New(o Options) (core.Device, error) {
	if o.Products != "" && o.Products != "cublaslt" && o.Products != "own" {
		return nil, fmt.Errorf("cuda: products by %q: want \"cublaslt\" or \"own\"", o.Products)
	}
	var err error
	if o.Precision, err = core.CheckPrecision("cuda", Precisions, o.Precision); err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	if o.Products == "own" && o.Precision != Precisions[0] {
		return nil, fmt.Errorf("cuda: this package's own products are in float32 only, not in %s", o.Precision)
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

// prepare finds the compiler and cuBLASLt.
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
	if g.lt, err = openCublasLt(g.driver, g.options.Precision); err != nil {
		return err
	}
	g.info.CublasLt = fmt.Sprint(g.lt.version)
	i := g.info
	g.choices = newChoices(g.compiler.cache, fmt.Sprintf("%s, %s, %d multiprocessors, driver %s, cuBLASLt %s, %s",
		i.Name, i.Capability, i.Multiprocessor,
		i.Driver, i.CublasLt, g.options.Precision))
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
		d.Notices = append(d.Notices,
			fmt.Sprintf("%d matrix products are by Nacre's own kernel in float32: cuBLASLt %s has no algorithm for "+
				"them that works", n, g.info.CublasLt))
	}
	if g.compiler.cache == "" {
		d.Notices = append(d.Notices, "compiled kernels are not kept and every start compiles again: "+g.compiler.why)
	}
	return d
}

// Name names the device in use, e.g. "cuda:0/tf32 NVIDIA H100 80GB HBM3".
func (g *device) Name() string {
	precision := g.options.Precision
	if g.lt == nil {
		precision += "+own"
	}
	return fmt.Sprintf("cuda:%d/%s %s", g.options.Ordinal, precision, g.info.Name)
}

// Load prepares a program. See Options.Host for programs that run elsewhere.
func (g *device) Load(p *core.Program, m core.Memory) (core.Runner, error) {
	mem, ok := m.(*memory)
	if !ok || mem.gpu.driver != g.driver {
		return nil, fmt.Errorf("cuda: the memory belongs to another device (%T)", m)
	}
	if err := mem.Fits(p); err != nil {
		return nil, err
	}
	if g.options.Host != nil && host.Small(p) {
		return mem.Load(p, g.options.Host, mem.all)
	}
	return g.loadHere(p, mem)
}
