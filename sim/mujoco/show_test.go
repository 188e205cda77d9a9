//go:build mujoco && cgo

package mujoco

import (
	"math"
	"testing"

	"nacre/sim/scene"
)

const seen = `<mujoco>
  <asset>
    <texture name="half" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="8" height="8"/>
    <material name="green" rgba="0 0.5 0 0.5"/>
    <material name="checked" texture="half"/>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
    <hfield name="hill" nrow="2" ncol="2" size="1 1 1 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="3 2 1" material="checked"/>
    <geom name="hill" type="hfield" hfield="hill"/>
    <geom name="aside" type="box" size="1 1 1" group="3"/>
    <geom name="glass" type="box" size="1 1 1" rgba="1 1 1 0"/>
    <body name="arm" pos="0 0 1" euler="10 20 30">
      <joint type="ball"/>
      <geom name="bar" type="capsule" fromto="0 0 0 0.3 0.4 0" size="0.05" rgba="0.1 0.2 0.3 1"/>
      <geom name="drop" type="ellipsoid" size="0.1 0.2 0.3" pos="0.5 0 0" euler="200 -40 170" material="green"/>
      <geom name="wedge" type="mesh" mesh="wedge" pos="0 0.7 0"/>
      <site name="tip" type="sphere" size="0.02" pos="0.3 0.4 0" rgba="1 0 0 1"/>
      <site name="hidden" size="0.02" group="4"/>
    </body>
  </worldbody>
</mujoco>`

// What is seen of a model is what its text says, without what is hidden.
func TestShapes(t *testing.T) {
	m, err := LoadXML(seen)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	shapes, meshes, omitted := m.Shapes()
	want := []Shape{
		{Solid: scene.Solid{Name: "floor", Kind: scene.Plane, Size: [3]float64{3, 2, 1},
			Color: scene.Color{0.5, 0, 0.5, 1}}, Body: "world"},
		{Solid: scene.Solid{Name: "bar", Kind: scene.Capsule, Size: [3]float64{0.05, 0.25},
			Color: scene.Color{0.1, 0.2, 0.3, 1}}, Body: "arm"},
		{Solid: scene.Solid{Name: "drop", Kind: scene.Ellipsoid, Size: [3]float64{0.1, 0.2, 0.3},
			Color: scene.Color{0, 0.5, 0, 0.5}}, Body: "arm"},
		{Solid: scene.Solid{Name: "wedge", Kind: scene.Mesh, Color: scene.Color{0.5, 0.5, 0.5, 1}}, Body: "arm"},
		{Solid: scene.Solid{Name: "tip", Kind: scene.Sphere, Size: [3]float64{0.02, 0.005, 0.005},
			Color: scene.Color{1, 0, 0, 1}, Sign: true}, Body: "arm", Site: true},
	}
	if len(shapes) != len(want) || len(omitted) != 1 || omitted[0] != "hill" {
		t.Fatalf("shapes %+v, omitted %v", shapes, omitted)
	}
	for i, w := range want {
		s := shapes[i]
		for k, v := range s.Color {
			if math.Abs(v-w.Color[k]) > 1e-6 {
				t.Errorf("%s has the colour %v, want %v", w.Name, s.Color, w.Color)
				break
			}
		}
		for k, v := range s.Size {
			if math.Abs(v-w.Size[k]) > 1e-12 && w.Name != "tip" {
				t.Errorf("%s has the size %v, want %v", w.Name, s.Size, w.Size)
				break
			}
		}
		if s.Name != w.Name || s.Kind != w.Kind || s.Body != w.Body || s.Site != w.Site || s.Sign != w.Sign {
			t.Errorf("shape %+v, want %+v", s, w)
		}
	}
	if len(meshes) != 1 || meshes[0].Name != "wedge" || len(meshes[0].Vertices) != 4 || len(meshes[0].Faces) != 4 {
		t.Errorf("meshes %+v", meshes)
	}
}

// Poses are MuJoCo's positions and matrices, and a mesh's corners are where the text puts them.
func TestPoses(t *testing.T) {
	m, err := LoadXML(seen)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	c, err := m.NewChunk(2)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	shapes, meshes, _ := m.Shapes()
	poses := make([]scene.Pose, len(shapes))
	for k, q := range [][4]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {0.5, 0.5, -0.5, 0.5},
		{0.1, -0.7, 0.1, 0.7}} {
		if err := c.Reset(1); err != nil {
			t.Fatal(err)
		}
		copy(c.QPos(1), q[:])
		if err := c.Forward(1); err != nil {
			t.Fatal(err)
		}
		c.Poses(1, shapes, poses)
		for i, s := range shapes {
			x, r := c.GeomXPos(1, s.Index), c.GeomXMat(1, s.Index)
			if s.Site {
				x, r = c.SiteXPos(1, s.Index), c.SiteXMat(1, s.Index)
			}
			got := matrix(poses[i])
			for j := range 9 {
				if j < 3 && math.Abs(float64(poses[i][j])-x[j]) > 1e-6 || math.Abs(got[j]-r[j]) > 1e-6 {
					t.Fatalf("state %d: %s is at %v with %v; MuJoCo says %v and %v", k, s.Name, poses[i], got, x, r)
				}
			}
		}
		// Corner (1, 0, 0) of the wedge, 0.7 along y from the body.
		body := c.XQuat(1, 1)
		b := matrix(scene.Pose{0, 0, 0, float32(body[0]), float32(body[1]), float32(body[2]), float32(body[3])})
		want := [3]float64{b[0] + 0.7*b[1], b[3] + 0.7*b[4], 1 + b[6] + 0.7*b[7]}
		nearest := math.Inf(1)
		r := matrix(poses[3])
		for _, v := range meshes[0].Vertices {
			d := 0.0
			for j := range 3 {
				at := float64(poses[3][j]) + r[3*j]*float64(v[0]) + r[3*j+1]*float64(v[1]) + r[3*j+2]*float64(v[2])
				d += (at - want[j]) * (at - want[j])
			}
			nearest = min(nearest, math.Sqrt(d))
		}
		if nearest > 1e-6 {
			t.Errorf("state %d: no corner of the wedge is at %v, the nearest is %g away", k, want, nearest)
		}
	}
}

// matrix is the rotation of a pose's quaternion.
func matrix(p scene.Pose) [9]float64 {
	w, x, y, z := float64(p[3]), float64(p[4]), float64(p[5]), float64(p[6])
	return [9]float64{
		w*w + x*x - y*y - z*z, 2 * (x*y - w*z), 2 * (x*z + w*y),
		2 * (x*y + w*z), w*w - x*x + y*y - z*z, 2 * (y*z - w*x),
		2 * (x*z - w*y), 2 * (y*z + w*x), w*w - x*x - y*y + z*z,
	}
}
