//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"nacre/core"
	"nacre/core/gpu"
)

// memory implements core.Memory: all parameters in one buffer, then both moments in the same order, then the step counts,
// two floats each (see optimiser.wgsl).
type memory struct {
	gpu    *device
	buffer handle
	total  int // floats of all parameters
	specs  []core.ParamSpec
	index  map[string]int
	offset []int // by parameter

	mu      sync.Mutex
	queued  []recording // updates that are yet to be submitted
	work    int64       // their operations
	version int         // counts what may have changed parameters
	mirror  core.Memory
	copied  int // version the mirror holds
}

func (d *device) NewMemory(specs []core.ParamSpec) (core.Memory, error) {
	m := &memory{gpu: d, index: map[string]int{}}
	for _, s := range specs {
		if s.Name == "" || s.Rows < 1 || s.Cols < 1 {
			return nil, fmt.Errorf("webgpu: parameter %q has shape %d×%d; want a name and at least 1×1", s.Name, s.Rows, s.Cols)
		}
		if _, ok := m.index[s.Name]; ok {
			return nil, fmt.Errorf("webgpu: parameter %q is declared twice", s.Name)
		}
		m.index[s.Name] = len(m.specs)
		m.specs = append(m.specs, s)
		m.offset = append(m.offset, m.total)
		m.total += gpu.RoundUp(s.Rows * gpu.Pitch(s.Cols))
	}
	var err error
	if m.buffer, err = d.room("parameters", 3*m.total+2*len(m.specs)); err != nil {
		return nil, err
	}
	runtime.AddCleanup(m, func(b handle) { d.freeBuffer(b) }, m.buffer) // a Memory has no Close
	return m, nil
}

// room makes a storage buffer, unless it is larger than the adapter can bind.
func (d *device) room(what string, words int) (handle, error) {
	if int64(words) > d.info.Storage/4 {
		var none handle
		return none, &Error{Limits, fmt.Sprintf("%.1f MB for %s: this adapter's buffers hold %.1f MB at most", float64(words)*4e-6, what, float64(d.info.Storage)*1e-6)}
	}
	return d.newBuffer(what, words, false)
}

func (m *memory) Params() []core.ParamSpec { return append([]core.ParamSpec(nil), m.specs...) }

// The places of parameter i in the buffer: weights (part 0), first and second moments (1, 2), and its step count.
func (m *memory) at(i, part int) int { return part*m.total + m.offset[i] }
func (m *memory) count(i int) int    { return 3*m.total + 2*i }

// entry finds parameter and part of an entry; part 3 is the step count.
func (m *memory) entry(name string, n int) (i, part int, err error) {
	i, ok := m.index[name]
	if !ok {
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			if i, ok = m.index[name[:dot]]; ok {
				part = 1 + strings.Index("mvt", name[dot+1:])
				ok = part > 0 && len(name) == dot+2
			}
		}
	}
	if !ok {
		return 0, 0, fmt.Errorf("webgpu: no entry %q in memory", name)
	}
	want := m.specs[i].Rows * m.specs[i].Cols
	if part == 3 {
		want = 1
	}
	if n != want {
		return 0, 0, fmt.Errorf("webgpu: entry %q holds %d numbers, got a slice of %d", name, want, n)
	}
	return i, part, nil
}

// highCount is what the second float of a step count counts.
const highCount = 1 << 20

func (m *memory) Read(entry string, dst []float64) error {
	i, part, err := m.entry(entry, len(dst))
	if err != nil {
		return err
	}
	if part == 3 {
		return m.read(m.count(i), 2, func(x []float32) { dst[0] = float64(x[0]) + highCount*float64(x[1]) })
	}
	s := m.specs[i]
	return m.read(m.at(i, part), s.Rows*gpu.Pitch(s.Cols), func(x []float32) { gather(dst, x, s.Cols) })
}

