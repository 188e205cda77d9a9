//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"nacre/core/gpu"
)

// address is a place in device memory.
type address uintptr

// Handles of the driver. They are opaque.
type (
	stream uintptr
	event  uintptr
	graph  uintptr
	module uintptr
	kernel uintptr
)

// driver is the driver's library with the primary context of one GPU. Its methods may be called from any goroutine
// between enter and the function that enter returns.
type driver struct {
	*library
	device  int32
	context uintptr
	version int32
	// whether functions are loaded only when they are first needed, unless cuFuncLoad asks for it: since CUDA 12.4
	lazy bool
	lost atomic.Pointer[Error]
}

// oldest is the version of the oldest usable driver.
const oldest = 12000

var driverSymbols = []string{
	"cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute",
	"cuDeviceTotalMem_v2", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
	"cuGetErrorName", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemHostAlloc", "cuMemFreeHost", "cuMemcpyHtoD_v2",
	"cuMemcpyDtoH_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemsetD32_v2", "cuModuleLoadData",
	"cuModuleUnload", "cuModuleGetFunction", "cuLaunchKernel", "cuStreamCreate", "cuStreamDestroy_v2",
	"cuStreamSynchronize", "cuStreamWaitEvent", "cuStreamBeginCapture_v2", "cuStreamEndCapture",
	"cuGraphInstantiateWithFlags", "cuGraphLaunch", "cuGraphExecDestroy", "cuGraphDestroy", "cuEventCreate",
	"cuEventDestroy_v2", "cuEventRecord", "cuEventSynchronize", "cuEventQuery", "cuEventElapsedTime",
}

// openDriver loads the driver's library and retains the primary context of a GPU. The context is never released,
// because other libraries of this process use it, and it holds memory that the garbage collector has yet to free.
func openDriver(ordinal int) (*driver, error) {
	l, err := open(NoLibrary, "NVIDIA's driver", driverPaths(), driverSymbols)
	if err != nil {
		return nil, err
	}
	d := &driver{library: l, lazy: l.find("cuFuncLoad")}
	var count int32
	defer keepSignals()()
	if code := d.call("cuInit", 0); code != 0 {
		return nil, &Error{NoDevice, "cuInit: " + d.name(code)}
	}
	if code := d.call("cuDriverGetVersion", uintptr(unsafe.Pointer(&d.version))); code != 0 || d.version < oldest {
		return nil, &Error{OldDriver, fmt.Sprintf("the driver speaks CUDA %s, want %s or newer", cudaVersion(d.version),
			cudaVersion(oldest))}
	}
	if code := d.call("cuDeviceGetCount", uintptr(unsafe.Pointer(&count))); code != 0 {
		return nil, &Error{NoDevice, "cuDeviceGetCount: " + d.name(code)}
	}
	if ordinal < 0 || ordinal >= int(count) {
		return nil, &Error{NoDevice, fmt.Sprintf("there is no GPU number %d: the driver has %d, numbered from 0",
			ordinal, count)}
	}
	if code := d.call("cuDeviceGet", uintptr(unsafe.Pointer(&d.device)), uintptr(ordinal)); code != 0 {
		return nil, &Error{NoDevice, "cuDeviceGet: " + d.name(code)}
	}
	if code := d.call("cuDevicePrimaryCtxRetain", uintptr(unsafe.Pointer(&d.context)), uintptr(d.device)); code != 0 {
		return nil, &Error{NoDevice, "cuDevicePrimaryCtxRetain: " + d.name(code)}
	}
	return d, nil
}

// cudaVersion writes 12040 as 12.4.
func cudaVersion(v int32) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// enter binds the calling goroutine to a thread whose current context is that of the GPU. The binding ends when leave
// is called.
func (d *driver) enter() (leave func(), err error) {
	if e := d.lost.Load(); e != nil {
		return nil, e
	}
	runtime.LockOSThread()
	if err := d.check(NoDevice, "cuCtxSetCurrent", d.call("cuCtxSetCurrent", d.context)); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return runtime.UnlockOSThread, nil
}

// Codes of the driver after which the GPU cannot be used any more.
var fatal = map[int32]bool{4: true, 46: true, 214: true, 220: true, 226: true, 700: true, 702: true, 709: true,
	710: true, 714: true, 715: true, 716: true, 717: true, 718: true, 719: true, 721: true, 999: true}

const outOfMemory = 2

// check turns a code into an error. If the code says that the GPU is lost, check remembers it, and every later call
// fails with this error.
func (d *driver) check(fault Fault, call string, code int32) error {
	if code == 0 {
		return nil
	}
	e := &Error{fault, call + ": " + d.name(code)}
	switch {
	case fatal[code]:
		e.Fault = LostGPU
		e.Detail += "; programs and parameters on the GPU are gone, go on from the last checkpoint"
		d.lost.CompareAndSwap(nil, e)
	case code == outOfMemory:
		e.Fault = NoMemory
	}
	return e
}

