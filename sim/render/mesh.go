package render

import (
	"math"
	"slices"

	"nacre/sim/scene"
)

// creased is the cosine of the largest angle between two faces that are shaded as one smooth surface.
var creased = math.Cos(40 * math.Pi / 180)

// leafSize is how many triangles a leaf of the tree holds at most.
const leafSize = 4

// mesh is a set of triangles in a tree of boxes.
type mesh struct {
	tris   []tri
	smooth [][3]vec // normals at the corners of each, for shading
	nodes  []node
	centre vec // centre of the sphere around it
	radius float64
}

type tri struct {
	a, ab, ac vec // a corner and the edges from it
	id        int // among smooth
}

// node is a box with triangles or with two nodes in it. The first of the two nodes follows it.
type node struct {
	low, high    vec
	first, count int // triangles of a leaf
	second       int // the other node; 0 in a leaf
}

func newMesh(m *scene.Triangles) *mesh {
	out := &mesh{}
	point := func(i int32) vec {
		v := m.Vertices[i]
		return vec{float64(v[0]), float64(v[1]), float64(v[2])}
	}
	areas := make([]vec, len(m.Faces)) // normals as long as twice the face's area
	at := make([][]int, len(m.Vertices))
	for k, f := range m.Faces {
		a, b, c := point(f[0]), point(f[1]), point(f[2])
		areas[k] = b.sub(a).cross(c.sub(a))
		for _, v := range f {
			at[v] = append(at[v], k)
		}
	}
	for k, f := range m.Faces {
		if areas[k].length() == 0 {
			continue
		}
		a := point(f[0])
		t := tri{a: a, ab: point(f[1]).sub(a), ac: point(f[2]).sub(a), id: len(out.smooth)}
		face := areas[k].unit()
		var normals [3]vec
		for j, v := range f {
			var sum vec
			for _, other := range at[v] {
				if face.dot(areas[other]) >= creased*areas[other].length() {
					sum = sum.add(areas[other])
				}
			}
			normals[j] = sum.unit()
		}
		out.tris, out.smooth = append(out.tris, t), append(out.smooth, normals)
	}
	if len(out.tris) > 0 {
		out.build(0, len(out.tris))
		root := out.nodes[0]
		out.centre = mix(root.low, root.high, 0.5)
		for i := range m.Vertices {
			out.radius = max(out.radius, point(int32(i)).sub(out.centre).length())
		}
	}
	return out
}

// build makes the node of tris[first:end] and those below it, and returns its index.
func (m *mesh) build(first, end int) int {
	n := node{first: first, count: end - first, low: vec{math.Inf(1), math.Inf(1), math.Inf(1)}}
	n.high = n.low.mul(-1)
	for _, t := range m.tris[first:end] {
		for _, p := range [3]vec{t.a, t.a.add(t.ab), t.a.add(t.ac)} {
			n.low = vec{min(n.low.x, p.x), min(n.low.y, p.y), min(n.low.z, p.z)}
			n.high = vec{max(n.high.x, p.x), max(n.high.y, p.y), max(n.high.z, p.z)}
		}
	}
	index := len(m.nodes)
	m.nodes = append(m.nodes, n)
	if n.count <= leafSize {
		return index
	}
	axis, size := 0, n.high.sub(n.low).list()
	for k := range 3 {
		if size[k] > size[axis] {
			axis = k
		}
	}
	middle := func(t *tri) float64 { return t.a.mul(3).add(t.ab).add(t.ac).list()[axis] }
	slices.SortStableFunc(m.tris[first:end], func(a, b tri) int {
		switch x, y := middle(&a), middle(&b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	half := (first + end) / 2
	m.build(first, half)
	second := m.build(half, end)
	m.nodes[index].second = second
	return index
}

// meet returns the first triangle that the ray meets, from either side, before limit.
func (m *mesh) meet(o, d vec, limit float64) (hit, bool) {
	best, at, u, v := m.search(o, d, limit, false)
	if best < 0 {
		return hit{}, false
	}
	t := &m.tris[best]
	corner := &m.smooth[t.id]
	n := corner[0].mul(1 - u - v).add(corner[1].mul(u)).add(corner[2].mul(v))
	if t.ab.cross(t.ac).dot(d) > 0 {
		n = n.mul(-1)
	}
	return hit{at, n.unit()}, true
}

// blocks reports whether the ray meets any triangle.
func (m *mesh) blocks(o, d vec) bool {
	best, _, _, _ := m.search(o, d, math.Inf(1), true)
	return best >= 0
}

// search returns the first triangle that the ray meets before limit, or any where that is enough, -1 for none, with the
// distance and the barycentric coordinates.
func (m *mesh) search(o, d vec, limit float64, any bool) (best int, at, u, v float64) {
	best, at = -1, limit
	if len(m.nodes) == 0 {
		return
	}
	inv := vec{1 / d.x, 1 / d.y, 1 / d.z}
	var stack [64]int
	for depth := 1; depth > 0; {
		depth--
		i := stack[depth]
		n := &m.nodes[i]
		if !n.touches(o, inv, at) {
			continue
		}
		if n.second != 0 {
			stack[depth], stack[depth+1] = n.second, i+1
			depth += 2
			continue
		}
		for k := n.first; k < n.first+n.count; k++ {
			if t, tu, tv, ok := m.tris[k].meet(o, d); ok && t < at {
				best, at, u, v = k, t, tu, tv
				if any {
					return
				}
			}
		}
	}
	return
}

// touches reports whether the ray passes the box before limit.
func (n *node) touches(o, inv vec, limit float64) bool {
	enter, leave := slab(n.low.x, n.high.x, o.x, inv.x, 0, limit)
	enter, leave = slab(n.low.y, n.high.y, o.y, inv.y, enter, leave)
	enter, leave = slab(n.low.z, n.high.z, o.z, inv.z, enter, leave)
	return enter <= leave
}

// slab narrows the part of a ray that is in a box to what is between two of its sides. A ray in the plane of a side
// gives NaN, which narrows nothing.
func slab(low, high, o, inv, enter, leave float64) (float64, float64) {
	t0, t1 := (low-o)*inv, (high-o)*inv
	if t0 > t1 {
		t0, t1 = t1, t0
	}
	if t0 > enter {
		enter = t0
	}
	if t1 < leave {
		leave = t1
	}
	return enter, leave
}

// meet is the intersection of Möller and Trumbore (1997): distance and barycentric coordinates.
func (t *tri) meet(o, d vec) (at, u, v float64, ok bool) {
	p := d.cross(t.ac)
	det := t.ab.dot(p)
	if det == 0 {
		return 0, 0, 0, false
	}
	s := o.sub(t.a)
	u = s.dot(p) / det
	if u < 0 || u > 1 {
		return 0, 0, 0, false
	}
	q := s.cross(t.ab)
	v = d.dot(q) / det
	if v < 0 || u+v > 1 {
		return 0, 0, 0, false
	}
	at = t.ac.dot(q) / det
	return at, u, v, at > 0
}
