//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"nacre/core"
	"nacre/core/gpu/host"
	"nacre/internal/wgpu"
)

// memory implements core.Memory: all parameters in one buffer, then both moments in the same order, then the step
// counts, two floats each (see optimiser.wgsl).
type memory struct {
	*host.Parameters
	gpu    *device
	buffer wgpu.Handle

	mu     sync.Mutex
	queued []wgpu.Recording // updates that are yet to be submitted
	work   int64            // their operations
}

func (d *device) NewMemory(specs []core.ParamSpec) (core.Memory, error) {
	p, err := host.New("webgpu", specs)
	if err != nil {
		return nil, err
	}
	m := &memory{Parameters: p, gpu: d}
	if m.buffer, err = d.room("parameters", 3*m.Total+2*len(m.Specs)); err != nil {
		return nil, err
	}
	runtime.AddCleanup(m, func(b wgpu.Handle) { d.FreeBuffer(b) }, m.buffer) // a Memory has no Close
	return m, nil
}

// room makes a storage buffer, unless it is larger than the adapter can bind.
func (d *device) room(what string, words int) (wgpu.Handle, error) {
	if err := d.info.TooLarge(what, words); err != nil {
		var none wgpu.Handle
		return none, err
	}
	return d.NewBuffer(what, words, false)
}

// The places of parameter i in the buffer: one of its parts, and its step count.
func (m *memory) at(i int, part host.Part) int { return int(part)*m.Total + m.Offset[i] }
func (m *memory) count(i int) int              { return 3*m.Total + 2*i }

// highCount is the unit of a step count's second float.
const highCount = 1 << 20

func (m *memory) Read(entry string, dst []float64) error {
	i, part, err := m.Entry(entry, len(dst))
	if err != nil {
		return err
	}
	if part == host.Count {
		return m.read(m.count(i), 2, func(x []float32) { dst[0] = float64(x[0]) + highCount*float64(x[1]) })
	}
	s := m.Specs[i]
	return m.read(m.at(i, part), host.Size(s.Rows, s.Cols), func(x []float32) { host.Gather(dst, x, s.Cols) })
}

// read waits for everything that was given to the GPU and reads floats of the buffer.
func (m *memory) read(at, n int, use func([]float32)) error {
	if err := m.flush(); err != nil {
		return err
	}
	f, err := m.gpu.Fetch(m.buffer, at, n)
	if err != nil {
		return err
	}
	return f.Wait(func(words []uint32) { use(wgpu.Floats(words)) })
}

func (m *memory) Write(entry string, src []float64) error {
	i, part, err := m.Entry(entry, len(src))
	if err != nil {
		return err
	}
	if err := m.flush(); err != nil {
		return err
	}
	m.Changed()
	if part == host.Count {
		if !(src[0] >= 0 && src[0] < 1<<44 && src[0] == math.Trunc(src[0])) {
			return fmt.Errorf("webgpu: entry %q counts steps, got %g", entry, src[0])
		}
		high := math.Floor(src[0] / highCount)
		return m.gpu.Write(m.buffer, m.count(i), wgpu.Words([]float32{float32(src[0] - high*highCount), float32(high)}))
	}
	s := m.Specs[i]
	buf := make([]float32, host.Size(s.Rows, s.Cols))
	host.Scatter(buf, src, s.Cols)
	return m.gpu.Write(m.buffer, m.at(i, part), wgpu.Words(buf))
}

// submission is how many operations of matrix products are given to the GPU at once: systems take a GPU away from a
// program that holds it for seconds, and a slow one does a tenth of this in a tenth of a second.
const submission = 2e10

// enqueue adds an update to those that are to be submitted, and submits them where they are enough.
func (m *memory) enqueue(r wgpu.Recording, flops int64, now bool) error {
	m.mu.Lock()
	m.queued, m.work = append(m.queued, r), m.work+flops
	now = now || m.work >= submission
	m.mu.Unlock()
	if now {
		return m.flush()
	}
	return nil
}

// flush submits the queued updates.
func (m *memory) flush() error {
	m.mu.Lock()
	list := m.queued
	m.queued, m.work = nil, 0
	m.mu.Unlock()
	if len(list) == 0 {
		return m.gpu.Check()
	}
	return m.gpu.Submit(list)
}

// all reads the parameters.
func (m *memory) all() (x []float32, err error) {
	err = m.read(0, m.Total, func(words []float32) { x = slices.Clone(words) })
	return x, err
}