// do calls a function of the driver.
//
//go:uintptrescapes
func (d *driver) do(fault Fault, symbol string, args ...uintptr) error {
	return d.check(fault, symbol, d.call(symbol, args...))
}

// recordings separates two kinds of calls. A graph's recording holds it alone. The other kind is allocating, freeing,
// loading, copying, and waiting on the default stream: the driver may refuse these calls while any thread records, and
// they would spoil the recording.
var recordings sync.RWMutex

// apart calls a function of the driver while nobody records a graph.
//
//go:uintptrescapes
func (d *driver) apart(fault Fault, symbol string, args ...uintptr) error {
	recordings.RLock()
	code := d.call(symbol, args...)
	recordings.RUnlock()
	return d.check(fault, symbol, code)
}

// name returns the driver's own name of a code.
func (d *driver) name(code int32) string {
	var p *byte
	if d.call("cuGetErrorName", uintptr(code), uintptr(unsafe.Pointer(&p))) != 0 || p == nil {
		return fmt.Sprintf("error %d", code)
	}
	return fmt.Sprintf("%s (%d)", unsafe.String(p, bytes.IndexByte(unsafe.Slice(p, 200), 0)), code)
}

// Attributes of a device.
const (
	multiprocessors = 16
	majorCapability = 75
	minorCapability = 76
)

func (d *driver) attribute(a int) (int, error) {
	var v int32
	err := d.do(NoDevice, "cuDeviceGetAttribute", uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(d.device))
	return int(v), err
}

// describe fills in what the driver knows about the GPU.
func (d *driver) describe(i *Info) error {
	name := make([]byte, 256)
	if err := d.do(NoDevice, "cuDeviceGetName", uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)),
		uintptr(d.device)); err != nil {
		return err
	}
	var memory uint64
	if err := d.do(NoDevice, "cuDeviceTotalMem_v2", uintptr(unsafe.Pointer(&memory)), uintptr(d.device)); err != nil {
		return err
	}
	var v [3]int
	for k, a := range []int{majorCapability, minorCapability, multiprocessors} {
		var err error
		if v[k], err = d.attribute(a); err != nil {
			return err
		}
	}
	i.Name, i.Memory, i.Driver = string(name[:max(0, bytes.IndexByte(name, 0))]), int64(memory), cudaVersion(d.version)
	i.Capability, i.Multiprocessor = fmt.Sprintf("%d.%d", v[0], v[1]), v[2]
	return nil
}

// reserve gets device memory for n floats.
func (d *driver) reserve(what string, n int) (a address, err error) {
	if err := d.apart(NoMemory, "cuMemAlloc_v2", uintptr(unsafe.Pointer(&a)), uintptr(4*n)); err != nil {
		return 0, fmt.Errorf("%w: %.1f MB for %s", err, float64(n)*4e-6, what)
	}
	return a, nil
}

// alloc reserves memory and clears it.
func (d *driver) alloc(what string, n int) (address, error) {
	a, err := d.reserve(what, n)
	if err != nil {
		return 0, err
	}
	if err := d.apart(NoMemory, "cuMemsetD32_v2", uintptr(a), 0, uintptr(n)); err != nil {
		return a, err
	}
	return a, d.settle()
}

// settle waits for the default stream. This stream clears memory and copies to it from ordinary memory, and it may
// still do so after these calls have returned. The streams of this package do not wait for it.
func (d *driver) settle() error { return d.apart(Launching, "cuStreamSynchronize", 0) }

func (d *driver) free(a address) {
	if a != 0 {
		d.apart(Launching, "cuMemFree_v2", uintptr(a)) // if it fails, there is nothing left to do
	}
}

// pin allocates n floats of host memory that the GPU can read and write itself.
func (d *driver) pin(n int) ([]float32, error) {
	var p *float32
	if err := d.apart(NoMemory, "cuMemHostAlloc", uintptr(unsafe.Pointer(&p)), uintptr(4*n), 0); err != nil {
		return nil, fmt.Errorf("%w: %.1f MB of pinned memory", err, float64(n)*4e-6)
	}
	s := unsafe.Slice(p, n)
	clear(s)
	return s, nil
}

func (d *driver) unpin(s []float32) {
	if len(s) > 0 {
		d.apart(Launching, "cuMemFreeHost", uintptr(unsafe.Pointer(&s[0])))
	}
}

