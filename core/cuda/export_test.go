//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"nacre/core"
	"nacre/core/gpu"
	"nacre/core/gpu/host"
	"nacre/core/op"
)

// Evaluate computes every value of a program in float64, by the operations' definitions. Optimiser steps are made from
// moments and counts of zero.
func Evaluate(p *core.Program, params, inputs map[string][]float64) [][]float64 {
	vals := make([][]float64, len(p.Values))
	for v, x := range p.Values {
		switch x.Kind {
		case core.Input:
			vals[v] = inputs[x.Name]
		case core.Const:
			vals[v] = []float64{x.Fill}
		case core.Param:
			vals[v] = params[x.Store]
		}
	}
	mat := func(v int) op.Mat { return op.Mat{Rows: p.Values[v].Rows, Cols: p.Values[v].Cols, Data: vals[v]} }
	for _, l := range p.Levels {
		for _, in := range append(append([]core.Instr(nil), l.Whole...), l.Tiled...) {
			vals[in.Out] = make([]float64, p.Values[in.Out].Rows*p.Values[in.Out].Cols)
			var args []op.Mat
			for _, v := range in.In {
				args = append(args, mat(v))
			}
			dst := mat(in.Out)
			switch o := in.Op.(type) {
			case core.Adam:
				for i, g := range args[1].Data {
					dst.Data[i] = args[0].Data[i] - o.LR*g/(math.Abs(g)+o.Eps)
				}
			case core.EMA:
				for i, x := range args[1].Data {
					dst.Data[i] = (1-o.Tau)*args[0].Data[i] + o.Tau*x
				}
			case core.Norm:
				for _, a := range args {
					for _, x := range a.Data {
						dst.Data[0] += x * x
					}
				}
				dst.Data[0] = math.Sqrt(dst.Data[0])
			case op.Op:
				o.Eval(dst, args)
			}
		}
	}
	return vals
}

// Launch is one launch of a program by itself: what it computes and how far that is from float64.
type Launch struct {
	What  string
	Error float64 // of the largest element of each result
}

// CheckLaunches makes every launch of a program by itself, but for the optimiser's: on operands computed in float64,
// which lie apart from one another, into results that are no numbers before. It returns the largest error of each.
func CheckLaunches(d core.Device, p *core.Program, mem core.Memory, vals [][]float64) ([]Launch, error) {
	g, m := d.(*device), mem.(*memory)
	pl, err := gpu.New(p, Planning(g.options))
	if err != nil {
		return nil, err
	}
	r := &runner{p: p, gpu: g, mem: m, place: pl.Place}
	defer r.release()
	for v := range p.Values { // apart: nothing shares room
		if at := &r.place.Of[v]; at.Space == gpu.Arena {
			*at = gpu.Place{Space: gpu.Arena, Offset: r.place.Size[gpu.Arena]}
			r.place.Size[gpu.Arena] += pl.SizeOf(v)
		}
	}
	leave, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := r.prepare(pl); err != nil {
		return nil, err
	}
	_, names := Source(pl)
	launches, err := r.launches(pl, names, alone)
	if err != nil {
		return nil, err
	}
	put := func(v int, x func(i int) float64) error {
		val := p.Values[v]
		buf := make([]float64, val.Rows*val.Cols)
		for i := range buf {
			buf[i] = x(i)
		}
		padded := make([]float32, val.Rows*gpu.Pitch(val.Cols))
		for i := range padded {
			padded[i] = float32(math.NaN())
		}
		host.Scatter(padded, buf, val.Cols)
		return upload(g.driver, r.address(v), padded)
	}
	var out []Launch
	for i, u := range pl.Units {
		if u.Steps != nil || u.Ticks != nil {
			continue
		}
		for _, v := range u.Reads {
			if err := put(v, func(i int) float64 { return vals[v][i] }); err != nil {
				return nil, err
			}
			if err := r.mark(v, vals[v]); err != nil {
				return nil, err
			}
		}
		for _, v := range u.Writes {
			if err := put(v, func(int) float64 { return math.NaN() }); err != nil {
				return nil, err
			}
		}
		for range 2 { // counters are zero again after the first time
			if err := launches[i](m.stream); err != nil {
				return nil, err
			}
		}
		if err := g.do(Launching, "cuStreamSynchronize", uintptr(m.stream)); err != nil {
			return nil, err
		}
		l, operands := Launch{What: fmt.Sprintf("%s launch %d", p.Name, i)}, 0.0
		for _, v := range u.Reads {
			operands = max(operands, greatest(vals[v]))
		}
		for _, v := range u.Writes {
			x := p.Values[v]
			got := make([]float64, x.Rows*x.Cols)
			buf := make([]float32, x.Rows*gpu.Pitch(x.Cols))
			if err := download(g.driver, buf, r.address(v)); err != nil {
				return nil, err
			}
			host.Gather(got, buf, x.Cols)
			l.What += fmt.Sprintf(", %v", pl.Instrs[pl.Def[v]].Op)
			l.Error = max(l.Error, distance(got, vals[v], operands))
		}
		out = append(out, l)
	}
	return out, nil
}

