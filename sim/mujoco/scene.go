//go:build mujoco && cgo

package mujoco

/*
#include "chunk.h"

// The mean colour of the texture that a material is painted with; 0 where there is none.
static int nacre_texture_mean(const mjModel* m, int material, double* rgb) {
  const int t = m->mat_texid[material * mjNTEXROLE + mjTEXROLE_RGB];
  const mjtByte* data = m->tex_data;
  const int channels = t < 0 ? 3 : m->tex_nchannel[t];
  if (t < 0 || channels < 3) return 0;
  const int64_t pixels = (int64_t)m->tex_height[t] * m->tex_width[t];
  double sum[3] = {0, 0, 0};
  data += m->tex_adr[t];
  for (int64_t p = 0; p < pixels; p++) {
    for (int k = 0; k < 3; k++) sum[k] += data[channels * p + k];
  }
  for (int k = 0; k < 3; k++) rgb[k] = sum[k] / (255.0 * (double)pixels);
  return pixels > 0;
}
*/
import "C"

import (
	"math"
	"unsafe"

	"nacre/sim/scene"
)

// hidden is the first group of geometries and sites that MuJoCo's viewer does not show unless asked.
const hidden = 3

var kinds = map[C.int]scene.Kind{
	C.mjGEOM_PLANE: scene.Plane, C.mjGEOM_SPHERE: scene.Sphere, C.mjGEOM_CAPSULE: scene.Capsule,
	C.mjGEOM_ELLIPSOID: scene.Ellipsoid, C.mjGEOM_CYLINDER: scene.Cylinder, C.mjGEOM_BOX: scene.Box, C.mjGEOM_MESH: scene.Mesh,
}

// Shape is a geometry or a site of a model, as a solid of a scene.
type Shape struct {
	scene.Solid
	Body  string
	Site  bool
	Index int // among the model's geometries, or its sites
}

// Shapes returns what the model shows: geometries in the order of the model, then sites, both of the groups 0 to 2
// and not fully transparent, and the meshes they have. Omitted names the ones whose kind a scene cannot hold.
func (m *Model) Shapes() (shapes []Shape, meshes []scene.Triangles, omitted []string) {
	p := m.m
	meshOf := map[C.int]int{}
	add := func(s Shape, kind, dataID C.int) {
		var known bool
		if s.Kind, known = kinds[kind]; !known {
			omitted = append(omitted, s.Name)
			return
		}
		if s.Kind == scene.Mesh {
			k, have := meshOf[dataID]
			if !have {
				k = len(meshes)
				meshOf[dataID] = k
				meshes = append(meshes, m.mesh(int(dataID)))
			}
			s.Mesh, s.Size = k, [3]float64{}
		}
		if s.Color[3] > 0 {
			shapes = append(shapes, s)
		}
	}
	n := int(p.ngeom)
	group, mat, kind, data := ints(p.geom_group, n), ints(p.geom_matid, n), ints(p.geom_type, n), ints(p.geom_dataid, n)
	body := ints(p.geom_bodyid, n)
	for i := range n {
		if group[i] < hidden {
			s := Shape{Body: m.name(C.mjOBJ_BODY, int(body[i])), Index: i}
			s.Name, s.Color = m.name(C.mjOBJ_GEOM, i), m.colour(mat[i], p.geom_rgba, i)
			copy(s.Size[:], view(p.geom_size, 3*n)[3*i:])
			add(s, kind[i], data[i])
		}
	}
	n = int(p.nsite)
	if n == 0 {
		return shapes, meshes, omitted
	}
	group, mat, kind, body = ints(p.site_group, n), ints(p.site_matid, n), ints(p.site_type, n), ints(p.site_bodyid, n)
	for i := range n {
		if group[i] < hidden {
			s := Shape{Site: true, Body: m.name(C.mjOBJ_BODY, int(body[i])), Index: i}
			s.Sign, s.Name, s.Color = true, m.name(C.mjOBJ_SITE, i), m.colour(mat[i], p.site_rgba, i)
			copy(s.Size[:], view(p.site_size, 3*n)[3*i:])
			add(s, kind[i], -1)
		}
	}
	return shapes, meshes, omitted
}

// Poses writes where shapes of the model are in environment i, as of the last Reset and Forward, or as Step leaves it.
func (c *Chunk) Poses(i int, shapes []Shape, poses []scene.Pose) {
	d := c.data[i]
	for k, s := range shapes {
		pos, mat := d.geom_xpos, d.geom_xmat
		if s.Site {
			pos, mat = d.site_xpos, d.site_xmat
		}
		x, r := view(pos, 3*s.Index+3)[3*s.Index:], view(mat, 9*s.Index+9)[9*s.Index:]
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
func (m *Model) colour(material C.int, own *C.float, i int) scene.Color {
	from := own
	if material >= 0 {
		from, i = m.m.mat_rgba, int(material)
	}
	var c scene.Color
	for k, v := range unsafe.Slice(from, 4*i+4)[4*i:] {
		c[k] = min(max(float64(v), 0), 1)
	}
	var mean [3]C.double
	if material >= 0 && C.nacre_texture_mean(m.m, material, &mean[0]) != 0 {
		for k, v := range mean {
			c[k] *= float64(v)
		}
	}
	return c
}

func (m *Model) mesh(i int) scene.Triangles {
	p, n := m.m, int(m.m.nmesh)
	firstVertex, vertices := int(ints(p.mesh_vertadr, n)[i]), int(ints(p.mesh_vertnum, n)[i])
	firstFace, faces := int(ints(p.mesh_faceadr, n)[i]), int(ints(p.mesh_facenum, n)[i])
	t := scene.Triangles{Name: m.name(C.mjOBJ_MESH, i), Vertices: make([][3]float32, vertices), Faces: make([][3]int32, faces)}
	for k, v := range unsafe.Slice(p.mesh_vert, 3*(firstVertex+vertices))[3*firstVertex:] {
		t.Vertices[k/3][k%3] = float32(v)
	}
	for k, v := range ints(p.mesh_face, 3*(firstFace+faces))[3*firstFace:] {
		t.Faces[k/3][k%3] = int32(v)
	}
	return t
}

// name is the name of an object, or "" if it has none.
func (m *Model) name(kind C.int, i int) string {
	if s := C.nacre_name(m.m, kind, C.int(i)); s != nil {
		return C.GoString(s)
	}
	return ""
}

func ints(p *C.int, n int) []C.int { return unsafe.Slice(p, n) }
