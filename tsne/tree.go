package tsne

import "math"

// tree is a Barnes–Hut tree over points in two or three dimensions. The points are sorted along a Morton curve. The
// nodes are in the order of a traversal. Each node has the place of the next node if its subtree is skipped.
type tree struct {
	dims    int
	theta   float32
	workers int
	nodes   []node
	key     []uint64
	order   []int32
	keyTo   []uint64
	orderTo []int32
	at      []float32 // points in Morton order
	bits    int       // bits of the key for each coordinate
}

type node struct {
	centre     [3]float32
	mass, size float32 // number of points; side of the cell, squared
	skip       int32   // the node after the subtree
	from, to   int32   // the points of a leaf; to = 0 for others
}

const leafPoints = 8

func newTree(workers, n, dims int, theta float64) *tree {
	t := &tree{
		dims: dims, theta: float32(theta), workers: workers, bits: 62 / dims,
		key: make([]uint64, n), order: make([]int32, n), keyTo: make([]uint64, n), orderTo: make([]int32, n),
		at: make([]float32, n*dims),
	}
	return t
}

// build makes the tree of the layout y.
func (t *tree) build(y []float32) {
	d := t.dims
	lo, side := [3]float32{}, float32(0)
	for c := range d {
		l, h := y[c], y[c]
		for i := c; i < len(y); i += d {
			l, h = min(l, y[i]), max(h, y[i])
		}
		lo[c], side = l, max(side, h-l)
	}
	side = max(float32(side*1.0001), math.SmallestNonzeroFloat32*1e8)
	scale := float64(uint64(1)<<t.bits-1) / float64(side)
	for i := range t.order {
		t.order[i] = int32(i)
		k := uint64(0)
		for c := range d {
			k |= interleave(uint64(float64(y[i*d+c]-lo[c])*scale), d) << c
		}
		t.key[i] = k
	}
	t.sort()
	for p, i := range t.order {
		copy(t.at[p*d:(p+1)*d], y[int(i)*d:])
	}
	t.nodes = t.nodes[:0]
	t.grow(0, int32(len(t.order)), (t.bits-1)*d, side)
}

// interleave spreads the bits of v d apart.
func interleave(v uint64, d int) uint64 {
	if d == 2 {
		for s, m := range [5]uint64{0x0000ffff0000ffff, 0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f, 0x3333333333333333,
			0x5555555555555555} {
			v = (v | v<<(16>>s)) & m
		}
		return v
	}
	for s, m := range [5]uint64{0x1f00000000ffff, 0x1f0000ff0000ff, 0x100f00f00f00f00f, 0x10c30c30c30c30c3,
		0x1249249249249249} {
		v = (v | v<<(32>>s)) & m
	}
	return v
}

// sort orders key and order by key, eleven bits at a time.
func (t *tree) sort() {
	for shift := 0; shift < t.bits*t.dims; shift += 11 {
		var start [2049]int32
		for _, k := range t.key {
			start[k>>shift&2047+1]++
		}
		for b := range 2048 {
			start[b+1] += start[b]
		}
		for i, k := range t.key {
			b := k >> shift & 2047
			t.keyTo[start[b]], t.orderTo[start[b]] = k, t.order[i]
			start[b]++
		}
		t.key, t.keyTo = t.keyTo, t.key
		t.order, t.orderTo = t.orderTo, t.order
	}
}

// grow appends the subtree of points from … to−1, which agree in all bits above shift+dims, in a cell of the given
// side.
func (t *tree) grow(from, to int32, shift int, side float32) (sum [3]float64) {
	id := len(t.nodes)
	t.nodes = append(t.nodes, node{mass: float32(to - from), size: float32(side * side)})
	if to-from <= leafPoints || shift < 0 {
		for p := from; p < to; p++ {
			for c := range t.dims {
				sum[c] += float64(t.at[int(p)*t.dims+c])
			}
		}
		t.nodes[id].from, t.nodes[id].to = from, to
	} else {
		children := uint64(1)<<t.dims - 1
		for lo := from; lo < to; {
			child := t.key[lo] >> shift & children
			hi, end := lo+1, to
			for hi < end { // the first point of another child
				if m := (hi + end) / 2; t.key[m]>>shift&children == child {
					hi = m + 1
				} else {
					end = m
				}
			}
			s := t.grow(lo, hi, shift-t.dims, side/2)
			for c := range sum {
				sum[c] += s[c]
			}
			lo = hi
		}
	}
	n := &t.nodes[id]
	n.skip = int32(len(t.nodes))
	for c := range t.dims {
		n.centre[c] = float32(sum[c] / float64(to-from))
	}
	return sum
}

// force returns Σ w²·d and Σ w at p over all points, among them one at p itself if there is one, cells seen under an
// angle below theta taken for one point of their mass.
func (t *tree) force(p []float32) (f [3]float32, z float32) {
	if t.dims == 2 {
		return t.force2(p[0], p[1])
	}
	x, y, u := p[0], p[1], p[2]
	open := float32(t.theta * t.theta)
	for k := 0; k < len(t.nodes); {
		n := &t.nodes[k]
		dx, dy, du := x-n.centre[0], y-n.centre[1], u-n.centre[2]
		d := float32(dx*dx) + float32(dy*dy) + float32(du*du)
		switch {
		case n.size < float32(open*d):
			w := 1 / (1 + d)
			m := float32(n.mass * w)
			z += m
			m = float32(m * w)
			f[0] += float32(m * dx)
			f[1] += float32(m * dy)
			f[2] += float32(m * du)
		case n.to > 0:
			for j := int(n.from); j < int(n.to); j++ {
				q := t.at[3*j : 3*j+3]
				dx, dy, du := x-q[0], y-q[1], u-q[2]
				w := 1 / (1 + float32(dx*dx) + float32(dy*dy) + float32(du*du))
				z += w
				w = float32(w * w)
				f[0] += float32(w * dx)
				f[1] += float32(w * dy)
				f[2] += float32(w * du)
			}
		default:
			k++
			continue
		}
		k = int(n.skip)
	}
	return f, z
}

func (t *tree) force2(x, y float32) (f [3]float32, z float32) {
	open := float32(t.theta * t.theta)
	var fx, fy float32
	for k := 0; k < len(t.nodes); {
		n := &t.nodes[k]
		dx, dy := x-n.centre[0], y-n.centre[1]
		d := float32(dx*dx) + float32(dy*dy)
		switch {
		case n.size < float32(open*d):
			w := 1 / (1 + d)
			m := float32(n.mass * w)
			z += m
			m = float32(m * w)
			fx += float32(m * dx)
			fy += float32(m * dy)
		case n.to > 0:
			for j := int(n.from); j < int(n.to); j++ {
				dx, dy := x-t.at[2*j], y-t.at[2*j+1]
				w := 1 / (1 + float32(dx*dx) + float32(dy*dy))
				z += w
				w = float32(w * w)
				fx += float32(w * dx)
				fy += float32(w * dy)
			}
		default:
			k++
			continue
		}
		k = int(n.skip)
	}
	return [3]float32{fx, fy}, z
}

// repulse writes Σ_j w²·d of every point of the layout y to rep and returns Z.
func (t *tree) repulse(y, rep []float32) float64 {
	t.build(y)
	d := t.dims
	return cut(len(t.order)).sum(t.workers, func(lo, hi int) float64 {
		z := 0.0
		for p := lo; p < hi; p++ {
			f, w := t.force(t.at[p*d : (p+1)*d])
			copy(rep[int(t.order[p])*d:(int(t.order[p])+1)*d], f[:])
			z += float64(w) - 1
		}
		return z
	})
}
