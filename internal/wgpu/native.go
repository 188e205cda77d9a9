//go:build (linux || darwin) && (amd64 || arm64) && !nogpu

package wgpu

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Handle is an object of the library.
type Handle = uintptr

// Recording is a list of dispatches; WebGPU's Command buffers are made for one submission.
type Recording = []Command

// Device is a device of the library. Its methods may be called from any goroutine.
type Device struct {
	*library
	device, queue  Handle
	layout, groups Handle // layouts of pipelines, and of their bind groups
	id             uintptr

	mu      sync.Mutex // only one goroutine at a time calls the library and reads its errors
	staging map[int][]Handle

	errors struct { // set by the library's callbacks
		sync.Mutex
		first *Error
	}
	lost   atomic.Pointer[Error]
	advice string // what to do if the device is lost
}

// What callbacks are about, by the number they carry.
var awaited struct {
	sync.Mutex
	next      uintptr
	wires     map[uintptr]*Device
	fetchings map[uintptr]*Fetching
	devices   map[uintptr]*requested
}

type requested struct {
	device Handle
	why    string
}

// await gives something a number.
func await[T any](all *map[uintptr]T, x T) uintptr {
	awaited.Lock()
	defer awaited.Unlock()
	if *all == nil {
		*all = map[uintptr]T{}
	}
	awaited.next++
	(*all)[awaited.next] = x
	return awaited.next
}

func arrived[T any](all map[uintptr]T, id uintptr) T {
	awaited.Lock()
	defer awaited.Unlock()
	x := all[id]
	delete(all, id)
	return x
}

func said(data, length uintptr) string {
	return stringView{*(**byte)(unsafe.Pointer(&data)), length}.String()
}

// callbacks are made once: a process has room for a limited number.
var callbacks = sync.OnceValue(func() (c struct{ device, mapped, lost, failed uintptr }) {
	c.device = purego.NewCallback(func(status, device, data, length, user, _ uintptr) uintptr {
		if r := arrived(awaited.devices, user); r != nil {
			r.device = device
			if uint32(status) != 1 {
				r.device, r.why = 0, said(data, length)
			}
		}
		return 0
	})
	c.mapped = purego.NewCallback(func(status, data, length, user, _ uintptr) uintptr {
		if f := arrived(awaited.fetchings, user); f != nil {
			f.why = said(data, length)
			f.status.Store(uint32(status))
		}
		return 0
	})
	c.lost = purego.NewCallback(func(_, reason, data, length, user, _ uintptr) uintptr {
		awaited.Lock()
		w := awaited.wires[user]
		awaited.Unlock()
		if w != nil {
			w.lost.CompareAndSwap(nil, lostGPU(said(data, length), w.advice))
		}
		return 0
	})
	c.failed = purego.NewCallback(func(_, kind, data, length, user, _ uintptr) uintptr {
		awaited.Lock()
		w := awaited.wires[user]
		awaited.Unlock()
		if w != nil {
			e := &Error{Launching, said(data, length)}
			switch {
			case strings.Contains(e.Detail, "device is lost"):
				e = lostGPU(e.Detail, w.advice)
				w.lost.CompareAndSwap(nil, e)
			case uint32(kind) == outOfMemory:
				e.Fault = NoMemory
			}
			w.errors.Lock()
			if w.errors.first == nil {
				w.errors.first = e
			}
			w.errors.Unlock()
		}
		return 0
	})
	return c
})

// Adapters lists the adapters, those of real GPUs first.
func Adapters() ([]Info, error) {
	l, err := openLibrary()
	if err != nil {
		return nil, err
	}
	all, err := l.adapters()
	var out []Info
	for _, a := range all {
		out = append(out, a.info)
		l.call("wgpuAdapterRelease", a.handle)
	}
	return out, err
}

