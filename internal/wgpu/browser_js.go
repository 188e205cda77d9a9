//go:build !nogpu

package wgpu

import (
	"fmt"
	"strings"
	"sync/atomic"
	"syscall/js"
	"time"
	"unsafe"
)

// Handle is an object of the browser.
type Handle = js.Value

// Recording is a list of dispatches in the browser's form.
type Recording []dispatch

type dispatch struct {
	kernel, group, offset js.Value
	x, y                  int
}

// Device is a device of the browser. Calls that wait let the page continue.
type Device struct {
	device, queue  Handle
	layout, groups Handle // layouts of pipelines, and of their bind groups
	scratch        Handle // bytes being copied
	size           int    // size of scratch
	staging        map[int][]Handle
	first          *Error
	lost           atomic.Pointer[Error]
	advice         string // what to do if the device is lost
}

// await waits for a promise.
func await(promise js.Value) (result js.Value, err error) {
	type outcome struct {
		value  js.Value
		failed bool
	}
	done := make(chan outcome, 1)
	settle := func(failed bool) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			done <- outcome{args[0], failed}
			return nil
		})
	}
	good, bad := settle(false), settle(true)
	defer good.Release()
	defer bad.Release()
	promise.Call("then", good, bad)
	o := <-done
	if o.failed {
		return o.value, fmt.Errorf("%s", message(o.value))
	}
	return o.value, nil
}

// message returns the text of a browser's error.
func message(e js.Value) string {
	if m := e.Get("message"); m.Type() == js.TypeString {
		return m.String()
	}
	return e.Call("toString").String()
}

// findAdapter asks the browser for its adapter: it shows one only.
func findAdapter() (a js.Value, info Info, err error) {
	gpu := js.Global().Get("navigator").Get("gpu")
	if gpu.IsUndefined() {
		return a, info, &Error{NoLibrary, "this browser has no WebGPU here (navigator.gpu): it needs a recent " +
			"version, and a page of https or of this machine"}
	}
	a, err = await(gpu.Call("requestAdapter", map[string]any{"powerPreference": "high-performance"}))
	if err != nil || a.IsNull() {
		return a, info, &Error{NoDevice, "the browser gives no adapter: it knows no GPU, or does not use this one"}
	}
	text := func(name string) string {
		if v := a.Get("info").Get(name); v.Type() == js.TypeString {
			return v.String()
		}
		return ""
	}
	info.Name = strings.Join(strings.Fields(text("vendor")+" "+text("architecture")+" "+text("device")+" "+
		text("description")), " ")
	info.Backend = "the browser"
	for _, of := range []js.Value{a, a.Get("info")} {
		info.Software = info.Software || of.Get("isFallbackAdapter").Truthy()
	}
	info.Software = info.Software || text("architecture") == "swiftshader"
	limits := a.Get("limits")
	info.Storage = int64(min(limits.Get("maxStorageBufferBindingSize").Float(), limits.Get("maxBufferSize").Float()))
	info.Shared = limits.Get("maxComputeWorkgroupStorageSize").Int()
	return a, info, nil
}

// Adapters lists the adapters: in a browser at most one.
func Adapters() ([]Info, error) {
	_, info, err := findAdapter()
	if e, ok := err.(*Error); ok && e.Fault == NoDevice {
		return nil, nil
	}
	return []Info{info}, err
}

// Open makes a device of an adapter, with the adapter's limits.
func Open(o Options) (*Device, Info, error) {
	a, info, err := findAdapter()
	if err != nil {
		return nil, info, err
	}
	if err := choose([]Info{info}, o); err != nil {
		return nil, info, err
	}
	has := a.Get("limits")
	found := map[string]int64{}
	for name := range Needs {
		found[name] = int64(has.Get(name).Float())
	}
	if err := enough(found); err != nil {
		return nil, info, err
	}
	limits := map[string]any{}
	for _, name := range []string{"maxStorageBufferBindingSize", "maxBufferSize", "maxComputeWorkgroupStorageSize"} {
		limits[name] = has.Get(name)
	}
	device, err := await(a.Call("requestDevice", map[string]any{"requiredLimits": limits}))
	if err != nil {
		return nil, info, &Error{NoDevice, info.Name + " gives no device: " + err.Error()}
	}
	w := &Device{device: device, queue: device.Get("queue"), staging: map[int][]Handle{}, advice: o.Lost}
	device.Get("lost").Call("then", js.FuncOf(func(_ js.Value, args []js.Value) any {
		w.lost.CompareAndSwap(nil, lostGPU(message(args[0]), w.advice))
		return nil
	}))
	device.Call("addEventListener", "uncapturederror", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if e := args[0].Get("error"); w.first == nil {
			w.first = &Error{Launching, message(e)}
			if e.Get("constructor").Get("name").String() == "GPUOutOfMemoryError" {
				w.first.Fault = NoMemory
			}
		}
		return nil
	}))
	w.makeLayout()
	return w, info, nil
}

