//go:build !(mujoco && cgo) && !js

package mujoco

import "nacre/sim/scene"

// Shape is a geometry or a site of a model, as a solid of a scene.
type Shape struct {
	scene.Solid
	Body  string
	Site  bool
	Index int
}

// Shapes returns nothing.
func (m *Model) Shapes() (shapes []Shape, meshes []scene.Triangles, omitted []string) {
	return nil, nil, nil
}

// Poses does nothing.
func (c *Chunk) Poses(int, []Shape, []scene.Pose) {}