// Open makes a device of an adapter, with all of the adapter's limits.
func Open(o Options) (*Device, Info, error) {
	l, err := openLibrary()
	if err != nil {
		return nil, Info{}, err
	}
	all, err := l.adapters()
	if err != nil {
		return nil, Info{}, err
	}
	defer func() {
		for _, a := range all {
			l.call("wgpuAdapterRelease", a.handle)
		}
	}()
	var infos []Info
	for _, a := range all {
		infos = append(infos, a.info)
	}
	if err := choose(infos, o); err != nil {
		return nil, Info{}, err
	}
	a := all[o.Ordinal]
	if err := enough(map[string]int64{
		"maxStorageBuffersPerShaderStage":   int64(a.limits.storageBuffers),
		"maxComputeWorkgroupStorageSize":    int64(a.limits.sharedBytes),
		"maxComputeInvocationsPerWorkgroup": int64(a.limits.invocations),
		"maxStorageBufferBindingSize":       int64(a.limits.storageBinding),
	}); err != nil {
		return nil, Info{}, err
	}
	w := &Device{library: l, staging: map[int][]Handle{}, advice: o.Lost}
	w.id = await(&awaited.wires, w)
	if err := w.request(a); err != nil {
		return nil, Info{}, err
	}
	w.queue = l.call("wgpuDeviceGetQueue", w.device)
	return w, a.info, w.makeLayout()
}

func (w *Device) request(a adapter) error {
	r := &requested{}
	user := await(&awaited.devices, r)
	c := callbacks()
	want := a.limits
	want.next = 0
	d := &deviceDescriptor{limits: &want,
		deviceLost:       callbackInfo{mode: spontaneous, callback: c.lost, user1: w.id},
		uncapturedErrors: uncapturedInfo{callback: c.failed, user1: w.id}}
	w.callBack("wgpuAdapterRequestDevice", &callbackInfo{mode: spontaneous, callback: c.device, user1: user}, a.handle,
		uintptr(unsafe.Pointer(d)))
	runtime.KeepAlive(d)
	if r.device == 0 {
		return &Error{NoDevice, fmt.Sprintf("%s gives no device: %s", a.info.Name, r.why)}
	}
	w.device = r.device
	return nil
}

// makeLayout makes the layout that all kernels share.
func (w *Device) makeLayout() error {
	entries := make([]layoutEntry, Bindings)
	for i := range entries {
		entries[i] = layoutEntry{binding: uint32(i), visibility: forCompute, kind: 3}
		switch {
		case i == Uniform:
			entries[i].kind, entries[i].dynamic = 2, 1
		case readOnly[i]:
			entries[i].kind = 4
		}
	}
	w.groups = w.call("wgpuDeviceCreateBindGroupLayout", w.device,
		uintptr(unsafe.Pointer(&listDescriptor{count: Bindings, entries: &entries[0]})))
	layouts := []uintptr{w.groups}
	w.layout = w.call("wgpuDeviceCreatePipelineLayout", w.device,
		uintptr(unsafe.Pointer(&layoutDescriptor{count: 1, layouts: &layouts[0]})))
	runtime.KeepAlive(entries)
	runtime.KeepAlive(layouts)
	return w.Check()
}

// Check is the first error since the last check, or that of a lost GPU.
func (w *Device) Check() error {
	if e := w.lost.Load(); e != nil {
		return e
	}
	w.errors.Lock()
	defer w.errors.Unlock()
	e := w.errors.first
	w.errors.first = nil
	if e == nil {
		return nil
	}
	return e
}

// sound reports whether nothing has gone wrong since the last check.
func (w *Device) sound() bool {
	w.errors.Lock()
	defer w.errors.Unlock()
	return w.errors.first == nil && w.lost.Load() == nil
}

// do runs calls of which the library may report an error, as a fault where it is of no kind of its own.
func (w *Device) do(fault Fault, what string, calls func()) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.lost.Load(); e != nil {
		return e
	}
	calls()
	err := w.Check()
	if e, ok := err.(*Error); ok && e.Fault == Launching {
		e.Fault = fault
		e.Detail = what + ": " + e.Detail
	} else if ok && e.Fault == NoMemory {
		e.Detail = what + ": " + e.Detail
	}
	return err
}

const (
	storageUse = 0x80 | 8 | 4 // and copies to and from it
	uniformUse = 0x40 | 8
	stagingUse = 1 | 8
)

// NewBuffer makes a buffer of words, all zero.
func (w *Device) NewBuffer(what string, words int, uniform bool) (b Handle, err error) {
	use := uint64(storageUse)
	if uniform {
		use = uniformUse
	}
	return w.buffer(what, words, use)
}

