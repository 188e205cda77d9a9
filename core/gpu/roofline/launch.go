package roofline

import (
	"math"
	"slices"

	"nacre/core"
	"nacre/core/gpu"
	"nacre/core/op"
)

// What the model assumes of every card. It was fitted to an H100's measurements,
// docs/measurements/gpu-model-2026-11-27.json: every launch of an update in TF32 by itself, and whole updates in four
// precisions, of two sizes each.
const (
	lanesPerClock = 128 // instructions a multiprocessor issues, by lanes
	resident      = 12  // blocks of gpu.BlockSize lanes at a time on a multiprocessor, by their registers
	unroll        = 4   // rounds of a loop whose loads a compiler puts before the first use
	fill          = 1.7 // µs in which a product's first operands arrive and its last results leave
	barrier       = 0.03
	split         = 1.2  // µs more where several blocks share a product's sums
	crowded       = 0.87 // of its rate that a product of tensor cores keeps while other launches run
	roundedShare  = 0.7  // of TF32's rate with operands rounded to bfloat16
	fp32Share     = 0.85 // of the peak that products in float32 reach in full tiles
)

// tile is a block's part of a product and the share of the peak that it reaches. Small tiles read more per operation.
type tile struct {
	m, n  int
	share float64
}

// tiles are about those of NVIDIA's libraries.
var tiles = []tile{{256, 128, 0.8}, {128, 256, 0.8}, {128, 192, 0.76}, {192, 128, 0.76}, {128, 128, 0.72},
	{128, 96, 0.66}, {128, 64, 0.58}, {64, 128, 0.58},
	{64, 64, 0.45}, {64, 32, 0.3}, {32, 64, 0.3}, {32, 32, 0.2}}

// cost holds the needs of a launch.
type cost struct {
	alone   float64 // µs if it runs by itself, with its start
	ideal   float64 // µs at the roofline: its operations or its bytes at the card's peak
	workers int     // multiprocessors that it occupies
	bytes   float64
	tensors bool // a product by tensor cores
	bound   string
}

// cost is the cost of one launch.
func (m *Model) cost(pl *gpu.Schedule, u *gpu.Launch) cost {
	flops, n := pl.Work(u)
	flops, n = flops*int64(m.Options.Memories), n*int64(m.Options.Memories)
	c := cost{bytes: float64(n)}
	if u.Product != nil && m.parts() { // it reads three numbers for each
		c.bytes += 8 * m.operands(u.Product)
	}
	rate := m.Card.CacheRate
	if c.bytes > m.Card.Cache*1e6/2 { // half of the cache is other launches'
		rate = m.Card.Memory
	}
	bytes := c.bytes / rate / 1e6
	c.ideal, c.bound = bytes, "bytes"
	busy, streams := 0.0, false // streams: bytes move at the same time
	switch {
	case u.Product != nil:
		c.ideal = max(bytes, float64(flops)/m.peak()/1e6)
		busy, c.workers = m.product(u.Product)
		c.bound, c.tensors = "products", m.peak() > m.Card.FP32
	case u.Kernel != nil:
		busy, c.workers, c.bound = m.region(u.Kernel)
		streams = u.Kernel.Sums == 0
	default:
		busy, c.workers = m.steps(pl, u)
		c.bound = "latency"
	}
	if bytes > busy {
		c.bound = "bytes"
	}
	if streams {
		busy = max(busy, bytes)
	} else {
		busy += bytes
	}
	if u.Product != nil && m.parts() {
		n := 16 * m.operands(u.Product) // one is read, three are written
		busy += m.Card.Gap + m.Card.Start + n/rate/1e6
		c.bytes += n
	}
	if busy < m.Card.Start {
		c.bound = "start"
	}
	c.alone = m.Card.Start + busy
	return c
}

// peak is the rate of products in TFLOP/s.
func (m *Model) peak() float64 {
	switch m.Options.Precision {
	case "tf32":
		return m.Card.TF32
	case "tf32x3":
		return m.Card.TF32 / 3
	case "bf16":
		return m.Card.BF16
	}
	return m.Card.FP32
}

// parts reports whether a launch of its own cuts a product's operands in two, see cuda.Precisions.
func (m *Model) parts() bool { return m.Options.Precision == "tf32x3" }

// operands counts the numbers that a product reads.
func (m *Model) operands(g *gpu.Product) float64 {
	return float64(m.Options.Memories * g.K * (g.M + g.N))
}

