//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"math"
	"math/bits"
)

const (
	maxStep   = 0.4 // between nodes, layout units; the kernel has width 1
	widest    = 2   // times as far apart nodes may be where a layout would not fit otherwise
	edgeNodes = 6   // around the layout
	tiny      = 0.1 // the extent below which the kernel is expanded: a grid would lose the slopes to rounding
	fewNodes  = 48  // that a small layout spans when its grid is made
	growth    = 2   // times that a small layout may grow before it needs another grid
)

// box is lowest and highest coordinates.
type box struct{ lowX, lowY, highX, highY float32 }

func boxOf(y []float32) box {
	b := box{y[0], y[1], y[0], y[1]}
	for i := 0; i < len(y); i += 2 {
		b = box{min(b.lowX, y[i]), min(b.lowY, y[i+1]), max(b.highX, y[i]), max(b.highY, y[i+1])}
	}
	return b
}

func (b box) span() float64 { return float64(max(b.highX-b.lowX, b.highY-b.lowY)) }

// inside reports whether b lies in c.
func (b box) inside(c box) bool {
	return b.lowX >= c.lowX && b.lowY >= c.lowY && b.highX <= c.highX && b.highY <= c.highY
}

// grid is where the field is computed.
type grid struct {
	room    box     // box of the layouts it is for; any box for an expanded kernel
	widest  float64 // and how wide
	h       float64 // between nodes
	nx, ny  int     // nodes, half the lengths
	lx, ly  int     // lengths of the transforms
	expands bool    // there are no nodes: the kernel is expanded
}

// gridFor is a grid for a layout and some growth, or false if the longest transform is too short for one.
func gridFor(b box, longest int) (grid, bool) {
	span := b.span()
	if !(span < 1e30) {
		return grid{}, false
	}
	if span < tiny {
		return grid{room: box{-tiny, -tiny, tiny, tiny}, widest: tiny, expands: true}, true
	}
	g := grid{h: min(maxStep, span/fewNodes), widest: math.Inf(1)}
	more := max(0.02*span, 5*g.h)
	if g.h < maxStep {
		more = (growth - 1) * span / 2
	}
	nodes := float64(longest/2 - 2*edgeNodes - 2)
	if span+2*more > g.h*nodes {
		// A layout that just fits gets no room to grow but what is left.
		more = min(more, 0.01*span)
		if g.h = max(g.h, (span+2*more)/nodes); g.h > widest*maxStep {
			return grid{}, false
		}
	}
	g.room.lowX, g.room.highX, g.nx, g.lx = g.along(b.lowX, b.highX, more)
	g.room.lowY, g.room.highY, g.ny, g.ly = g.along(b.lowY, b.highY, more)
	return g, true
}

// along returns the extent, the nodes and the transform of one side, with the given room and the rest that the
// transform's length leaves.
func (g grid) along(low, high float32, more float64) (from, to float32, nodes, length int) {
	need := int((float64(high-low)+2*more)/g.h) + 2*edgeNodes + 2
	length = goodLength(2 * need)
	nodes = length / 2
	more += float64(nodes-need) * g.h / 2
	return low - float32(more), high + float32(more), nodes, length
}

// origin is the place of node 0, 0.
func (g grid) origin() (x, y float32) {
	return g.room.lowX - float32((edgeNodes-1)*g.h), g.room.lowY - float32((edgeNodes-1)*g.h)
}

// wasteful reports whether a layout has become much smaller than the grid is made for.
func (g grid) wasteful(b box) bool { return !g.expands && b.span() < fewNodes/4*g.h }

func (g grid) stride() int { return g.nx }

// goodLength is the shortest length of at least n that transforms well: a power of two times 1, 3 or 9.
func goodLength(n int) int {
	p := 1 << bits.Len(uint(max(n, 64)-1))
	for _, q := range []int{p / 16 * 9, p / 4 * 3} {
		if q >= n {
			return q
		}
	}
	return p
}

// tables returns what transforms of the grid's lengths need: factors of rows and of columns, the places of the rows'
// frequencies, and both sharpenings.
func (g grid) tables() (words []float32) {
	factors := func(n int) {
		for k := range n {
			sin, cos := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
			words = append(words, float32(cos), float32(sin))
		}
	}
	factors(g.lx)
	factors(g.ly)
	place := make([]float32, g.lx)
	for at, k := range order(g.lx) {
		place[k] = float32(at)
	}
	words = append(words, place...)
	for k := range g.lx/2 + 1 {
		words = append(words, float32(sharpen(k, g.lx)/(float64(g.lx)*float64(g.ly))))
	}
	for _, k := range order(g.ly) {
		words = append(words, float32(sharpen(k, g.ly)))
	}
	return words
}

// order is the frequency at each place of a transform of length n: its stages are of 3, then 4, then 2.
func order(n int) []int {
	freq := make([]int, n)
	block, step := n, 1
	for block > 1 {
		radix := 2
		if block%3 == 0 {
			radix = 3
		} else if block%4 == 0 {
			radix = 4
		}
		for at := range freq {
			freq[at] += step * (at % block / (block / radix))
		}
		block, step = block/radix, step*radix
	}
	return freq
}

// sharpen is one over the squared spectrum of the B-spline of order 6 sampled at the nodes, at frequency k of n.
func sharpen(k, n int) float64 {
	angle := 2 * math.Pi * float64(k) / float64(n)
	s := (66 + 52*math.Cos(angle) + 2*math.Cos(2*angle)) / 120
	return 1 / (s * s)
}
