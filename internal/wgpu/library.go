//go:build (linux || darwin) && (amd64 || arm64) && !nogpu

package wgpu

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"nacre/internal/dynlib"
	"nacre/internal/home"
)

// The structs of webgpu.h that calls take, as the library's release lays them out; a test compares them with its
// header.
type (
	stringView struct {
		data   *byte
		length uintptr
	}
	callbackInfo struct {
		next     uintptr
		mode     uint32
		_        uint32
		callback uintptr
		user1    uintptr
		user2    uintptr
	}
	uncapturedInfo struct{ next, callback, user1, user2 uintptr }
	adapterInfo    struct {
		next                                      uintptr
		vendor, architecture, device, description stringView
		backend, kind                             uint32
		vendorID, deviceID, subgroupMin, subgroup uint32
	}
	limits struct {
		next uintptr
		_    [4]uint32 // textures
		_    [3]uint32 // bind groups
		_    [4]uint32
		// maxStorageBuffersPerShaderStage
		storageBuffers           uint32
		_                        [2]uint32
		uniformBinding           uint64
		storageBinding           uint64
		_                        [3]uint32
		_                        uint32
		bufferSize               uint64
		_                        [5]uint32
		sharedBytes, invocations uint32
		sizeX, sizeY, sizeZ      uint32
		workgroups               uint32
		_                        uint32
	}
	deviceDescriptor struct {
		next             uintptr
		label            stringView
		featureCount     uintptr
		features         uintptr
		limits           *limits
		queueNext        uintptr
		queueLabel       stringView
		deviceLost       callbackInfo
		uncapturedErrors uncapturedInfo
	}
	shaderSource struct {
		_    uintptr // next
		kind uint32
		_    uint32
		code stringView
	}
	shaderDescriptor struct {
		next  *shaderSource
		label stringView
	}
	pipelineDescriptor struct {
		next          uintptr
		label         stringView
		layout        uintptr
		stageNext     uintptr
		module        uintptr
		entry         stringView
		constantCount uintptr
		constants     uintptr
	}
	layoutEntry struct {
		_          uintptr // next
		binding    uint32
		_          uint32
		visibility uint64
		_          uint32 // arraySize
		_          uint32
		_          uintptr // bufferNext
		kind       uint32
		dynamic    uint32
		minimum    uint64
		_          [8]uint64 // sampler, texture and storage texture: none
	}
	listDescriptor struct { // of a bind group layout
		next    uintptr
		label   stringView
		count   uintptr
		entries *layoutEntry
	}
	layoutDescriptor struct { // of a pipeline layout
		next      uintptr
		label     stringView
		count     uintptr
		layouts   *uintptr
		immediate uint32
		_         uint32
	}
	groupEntry struct {
		_       uintptr // next
		binding uint32
		_       uint32
		buffer  uintptr
		_       uint64 // offset
		size    uint64
		_       [2]uintptr
	}
	groupDescriptor struct {
		next    uintptr
		label   stringView
		layout  uintptr
		count   uintptr
		entries *groupEntry
	}
	bufferDescriptor struct {
		next   uintptr
		label  stringView
		usage  uint64
		size   uint64
		mapped uint32
		_      uint32
	}
	enumerateOptions struct {
		next     uintptr
		backends uint64
	}
)

const (
	wgslSource    = 2
	spontaneous   = 3 // a callback may come at any time
	forCompute    = 4 // visibility
	mapForReading = 1
	onProcessor   = 3 // kind of an adapter
	primary       = 1<<0 | 1<<2 | 1<<3
	outOfMemory   = 3
)

var backendNames = map[uint32]string{4: "Direct3D 12", 5: "Metal", 6: "Vulkan", 7: "OpenGL", 8: "OpenGL ES"}

var symbols = []string{
	"wgpuCreateInstance", "wgpuInstanceEnumerateAdapters", "wgpuAdapterGetInfo", "wgpuAdapterInfoFreeMembers",
	"wgpuAdapterGetLimits",
	"wgpuAdapterRequestDevice", "wgpuAdapterRelease", "wgpuDeviceGetQueue", "wgpuDeviceCreateBuffer",
	"wgpuDeviceCreateShaderModule",
	"wgpuDeviceCreateComputePipeline", "wgpuDeviceCreateBindGroupLayout", "wgpuDeviceCreatePipelineLayout",
	"wgpuDeviceCreateBindGroup",
	"wgpuDeviceCreateCommandEncoder", "wgpuDevicePoll", "wgpuDeviceDestroy", "wgpuQueueSubmit", "wgpuQueueWriteBuffer",
	"wgpuBufferMapAsync",
	"wgpuBufferGetConstMappedRange", "wgpuBufferUnmap", "wgpuBufferDestroy", "wgpuBufferRelease",
	"wgpuCommandEncoderBeginComputePass",
	"wgpuCommandEncoderCopyBufferToBuffer", "wgpuCommandEncoderFinish", "wgpuCommandEncoderRelease",
	"wgpuCommandBufferRelease", "wgpuComputePassEncoderSetPipeline", "wgpuComputePassEncoderSetBindGroup",
	"wgpuComputePassEncoderDispatchWorkgroups", "wgpuComputePassEncoderEnd", "wgpuComputePassEncoderRelease",
	"wgpuShaderModuleRelease",
	"wgpuComputePipelineRelease", "wgpuBindGroupRelease",
}

// library is a loaded library that speaks webgpu.h.
type library struct {
	path     string
	instance uintptr
	symbols  map[string]uintptr
}

// call calls a function; arguments that are pointers stay where they are while it runs.
//
//go:uintptrescapes
func (l *library) call(symbol string, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(l.symbols[symbol], args...)
	return r
}

