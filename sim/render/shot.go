package render

import (
	"math"
	"slices"

	"nacre/sim/scene"
)

// tile is the width of the squares of the picture that know which solids can be seen in them.
const tile = 16

// thing is a solid where it is in a frame.
type thing struct {
	frame
	kind    scene.Kind
	size    [3]float64
	mesh    *mesh
	colour  vec // linear
	opacity float64
	sign    bool
	id      int
	centre  vec // centre of the sphere around it, in the world
	radius  float64
}

// meet returns where a ray of the world first meets the thing; the normal is in the world.
func (g *thing) meet(o, d vec, limit float64) (hit, bool) {
	lo, ld := g.point(o), g.direction(d)
	var h hit
	var ok bool
	switch g.kind {
	case scene.Plane:
		h, ok = meetPlane(lo, ld, g.size)
	case scene.Sphere:
		h, ok = meetSphere(lo, ld, g.size[0])
	case scene.Capsule:
		h, ok = meetCapsule(lo, ld, g.size[0], g.size[1])
	case scene.Ellipsoid:
		h, ok = meetEllipsoid(lo, ld, g.size)
	case scene.Cylinder:
		h, ok = meetCylinder(lo, ld, g.size[0], g.size[1])
	case scene.Box:
		h, ok = meetBox(lo, ld, g.size)
	case scene.Mesh:
		h, ok = g.mesh.meet(lo, ld, limit)
	}
	if !ok || h.t >= limit {
		return hit{}, false
	}
	h.normal = g.world(h.normal)
	return h, true
}

// misses reports that a ray passes the sphere around the thing, or only reaches it beyond limit.
func (g *thing) misses(o, d vec, limit float64) bool {
	to := g.centre.sub(o)
	along := to.dot(d)
	return along-g.radius > limit || to.dot(to)-along*along > g.radius*g.radius
}

// shot is a frame ready to be drawn: the things in it, and which of them to ask for a pixel or a shadow.
type shot struct {
	camera *camera
	things []thing
	tiles  [][]*thing // things in each tile of the picture, without planes
	across int        // tiles in a row
	planes []*thing
	target vec
	far    float64 // where floors have faded, metres from target
	grid   float64
	light  light
}

func (p *Painter) shot(poses []scene.Pose, v scene.View, c *camera) *shot {
	s := &shot{
		camera: c, things: make([]thing, 0, len(poses)), across: (p.width + tile - 1) / tile,
		target: vecOf(v.Target), far: 4.5 * v.Distance, grid: p.scene.Grid,
	}
	s.tiles = make([][]*thing, s.across*((p.height+tile-1)/tile))
	for i, g := range p.scene.Solids {
		if g.Color[3] == 0 {
			continue
		}
		t := thing{
			frame: newFrame(poses[i]), kind: g.Kind, size: g.Size, colour: decode(g.Color), opacity: g.Color[3],
			sign: g.Sign, id: i,
		}
		t.centre = t.origin
		switch a := g.Size; g.Kind {
		case scene.Plane:
			t.radius = math.Inf(1)
		case scene.Sphere:
			t.radius = a[0]
		case scene.Capsule:
			t.radius = a[0] + a[1]
		case scene.Ellipsoid:
			t.radius = slices.Max(a[:])
		case scene.Cylinder:
			t.radius = math.Hypot(a[0], a[1])
		case scene.Box:
			t.radius = vecOf(a).length()
		case scene.Mesh:
			t.mesh = p.meshes[g.Mesh]
			t.centre, t.radius = t.origin.add(t.world(t.mesh.centre)), t.mesh.radius
		}
		s.things = append(s.things, t)
	}
	for i := range s.things {
		s.place(&s.things[i])
	}
	// Nearer things come first, so that things behind a hit are skipped.
	for _, list := range s.tiles {
		slices.SortFunc(list, func(a, b *thing) int {
			da, db := a.centre.sub(c.eye).length()-a.radius, b.centre.sub(c.eye).length()-b.radius
			if da != db {
				return int(math.Copysign(1, da-db))
			}
			return a.id - b.id
		})
	}
	s.light.set(s, v)
	return s
}

// place enters a thing into the tiles it can be seen in.
func (s *shot) place(t *thing) {
	if t.kind == scene.Plane {
		s.planes = append(s.planes, t)
		return
	}
	x0, y0, x1, y1 := s.camera.span(t.centre, t.radius)
	if x0 >= x1 || y0 >= y1 {
		return
	}
	for ty := y0 / tile; ty <= (y1-1)/tile; ty++ {
		for tx := x0 / tile; tx <= (x1-1)/tile; tx++ {
			i := ty*s.across + tx
			s.tiles[i] = append(s.tiles[i], t)
		}
	}
}

// near returns the things that can be seen in a pixel, planes excepted.
func (s *shot) near(x, y int) []*thing { return s.tiles[y/tile*s.across+x/tile] }

// sample holds what a ray sees.
type sample struct {
	colour vec
	normal vec
	tone   float64 // see shade
	solid  int     // solid of the scene; -1 for the background
	depth  float64 // metres along the ray
}

// maxLayers is how many transparent surfaces before an opaque one are seen.
const maxLayers = 6

// trace follows a ray from the eye. list holds the things that it may meet, besides planes. phase is the phase of its
// shadows.
func (s *shot) trace(list []*thing, d vec, phase int) sample {
	eye := s.camera.eye
	var first *thing
	nearest := hit{t: math.Inf(1)}
	opaque := func(t *thing) {
		if t.opacity < 1 || t.misses(eye, d, nearest.t) {
			return
		}
		if h, ok := t.meet(eye, d, nearest.t); ok {
			nearest, first = h, t
		}
	}
	clear := 0
	for _, t := range list {
		opaque(t)
		if t.opacity < 1 {
			clear++
		}
	}
	for _, t := range s.planes {
		opaque(t)
		if t.opacity < 1 {
			clear++
		}
	}
	out := sample{colour: background, solid: -1, depth: nearest.t}
	if first != nil {
		out = sample{normal: nearest.normal, solid: first.id, depth: nearest.t}
		out.colour, out.tone = s.shade(first, nearest, d, phase)
	}
	if clear > 0 {
		s.veil(&out, list, d, phase)
	}
	return out
}

// veil lays the transparent surfaces before what a ray sees over it, the farthest first.
func (s *shot) veil(out *sample, list []*thing, d vec, phase int) {
	type layer struct {
		hit
		thing *thing
	}
	layers := make([]layer, 0, maxLayers)
	for _, group := range [2][]*thing{list, s.planes} {
		for _, t := range group {
			if t.opacity >= 1 || len(layers) == maxLayers {
				continue
			}
			if h, ok := t.meet(s.camera.eye, d, out.depth); ok {
				layers = append(layers, layer{h, t})
			}
		}
	}
	slices.SortFunc(layers, func(a, b layer) int { return int(math.Copysign(1, b.t-a.t)) })
	for _, l := range layers {
		colour, tone := s.shade(l.thing, l.hit, d, phase)
		out.colour, out.tone = mix(out.colour, colour, l.thing.opacity), out.tone+tone
		out.normal, out.solid = l.normal, l.thing.id
	}
}
