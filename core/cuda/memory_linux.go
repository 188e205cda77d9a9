//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"nacre/core"
	"nacre/core/gpu"
)

// memory implements core.Memory: all parameters in one piece of device memory, then both moments in the same order, then
// the step counts. Everything that runs on it runs on one stream, in order.
type memory struct {
	gpu    *device
	group  *group // of memories whose programs run as one; nil for one by itself
	stream stream
	base   address
	total  int // floats of all parameters
	specs  []core.ParamSpec
	index  map[string]int
	offset []int // by parameter, in floats

	mu      sync.Mutex
	version int // counts what may have changed parameters
	mirror  core.Memory
	copied  int // version the mirror holds
}

func (g *device) NewMemory(specs []core.ParamSpec) (core.Memory, error) {
	m := &memory{gpu: g, index: map[string]int{}}
	for _, s := range specs {
		if s.Name == "" || s.Rows < 1 || s.Cols < 1 {
			return nil, fmt.Errorf("cuda: parameter %q has shape %d×%d; want a name and at least 1×1", s.Name, s.Rows, s.Cols)
		}
		if _, ok := m.index[s.Name]; ok {
			return nil, fmt.Errorf("cuda: parameter %q is declared twice", s.Name)
		}
		m.index[s.Name] = len(m.specs)
		m.specs = append(m.specs, s)
		m.offset = append(m.offset, m.total)
		m.total += gpu.RoundUp(s.Rows * gpu.Pitch(s.Cols))
	}
	leave, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	if g.options.Together > 1 {
		return m, g.gather(m)
	}
	if m.stream, m.base, err = g.hold(m, m.size()); err != nil {
		return nil, err
	}
	return m, nil
}

// size is the floats that the parameters and all that belongs to them take.
func (m *memory) size() int { return gpu.RoundUp(3*m.total + 2*len(m.specs) + gpu.Align) }

// hold makes a stream and allocates n floats for an owner that has no Close: they go with it.
func (g *device) hold(owner any, n int) (s stream, base address, err error) {
	if s, err = g.newStream(); err != nil {
		return 0, 0, err
	}
	if base, err = g.alloc("parameters", n); err != nil {
		g.call("cuStreamDestroy_v2", uintptr(s))
		g.free(base)
		return 0, 0, err
	}
	x := held{g.driver, base, s}
	switch o := owner.(type) {
	case *memory:
		runtime.AddCleanup(o, func(x held) { x.release() }, x)
	case *group:
		runtime.AddCleanup(o, func(x held) { x.release() }, x)
	}
	return s, base, nil
}

// held is what a memory has of the GPU.
type held struct {
	*driver
	base   address
	stream stream
}

func (h held) release() {
	if leave, err := h.enter(); err == nil {
		defer leave()
		h.call("cuStreamSynchronize", uintptr(h.stream))
		h.call("cuStreamDestroy_v2", uintptr(h.stream))
		h.free(h.base)
	}
}

func (m *memory) Params() []core.ParamSpec { return append([]core.ParamSpec(nil), m.specs...) }

// The places of parameter i: weights (part 0), first and second moments (1, 2), and its step count, a float64.
func (m *memory) at(i, part int) address { return m.base + address(4*(part*m.total+m.offset[i])) }
func (m *memory) count(i int) address    { return m.base + address(4*3*m.total+8*i) }

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
		return 0, 0, fmt.Errorf("cuda: no entry %q in memory", name)
	}
	want := m.specs[i].Rows * m.specs[i].Cols
	if part == 3 {
		want = 1
	}
	if n != want {
		return 0, 0, fmt.Errorf("cuda: entry %q holds %d numbers, got a slice of %d", name, want, n)
	}
	return i, part, nil
}

// settle enters the GPU and waits for everything that runs on the memory.
func (m *memory) settle() (leave func(), err error) {
	if leave, err = m.gpu.enter(); err != nil {
		return nil, err
	}
	if err = m.group.flush(m); err != nil {
		leave()
		return nil, err
	}
	if err = m.gpu.do(Launching, "cuStreamSynchronize", uintptr(m.stream)); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

func (m *memory) Read(entry string, dst []float64) error {
	i, part, err := m.entry(entry, len(dst))
	if err != nil {
		return err
	}
	leave, err := m.settle()
	if err != nil {
		return err
	}
	defer leave()
	if part == 3 {
		return download(m.gpu.driver, dst, m.count(i))
	}
	s := m.specs[i]
	buf := make([]float32, s.Rows*gpu.Pitch(s.Cols))
	err = download(m.gpu.driver, buf, m.at(i, part))
	gather(dst, buf, s.Cols)
	return err
}

func (m *memory) Write(entry string, src []float64) error {
	i, part, err := m.entry(entry, len(src))
	if err != nil {
		return err
	}
	leave, err := m.settle()
	if err != nil {
		return err
	}
	defer leave()
	m.changed()
	if part == 3 {
		return upload(m.gpu.driver, m.count(i), src)
	}
	s := m.specs[i]
	buf := make([]float32, s.Rows*gpu.Pitch(s.Cols))
	scatter(buf, src, s.Cols)
	return upload(m.gpu.driver, m.at(i, part), buf)
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
	defer m.mu.Unlock()
	if m.copied == m.version {
		return nil
	}
	leave, err := m.settle()
	if err != nil {
		return err
	}
	defer leave()
	all := make([]float32, m.total)
	if err := download(m.gpu.driver, all, m.base); err != nil {
		return err
	}
	for i, s := range m.specs {
		x := make([]float64, s.Rows*s.Cols)
		gather(x, all[m.offset[i]:], s.Cols)
		if err := m.mirror.Write(s.Name, x); err != nil {
			return err
		}
	}
	m.copied = m.version
	return nil
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