// makeLayout makes the layout that all kernels share.
func (w *Device) makeLayout() {
	entries := make([]any, Bindings)
	for i := range entries {
		buffer := map[string]any{"type": "storage"}
		switch {
		case i == Uniform:
			buffer = map[string]any{"type": "uniform", "hasDynamicOffset": true}
		case readOnly[i]:
			buffer["type"] = "read-only-storage"
		}
		entries[i] = map[string]any{"binding": i, "visibility": 4, "buffer": buffer}
	}
	w.groups = w.device.Call("createBindGroupLayout", map[string]any{"entries": entries})
	w.layout = w.device.Call("createPipelineLayout", map[string]any{"bindGroupLayouts": []any{w.groups}})
}

// Check is the first error since the last check, or that of a lost GPU.
func (w *Device) Check() error {
	if e := w.lost.Load(); e != nil {
		return e
	}
	if e := w.first; e != nil {
		w.first = nil
		return e
	}
	return nil
}

// scoped runs calls and waits for what the browser has to say of them.
func (w *Device) scoped(fault Fault, what string, calls func() error) error {
	if e := w.lost.Load(); e != nil {
		return e
	}
	w.device.Call("pushErrorScope", "validation")
	w.device.Call("pushErrorScope", "out-of-memory")
	err := calls()
	memory, _ := await(w.device.Call("popErrorScope"))
	other, _ := await(w.device.Call("popErrorScope"))
	switch {
	case w.lost.Load() != nil:
		return w.lost.Load()
	case memory.Truthy():
		return &Error{NoMemory, what + ": " + message(memory)}
	case other.Truthy():
		return &Error{fault, what + ": " + message(other)}
	}
	return err
}

// NewBuffer makes a buffer of words, all zero.
func (w *Device) NewBuffer(what string, words int, uniform bool) (Handle, error) {
	use := 0x80 | 8 | 4 // storage, and copies to and from it
	if uniform {
		use = 0x40 | 8
	}
	return w.buffer(what, words, use)
}

func (w *Device) buffer(what string, words, use int) (b Handle, err error) {
	words = max(words, MinWords)
	what = fmt.Sprintf("%.1f MB for %s", float64(words)*4e-6, what)
	err = w.scoped(NoMemory, what, func() (err error) {
		defer func() { // the browser throws where a size is beyond its own memory
			if x := recover(); x != nil {
				err = &Error{NoMemory, fmt.Sprintf("%s: %v", what, x)}
			}
		}()
		b = w.device.Call("createBuffer", map[string]any{"size": 4 * words, "usage": use})
		return nil
	})
	return b, err
}

// Destroy destroys the device.
func (w *Device) Destroy() { w.device.Call("destroy") }

// FreeBuffer frees a buffer's memory. It ignores the zero Handle.
func (w *Device) FreeBuffer(b Handle) {
	if !b.IsUndefined() {
		b.Call("destroy")
	}
}

// Write copies words to a buffer. Work that is submitted later reads them.
func (w *Device) Write(to Handle, at int, words []uint32) error {
	for len(words) > 0 {
		part := words[:min(len(words), 1<<20)]
		if 4*len(part) > w.size {
			w.size = 4 * len(part)
			w.scratch = js.Global().Get("Uint8Array").New(w.size)
		}
		js.CopyBytesToJS(w.scratch, bytesOf(part))
		w.queue.Call("writeBuffer", to, 4*at, w.scratch, 0, 4*len(part))
		words, at = words[len(part):], at+len(part)
	}
	return w.Check()
}

// CopyTo copies the beginning of one buffer to another.
func (w *Device) CopyTo(to, from Handle, words int) error {
	encoder := w.device.Call("createCommandEncoder")
	encoder.Call("copyBufferToBuffer", from, 0, to, 0, 4*words)
	return w.send(encoder)
}

func (w *Device) send(encoder Handle) error {
	w.queue.Call("submit", []any{encoder.Call("finish")})
	return w.Check()
}

