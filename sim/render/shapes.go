package render

import "math"

// hit is where a ray meets a shape, in the frame of whoever asked: eye + t·direction.
type hit struct {
	t      float64
	normal vec // unit, outwards
}

// Each function returns the first meeting of a ray with a shape in the shape's own frame, from outside and ahead of
// the origin; ok is false if there is none.

// roots returns the smaller root of a·t² + 2b·t + c = 0.
func root(a, b, c float64) (float64, bool) {
	d := b*b - a*c
	if d < 0 || a == 0 {
		return 0, false
	}
	t := (-b - math.Sqrt(d)) / a
	return t, t > 0
}

func meetPlane(o, d vec, size [3]float64) (hit, bool) {
	if d.z >= 0 || o.z <= 0 {
		return hit{}, false
	}
	t := -o.z / d.z
	if size[0] > 0 && math.Abs(o.x+t*d.x) > size[0] || size[1] > 0 && math.Abs(o.y+t*d.y) > size[1] {
		return hit{}, false
	}
	return hit{t, vec{0, 0, 1}}, true
}

func meetSphere(o, d vec, radius float64) (hit, bool) {
	t, ok := root(d.dot(d), o.dot(d), o.dot(o)-radius*radius)
	if !ok {
		return hit{}, false
	}
	return hit{t, o.add(d.mul(t)).mul(1 / radius)}, true
}

func meetEllipsoid(o, d vec, half [3]float64) (hit, bool) {
	inv := vec{1 / half[0], 1 / half[1], 1 / half[2]}
	h, ok := meetSphere(o.times(inv), d.times(inv), 1)
	if ok {
		h.normal = h.normal.times(inv).unit()
	}
	return h, ok
}

// meetTube meets the side of a cylinder along z without its ends.
func meetTube(o, d vec, radius, half float64) (hit, bool) {
	t, ok := root(d.x*d.x+d.y*d.y, o.x*d.x+o.y*d.y, o.x*o.x+o.y*o.y-radius*radius)
	if !ok || math.Abs(o.z+t*d.z) > half {
		return hit{}, false
	}
	return hit{t, vec{(o.x + t*d.x) / radius, (o.y + t*d.y) / radius, 0}}, true
}

func meetCapsule(o, d vec, radius, half float64) (hit, bool) {
	best, found := meetTube(o, d, radius, half)
	for _, end := range [2]float64{-half, half} {
		if h, ok := meetSphere(vec{o.x, o.y, o.z - end}, d, radius); ok && (!found || h.t < best.t) {
			// The inner half of the sphere is inside the capsule.
			if (o.z+h.t*d.z-end)*end >= 0 {
				best, found = h, true
			}
		}
	}
	return best, found
}

func meetCylinder(o, d vec, radius, half float64) (hit, bool) {
	best, found := meetTube(o, d, radius, half)
	if d.z != 0 {
		up := math.Copysign(1, -d.z) // the end that the ray can meet from outside
		t := (up*half - o.z) / d.z
		x, y := o.x+t*d.x, o.y+t*d.y
		if t > 0 && x*x+y*y <= radius*radius && (!found || t < best.t) {
			best, found = hit{t, vec{0, 0, up}}, true
		}
	}
	return best, found
}

func meetBox(from, along vec, half [3]float64) (hit, bool) {
	o, d := from.list(), along.list()
	enter, leave, axis := math.Inf(-1), math.Inf(1), 0
	for k := range 3 {
		if d[k] == 0 {
			if math.Abs(o[k]) > half[k] {
				return hit{}, false
			}
			continue
		}
		side := math.Copysign(half[k], d[k])
		t0, t1 := (-side-o[k])/d[k], (side-o[k])/d[k]
		if t0 > enter {
			enter, axis = t0, k
		}
		leave = min(leave, t1)
	}
	if enter > leave || enter <= 0 {
		return hit{}, false
	}
	var n [3]float64
	n[axis] = -math.Copysign(1, d[axis])
	return hit{enter, vecOf(n)}, true
}
