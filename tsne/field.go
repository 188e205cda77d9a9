package tsne

import (
	"math"

	"nacre/tsne/internal/lanes"
)

// field computes the repulsion of all points from one scalar field on a grid. With S(y) = Σ_j 1/(1+|y−y_j|²),
//
//	Σ_j w_ij²·(y_i−y_j) = −½ ∇S(y_i),  Z = Σ_i S(y_i) − n,
//
// so that charges of one kind, spread by B-splines of order 6, one convolution and the spline's value and slope at the
// points give forces and Z (FIt-SNE, Linderman et al. 2019, convolves four kinds of charge). The kernel's spectrum is
// divided by the spectrum of both splines. The effect of a point's own charge at the point depends only on the point's
// place in its cell; it is tabulated and subtracted.
type field struct {
	k       *lanes.Set
	workers int

	step         float64 // between nodes, layout units
	ox, oy       float32 // place of node 0, 0
	nx, ny       int     // nodes in use
	stride       int
	conv         *convolution
	grid, values []float32
	self         []float32

	count []int32
	order []int32   // points by tile of rows, in order within each
	u     []float32 // grid coordinates in that order
	out   []float32 // S, ∂S/∂x, ∂S/∂y in nodes, unused
	args  []lanes.SplineArgs
	team  *member
}

const (
	finestNodes = 48  // the step is halved when a layout spans fewer
	maxStep     = 0.4 // layout units; the kernel has width 1
	minStep     = maxStep / 256
	edgeNodes   = 6 // around the layout
	rowsPerTile = 8 // more than a spline's 6: every other tile can be spread at once
)

func newField(k *lanes.Set, workers, n int, team *member) *field {
	return &field{
		k: k, workers: workers, step: maxStep, order: make([]int32, n),
		u: make([]float32, 2*n), out: make([]float32, 4*n), args: make([]lanes.SplineArgs, workers), team: team,
	}
}

// box is the smallest rectangle around points, x and y interleaved.
type box struct{ loX, hiX, loY, hiY float32 }

func boxOf(y []float32) box {
	b := box{y[0], y[0], y[1], y[1]}
	for i := 0; i < len(y); i += 2 {
		b.loX, b.hiX = min(b.loX, y[i]), max(b.hiX, y[i])
		b.loY, b.hiY = min(b.loY, y[i+1]), max(b.hiY, y[i+1])
	}
	return b
}

func (b box) span() float64 { return float64(max(b.hiX-b.loX, b.hiY-b.loY)) }

// choose sets the step and the nodes for a layout within b.
func (f *field) choose(b box) {
	span := b.span()
	for f.step > minStep && span/f.step < finestNodes {
		f.step /= 2
	}
	for f.step < maxStep && span/f.step > 3*finestNodes {
		f.step *= 2
	}
	nodes := func(lo, hi float32) int { return int(float64(hi-lo)/f.step) + 2*edgeNodes }
	f.nx, f.ny = nodes(b.loX, b.hiX), nodes(b.loY, b.hiY)
	f.ox, f.oy = b.loX-float32((edgeNodes-1)*f.step), b.loY-float32((edgeNodes-1)*f.step)
}

// cost is the number of values a transform of the chosen grid has.
func (f *field) cost() int { return goodLength(padded(f.nx)) * goodLength(padded(f.ny)) }

// padded is the length that keeps n nodes from their images, with room to grow.
func padded(n int) int { return 2*n + n/16 }

// prepare makes the convolution for the chosen grid unless the present one will do.
func (f *field) prepare(stepBefore float64) {
	if f.conv == nil || f.step != stepBefore || 2*f.nx > f.conv.x.n || 2*f.ny > f.conv.y.n {
		h := f.step
		kernel := func(dx, dy float64) float64 { return 1 / (1 + float64((dx*h)*(dx*h)) + float64((dy*h)*(dy*h))) }
		f.conv = newConvolution(f.k, f.workers, goodLength(padded(f.nx)), goodLength(padded(f.ny)), kernel, sharpen6)
		f.self = f.tabulate()
	}
	f.stride = (f.nx + 31) &^ 31
	if need := f.stride * (f.ny + 1); len(f.grid) < need {
		f.grid, f.values = make([]float32, need), make([]float32, need)
	}
}

// sharpen6 is one over the squared spectrum of the B-spline of order 6 sampled at the nodes.
func sharpen6(angle float64) float64 {
	s := (66 + float64(52*math.Cos(angle)) + float64(2*math.Cos(2*angle))) / 120
	return 1 / (s * s)
}