// NewKernel compiles the source of a kernel.
func (w *Device) NewKernel(text, entry string) (k Handle, err error) {
	err = w.scoped(Compiling, entry, func() error {
		module := w.device.Call("createShaderModule", map[string]any{"code": text})
		k, err = await(w.device.Call("createComputePipelineAsync", map[string]any{"layout": w.layout,
			"compute": map[string]any{"module": module, "entryPoint": entry}}))
		if err != nil {
			return &Error{Compiling, entry + ": " + err.Error()}
		}
		return nil
	})
	return k, err
}

// FreeKernel frees a compiled kernel.
func (w *Device) FreeKernel(Handle) {} // the browser's collector does

// NewGroup binds buffers. Each buffer is bound as a whole, except the buffer of arguments: of this, only the part for
// one launch is bound.
func (w *Device) NewGroup(of [Bindings]Handle) (g Handle, err error) {
	entries := make([]any, Bindings)
	for i := range entries {
		resource := map[string]any{"buffer": of[i]}
		if i == Uniform {
			resource["size"] = 4 * ArgumentWords
		}
		entries[i] = map[string]any{"binding": i, "resource": resource}
	}
	err = w.scoped(Limits, "binding buffers", func() error {
		g = w.device.Call("createBindGroup", map[string]any{"layout": w.groups, "entries": entries})
		return nil
	})
	return g, err
}

// FreeGroup frees a group; its buffers stay.
func (w *Device) FreeGroup(Handle) {}

// Record makes a list of dispatches for Submit, which may take it any number of times.
func (w *Device) Record(list []Command) Recording {
	out := make(Recording, len(list))
	for i, c := range list {
		x, y := c.across()
		out[i] = dispatch{c.Kernel, c.Group, js.ValueOf([]any{4 * ArgumentWords * c.Arguments}), x, y}
	}
	return out
}

// Submit gives lists of dispatches to the GPU, one after the other.
func (w *Device) Submit(lists []Recording) error {
	encoder := w.device.Call("createCommandEncoder")
	pass := encoder.Call("beginComputePass")
	for _, list := range lists {
		for _, d := range list {
			pass.Call("setPipeline", d.kernel)
			pass.Call("setBindGroup", 0, d.group, d.offset)
			pass.Call("dispatchWorkgroups", d.x, d.y)
		}
	}
	pass.Call("end")
	return w.send(encoder)
}

// Fetching is a copy to the host under way.
type Fetching struct {
	w       *Device
	staging Handle
	class   int
	words   int
	done    chan error
	arrived bool
	err     error
}

// Fetch starts copying words of a buffer to the host, after all earlier submissions.
func (w *Device) Fetch(from Handle, at, words int) (*Fetching, error) {
	f := &Fetching{w: w, words: words, class: classOf(words), done: make(chan error, 1)}
	if free := w.staging[f.class]; len(free) > 0 {
		f.staging, w.staging[f.class] = free[len(free)-1], free[:len(free)-1]
	} else {
		var err error
		if f.staging, err = w.buffer("what comes back", 1<<f.class, 1|8); err != nil { // mapped for reading, copied to
			return nil, err
		}
	}
	encoder := w.device.Call("createCommandEncoder")
	encoder.Call("copyBufferToBuffer", from, 4*at, f.staging, 0, 4*words)
	if err := w.send(encoder); err != nil {
		return nil, err
	}
	go func() {
		_, err := await(f.staging.Call("mapAsync", 1, 0, 4*words))
		f.done <- err
	}()
	return f, nil
}

// Ready reports whether the copy has arrived.
func (f *Fetching) Ready() bool {
	if !f.arrived {
		select {
		case f.err = <-f.done:
			f.arrived = true
		default:
		}
	}
	return f.arrived
}

// Wait waits for the copy and passes its words to use.
func (f *Fetching) Wait(use func(words []uint32)) error {
	if !f.arrived {
		f.err, f.arrived = <-f.done, true
	}
	if f.err != nil {
		for range 50 { // that the device is lost comes after what it breaks
			if err := f.w.Check(); err != nil {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
		return &Error{Launching, "copying to the host: " + f.err.Error()}
	}
	words := make([]uint32, f.words)
	js.CopyBytesToGo(bytesOf(words), js.Global().Get("Uint8Array").New(f.staging.Call("getMappedRange", 0, 4*f.words)))
	f.staging.Call("unmap")
	use(words)
	f.w.staging[f.class] = append(f.w.staging[f.class], f.staging)
	return f.w.Check()
}

// bytesOf is the same memory as bytes.
func bytesOf(words []uint32) []byte {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 4*len(words))
}
