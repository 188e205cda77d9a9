package render

import (
	"math"

	"nacre/sim/scene"
)

// The light of every picture: a low sun to the left behind the eye, a bright sky, and a floor that reflects.
var (
	background = decode(scene.Color{0.968, 0.972, 0.976, 1})
	sunColour  = vec{1.0, 0.97, 0.92}
	skyColour  = vec{0.93, 0.97, 1.0}
)

const (
	sunAzimuth   = 55 // degrees to the left of the eye, seen from the target
	sunElevation = 52
	sunSize      = 3.0 // half angle of its disc in degrees: makes shadows soft
	sunRays      = 16
	sunPhases    = 8
	skyReach     = 5  // times the radius of a thing that its hiding of the sky is felt
	whole        = -1 // stands for all phases
	shadowCells  = 64 // per side
)

// light is the sun of a shot and which things can shade a point.
type light struct {
	sun     vec // towards it
	u, v    vec // across
	rays    [sunRays]vec
	casters []*thing      // things that shade others
	low     [2]float64    // corner of the cells
	step    [2]float64    // widths of the cells
	cells   [][]*thing    // things that may be between a point and the sun
	around  [2][2]float64 // lowest and highest x and y that they reach
}

func (l *light) set(s *shot, v scene.View) {
	sinA, cosA := math.Sincos((v.Azimuth - sunAzimuth) * math.Pi / 180)
	sinE, cosE := math.Sincos(sunElevation * math.Pi / 180)
	l.sun = vec{cosA * cosE, sinA * cosE, sinE}
	l.u, l.v = around(l.sun)
	// A sunflower of directions over the disc.
	for i := range l.rays {
		r := math.Tan(sunSize*math.Pi/180) * math.Sqrt((float64(i)+0.5)/sunRays)
		sin, cos := math.Sincos(float64(i) * math.Pi * (3 - math.Sqrt(5)))
		l.rays[i] = l.sun.add(l.u.mul(r * cos)).add(l.v.mul(r * sin)).unit()
	}
	l.find(s.things)
	if len(l.casters) > 0 {
		l.sort(s.things)
	}
}

// find picks the things that shade others, and how far they darken a floor.
func (l *light) find(things []thing) {
	l.around = [2][2]float64{{math.Inf(1), math.Inf(1)}, {math.Inf(-1), math.Inf(-1)}}
	for i := range things {
		t := &things[i]
		if t.kind == scene.Plane || t.sign || t.opacity < 0.5 || t.radius == 0 {
			continue
		}
		l.casters = append(l.casters, t)
		for k, at := range [2]float64{t.centre.x, t.centre.y} {
			l.around[0][k] = min(l.around[0][k], at-skyReach*t.radius)
			l.around[1][k] = max(l.around[1][k], at+skyReach*t.radius)
		}
	}
}

// sort enters the casters into the cells that their shadows can reach.
func (l *light) sort(things []thing) {
	low, high, ground := math.Inf(1), math.Inf(-1), math.Inf(1)
	for i := range things {
		if things[i].kind == scene.Plane {
			ground = min(ground, things[i].origin.z)
		}
	}
	for _, t := range l.casters {
		along := t.centre.dot(l.sun)
		low, high = min(low, along-t.radius), max(high, along+t.radius)
	}
	// A shadow is as much wider than its thing as the sun's disc spreads on the way to the farthest receiver.
	wide := make([]float64, len(l.casters))
	top := [2]float64{math.Inf(-1), math.Inf(-1)}
	l.low = [2]float64{math.Inf(1), math.Inf(1)}
	for i, t := range l.casters {
		far := high - low
		if !math.IsInf(ground, 0) {
			far = max(far, (t.centre.z+t.radius-ground)/l.sun.z)
		}
		wide[i] = t.radius + far*math.Tan(sunSize*math.Pi/180)
		for k, axis := range [2]vec{l.u, l.v} {
			at := t.centre.dot(axis)
			l.low[k], top[k] = min(l.low[k], at-wide[i]), max(top[k], at+wide[i])
		}
	}
	l.cells = make([][]*thing, shadowCells*shadowCells)
	for k := range 2 {
		l.step[k] = (top[k] - l.low[k]) / shadowCells
	}
	for i, t := range l.casters {
		x0, y0, _ := l.cell(t.centre.sub(l.u.mul(wide[i])).sub(l.v.mul(wide[i])))
		x1, y1, _ := l.cell(t.centre.add(l.u.mul(wide[i])).add(l.v.mul(wide[i])))
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				l.cells[y*shadowCells+x] = append(l.cells[y*shadowCells+x], t)
			}
		}
	}
}

