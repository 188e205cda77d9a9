package ref

import (
	"fmt"
	"math"
	"strings"

	"nacre/core"
)

// param is a stored matrix with Adam's moments and step count.
type param struct {
	spec    core.ParamSpec
	w, m, v []float64
	t       []float64
}

type memory struct {
	specs  []core.ParamSpec
	byName map[string]*param
}

func (device) NewMemory(params []core.ParamSpec) (core.Memory, error) {
	mem := &memory{byName: map[string]*param{}}
	for _, s := range params {
		if s.Name == "" || s.Rows < 1 || s.Cols < 1 {
			return nil, fmt.Errorf("ref: parameter %q has shape %d×%d; want a name and at least 1×1", s.Name,
				s.Rows, s.Cols)
		}
		if _, ok := mem.byName[s.Name]; ok {
			return nil, fmt.Errorf("ref: parameter %q is declared twice", s.Name)
		}
		n := s.Rows * s.Cols
		mem.specs = append(mem.specs, s)
		mem.byName[s.Name] = &param{spec: s, w: make([]float64, n), m: make([]float64, n), v: make([]float64, n),
			t: make([]float64, 1)}
	}
	return mem, nil
}

func (m *memory) Params() []core.ParamSpec { return append([]core.ParamSpec(nil), m.specs...) }

// entry finds a slice by its name, checking the length of the caller's.
func (m *memory) entry(name string, n int) ([]float64, error) {
	p, ok := m.byName[name]
	var d []float64
	if ok {
		d = p.w
	} else if i := strings.LastIndexByte(name, '.'); i > 0 {
		if p, ok = m.byName[name[:i]]; ok {
			d = map[string][]float64{"m": p.m, "v": p.v, "t": p.t}[name[i+1:]]
		}
	}
	if d == nil {
		return nil, fmt.Errorf("ref: no entry %q in memory", name)
	}
	if len(d) != n {
		return nil, fmt.Errorf("ref: entry %q holds %d numbers, got a slice of %d", name, len(d), n)
	}
	return d, nil
}

func (m *memory) Read(entry string, dst []float64) error {
	d, err := m.entry(entry, len(dst))
	copy(dst, d)
	return err
}

func (m *memory) Write(entry string, src []float64) error {
	d, err := m.entry(entry, len(src))
	copy(d, src)
	return err
}

// adam makes one step along gradient g.
func (p *param) adam(o core.Adam, g []float64) {
	p.t[0]++
	c1, c2 := 1-math.Pow(o.Beta1, p.t[0]), 1-math.Pow(o.Beta2, p.t[0])
	for i := range p.w {
		p.m[i] = o.Beta1*p.m[i] + (1-o.Beta1)*g[i]
		p.v[i] = o.Beta2*p.v[i] + (1-o.Beta2)*g[i]*g[i]
		p.w[i] -= o.LR * (p.m[i] / c1) / (math.Sqrt(p.v[i]/c2) + o.Eps)
	}
}
