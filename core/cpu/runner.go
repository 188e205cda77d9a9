package cpu

import (
	"errors"
	"fmt"

	"nacre/core"
	"nacre/internal/breathe"
)

// runner implements core.Runner.
type runner struct {
	p       *core.Program
	mats    []mat // by value; d is nil for values that exist only in tiles
	phases  []phase
	workers []*worker
	pool    *pool
	plan    Execution
	closed  bool
}

func (d *device) Load(p *core.Program, m core.Memory) (core.Runner, error) {
	mem, ok := m.(*memory)
	if !ok {
		return nil, fmt.Errorf("cpu: the memory belongs to another device (%T)", m)
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("cpu: %w", err)
	}
	for _, s := range p.ParamSpecs() {
		if w, ok := mem.byName[s.Name]; !ok || w.spec != s {
			return nil, fmt.Errorf("cpu: program %q needs parameter %q %d×%d, which the memory does not hold", p.Name,
				s.Name, s.Rows, s.Cols)
		}
	}
	mem.mu.Lock()
	defer mem.mu.Unlock()
	segs := segments(p)
	from := &slab{}
	b := newBuilder(d, planStorage(p, segs), mem, from)
	r := &runner{p: p, mats: b.mats, pool: d.pool}
	count := 1
	for _, seg := range segs {
		for _, ph := range b.phases(seg, d.pool.size) {
			r.phases = append(r.phases, ph)
			if ph.parallel {
				count = d.pool.size
			}
		}
	}
	if b.err != nil {
		return nil, fmt.Errorf("cpu: program %q: %w", p.Name, b.err)
	}
	for range count {
		w := &worker{k: d.kernels, arena: from.floats(b.arena), scratch: from.floats(b.scratch), offer: newOffer()}
		if b.halfA > 0 {
			w.half = newHalfScratch(b.halfA, b.halfB)
		}
		r.workers = append(r.workers, w)
	}
	r.plan = Execution{Program: p.Name, Workers: count, Tiles: p.Tiles(), Lanes: b.lanes, Regions: b.regions,
		Buffers: b.buffers(count)}
	d.pool.acquire()
	return r, nil
}

// newBuilder allocates the values of a program as its memory plan says.
func newBuilder(d *device, s *storage, mem *memory, from *slab) *builder {
	b := &builder{storage: s, k: d.kernels, shareFrom: d.shareFrom, mats: make([]mat, len(s.p.Values)),
		params: make([]*param, len(s.p.Values))}
	shared := from.floats(s.shared)
	if s.laneLen > 0 {
		all := from.floats(s.lanes * s.laneLen)
		for i := range s.lanes {
			b.lane = append(b.lane, all[i*s.laneLen:][:s.laneLen])
		}
	}
	for i, v := range s.p.Values {
		b.mats[i] = mat{nil, v.Rows, v.Cols, pad16(v.Cols)}
		switch s.place[i] {
		case stored:
			b.params[i] = mem.byName[v.Store]
			b.mats[i] = b.params[i].w
		case full, laneSummed:
			b.mats[i] = from.mat(v.Rows, v.Cols)
		case passing:
			b.mats[i].d = shared[s.offset[i] : s.offset[i]+s.size(i)]
		}
		if v.Kind == core.Const {
			b.mats[i].d[0] = float32(v.Fill)
		}
	}
	return b
}

// Run executes the program once.
func (r *runner) Run() error {
	if r.closed {
		return errClosed
	}
	helped := len(r.workers) > 1 && r.pool.busy.TryLock()
	for i := range r.phases {
		ph := &r.phases[i]
		breathe.Now()
		if ph.begin != nil {
			ph.begin()
		}
		if helped && ph.parallel {
			r.pool.share(ph, r.workers)
			continue
		}
		for unit := range ph.units {
			ph.run(r.workers[0], unit)
		}
	}
	if helped {
		r.pool.busy.Unlock()
	}
	return nil
}

var errClosed = errors.New("cpu: the program is closed")

func (r *runner) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.pool.release()
	r.phases, r.workers, r.mats = nil, nil, nil
	return nil
}

// find returns the matrix of a named input or output.
func (r *runner) find(kind, name string, index map[string]int, n int) (*mat, error) {
	if r.closed {
		return nil, errClosed
	}
	i, ok := index[name]
	if !ok {
		return nil, fmt.Errorf("cpu: program %q has no %s %q", r.p.Name, kind, name)
	}
	m := &r.mats[i]
	if n != m.rows*m.cols {
		return nil, fmt.Errorf("cpu: %s %q is %d×%d, got a slice of %d numbers", kind, name, m.rows, m.cols, n)
	}
	return m, nil
}

func (r *runner) Write(input string, src []float32) error   { return write(r, input, src) }
func (r *runner) Write64(input string, src []float64) error { return write(r, input, src) }
func (r *runner) Read(output string, dst []float32) error   { return read(r, output, dst) }
func (r *runner) Read64(output string, dst []float64) error { return read(r, output, dst) }

func write[T number](r *runner, input string, src []T) error {
	m, err := r.find("input", input, r.p.Inputs, len(src))
	if err == nil {
		fill(m, src)
	}
	return err
}

func read[T number](r *runner, output string, dst []T) error {
	m, err := r.find("output", output, r.p.Outputs, len(dst))
	if err == nil {
		extract(dst, m)
	}
	return err
}