// cell returns the cell that a point is in, or the nearest one and false.
func (l *light) cell(p vec) (x, y int, inside bool) {
	fx, fy := (p.dot(l.u)-l.low[0])/l.step[0], (p.dot(l.v)-l.low[1])/l.step[1]
	x, y = int(clamp(fx, 0, shadowCells-1)), int(clamp(fy, 0, shadowCells-1))
	return x, y, fx >= 0 && fy >= 0 && fx <= shadowCells && fy <= shadowCells
}

// lit is the part of the sun's disc that is seen from a point of self. A phase asks only every eighth of its rays: the
// eight rays of a pixel have a phase each.
func (l *light) lit(p vec, self *thing, phase int) float64 {
	if l.cells == nil {
		return 1
	}
	x, y, inside := l.cell(p)
	if !inside {
		return 1
	}
	list := l.cells[y*shadowCells+x]
	if len(list) == 0 {
		return 1
	}
	seen := func(first, end, step int) (n int) {
		last := 0 // what hides one ray mostly hides the next
		for k := first; k < end; k += step {
			blocker := blocked(list, last, p, l.rays[k], self)
			if blocker < 0 {
				n++
			} else {
				last = blocker
			}
		}
		return n
	}
	if phase != whole {
		return float64(seen(phase, sunRays, sunPhases)) * sunPhases / sunRays
	}
	// Where the rim of the disc is all seen or all hidden, so is mostly the rest.
	const rim = sunRays - 5
	n := seen(rim, sunRays, 1)
	switch n {
	case 0:
		return 0
	case sunRays - rim:
		return 1
	}
	return float64(n+seen(0, rim, 1)) / sunRays
}

// blocked returns which of list a ray meets, trying list[first] first, or -1.
func blocked(list []*thing, first int, p, d vec, self *thing) int {
	for k := -1; k < len(list); k++ {
		i := k
		if k < 0 {
			i = first
		} else if k == first {
			continue
		}
		t := list[i]
		// A convex thing does not shade its own lit side.
		if t == self && t.kind != scene.Mesh {
			continue
		}
		to := t.centre.sub(p)
		along := to.dot(d)
		if along < -t.radius || to.dot(to)-along*along > t.radius*t.radius {
			continue
		}
		if t.kind == scene.Mesh {
			if t.mesh.blocks(t.point(p), t.direction(d)) {
				return i
			}
		} else if _, ok := t.meet(p, d, math.Inf(1)); ok {
			return i
		}
	}
	return -1
}