func (w *Device) buffer(what string, words int, use uint64) (b Handle, err error) {
	words = max(words, MinWords)
	what = fmt.Sprintf("%.1f MB for %s", float64(words)*4e-6, what)
	d := &bufferDescriptor{usage: use, size: 4 * uint64(words)}
	err = w.do(NoMemory, what, func() { b = w.call("wgpuDeviceCreateBuffer", w.device, uintptr(unsafe.Pointer(d))) })
	runtime.KeepAlive(d)
	if err == nil && b == 0 {
		err = &Error{NoMemory, what}
	}
	return b, err
}

// Destroy destroys the device.
func (w *Device) Destroy() {
	w.call("wgpuDeviceDestroy", w.device)
	w.call("wgpuDevicePoll", w.device, 1, 0)
}

// FreeBuffer frees a buffer's memory. It ignores the zero Handle.
func (w *Device) FreeBuffer(b Handle) {
	if b != 0 {
		w.call("wgpuBufferDestroy", b)
		w.call("wgpuBufferRelease", b)
	}
}

// Write copies words to a buffer. Work that is submitted later reads them.
func (w *Device) Write(to Handle, at int, words []uint32) error {
	if len(words) == 0 {
		return nil
	}
	return w.do(Launching, "writing to the GPU", func() {
		w.call("wgpuQueueWriteBuffer", w.queue, to, uintptr(4*at), uintptr(unsafe.Pointer(&words[0])),
			uintptr(4*len(words)))
	})
}

// CopyTo copies the beginning of one buffer to another.
func (w *Device) CopyTo(to, from Handle, words int) error {
	return w.encode("copying on the GPU", func(encoder Handle) {
		w.call("wgpuCommandEncoderCopyBufferToBuffer", encoder, from, 0, to, 0, uintptr(4*words))
	})
}

// encode submits one Command buffer. Nothing may be submitted to a lost device, because the library would end the
// process.
func (w *Device) encode(what string, f func(encoder Handle)) error {
	return w.do(Launching, what, func() {
		encoder := w.call("wgpuDeviceCreateCommandEncoder", w.device, 0)
		f(encoder)
		list := []Handle{w.call("wgpuCommandEncoderFinish", encoder, 0)}
		w.call("wgpuCommandEncoderRelease", encoder)
		if w.sound() {
			w.call("wgpuQueueSubmit", w.queue, 1, uintptr(unsafe.Pointer(&list[0])))
		}
		if list[0] != 0 {
			w.call("wgpuCommandBufferRelease", list[0])
		}
		runtime.KeepAlive(list)
	})
}

// NewKernel compiles the source of a kernel.
func (w *Device) NewKernel(text, entry string) (k Handle, err error) {
	err = w.do(Compiling, entry, func() {
		s := &shaderSource{kind: wgslSource, code: view(text)}
		d := &shaderDescriptor{next: s}
		module := w.call("wgpuDeviceCreateShaderModule", w.device, uintptr(unsafe.Pointer(d)))
		runtime.KeepAlive(s)
		runtime.KeepAlive(d)
		if module == 0 {
			return
		}
		p := &pipelineDescriptor{layout: w.layout, module: module, entry: view(entry)}
		if w.sound() {
			k = w.call("wgpuDeviceCreateComputePipeline", w.device, uintptr(unsafe.Pointer(p)))
		}
		runtime.KeepAlive(p)
		w.call("wgpuShaderModuleRelease", module)
	})
	if err == nil && k == 0 {
		err = &Error{Compiling, entry + ": no pipeline"}
	}
	return k, err
}

// FreeKernel frees a compiled kernel.
func (w *Device) FreeKernel(k Handle) { w.call("wgpuComputePipelineRelease", k) }

// NewGroup binds buffers. Each buffer is bound as a whole, except the buffer of arguments: of this, only the part for
// one launch is bound.
func (w *Device) NewGroup(of [Bindings]Handle) (g Handle, err error) {
	entries := make([]groupEntry, Bindings)
	for i := range entries {
		entries[i] = groupEntry{binding: uint32(i), buffer: of[i], size: ^uint64(0)}
		if i == Uniform {
			entries[i].size = 4 * ArgumentWords
		}
	}
	d := &groupDescriptor{layout: w.groups, count: Bindings, entries: &entries[0]}
	err = w.do(Limits, "binding buffers", func() {
		g = w.call("wgpuDeviceCreateBindGroup", w.device, uintptr(unsafe.Pointer(d)))
	})
	runtime.KeepAlive(entries)
	runtime.KeepAlive(d)
	return g, err
}

