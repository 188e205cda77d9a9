package render

import (
	"math"

	"nacre/sim/scene"
)

// vec is a point, a direction or a colour.
type vec struct{ x, y, z float64 }

// vecOf is the vector of three coordinates.
func vecOf(c [3]float64) vec { return vec{c[0], c[1], c[2]} }

// list is the vector's coordinates.
func (a vec) list() [3]float64 { return [3]float64{a.x, a.y, a.z} }

func (a vec) add(b vec) vec           { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec           { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) mul(s float64) vec       { return vec{a.x * s, a.y * s, a.z * s} }
func (a vec) times(b vec) vec         { return vec{a.x * b.x, a.y * b.y, a.z * b.z} }
func (a vec) dot(b vec) float64       { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) length() float64         { return math.Sqrt(a.dot(a)) }
func (a vec) unit() vec               { return a.mul(1 / a.length()) }
func mix(a, b vec, t float64) vec     { return a.mul(1 - t).add(b.mul(t)) }
func clamp(v, lo, hi float64) float64 { return min(max(v, lo), hi) }

func (a vec) cross(b vec) vec {
	return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

// smooth rises from 0 at lo to 1 at hi.
func smooth(lo, hi, v float64) float64 {
	t := clamp((v-lo)/(hi-lo), 0, 1)
	return t * t * (3 - 2*t)
}

// frame is a position and the world directions of the three axes there.
type frame struct {
	origin vec
	axes   [3]vec
}

func newFrame(p scene.Pose) frame {
	w, x, y, z := float64(p[3]), float64(p[4]), float64(p[5]), float64(p[6])
	if n := math.Sqrt(w*w + x*x + y*y + z*z); n > 0 {
		w, x, y, z = w/n, x/n, y/n, z/n
	} else {
		w = 1
	}
	return frame{
		origin: vec{float64(p[0]), float64(p[1]), float64(p[2])},
		axes: [3]vec{
			{1 - 2*(y*y+z*z), 2 * (x*y + w*z), 2 * (x*z - w*y)},
			{2 * (x*y - w*z), 1 - 2*(x*x+z*z), 2 * (y*z + w*x)},
			{2 * (x*z + w*y), 2 * (y*z - w*x), 1 - 2*(x*x+y*y)},
		},
	}
}

// point takes a point of the world into the frame.
func (f *frame) point(p vec) vec { return f.direction(p.sub(f.origin)) }

// direction takes a direction of the world into the frame.
func (f *frame) direction(d vec) vec {
	return vec{d.dot(f.axes[0]), d.dot(f.axes[1]), d.dot(f.axes[2])}
}

// world takes a direction of the frame into the world.
func (f *frame) world(d vec) vec {
	return f.axes[0].mul(d.x).add(f.axes[1].mul(d.y)).add(f.axes[2].mul(d.z))
}

// around returns two directions that with n make a right-handed orthonormal frame.
func around(n vec) (u, v vec) {
	u = vec{1, 0, 0}
	if math.Abs(n.x) > 0.9 {
		u = vec{0, 1, 0}
	}
	u = u.sub(n.mul(u.dot(n))).unit()
	return u, n.cross(u)
}