// mark writes what else is kept of a value: its transposed copy.
func (r *runner) mark(v int, x []float64) error {
	val := r.p.Values[v]
	if val.Kind != core.Param || r.mem.turned[r.param(v)] == 0 {
		return nil
	}
	rows := make([]float32, host.Size(val.Rows, val.Cols))
	host.Scatter(rows, x, val.Cols)
	return r.mem.put(r.param(v), host.Weights, rows)
}

func greatest(x []float64) (largest float64) {
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// distance is the largest difference, relative to the largest element of want. Where want is only the rounding of a 0,
// as in the gradient of a divergence between equal policies, it is relative to the largest operand.
func distance(got, want []float64, operands float64) float64 {
	largest, diff := max(1e-30, greatest(want)), 0.0
	if largest < 1e-13*operands {
		largest = operands
	}
	for i, w := range want {
		if got[i] == w || got[i] != got[i] && w != w {
			continue
		}
		if d := math.Abs(got[i] - w); !(d <= diff) {
			diff = d
		}
		if diff != diff {
			return math.Inf(1)
		}
	}
	return diff / largest
}

// Plan reports the launches and kernels of a program.
func Plan(p *core.Program, own bool) (launches, kernels int, text string, err error) {
	pl, err := gpu.New(p, Planning(Options{Products: map[bool]string{true: "own"}[own]}))
	if err != nil {
		return 0, 0, "", err
	}
	text, names := Source(pl)
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	return len(pl.Units), len(seen), text, nil
}

// Kernels lists the generated kernels of a program, with @ for their names. Texts are what stands before them, and the
// kernels that draw data.
func Kernels(p *core.Program) (bodies []string, err error) {
	pl, err := gpu.New(p, Planning(Options{}))
	if err != nil {
		return nil, err
	}
	for _, u := range pl.Units {
		if u.Kernel != nil {
			bodies = append(bodies, kernelText(u.Kernel))
		}
	}
	return bodies, nil
}

func Texts() (head, drawing string) { return prelude + gemmText + optimiserText, prelude + feedText }

// FewEntries makes walks through the normals' stream know fewer places at which a part may be entered, until undo.
func FewEntries(n int) (undo func()) {
	whole := feedText
	feedText = strings.Replace(whole, "#define ENTRIES 16", fmt.Sprint("#define ENTRIES ", n), 1)
	return func() { feedText = whole }
}

// Compile translates a text for an architecture with the NVRTC that is found.
func Compile(text, capability string) ([]byte, error) {
	c, err := openCompiler(capability)
	if err != nil {
		return nil, err
	}
	name, err := c.name(text)
	if err != nil {
		return nil, err
	}
	return c.translate(text, name)
}

// RunText compiles a text and runs a kernel that takes a pointer to n floats, which it returns.
func RunText(d core.Device, body, name string, blocks, n int) ([]float32, error) {
	g := d.(*device)
	leave, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	cubin, err := g.compiler.compile(prelude + body)
	if err != nil {
		return nil, err
	}
	m, err := g.load(cubin)
	if err != nil {
		return nil, err
	}
	k, err := g.function(m, name)
	if err != nil {
		return nil, err
	}
	s, err := g.newStream()
	if err != nil {
		return nil, err
	}
	at, err := g.alloc("a test", n)
	if err != nil {
		return nil, err
	}
	var args arguments
	args.pointer(at)
	if err := g.launch(k, s, blocks, 1, args); err != nil {
		return nil, err
	}
	if err := g.do(Launching, "cuStreamSynchronize", uintptr(s)); err != nil {
		return nil, err
	}
	out := make([]float32, n)
	return out, download(g.driver, out, at)
}

// Unpadded is a device whose products are as long as they are, not in whole fours.
type Unpadded struct{ core.Device }

func (u Unpadded) Load(p *core.Program, mem core.Memory) (core.Runner, error) {
	g, m := u.Device.(*device), mem.(*memory)
	o := Planning(g.options)
	o.Fours = false
	pl, err := gpu.New(p, o)
	if err != nil {
		return nil, err
	}
	r := &runner{p: p, gpu: g, mem: m, moves: host.Steps(p), place: pl.Place}
	leave, err := m.settle()
	if err != nil {
		return nil, err
	}
	defer leave()
	return r, r.prepare(pl)
}

// Between counts the numbers that are not zero among those of a memory that are no parameter's and no copy's: at the
// ends of rows, after the last row, and between matrices.
func Between(mem core.Memory) (n int, err error) {
	m := mem.(*memory)
	leave, err := m.settle()
	if err != nil {
		return 0, err
	}
	defer leave()
	all := make([]float32, m.end)
	if err := download(m.gpu.driver, all, m.base); err != nil {
		return 0, err
	}
	empty := func(from, rows, cols int) {
		// other matrices begin behind them
		for _, x := range all[from+host.Size(rows, cols) : from+gpu.Room(rows, cols)] {
			if x != 0 {
				n++
			}
		}
		for r := range rows {
			clear(all[from+r*gpu.Pitch(cols):][:cols])
		}
	}
	for i, s := range m.Specs {
		for part := range 3 {
			empty(part*m.Total+m.Offset[i], s.Rows, s.Cols)
		}
		if m.turned[i] != 0 {
			empty(m.turned[i], s.Cols, s.Rows)
		}
	}
	clear(all[3*m.Total:][:2*len(m.Specs)]) // step counts
	for _, x := range all {
		if x != 0 {
			n++
		}
	}
	return n, nil
}

// KeepAtOnce keeps choices as so many processes would that run at once: of products of their own, and of one that all
// have, each with another algorithm. It returns how many are kept, and the algorithm of that one in each.
func KeepAtOnce(folder string, processes, products int) (kept int, of []int) {
	of = make([]int, processes)
	all := make([]algorithm, processes)
	for i := range all {
		all[i].algo[1] = uint64(i)
	}
	var w sync.WaitGroup
	for i := range processes {
		c := newChoices(folder, "a GPU")
		w.Go(func() {
			for n := range products {
				c.keep(fmt.Sprint(i, n), all[i], all)
			}
			of[i] = int(c.keep("everybody's", all[i], all).algo[1])
		})
	}
	w.Wait()
	return len(newChoices(folder, "a GPU").known), of
}

// Graphs counts those that a device has launched.
func Graphs(d core.Device) int { return int(d.(*device).graphs.Load()) }

// Algorithms are the numbers that the stand-in gave to those with which a program's products are made, in several
// memories too.
func Algorithms(r core.Runner) (out []int) {
	for _, p := range append(slices.Collect(maps.Values(r.(*runner).lt)), r.(*runner).spread...) {
		out = append(out, int(p.algos[0].algo[1]))
	}
	return out
}
