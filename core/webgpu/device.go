//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"fmt"
	"sync"

	"nacre/core"
	"nacre/core/gpu/host"
	"nacre/internal/wgpu"
)

// device implements core.Device.
type device struct {
	*wgpu.Device
	info    Info
	options Options
	empty   [2]wgpu.Handle // buffers of nothing, for bindings that a program has no use for

	mu      sync.Mutex
	kernels map[string]*kernel // compiled, by text and entry
}

// kernel is a compiled kernel that several programs may use.
type kernel struct {
	handle wgpu.Handle
	users  int
}

// New makes a device on an adapter. The error is an *Error that says what is missing.
func New(o Options) (core.Device, error) {
	w, info, err := wgpu.Open(wgpu.Options{
		Ordinal: o.Ordinal, Hardware: o.Hardware, Software: fmt.Sprintf("--device webgpu:%d", o.Ordinal),
		Lost: "programs and parameters on the GPU are gone, go on from the last checkpoint",
	})
	if err != nil {
		return nil, err
	}
	d := &device{Device: w, info: info, options: o, kernels: map[string]*kernel{}}
	for i := range d.empty {
		if d.empty[i], err = w.NewBuffer("nothing", wgpu.MinWords, false); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Name says what runs, e.g. "webgpu:0/fp32 Apple M3".
func (d *device) Name() string {
	return fmt.Sprintf("webgpu:%d/fp32 %s", d.options.Ordinal, d.info.Name)
}

// Describe implements core.Described.
func (d *device) Describe() core.Description {
	out := core.Description{Hardware: d.info.String(), Libraries: "WebGPU by " + d.info.Backend}
	if d.info.Software {
		out.Notices = []string{"this adapter computes on the processor: the device cpu is faster"}
	}
	return out
}

// compile compiles a kernel, or finds it.
func (d *device) compile(body, entry string) (*kernel, error) {
	text := source(body)
	key := entry + "\n" + text
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.kernels[key]; k != nil {
		k.users++
		return k, nil
	}
	h, err := d.NewKernel(text, entry)
	if err != nil {
		return nil, err
	}
	d.kernels[key] = &kernel{h, 1}
	return d.kernels[key], nil
}

// idle is the number of compiled kernels that are kept without a user, for a program that is loaded again.
const idle = 512

// forget says that a program has no more use for kernels.
func (d *device) forget(used []*kernel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, k := range used {
		k.users--
	}
	unused := 0
	for _, k := range d.kernels {
		if k.users == 0 {
			unused++
		}
	}
	for key, k := range d.kernels {
		if unused > idle && k.users == 0 {
			d.FreeKernel(k.handle)
			delete(d.kernels, key)
		}
	}
}

// Load prepares a program. See Options.Host for programs that run elsewhere.
func (d *device) Load(p *core.Program, m core.Memory) (core.Runner, error) {
	mem, ok := m.(*memory)
	if !ok || mem.gpu.Device != d.Device {
		return nil, fmt.Errorf("webgpu: the memory belongs to another device (%T)", m)
	}
	if err := mem.Fits(p); err != nil {
		return nil, err
	}
	if d.options.Host != nil && host.Small(p) {
		return mem.Load(p, d.options.Host, mem.all)
	}
	return d.loadFeeding(p, mem, nil)
}
