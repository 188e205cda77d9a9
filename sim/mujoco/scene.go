//go:build (mujoco && cgo) || js

package mujoco

import (
	"math"

	"nacre/sim/scene"
)

// hidden is the first group of geometries and sites that MuJoCo's viewer does not show unless asked.
const hidden = 3

// kinds are the values of mjtGeom for which a scene has solids.
var kinds = map[int32]scene.Kind{
	0: scene.Plane, 2: scene.Sphere, 3: scene.Capsule, 4: scene.Ellipsoid, 5: scene.Cylinder, 6: scene.Box,
	7: scene.Mesh,
}

// Shape is a geometry or a site of a model, as a solid of a scene.
type Shape struct {
	scene.Solid
	Body  string
	Site  bool
	Index int // index among the model's geometries, or among its sites
}

// elements are the model's geometries or its sites: one element of each slice for each, three of size, four of rgba.
type elements struct {
	names                       func(i int) string
	group, material, kind, body []int32
	mesh                        []int32 // meshes of geometries
	size                        []float64
	rgba                        []float32
}

// Shapes returns the visible shapes of the model with their meshes: geometries in the order of the model, then sites.
// Both are of the groups 0 to 2 and not fully transparent. Omitted names the shapes whose kind a scene cannot hold.
func (m *Model) Shapes() (shapes []Shape, meshes []scene.Triangles, omitted []string) {
	meshOf := map[int32]int{}
	for _, site := range []bool{false, true} {
		all := m.elements(site)
		for i, group := range all.group {
			if group >= hidden {
				continue
			}
			s := Shape{Site: site, Body: m.bodyName(int(all.body[i])), Index: i}
			s.Sign, s.Name, s.Color = site, all.names(i), m.colour(all.material[i], all.rgba[4*i:4*i+4])
			copy(s.Size[:], all.size[3*i:])
			var known bool
			if s.Kind, known = kinds[all.kind[i]]; !known {
				omitted = append(omitted, s.Name)
				continue
			}
			if s.Kind == scene.Mesh {
				k, have := meshOf[all.mesh[i]]
				if !have {
					k = len(meshes)
					meshOf[all.mesh[i]] = k
					meshes = append(meshes, m.mesh(int(all.mesh[i])))
				}
				s.Mesh, s.Size = k, [3]float64{}
			}
			if s.Color[3] > 0 {
				shapes = append(shapes, s)
			}
		}
	}
	return shapes, meshes, omitted
}

// Poses writes the places of shapes of the model in environment i, as of the last Reset and Forward, or as Step leaves
// them.
func (c *Chunk) Poses(i int, shapes []Shape, poses []scene.Pose) {
	for k, s := range shapes {
		x, r := c.states[i].geomXPos, c.states[i].geomXMat
		if s.Site {
			x, r = c.states[i].siteXPos, c.states[i].siteXMat
		}
		x, r = x[3*s.Index:], r[9*s.Index:]
		poses[k] = scene.Pose{float32(x[0]), float32(x[1]), float32(x[2])}
		for j, v := range quaternion(r) {
			poses[k][3+j] = float32(v)
		}
	}
}

// quaternion is the rotation of a row-major matrix, from the largest of its four elements (Shepperd 1978).
func quaternion(r []float64) [4]float64 {
	at := func(i, j int) float64 { return r[3*i+j] }
	trace := at(0, 0) + at(1, 1) + at(2, 2)
	var q [4]float64
	largest := 3
	for i := range 3 {
		if v := at(i, i); v > trace && (largest == 3 || v > at(largest, largest)) {
			largest = i
		}
	}
	if largest == 3 {
		q[0] = math.Sqrt(1+trace) / 2
		q[1], q[2], q[3] = (at(2, 1)-at(1, 2))/(4*q[0]), (at(0, 2)-at(2, 0))/(4*q[0]), (at(1, 0)-at(0, 1))/(4*q[0])
		return q
	}
	i, j, k := largest, (largest+1)%3, (largest+2)%3
	s := math.Sqrt(1+at(i, i)-at(j, j)-at(k, k)) / 2
	q[1+i] = s
	q[0], q[1+j], q[1+k] = (at(k, j)-at(j, k))/(4*s), (at(j, i)+at(i, j))/(4*s), (at(k, i)+at(i, k))/(4*s)
	return q
}

// colour is that of the material, its texture's mean included, or else the element's own.
func (m *Model) colour(material int32, own []float32) scene.Color {
	if material >= 0 {
		own = m.materialColour(int(material))
	}
	var c scene.Color
	for k, v := range own {
		c[k] = min(max(float64(v), 0), 1)
	}
	if material < 0 {
		return c
	}
	if mean, has := m.textureMean(int(material)); has {
		for k, v := range mean {
			c[k] *= v
		}
	}
	return c
}
