package tsne

import "nacre/tsne/internal/lanes"

// Method names a way to compute the repulsion.
type Method string

const (
	// MethodAuto chooses the quickest method. In three dimensions this is MethodBarnesHut. In the plane it is MethodFFT
	// for many points. For few points in the plane it is MethodExact (up to 2,500 points) if the build has vector
	// loops: on amd64, and with Go's experiment simd on arm64 and WebAssembly. In other builds it is MethodBarnesHut
	// (up to 5,000 points).
	MethodAuto Method = ""
	// MethodExact visits every pair, in the plane.
	MethodExact Method = "exact"
	// MethodFFT reads the repulsion off a field on a grid, in the plane. While a layout is so stretched that a tree is
	// cheaper, MethodBarnesHut takes its place.
	MethodFFT Method = "fft"
	// MethodBarnesHut treats a group of distant points as one point (Barnes and Hut 1986).
	MethodBarnesHut Method = "barnes-hut"
)

const defaultTheta = 0.5

// repulsion computes Σ_j w_ij²·(y_i−y_j) of every point and Z = Σ_{i≠j} w_ij, w_ij = 1/(1+|y_i−y_j|²).
type repulsion struct {
	set     *lanes.Set
	workers int
	n, dims int
	method  Method
	pairs   *pairs
	field   *field
	tree    *tree
	trees   int // iterations in which the field gave way to the tree
}

// quickest returns the method that MethodAuto stands for here. It does not look at what the processor can do, only at
// its kind.
func quickest(n, dims int) Method {
	switch {
	case dims == 3:
		return MethodBarnesHut
	case n <= fewPoints:
		return methodOfFew
	}
	return MethodFFT
}

func newRepulsion(set *lanes.Set, workers, n, dims int, method Method, team *member) *repulsion {
	if method == MethodAuto {
		method = quickest(n, dims)
	}
	r := &repulsion{set: set, workers: workers, n: n, dims: dims, method: method}
	switch method {
	case MethodExact:
		r.pairs = newPairs(set, workers, n, true)
	case MethodFFT:
		r.field = newField(set, workers, n, team)
	}
	return r
}

// compute writes the forces on layout y to rep and returns Z.
func (r *repulsion) compute(y, rep []float32) float64 {
	switch r.method {
	case MethodExact:
		return r.pairs.compute(y, rep)
	case MethodFFT:
		if boxOf(y).span() < tinySpan {
			return r.expand(y, rep)
		}
		if z, ok := r.field.repulse(y, rep); ok {
			return z
		}
		r.trees++
	}
	if r.tree == nil {
		r.tree = newTree(r.workers, r.n, r.dims, defaultTheta)
	}
	return r.tree.repulse(y, rep)
}

// tinySpan is the extent below which the kernel is expanded: a grid would lose the forces, which are the slopes of a
// nearly constant field, to rounding.
const tinySpan = 0.1

// expand computes forces and Z of a tiny layout in the plane from w² = 1 − 2|d|² and w = 1 − |d|²: sums over all others
// of polynomials, which moments of the whole give. The relative error is below 3·|d|⁴.
func (r *repulsion) expand(y, rep []float32) float64 {
	n := float64(r.n)
	var mx, my float64
	for i := 0; i < len(y); i += 2 {
		mx += float64(y[i])
		my += float64(y[i+1])
	}
	mx /= n
	my /= n
	var xx, xy, yy, cx, cy float64 // second moments, and Σ |u|²u
	for i := 0; i < len(y); i += 2 {
		ux, uy := float64(y[i])-mx, float64(y[i+1])-my
		q := float64(ux*ux) + float64(uy*uy)
		xx += float64(ux * ux)
		xy += float64(ux * uy)
		yy += float64(uy * uy)
		cx += float64(q * ux)
		cy += float64(q * uy)
	}
	for i := 0; i < len(y); i += 2 {
		ux, uy := float64(y[i])-mx, float64(y[i+1])-my
		q := float64(n*(float64(ux*ux)+float64(uy*uy))) + xx + yy
		fx := float64(q*ux) + float64(2*(float64(xx*ux)+float64(xy*uy))) - cx
		fy := float64(q*uy) + float64(2*(float64(xy*ux)+float64(yy*uy))) - cy
		rep[i] = float32(float64(n*ux) - float64(2*fx))
		rep[i+1] = float32(float64(n*uy) - float64(2*fy))
	}
	return float64(n*(n-1)) - float64(2*n*(xx+yy))
}
