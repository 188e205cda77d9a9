// Package ref runs compiled programs (core.Program) in float64 as core/op defines them: one instruction after the
// other, every operation as its definition says. It is the judge of the fast executors, not their rival.
//
//	m, err := ref.Device.NewMemory(program.ParamSpecs())
//	r, err := ref.Device.Load(program, m)
//	r.Write64("x", x)
//	err = r.Run()
//	r.Read64("loss", loss)
package ref

import (
	"errors"
	"fmt"
	"math"

	"nacre/core"
	"nacre/core/op"
)

// Device is the reference executor.
var Device core.Device = device{}

type device struct{}

func (device) Name() string { return "ref/float64" }

func (device) Load(p *core.Program, m core.Memory) (core.Runner, error) {
	mem, ok := m.(*memory)
	if !ok {
		return nil, fmt.Errorf("ref: the memory belongs to another device (%T)", m)
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("ref: %w", err)
	}
	r := &runner{p: p, vals: make([]op.Mat, len(p.Values))}
	for i, v := range p.Values {
		r.vals[i] = op.Mat{Rows: v.Rows, Cols: v.Cols}
		if v.Kind != core.Param {
			r.vals[i].Data = make([]float64, v.Rows*v.Cols)
		}
		if v.Kind == core.Const {
			r.vals[i].Data[0] = v.Fill
		}
	}
	stores := map[int]*param{}
	for _, s := range p.ParamSpecs() {
		w, ok := mem.byName[s.Name]
		if !ok || w.spec != s {
			return nil, fmt.Errorf("ref: program %q needs parameter %q %d×%d, which the memory does not hold", p.Name,
				s.Name, s.Rows, s.Cols)
		}
		for i, v := range p.Values {
			if v.Kind == core.Param && v.Store == s.Name {
				r.vals[i].Data = w.w
				stores[i] = w
			}
		}
	}
	for _, l := range p.Levels {
		for _, part := range [][]core.Instr{l.Whole, l.Tiled} {
			for _, in := range part {
				r.steps = append(r.steps, r.step(in, stores))
			}
		}
	}
	return r, nil
}

type runner struct {
	p      *core.Program
	vals   []op.Mat
	steps  []func()
	closed bool
}

// step prepares one instruction.
func (r *runner) step(in core.Instr, stores map[int]*param) func() {
	dst := r.vals[in.Out]
	args := make([]op.Mat, len(in.In))
	for i, v := range in.In {
		args[i] = r.vals[v]
	}
	switch o := in.Op.(type) {
	case core.Adam:
		w, g := stores[in.Out], args[1].Data
		return func() { w.adam(o, g) }
	case core.EMA:
		w, src := dst.Data, args[1].Data
		return func() {
			for i := range w {
				w[i] = (1-o.Tau)*w[i] + o.Tau*src[i]
			}
		}
	case core.Norm:
		return func() { dst.Data[0] = norm(args) }
	}
	o := in.Op.(op.Op)
	return func() {
		clear(dst.Data)
		o.Eval(dst, args)
	}
}

func norm(ms []op.Mat) float64 {
	sum := 0.0
	for _, m := range ms {
		for _, x := range m.Data {
			sum += x * x
		}
	}
	return math.Sqrt(sum)
}

var errClosed = errors.New("ref: the program is closed")

func (r *runner) Run() error {
	if r.closed {
		return errClosed
	}
	for _, step := range r.steps {
		step()
	}
	return nil
}

func (r *runner) Close() error {
	r.closed, r.vals, r.steps = true, nil, nil
	return nil
}

func (r *runner) input(name string, n int) ([]float64, error) {
	if r.closed {
		return nil, errClosed
	}
	i, ok := r.p.Inputs[name]
	if !ok {
		return nil, fmt.Errorf("ref: program %q has no input %q", r.p.Name, name)
	}
	return r.sized(i, "input", name, n)
}

func (r *runner) output(name string, n int) ([]float64, error) {
	if r.closed {
		return nil, errClosed
	}
	i, ok := r.p.Outputs[name]
	if !ok {
		return nil, fmt.Errorf("ref: program %q has no output %q", r.p.Name, name)
	}
	return r.sized(i, "output", name, n)
}

func (r *runner) sized(i int, kind, name string, n int) ([]float64, error) {
	m := r.vals[i]
	if n != len(m.Data) {
		return nil, fmt.Errorf("ref: %s %q is %d×%d, got a slice of %d numbers", kind, name, m.Rows, m.Cols, n)
	}
	return m.Data, nil
}

func (r *runner) Write64(input string, src []float64) error {
	dst, err := r.input(input, len(src))
	copy(dst, src)
	return err
}

func (r *runner) Write(input string, src []float32) error {
	dst, err := r.input(input, len(src))
	for i := range dst {
		dst[i] = float64(src[i])
	}
	return err
}

func (r *runner) Read64(output string, dst []float64) error {
	src, err := r.output(output, len(dst))
	copy(dst, src)
	return err
}

func (r *runner) Read(output string, dst []float32) error {
	src, err := r.output(output, len(dst))
	for i := range src {
		dst[i] = float32(src[i])
	}
	return err
}