// callBack calls a function whose last argument is a callback's struct by value: of its 40 bytes, amd64 puts five words
// on the stack, after the six that registers take, and arm64 hands a pointer over.
//
//go:uintptrescapes
func (l *library) callBack(symbol string, info *callbackInfo, args ...uintptr) {
	if runtime.GOARCH == "arm64" {
		args = append(args, uintptr(unsafe.Pointer(info)))
	} else {
		for len(args) < 6 {
			args = append(args, 0)
		}
		args = append(args, (*[5]uintptr)(unsafe.Pointer(info))[:]...)
	}
	purego.SyscallN(l.symbols[symbol], args...)
	runtime.KeepAlive(info)
}

var opened struct {
	sync.Mutex
	of map[string]*library
}

// paths is where the library may lie.
func paths() []string {
	if p := os.Getenv(EnvLibrary); p != "" {
		return []string{p}
	}
	return home.Places(home.WebGPU, "lib", home.WebGPULibrary())
}

// openLibrary loads the library, once.
func openLibrary() (*library, error) {
	opened.Lock()
	defer opened.Unlock()
	quietLayers()
	var missing error
	for _, path := range paths() {
		if l := opened.of[path]; l != nil {
			return l, nil
		}
		h := uintptr(0)
		err := dynlib.Whole(path)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		} else {
			h, err = purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
		}
		if err != nil {
			if _, absent := os.Stat(path); absent == nil { // it is there and still does not load
				missing = err
			}
			continue
		}
		l := &library{path: path, symbols: map[string]uintptr{}}
		for _, s := range symbols {
			if l.symbols[s], err = purego.Dlsym(h, s); err != nil {
				return nil, &Error{NoLibrary,
					fmt.Sprintf("%s has no function %s: it is not the library that nacre setup fetches", path, s)}
			}
		}
		if l.instance = l.call("wgpuCreateInstance", 0); l.instance == 0 {
			return nil, &Error{NoLibrary, path + ": wgpuCreateInstance gave nothing"}
		}
		if opened.of == nil {
			opened.of = map[string]*library{}
		}
		opened.of[path] = l
		return l, nil
	}
	if missing != nil {
		return nil, &Error{NoLibrary, missing.Error()}
	}
	return nil, &Error{NoLibrary, "there is no " + paths()[0] + ": nacre setup --gpu fetches it"}
}

// quietLayers leaves out Mesa's layer that asks the display which GPU it is on: where there is no display it complains
// to the terminal each time.
func quietLayers() {
	set, err := purego.Dlsym(purego.RTLD_DEFAULT, "setenv")
	if os.Getenv("XDG_RUNTIME_DIR") != "" || err != nil {
		return
	}
	name, value := []byte("NODEVICE_SELECT\x00"), []byte("1\x00")
	purego.SyscallN(set, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&value[0])), 1)
	runtime.KeepAlive(name)
	runtime.KeepAlive(value)
}

func (s stringView) String() string {
	if s.data == nil || s.length == 0 {
		return ""
	}
	if s.length > 1<<20 {
		n := 0
		for ; n < 1<<16 && *(*byte)(unsafe.Add(unsafe.Pointer(s.data), n)) != 0; n++ {
		}
		s.length = uintptr(n)
	}
	return string(unsafe.Slice(s.data, s.length))
}

// view is a string as the library takes it.
func view(s string) stringView {
	if s == "" {
		return stringView{}
	}
	return stringView{unsafe.StringData(s), uintptr(len(s))}
}

// adapter is one that the library has found.
type adapter struct {
	handle uintptr
	info   Info
	limits limits
}

// adapters lists all, those of real GPUs first. Their handles are the caller's to release.
func (l *library) adapters() ([]adapter, error) {
	o := &enumerateOptions{backends: primary}
	n := int(l.call("wgpuInstanceEnumerateAdapters", l.instance, uintptr(unsafe.Pointer(o)), 0))
	if n == 0 {
		return nil, nil
	}
	handles := make([]uintptr, n)
	n = min(n, int(l.call("wgpuInstanceEnumerateAdapters", l.instance, uintptr(unsafe.Pointer(o)),
		uintptr(unsafe.Pointer(&handles[0])))))
	var gpus, software []adapter
	for _, h := range handles[:n] {
		a := adapter{handle: h}
		i := &adapterInfo{}
		l.call("wgpuAdapterGetInfo", h, uintptr(unsafe.Pointer(i)))
		a.info = Info{Name: i.device.String(), Driver: i.description.String(), Backend: backendNames[i.backend],
			Software: i.kind == onProcessor}
		callByValue(l, "wgpuAdapterInfoFreeMembers", i)
		lim := &limits{}
		l.call("wgpuAdapterGetLimits", h, uintptr(unsafe.Pointer(lim)))
		a.limits = *lim
		a.info.Storage, a.info.Shared = int64(min(lim.storageBinding, lim.bufferSize)), int(lim.sharedBytes)
		if a.info.Software {
			software = append(software, a)
		} else {
			gpus = append(gpus, a)
		}
	}
	return append(gpus, software...), nil
}

// callByValue hands a large struct over by value: on amd64 on the stack, after six words in registers, on arm64 by
// pointer.
func callByValue(l *library, symbol string, i *adapterInfo) {
	if runtime.GOARCH == "arm64" {
		l.call(symbol, uintptr(unsafe.Pointer(i)))
		return
	}
	words := (*[unsafe.Sizeof(adapterInfo{}) / 8]uintptr)(unsafe.Pointer(i))
	l.call(symbol, append(make([]uintptr, 6), words[:]...)...)
}
