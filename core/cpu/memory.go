package cpu

import (
	"fmt"
	"strings"
	"sync"

	"nacre/core"
)

// param is a stored matrix with its optimiser state. byPanel holds w, and byPanelT its transpose, in the order in which
// a product reads them. They are empty until some program multiplies by them. From then on, everything that writes w
// keeps them up to date.
type param struct {
	spec              core.ParamSpec
	slab              *slab // of the memory
	w, m, v           mat
	t                 float64
	byPanel, byPanelT panels
	cut, cutT         halves // the same for products in bfloat16
}

// needPanels fills byPanel, or byPanelT, and keeps it up to date from now on.
func (p *param) needPanels(k *kernels, transposed bool) *panels {
	q, rows, cols := &p.byPanel, p.spec.Rows, p.spec.Cols
	if transposed {
		q, rows, cols = &p.byPanelT, cols, rows
	}
	if q.d == nil {
		*q = k.newPanels(p.slab, rows, cols)
		p.refresh(k, &copyArgs{}, 0, p.spec.Rows)
	}
	return q
}

// needHalves is needPanels for products in bfloat16.
func (p *param) needHalves(k *kernels, transposed bool) *halves {
	q, terms, across := &p.cut, p.spec.Rows, p.spec.Cols
	if transposed {
		q, terms, across = &p.cutT, across, terms
	}
	if q.d == nil {
		*q = newHalves(across, terms)
		p.refresh(k, &copyArgs{}, 0, p.spec.Rows)
	}
	return q
}

// copyArgs holds the arguments that refresh gives to kernels.
type copyArgs struct {
	half      halfArgs
	transpose transposeArgs
}

// refresh copies rows lo..hi-1 of w, lo a multiple of 32, to the panels and halves that exist.
func (p *param) refresh(k *kernels, a *copyArgs, lo, hi int) {
	if p.cut.d != nil {
		p.cut.cutColumns(k.half, &a.half, &p.w, lo, hi, false)
	}
	if p.cutT.d != nil {
		p.cutT.cutRows(k.half, &a.half, &p.w, lo, hi, true)
	}
	if p.byPanel.d != nil {
		p.byPanel.copyRows(&p.w, lo, hi)
	}
	if p.byPanelT.d != nil {
		p.byPanelT.copyTransposed(k, &a.transpose, &p.w, lo, hi)
	}
}

// memory implements core.Memory. Entries are float32 and come back from Read exactly as Write rounded them.
type memory struct {
	kernels *kernels

	mu     sync.Mutex // held while a program is loaded, because loading may add transposes
	specs  []core.ParamSpec
	byName map[string]*param
	slab   *slab
}

func (d *device) NewMemory(params []core.ParamSpec) (core.Memory, error) {
	m := &memory{kernels: d.kernels, byName: map[string]*param{}, slab: &slab{}}
	for _, s := range params {
		if s.Name == "" || s.Rows < 1 || s.Cols < 1 {
			return nil, fmt.Errorf("cpu: parameter %q has shape %d×%d; want a name and at least 1×1", s.Name,
				s.Rows, s.Cols)
		}
		if _, ok := m.byName[s.Name]; ok {
			return nil, fmt.Errorf("cpu: parameter %q is declared twice", s.Name)
		}
		m.specs = append(m.specs, s)
		m.byName[s.Name] = &param{spec: s, slab: m.slab, w: m.slab.mat(s.Rows, s.Cols), m: m.slab.mat(s.Rows, s.Cols),
			v: m.slab.mat(s.Rows, s.Cols)}
	}
	return m, nil
}

func (m *memory) Params() []core.ParamSpec { return append([]core.ParamSpec(nil), m.specs...) }

// entry returns the parameter and the matrix of an entry. For a step count the matrix is nil.
func (m *memory) entry(name string, n int) (*param, *mat, error) {
	p, ok := m.byName[name]
	suffix := ""
	if !ok {
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			suffix = name[i+1:]
			p, ok = m.byName[name[:i]]
		}
	}
	if !ok {
		return nil, nil, fmt.Errorf("cpu: no entry %q in memory", name)
	}
	var d *mat
	want := p.spec.Rows * p.spec.Cols
	switch suffix {
	case "":
		d = &p.w
	case "m":
		d = &p.m
	case "v":
		d = &p.v
	case "t":
		want = 1
	default:
		return nil, nil, fmt.Errorf("cpu: no entry %q in memory: a parameter has .m, .v and .t", name)
	}
	if n != want {
		return nil, nil, fmt.Errorf("cpu: entry %q holds %d numbers, got a slice of %d", name, want, n)
	}
	return p, d, nil
}

func (m *memory) Read(entry string, dst []float64) error {
	p, d, err := m.entry(entry, len(dst))
	switch {
	case err != nil:
		return err
	case d == nil:
		dst[0] = p.t
	default:
		extract(dst, d)
	}
	return nil
}

func (m *memory) Write(entry string, src []float64) error {
	p, d, err := m.entry(entry, len(src))
	switch {
	case err != nil:
		return err
	case d == nil:
		p.t = src[0]
	default:
		fill(d, src)
		p.refresh(m.kernels, &copyArgs{}, 0, p.spec.Rows)
	}
	return nil
}
