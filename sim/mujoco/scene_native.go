//go:build mujoco && cgo

package mujoco

/*
#include "chunk.h"

// The mean colour of the texture that a material is painted with; 0 if there is none.
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
	"unsafe"

	"nacre/sim/scene"
)

func (m *Model) elements(site bool) elements {
	p := m.m
	if n := int(p.nsite); site {
		return elements{
			names: func(i int) string { return m.name(C.mjOBJ_SITE, i) },
			group: ints(p.site_group, n), material: ints(p.site_matid, n), kind: ints(p.site_type, n),
			body: ints(p.site_bodyid, n),
			size: view(p.site_size, 3*n), rgba: unsafe.Slice((*float32)(unsafe.Pointer(p.site_rgba)), 4*n),
		}
	}
	n := int(p.ngeom)
	return elements{
		names: func(i int) string { return m.name(C.mjOBJ_GEOM, i) },
		group: ints(p.geom_group, n), material: ints(p.geom_matid, n), kind: ints(p.geom_type, n),
		body: ints(p.geom_bodyid, n),
		mesh: ints(p.geom_dataid, n), size: view(p.geom_size, 3*n),
		rgba: unsafe.Slice((*float32)(unsafe.Pointer(p.geom_rgba)), 4*n),
	}
}

func (m *Model) materialColour(i int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(m.m.mat_rgba)), 4*i+4)[4*i:]
}

func (m *Model) textureMean(material int) (mean [3]float64, has bool) {
	var c [3]C.double
	has = C.nacre_texture_mean(m.m, C.int(material), &c[0]) != 0
	for k, v := range c {
		mean[k] = float64(v)
	}
	return mean, has
}

func (m *Model) bodyName(i int) string { return m.name(C.mjOBJ_BODY, i) }

func (m *Model) mesh(i int) scene.Triangles {
	p, n := m.m, int(m.m.nmesh)
	firstVertex, vertices := int(ints(p.mesh_vertadr, n)[i]), int(ints(p.mesh_vertnum, n)[i])
	firstFace, faces := int(ints(p.mesh_faceadr, n)[i]), int(ints(p.mesh_facenum, n)[i])
	t := scene.Triangles{Name: m.name(C.mjOBJ_MESH, i), Vertices: make([][3]float32, vertices),
		Faces: make([][3]int32, faces)}
	for k, v := range unsafe.Slice(p.mesh_vert, 3*(firstVertex+vertices))[3*firstVertex:] {
		t.Vertices[k/3][k%3] = float32(v)
	}
	for k, v := range ints(p.mesh_face, 3*(firstFace+faces))[3*firstFace:] {
		t.Faces[k/3][k%3] = v
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

func ints(p *C.int, n int) []int32 { return unsafe.Slice((*int32)(unsafe.Pointer(p)), n) }
