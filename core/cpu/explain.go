package cpu

import (
	"fmt"
	"strings"
	"time"

	"nacre/core"
	"nacre/core/op"
)

// Execution says how a device runs a program: what it computes in which order, where results lie, and how much time and
// memory it takes.
type Execution struct {
	Program string   `json:"program"`
	Workers int      `json:"workers"`
	Tiles   int      `json:"tiles"`
	Lanes   int      `json:"lanes"`
	Buffers []Buffer `json:"buffers"`
	Regions []Region `json:"regions"`
	Wall    float64  `json:"wall_ms"` // time of a run, while regions were timed
}

// Buffer is memory that the execution needs besides the parameters.
type Buffer struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"` // size of one such buffer, in bytes
	Count int    `json:"count"`
}

// Region is the smallest piece of work in an execution: an instruction with those that were fused into it, an update of
// a parameter, or the addition of partial sums.
type Region struct {
	Phase  int    `json:"phase"` // regions of a tiled phase run one after the other for every tile
	Tiled  bool   `json:"tiled"`
	Code   string `json:"code"`
	Result string `json:"result"` // shape of the result
	Place  string `json:"place"`  // where the result lies
	FLOPs  int64  `json:"flops"`  // operations of matrix products, 2 per multiply-add
	// bytes of operands and result, with padding, each time that they are read or written
	Bytes     int64   `json:"bytes"`
	Predicted float64 `json:"predicted_ms"`
	// processor time per run, of all workers together, without the time in which a worker helps with another worker's
	// product
	Measured float64 `json:"measured_ms"`
}

// Explain runs a loaded program a number of times, at least once, and returns how it is executed, with times averaged
// over the runs. Reading the clock adds about a tenth of a microsecond to a region of a tile. The runs are real: they
// step parameters.
func Explain(run core.Runner, runs int) (*Execution, error) {
	r, ok := run.(*runner)
	switch {
	case !ok:
		return nil, fmt.Errorf("cpu: the program is loaded on another device (%T)", run)
	case r.closed:
		return nil, errClosed
	case runs < 1:
		return nil, fmt.Errorf("cpu: %d runs to explain: want at least 1", runs)
	}
	for _, w := range r.workers {
		w.spent = make([]time.Duration, len(r.plan.Regions))
		defer func() { w.spent = nil }()
	}
	start := time.Now()
	for range runs {
		if err := r.Run(); err != nil {
			return nil, err
		}
	}
	p := r.plan
	p.Wall = milliseconds(time.Since(start)) / float64(runs)
	p.Regions = append([]Region(nil), p.Regions...)
	for _, w := range r.workers {
		for i, d := range w.spent {
			p.Regions[i].Measured += milliseconds(d) / float64(runs)
		}
	}
	return &p, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// timed calls f. While a program is explained, it adds the time of the call to a region.
func (w *worker) timed(region int, f func()) {
	if w.spent == nil {
		f()
		return
	}
	start := time.Now()
	f()
	w.spent[region] += time.Since(start)
}

// do runs part of a step.
func (st *step) do(w *worker, s span) {
	if w.spent == nil {
		st.run(w, s)
		return
	}
	start := time.Now()
	st.run(w, s)
	w.spent[st.region] += time.Since(start)
}

// region adds a region to the execution and returns its index.
func (b *builder) region(r Region) int {
	r.Phase, r.Tiled = b.phase, b.tiled
	b.regions = append(b.regions, r)
	return len(b.regions) - 1
}

// describe returns the region of a step.
func (b *builder) describe(in *instr, st step) Region {
	var code strings.Builder
	fmt.Fprintf(&code, "%%%d = %v(", in.out, in.op)
	for i, v := range in.in {
		if i > 0 {
			code.WriteString(", ")
		}
		if x := b.p.Values[v]; x.Kind == core.Param || x.Kind == core.Input {
			code.WriteString(x.Name)
		} else {
			fmt.Fprintf(&code, "%%%d", v)
		}
	}
	code.WriteByte(')')
	if in.mask >= 0 {
		fmt.Fprintf(&code, " where %%%d > 0", in.mask)
	}
	out := b.p.Values[in.out]
	r := Region{Code: code.String(), Result: fmt.Sprintf("%d×%d", out.Rows, out.Cols), Place: b.placeName(in.out),
		Predicted: st.cost / 1e6, FLOPs: b.flops(in)}
	r.Bytes = b.passing(in.out)
	in.reads(func(v int) { r.Bytes += b.passing(v) })
	return r
}

func (b *builder) flops(in *instr) int64 {
	inner := 0
	switch o := in.op.(type) {
	case op.Dense:
		inner = b.mats[in.in[0]].cols
	case op.MatMul:
		inner = b.mats[in.in[0]].cols
		if o.TA {
			inner = b.mats[in.in[0]].rows
		}
	}
	return 2 * int64(inner) * int64(b.mats[in.out].rows) * int64(b.mats[in.out].cols)
}

// passing returns the number of bytes of a value that a region of the current segment reads or writes. That is the
// whole value once, or once for every tile if tiles do not divide it.
func (b *builder) passing(v int) int64 {
	m := &b.mats[v]
	n := int64(4 * m.rows * m.ld)
	if b.tiled && !b.p.Values[v].Batched && m.rows > 1 {
		n *= int64(b.p.Tiles())
	}
	return n
}

func (b *builder) placeName(v int) string {
	switch b.place[v] {
	case stored:
		return "parameter"
	case full:
		return "own"
	case passing:
		return fmt.Sprintf("shared+%dK", 4*b.offset[v]>>10)
	case local:
		return fmt.Sprintf("tile+%dK", 4*b.offset[v]>>10)
	case laneSummed:
		return fmt.Sprintf("lane+%dK", 4*b.offset[v]>>10)
	}
	return "none"
}

// buffers lists the memory of the execution.
func (b *builder) buffers(workers int) []Buffer {
	own := 0
	for v, m := range b.mats {
		if b.place[v] == full || b.place[v] == laneSummed {
			own += 4 * len(m.d)
		}
	}
	return []Buffer{
		{"values of a tile, per worker", 4 * b.arena, workers},
		{"partial sums, per lane", 4 * b.laneLen, len(b.lane)},
		{"shared by sequential phases", 4 * b.shared, 1},
		{"inputs, outputs and what passes between phases", own, 1},
		{"scratch, per worker", 4 * b.scratch, workers},
	}
}