// read waits for everything that was given to the GPU and reads floats of the buffer.
func (m *memory) read(at, n int, use func([]float32)) error {
	if err := m.flush(); err != nil {
		return err
	}
	f, err := m.gpu.fetch(m.buffer, at, n)
	if err != nil {
		return err
	}
	return f.wait(func(words []uint32) { use(floats(words)) })
}

func (m *memory) Write(entry string, src []float64) error {
	i, part, err := m.entry(entry, len(src))
	if err != nil {
		return err
	}
	if err := m.flush(); err != nil {
		return err
	}
	m.changed()
	if part == 3 {
		if !(src[0] >= 0 && src[0] < 1<<44 && src[0] == math.Trunc(src[0])) {
			return fmt.Errorf("webgpu: entry %q counts steps, got %g", entry, src[0])
		}
		high := math.Floor(src[0] / highCount)
		return m.gpu.write(m.buffer, m.count(i), words([]float32{float32(src[0] - high*highCount), float32(high)}))
	}
	s := m.specs[i]
	buf := make([]float32, s.Rows*gpu.Pitch(s.Cols))
	scatter(buf, src, s.Cols)
	return m.gpu.write(m.buffer, m.at(i, part), words(buf))
}

// submission is how many operations of matrix products are given to the GPU at once: systems take a GPU away from a program
// that holds it for seconds, and a slow one does a tenth of this in a tenth of a second.
const submission = 2e10

// enqueue adds an update to those that are to be submitted, and submits them where they are enough.
func (m *memory) enqueue(r recording, flops int64, now bool) error {
	m.mu.Lock()
	m.queued, m.work = append(m.queued, r), m.work+flops
	now = now || m.work >= submission
	m.mu.Unlock()
	if now {
		return m.flush()
	}
	return nil
}

// flush submits what is queued.
func (m *memory) flush() error {
	m.mu.Lock()
	list := m.queued
	m.queued, m.work = nil, 0
	m.mu.Unlock()
	if len(list) == 0 {
		return m.gpu.check()
	}
	return m.gpu.submit(list)
}

// changed notes that parameters may be about to change.
func (m *memory) changed() {
	m.mu.Lock()
	m.version++
	m.mu.Unlock()
}

// host makes, or finds, the parameters' mirror for programs that run on the host.
func (m *memory) host() (core.Memory, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	if m.mirror == nil {
		m.copied = -1
		m.mirror, err = m.gpu.options.Host.NewMemory(m.specs)
	}
	return m.mirror, err
}

// refresh brings the mirror up to date.
func (m *memory) refresh() error {
	m.mu.Lock()
	version := m.version
	fresh := m.copied == version
	m.mu.Unlock()
	if fresh || m.total == 0 {
		return nil
	}
	var failed error
	err := m.read(0, m.total, func(all []float32) {
		for i, s := range m.specs {
			x := make([]float64, s.Rows*s.Cols)
			gather(x, all[m.offset[i]:], s.Cols)
			if failed == nil {
				failed = m.mirror.Write(s.Name, x)
			}
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		m.mu.Lock()
		m.copied = version
		m.mu.Unlock()
	}
	return err
}

type number interface{ float32 | float64 }

// scatter copies a row-major matrix to rows that are gpu.Pitch(cols) apart; gather is its inverse.
func scatter[T number](dst []float32, src []T, cols int) {
	pitch := gpu.Pitch(cols)
	for i := range len(src) / cols {
		for j, x := range src[i*cols : (i+1)*cols] {
			dst[i*pitch+j] = float32(x)
		}
	}
}

func gather[T number](dst []T, src []float32, cols int) {
	pitch := gpu.Pitch(cols)
	for i := range len(dst) / cols {
		for j, x := range src[i*pitch : i*pitch+cols] {
			dst[i*cols+j] = T(x)
		}
	}
}

// words and floats are the same bits under another type.
func words(x []float32) []uint32 {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&x[0])), len(x))
}

func floats(x []uint32) []float32 {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&x[0])), len(x))
}
