//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"runtime"

	"nacre/core"
	"nacre/core/gpu"
	"nacre/core/gpu/host"
)

// memory implements core.Memory. One piece of device memory holds all parameters, then both moments in the same order,
// then the step counts. If the device keeps transposed copies of matrices, they come last. Everything that runs on a
// memory runs on one stream, in order.
type memory struct {
	*host.Parameters
	gpu    *device
	turned []int  // by parameter: where its copy begins, in floats from the base; 0 if it has none
	end    int    // floats of everything together
	group  *group // memories whose programs run as one; nil if this one runs alone
	stream stream
	base   address
}

func (g *device) NewMemory(specs []core.ParamSpec) (core.Memory, error) {
	p, err := host.New("cuda", specs)
	if err != nil {
		return nil, err
	}
	m := &memory{Parameters: p, gpu: g}
	m.layOut()
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

// size is the number of floats of the parameters and of all that belongs to them.
func (m *memory) size() int { return m.end }

// layOut gives everything its place.
func (m *memory) layOut() {
	m.end = gpu.RoundUp(3*m.Total + 2*len(m.Specs) + gpu.Align)
	m.turned = make([]int, len(m.Specs))
	for i, s := range m.Specs {
		if Planning(m.gpu.options).Transposes && gpu.Turns(s.Rows, s.Cols) {
			m.turned[i] = m.end
			m.end += gpu.RoundUp(gpu.Room(s.Cols, s.Rows))
		}
	}
}

// turn returns the address of parameter i's transposed copy; 0 if there is none.
func (m *memory) turn(i int) address {
	if m.turned[i] == 0 {
		return 0
	}
	return m.base + address(4*m.turned[i])
}

// hold makes a stream and allocates n floats. Both are freed with their owner, which has no Close.
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

// held is what a memory holds on the GPU.
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

// at returns the address of a part of parameter i, count that of its step count, a float64.
func (m *memory) at(i int, part host.Part) address {
	return m.base + address(4*(int(part)*m.Total+m.Offset[i]))
}
func (m *memory) count(i int) address { return m.base + address(4*3*m.Total+8*i) }

// settle enters the GPU and waits for all work on the memory.
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
	i, part, err := m.Entry(entry, len(dst))
	if err != nil {
		return err
	}
	leave, err := m.settle()
	if err != nil {
		return err
	}
	defer leave()
	if part == host.Count {
		return download(m.gpu.driver, dst, m.count(i))
	}
	s := m.Specs[i]
	buf := make([]float32, host.Size(s.Rows, s.Cols))
	err = download(m.gpu.driver, buf, m.at(i, part))
	host.Gather(dst, buf, s.Cols)
	return err
}

func (m *memory) Write(entry string, src []float64) error {
	i, part, err := m.Entry(entry, len(src))
	if err != nil {
		return err
	}
	leave, err := m.settle()
	if err != nil {
		return err
	}
	defer leave()
	m.Changed()
	if part == host.Count {
		return upload(m.gpu.driver, m.count(i), src)
	}
	s := m.Specs[i]
	buf := make([]float32, host.Size(s.Rows, s.Cols))
	host.Scatter(buf, src, s.Cols)
	return m.put(i, part, buf)
}

// put writes a part of parameter i, given with padded rows, and the part's transposed copy.
func (m *memory) put(i int, part host.Part, rows []float32) error {
	if err := upload(m.gpu.driver, m.at(i, part), rows); err != nil || part != host.Weights || m.turned[i] == 0 {
		return err
	}
	s := m.Specs[i]
	turned := make([]float32, host.Size(s.Cols, s.Rows))
	for r := range s.Rows {
		for c := range s.Cols {
			turned[c*gpu.Pitch(s.Rows)+r] = rows[r*gpu.Pitch(s.Cols)+c]
		}
	}
	return upload(m.gpu.driver, m.turn(i), turned)
}

// all returns the parameters.
func (m *memory) all() ([]float32, error) {
	leave, err := m.settle()
	if err != nil {
		return nil, err
	}
	defer leave()
	x := make([]float32, m.Total)
	return x, download(m.gpu.driver, x, m.base)
}