// open is the share of the sky that a point of a floor sees past the things above it. Each thing hides as much as a
// sphere there, and each further thing hides its share of the rest.
func (l *light) open(p, normal vec) float64 {
	seen := 1.
	if p.x < l.around[0][0] || p.x > l.around[1][0] || p.y < l.around[0][1] || p.y > l.around[1][1] {
		return seen
	}
	for _, t := range l.casters {
		var at vec
		var radius float64
		away := t.centre.sub(p)
		near := 1 - away.dot(away)/(skyReach*skyReach*t.radius*t.radius)
		if near <= 0 {
			continue
		}
		switch t.kind {
		case scene.Sphere:
			at, radius = t.origin, t.size[0]
		case scene.Capsule, scene.Cylinder:
			// The nearest point of the axis stands for all of it.
			axis := t.axes[2]
			along := clamp(p.sub(t.origin).dot(axis), -t.size[1], t.size[1])
			at, radius = t.origin.add(axis.mul(along)), t.size[0]
		case scene.Ellipsoid:
			at, radius = t.origin, math.Cbrt(t.size[0]*t.size[1]*t.size[2])
		default:
			continue
		}
		to := at.sub(p)
		d2 := max(to.dot(to), radius*radius)
		if up := to.dot(normal); up > 0 {
			seen *= 1 - 0.85*near*clamp(up*radius*radius/(d2*math.Sqrt(d2)), 0, 1)
		}
	}
	return seen
}

// shade is the light that comes from a hit towards the eye, which looks along d. Where tone does not change from pixel
// to pixel, one ray tells the colour of a pixel.
func (s *shot) shade(t *thing, h hit, d vec, phase int) (colour vec, tone float64) {
	p := s.camera.eye.add(d.mul(h.t))
	n := h.normal
	if t.kind == scene.Plane {
		return s.floor(t, p, n, d, h.t, phase)
	}
	if t.sign {
		return t.colour.mul(0.82 + 0.18*n.z), 0
	}
	l := &s.light
	facing := max(n.dot(l.sun), 0)
	seen := 0.
	if facing > 0 {
		seen = l.lit(p.add(n.mul(1e-4*(1+t.radius))), t, phase)
	}
	sky := 0.5 + 0.5*n.z
	ambient := skyColour.mul(0.26 + 0.34*sky)
	diffuse := sunColour.mul(0.78 * facing * seen)
	colour = t.colour.times(ambient.add(diffuse))
	// A faint gloss from the sun and a pale rim, as of mother-of-pearl.
	gloss := l.sun.sub(d).unit().dot(n)
	shine := 0.10 * seen * math.Pow(max(gloss, 0), 40)
	rim := 1 - max(-d.dot(n), 0)
	colour = colour.add(sunColour.mul(shine)).add(skyColour.mul(0.10 * rim * rim * rim * sky))
	return colour, colour.y
}

// floor is the light from a plane: squares, shadows, and with distance the background. Its tone leaves out the squares,
// which are averaged over the pixel.
func (s *shot) floor(t *thing, p, n, d vec, distance float64, phase int) (colour vec, tone float64) {
	fade := 1 - smooth(0.35*s.far, s.far, p.sub(s.target).length())
	if fade == 0 {
		return background, 0
	}
	colour = t.colour
	if s.grid > 0 {
		colour = colour.mul(1 - 0.055*s.squares(t, p, n, d, distance))
	}
	l := &s.light
	seen, open := l.lit(p.add(n.mul(1e-5)), t, phase), l.open(p, n)
	facing := max(n.dot(l.sun), 0) / l.sun.z
	shade := skyColour.mul(0.52 * open).add(sunColour.mul(0.48 * seen * facing))
	return mix(background, colour.times(shade), fade), fade * shade.y
}

// squares is 0 on the light squares of a floor and 1 on the dark ones, averaged over the pixel where they are small.
func (s *shot) squares(t *thing, p, n, d vec, distance float64) float64 {
	local := t.point(p)
	wide := s.camera.pixel * distance / max(-d.dot(n), 0.02) / s.grid
	wide = max(wide, 1e-6)
	return 0.5 - 0.5*stripe(local.x/s.grid, wide)*stripe(local.y/s.grid, wide)
}

// stripe is the mean over [x-w/2, x+w/2] of a square wave of period 2 that is 1 on [0,1) and -1 on [1,2).
func stripe(x, w float64) float64 {
	integral := func(x float64) float64 {
		x -= 2 * math.Floor(x/2)
		return min(x, 2-x)
	}
	return (integral(x+w/2) - integral(x-w/2)) / w
}