// fill computes the field for the layout y.
func (f *field) fill(y []float32) {
	f.sort(y)
	grid := f.grid[:f.stride*(f.ny+1)]
	clear(grid)
	first, tiles := f.team.byWork(f.count), len(f.count)-1
	// A point's spline reaches into the tiles beside its own: what they add to this program's rows it adds itself.
	from, to := max(first[f.team.rank]-1, 0), min(first[f.team.rank+1]+1, tiles)
	for odd := range 2 {
		begin := from + (from+odd)%2
		parallelBy(f.workers, (to-begin+1)/2, func(worker, t int) {
			lo, hi := f.count[begin+2*t], f.count[begin+2*t+1]
			a := &f.args[worker]
			*a = lanes.SplineArgs{Grid: grid, Stride: f.stride, U: f.u[2*lo : 2*hi]}
			f.k.Spread(a)
		})
	}
	for r := range first {
		first[r] = min(first[r]*rowsPerTile, f.ny+1)
	}
	first[f.team.of] = f.ny + 1
	share(f.team, grid, first, f.stride)
	f.conv.run(grid, f.values, f.stride, f.nx, f.ny)
}

// sort orders the points by tiles of rows and computes their grid coordinates.
func (f *field) sort(y []float32) {
	tiles := f.ny/rowsPerTile + 1
	f.count = append(f.count[:0], make([]int32, tiles+1)...)
	perUnit := float32(1 / f.step)
	tile := func(i int) int { return int(float32((y[2*i+1]-f.oy)*perUnit)) / rowsPerTile }
	for i := range f.order {
		f.count[tile(i)+1]++
	}
	for t := range tiles {
		f.count[t+1] += f.count[t]
	}
	for i := range f.order {
		t := tile(i)
		p := f.count[t]
		f.count[t]++
		f.order[p] = int32(i)
		f.u[2*p], f.u[2*p+1] = float32((y[2*i]-f.ox)*perUnit), float32((y[2*i+1]-f.oy)*perUnit)
	}
	copy(f.count[1:], f.count[:tiles])
	f.count[0] = 0
}

// repulse writes Σ_j w²·d of every point to rep and returns Z; false when the layout is too stretched for a grid to be
// cheaper than a tree.
func (f *field) repulse(y, rep []float32) (z float64, ok bool) {
	n := len(f.order)
	before := f.step
	f.choose(boxOf(y))
	if cost := f.cost(); cost > 1<<20 && float64(cost) > 20*float64(n)*math.Log2(float64(n)) {
		f.step = before
		return 0, false
	}
	f.prepare(before)
	f.fill(y)
	b := cut(n)
	slope := float32(-0.5 / f.step)
	gather := func(worker, lo, hi int) {
		a := &f.args[worker]
		*a = lanes.SplineArgs{Grid: f.values, Stride: f.stride, U: f.u[2*lo : 2*hi], Self: f.self,
			Out: f.out[4*lo : 4*hi]}
		f.k.Gather(a)
	}
	if f.team.of > 1 {
		first := f.team.even(n, 1)
		gather(0, first[f.team.rank], first[f.team.rank+1])
		share(f.team, f.out, first, 4)
	}
	z = b.sumBy(f.workers, func(worker, lo, hi int) float64 {
		if f.team.of == 1 {
			gather(worker, lo, hi)
		}
		z := 0.0
		for p := lo; p < hi; p++ {
			i, o := f.order[p], f.out[4*p:4*p+3]
			z += float64(o[0])
			rep[2*i], rep[2*i+1] = float32(slope*o[1]), float32(slope*o[2])
		}
		return z
	})
	return z, true
}

// tabulate computes what Gather finds at the place of a single charge, over one cell: with c the products of the
// spline's weights at the point, shifted against each other, Σ c_x[m]·c_y[n]·G(m,n).
func (f *field) tabulate() []float32 {
	const nodes, middle, side, reach = 32, 16, lanes.SelfSteps + 1, 5
	grid, found := make([]float32, nodes*nodes), make([]float32, nodes*nodes)
	grid[middle*nodes+middle] = 1
	f.conv.run(grid, found, nodes, nodes, nodes)
	var value, slope [side][2*reach + 1]float64
	for t := range side {
		w, d := lanes.Spline(float32(t) / lanes.SelfSteps)
		for a := range w {
			for b := range w {
				value[t][a-b+reach] += float64(w[a]) * float64(w[b])
				slope[t][a-b+reach] += float64(d[a]) * float64(w[b])
			}
		}
	}
	table := make([]float32, 0, side*side*4)
	for ty := range side {
		for tx := range side {
			var s, gx, gy float64
			for m := range value[0] {
				for n := range value[0] {
					g := float64(found[(middle+m-reach)*nodes+middle+n-reach])
					s += float64(g * value[ty][m] * value[tx][n])
					gx += float64(g * value[ty][m] * slope[tx][n])
					gy += float64(g * slope[ty][m] * value[tx][n])
				}
			}
			table = append(table, float32(s), float32(gx), float32(gy), 0)
		}
	}
	return table
}
