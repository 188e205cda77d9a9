package render

import (
	"math"
	"math/rand/v2"
	"testing"

	"nacre/sim/scene"
)

// Every shape is met where a ray, followed in small steps, first comes inside by the shape's defining inequality, with
// the normal of that inequality's gradient.
func TestShapesMeetTheirInequalities(t *testing.T) {
	size := [3]float64{0.5, 0.3, 0.7}
	box := newMesh(boxMesh(size))
	for name, c := range map[string]struct {
		inside func(p vec) float64 // negative inside
		meet   func(o, d vec) (hit, bool)
	}{
		"sphere": {func(p vec) float64 {
			return p.length() - 0.5
		}, func(o, d vec) (hit, bool) { return meetSphere(o, d, 0.5) }},
		"ellipsoid": {func(p vec) float64 {
			return p.x*p.x/0.25 + p.y*p.y/0.09 + p.z*p.z/0.49 - 1
		}, func(o, d vec) (hit, bool) { return meetEllipsoid(o, d, size) }},
		"capsule": {func(p vec) float64 {
			p.z -= clamp(p.z, -0.3, 0.3)
			return p.length() - 0.5
		}, func(o, d vec) (hit, bool) { return meetCapsule(o, d, 0.5, 0.3) }},
		"cylinder": {func(p vec) float64 {
			return max(math.Hypot(p.x, p.y)-0.5, math.Abs(p.z)-0.3)
		}, func(o, d vec) (hit, bool) { return meetCylinder(o, d, 0.5, 0.3) }},
		"box":  {boxDistance(size), func(o, d vec) (hit, bool) { return meetBox(o, d, size) }},
		"mesh": {boxDistance(size), func(o, d vec) (hit, bool) { return box.meet(o, d, math.Inf(1)) }},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		met := 0
		for range 400 {
			o := vec{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.unit().mul(2)
			d := vec{0.5 * r.NormFloat64(), 0.5 * r.NormFloat64(), 0.5 * r.NormFloat64()}.sub(o).unit()
			const step = 1e-3
			want := -1.
			for at := 0.; at < 4; at += step {
				if c.inside(o.add(d.mul(at))) <= 0 {
					want = at
					break
				}
			}
			h, ok := c.meet(o, d)
			if ok && want < 0 {
				// The steps can jump over a corner: half a step farther in nothing must be missed by much.
				if deepest := c.inside(o.add(d.mul(h.t + step/2))); deepest > 2e-3 {
					t.Fatalf("%s: met at %v where it is not", name, h.t)
				}
				continue
			}
			if !ok && want >= 0 || ok && (h.t > want+1e-9 || h.t < want-step-1e-9) {
				t.Fatalf("%s: from %v along %v met at %v %v, want %v", name, o, d, h.t, ok, want)
			}
			if !ok {
				continue
			}
			met++
			p := o.add(d.mul(h.t))
			if v := c.inside(p); math.Abs(v) > 1e-7 { // a mesh has float32 corners
				t.Fatalf("%s: the inequality is %g where it is met", name, v)
			}
			var gradient [3]float64
			for k := range 3 {
				a, b := p.list(), p.list()
				a[k] += 1e-6
				b[k] -= 1e-6
				gradient[k] = c.inside(vecOf(a)) - c.inside(vecOf(b))
			}
			if near := vecOf(gradient).unit().dot(h.normal); near < 0.999 && name != "box" && name != "mesh" &&
				name != "cylinder" {
				t.Fatalf("%s: normal %v, gradient %v", name, h.normal, vecOf(gradient).unit())
			}
			if math.Abs(h.normal.length()-1) > 1e-9 || h.normal.dot(d) > 0 {
				t.Fatalf("%s: the normal %v does not face the ray %v", name, h.normal, d)
			}
		}
		if met < 100 {
			t.Errorf("%s: only %d of 400 rays met it", name, met)
		}
	}
}

func boxDistance(half [3]float64) func(p vec) float64 {
	return func(p vec) float64 {
		return max(math.Abs(p.x)-half[0], math.Abs(p.y)-half[1], math.Abs(p.z)-half[2])
	}
}

// boxMesh is a box of many triangles: each side is a grid of 8×8 squares of two.
func boxMesh(half [3]float64) *scene.Triangles {
	const n = 8
	m := &scene.Triangles{Name: "box"}
	for axis := range 3 {
		for _, side := range []float64{-1, 1} {
			base := int32(len(m.Vertices))
			u, v := (axis+1)%3, (axis+2)%3
			for i := range n + 1 {
				for j := range n + 1 {
					var p [3]float32
					p[axis] = float32(side * half[axis])
					p[u], p[v] = float32(half[u]*(2*float64(i)/n-1)), float32(half[v]*(2*float64(j)/n-1))
					m.Vertices = append(m.Vertices, p)
				}
			}
			at := func(i, j int) int32 { return base + int32(i*(n+1)+j) }
			for i := range n {
				for j := range n {
					a, b, c, d := at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)
					if side < 0 {
						b, d = d, b
					}
					m.Faces = append(m.Faces, [3]int32{a, b, c}, [3]int32{a, c, d})
				}
			}
		}
	}
	return m
}

// A mesh is shaded smoothly where it is round and sharply at its creases.
func TestCreases(t *testing.T) {
	m := newMesh(boxMesh([3]float64{0.5, 0.3, 0.7}))
	for _, x := range m.tris {
		for _, n := range m.smooth[x.id] {
			if face := x.ab.cross(x.ac).unit(); n.sub(face).length() > 1e-6 {
				t.Fatalf("a box's corner has the normal %v on a face towards %v", n, face)
			}
		}
	}
	const sides = 24 // of a tube, 15 degrees each
	var tube scene.Triangles
	for i := range int32(sides) {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / sides)
		tube.Vertices = append(tube.Vertices, [3]float32{float32(cos), float32(sin), 0},
			[3]float32{float32(cos), float32(sin), 1})
		next := (i + 1) % sides
		tube.Faces = append(tube.Faces, [3]int32{2 * i, 2 * next, 2*i + 1}, [3]int32{2 * next, 2*next + 1, 2*i + 1})
	}
	m = newMesh(&tube)
	for _, x := range m.tris {
		for j, corner := range []vec{x.a, x.a.add(x.ab), x.a.add(x.ac)} {
			want := vec{corner.x, corner.y, 0}
			if n := m.smooth[x.id][j]; n.dot(want) < math.Cos(4*math.Pi/180) {
				t.Fatalf("at %v the tube has the normal %v", corner, n)
			}
		}
	}
}