// FreeGroup frees a group; its buffers stay.
func (w *Device) FreeGroup(g Handle) {
	if g != 0 {
		w.call("wgpuBindGroupRelease", g)
	}
}

// Record makes a list of dispatches for Submit, which may take it any number of times.
func (w *Device) Record(list []Command) Recording { return list }

// Submit gives lists of dispatches to the GPU, one after the other.
func (w *Device) Submit(lists []Recording) error {
	offset := new([1]uint32)
	return w.encode("a submission", func(encoder Handle) {
		pass := w.call("wgpuCommandEncoderBeginComputePass", encoder, 0)
		kernel := Handle(0)
		for _, list := range lists {
			for _, c := range list {
				if c.Kernel != kernel {
					w.call("wgpuComputePassEncoderSetPipeline", pass, c.Kernel)
					kernel = c.Kernel
				}
				offset[0] = uint32(4 * ArgumentWords * c.Arguments)
				w.call("wgpuComputePassEncoderSetBindGroup", pass, 0, c.Group, 1, uintptr(unsafe.Pointer(offset)))
				x, y := c.across()
				w.call("wgpuComputePassEncoderDispatchWorkgroups", pass, uintptr(x), uintptr(y), 1)
			}
		}
		w.call("wgpuComputePassEncoderEnd", pass)
		w.call("wgpuComputePassEncoderRelease", pass)
	})
}

// Fetching is a copy to the host under way.
type Fetching struct {
	w       *Device
	staging Handle
	class   int
	words   int
	status  atomic.Uint32 // 0 until it has arrived
	why     string
}

// Fetch starts copying words of a buffer to the host, after all earlier submissions.
func (w *Device) Fetch(from Handle, at, words int) (*Fetching, error) {
	f := &Fetching{w: w, words: words, class: classOf(words)}
	w.mu.Lock()
	if free := w.staging[f.class]; len(free) > 0 {
		f.staging, w.staging[f.class] = free[len(free)-1], free[:len(free)-1]
	}
	w.mu.Unlock()
	if f.staging == 0 {
		var err error
		if f.staging, err = w.buffer("what comes back", 1<<f.class, stagingUse); err != nil {
			return nil, err
		}
	}
	if err := w.encode("copying to the host", func(encoder Handle) {
		w.call("wgpuCommandEncoderCopyBufferToBuffer", encoder, from, uintptr(4*at), f.staging, 0, uintptr(4*words))
	}); err != nil {
		return nil, err
	}
	user := await(&awaited.fetchings, f)
	info := &callbackInfo{mode: spontaneous, callback: callbacks().mapped, user1: user}
	err := w.do(Launching, "copying to the host", func() {
		w.callBack("wgpuBufferMapAsync", info, f.staging, mapForReading, 0, uintptr(4*words))
	})
	if err != nil {
		arrived(awaited.fetchings, user)
		return nil, err
	}
	return f, nil
}

// Ready reports whether the copy has arrived.
func (f *Fetching) Ready() bool {
	if f.status.Load() == 0 {
		f.w.call("wgpuDevicePoll", f.w.device, 0, 0)
	}
	return f.status.Load() != 0 || f.w.lost.Load() != nil
}

// Wait waits for the copy and passes its words to use.
func (f *Fetching) Wait(use func(words []uint32)) error {
	for f.status.Load() == 0 && f.w.lost.Load() == nil {
		f.w.call("wgpuDevicePoll", f.w.device, 1, 0)
	}
	if e := f.w.lost.Load(); e != nil {
		return e
	}
	if f.status.Load() != 1 {
		if err := f.w.Check(); err != nil {
			return err
		}
		return &Error{Launching, "copying to the host: " + f.why}
	}
	at := f.w.call("wgpuBufferGetConstMappedRange", f.staging, 0, uintptr(4*f.words))
	if at == 0 {
		return &Error{Launching, "copying to the host: nothing is mapped"}
	}
	use(unsafe.Slice(*(**uint32)(unsafe.Pointer(&at)), f.words))
	f.w.call("wgpuBufferUnmap", f.staging)
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.w.staging[f.class] = append(f.w.staging[f.class], f.staging)
	return f.w.Check()
}