// product is how long the multiprocessors work on a product, and how many of them work, with the best of the tiles.
func (m *Model) product(g *gpu.Product) (busy float64, workers int) {
	rate, terms, tensors := m.Card.FP32*fp32Share, g.WholeK, true
	switch m.Options.Precision {
	case "tf32":
		rate = m.Card.TF32 * m.Card.AnyLayout
		if g.WholeK%4 != 0 || g.WholeN%4 != 0 || g.TA && g.WholeM%4 != 0 { // no rows of whole 16 bytes: narrower copies
			rate /= 2
		}
	case "tf32x3": // the terms lie side by side, in whole fours
		rate, terms = m.Card.TF32, 3*gpu.Pitch(g.K)
	case "bf16": // operands are rounded on their way from memory to registers: no faster than TF32
		rate = m.Card.TF32 * m.Card.AnyLayout * roundedShare
	default:
		tensors = false
	}
	rate *= 1e6 / float64(m.Card.SMs) // operations per µs and multiprocessor
	busy = math.Inf(1)
	for _, t := range tiles {
		share := t.share
		if !tensors {
			share = math.Sqrt(t.share) // slower arithmetic waits less for its operands
		}
		for s := 1; s <= 32 && (s == 1 || terms/s >= 64); s *= 2 {
			blocks := gpu.CeilDiv(g.M, t.m) * gpu.CeilDiv(g.N, t.n) * s * m.Options.Memories
			one := 2 * float64(t.m*t.n) * float64(gpu.CeilDiv(terms, s)) / (rate * share)
			b := fill + one*float64(gpu.CeilDiv(blocks, m.Card.SMs))
			if s > 1 {
				b += split + 4*float64(g.M*g.N*s*m.Options.Memories)*2/m.Card.CacheRate/1e6
			}
			if b < busy {
				busy, workers = b, min(blocks, m.Card.SMs)
			}
		}
	}
	return busy, workers
}

// region is the same for a generated kernel. Other kernels can run on the multiprocessors of its blocks.
func (m *Model) region(k *gpu.Kernel) (busy float64, workers int, bound string) {
	rounds, instructions := 1.0, 0.0
	takes, four, blocks := float64(k.Takes()*m.Options.Memories), max(1, k.Vector), k.Blocks*m.Options.Memories
	if k.Sums == 0 {
		instructions = m.instructions(k.Results, four) * takes
	} else {
		rounds = 0
		for _, l := range k.Loops {
			turns := k.Turns(l)
			each := gpu.CeilDiv(turns, k.Lanes*k.Slices)
			if gpu.Long(l.Body) {
				rounds += float64(each * four * cases(l.Body))
			} else {
				rounds += float64(gpu.CeilDiv(each, unroll))
			}
			instructions += m.instructions(l.Body, four) * float64(turns) * takes
		}
		if k.InRow {
			four = 1
		}
		instructions += m.instructions(append(slices.Clone(k.Head), k.Results...), four) * takes
		rounds += barrier * math.Log2(float64(k.Lanes)) * float64(max(1, k.Sums)) / m.Card.Latency
		if k.Slices > 1 {
			rounds += 3 // partial sums are written, counted and read again
		}
	}
	waves := float64(gpu.CeilDiv(blocks, m.Card.SMs*resident))
	wait := waves * rounds * m.Card.Latency
	issue := instructions / (lanesPerClock * m.Card.Clock * 1e3) / float64(min(m.Card.SMs, blocks))
	workers = min(m.Card.SMs, gpu.CeilDiv(blocks, resident))
	if issue > wait {
		return issue, workers, "instructions"
	}
	return wait, workers, "latency"
}

// steps is the same for a launch of the optimiser's steps, with one block per piece.
func (m *Model) steps(pl *gpu.Schedule, u *gpu.Launch) (busy float64, workers int) {
	blocks := m.Options.Memories * max(1, len(pl.Pieces(u.Steps, pl.Slots())))
	turns := 1.0 // everything is read at once
	waves := float64(gpu.CeilDiv(blocks, m.Card.SMs*resident))
	return waves * (1 + turns) * m.Card.Latency, min(m.Card.SMs, gpu.CeilDiv(blocks, resident))
}

// instructions is about how many instructions a result or term takes, or four of them. Integers and accesses to memory
// count once for all four.
func (m *Model) instructions(list []gpu.Statement, four int) float64 {
	n := 2.0 // of the loop
	for _, s := range list {
		switch s := s.(type) {
		case gpu.Let:
			w := weight(s.Expr)
			if !s.Expr.Integer() && s.Expr.Op != gpu.Load {
				w *= float64(four)
			}
			n += w
		case gpu.Choose:
			for _, c := range s.Cases {
				n += 2 + m.instructions(c.Body, four)
			}
		case gpu.Add:
			n += float64(four)
		default:
			n += 2
		}
	}
	return n
}

// weight is the number of instructions of one operation.
func weight(e gpu.Expr) float64 {
	switch e.Op {
	case gpu.DivInt, gpu.ModInt:
		return 4
	case gpu.Load:
		return 2
	case gpu.UnaryOf:
		switch op.UnaryFunc(e.F) {
		case op.Square, op.Abs, op.Sign:
			return 1
		}
		return 20
	case gpu.BinaryOf:
		if op.BinaryFunc(e.F) == op.Div {
			return 10
		}
	case gpu.LogSum:
		return 20
	}
	return 1
}

// cases counts the cases that neighbouring lanes go through one after the other.
func cases(list []gpu.Statement) int {
	n := 1
	for _, s := range list {
		if c, ok := s.(gpu.Choose); ok {
			n = max(n, len(c.Cases))
		}
	}
	return n
}

// parameters counts the parameters that a launch steps.
func parameters(u *gpu.Launch) (n int) {
	for _, in := range u.Steps {
		if _, ok := in.Op.(core.Adam); ok {
			n++
		}
	}
	return n
}