// upload and download copy data and wait until it is there.
func upload[T any](d *driver, to address, from []T) error {
	n := len(from) * int(unsafe.Sizeof(from[0]))
	if err := d.apart(Launching, "cuMemcpyHtoD_v2", uintptr(to), uintptr(unsafe.Pointer(&from[0])),
		uintptr(n)); err != nil {
		return err
	}
	return d.settle()
}

func download[T any](d *driver, to []T, from address) error {
	n := len(to) * int(unsafe.Sizeof(to[0]))
	return d.apart(Launching, "cuMemcpyDtoH_v2", uintptr(unsafe.Pointer(&to[0])), uintptr(from), uintptr(n))
}

// copyIn adds a copy from pinned memory to the device to a stream. copyOut adds one in the other direction.
func (d *driver) copyIn(s stream, to address, from []float32) error {
	return d.do(Launching, "cuMemcpyHtoDAsync_v2", uintptr(to), uintptr(unsafe.Pointer(&from[0])), uintptr(4*len(from)),
		uintptr(s))
}

func (d *driver) copyOut(s stream, to []float32, from address) error {
	return d.do(Launching, "cuMemcpyDtoHAsync_v2", uintptr(unsafe.Pointer(&to[0])), uintptr(from), uintptr(4*len(to)),
		uintptr(s))
}

func (d *driver) newStream() (s stream, err error) {
	const nonBlocking = 1
	return s, d.apart(Launching, "cuStreamCreate", uintptr(unsafe.Pointer(&s)), nonBlocking)
}

func (d *driver) newEvent() (e event, err error) {
	const noTiming = 2
	return e, d.do(Launching, "cuEventCreate", uintptr(unsafe.Pointer(&e)), noTiming)
}

// newTimer returns an event that records its time.
func (d *driver) newTimer() (e event, err error) {
	return e, d.do(Launching, "cuEventCreate", uintptr(unsafe.Pointer(&e)), 0)
}

func (d *driver) record(e event, s stream) error {
	return d.do(Launching, "cuEventRecord", uintptr(e), uintptr(s))
}

// query reports whether the GPU has reached an event.
func (d *driver) query(e event) (bool, error) {
	const notReady = 600
	code := d.call("cuEventQuery", uintptr(e))
	if code == notReady {
		return false, nil
	}
	return code == 0, d.check(Launching, "cuEventQuery", code)
}

func (d *driver) wait(s stream, e event) error {
	return d.do(Launching, "cuStreamWaitEvent", uintptr(s), uintptr(e), 0)
}

func (d *driver) unload(m module) {
	if m != 0 {
		d.apart(Launching, "cuModuleUnload", uintptr(m))
	}
}

func (d *driver) load(cubin []byte) (m module, err error) {
	return m, d.apart(Compiling, "cuModuleLoadData", uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&cubin[0])))
}

func (d *driver) function(m module, name string) (k kernel, err error) {
	text := append([]byte(name), 0)
	if err := d.apart(Compiling, "cuModuleGetFunction", uintptr(unsafe.Pointer(&k)), uintptr(m),
		uintptr(unsafe.Pointer(&text[0]))); err != nil {
		return 0, fmt.Errorf("%w: kernel %s", err, name)
	}
	if d.lazy { // load it now, not during a recording
		err = d.apart(Compiling, "cuFuncLoad", uintptr(k))
	}
	return k, err
}

// launch starts the blocks of a kernel, the same number in each of several memories.
func (d *driver) launch(k kernel, s stream, blocks, memories int, args arguments) error {
	// The driver knows the number of arguments. The stand-in for it looks for the end of the list.
	params := make([]*uint64, len(args)+1)
	for i := range args {
		params[i] = &args[i]
	}
	return d.do(Launching, "cuLaunchKernel", uintptr(k), uintptr(blocks), uintptr(memories), 1, gpu.BlockSize, 1, 1, 0,
		uintptr(s), uintptr(unsafe.Pointer(&params[0])), 0)
}

// capture records as a graph what f adds to the stream, and to streams that wait for it. f must not make the calls that
// recordings keeps apart: it would wait for itself.
func (d *driver) capture(s stream, f func() error) (graph, error) {
	const thisThread = 1
	recordings.Lock()
	defer recordings.Unlock()
	if err := d.do(Launching, "cuStreamBeginCapture_v2", uintptr(s), thisThread); err != nil {
		return 0, err
	}
	failed := f()
	var recorded, ready uintptr
	err := d.do(Launching, "cuStreamEndCapture", uintptr(s), uintptr(unsafe.Pointer(&recorded)))
	if failed != nil {
		err = failed
	}
	if err == nil {
		err = d.do(Launching, "cuGraphInstantiateWithFlags", uintptr(unsafe.Pointer(&ready)), recorded, 0)
	}
	if recorded != 0 {
		d.call("cuGraphDestroy", recorded)
	}
	return graph(ready), err
}
