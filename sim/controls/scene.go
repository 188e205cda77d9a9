package controls

import (
	"fmt"
	"math"
	"strings"

	"nacre/sim/scene"
)

// look is how a control is drawn.
type look struct {
	color func(geom string) scene.Color
	view  scene.View // follows the torso unless still
	still bool
	grid  float64
	// sign shows the task, or is nil where there is nothing to show.
	sign    func(params []float64) (scene.Solid, scene.Triangles)
	carried bool // the sign goes with the torso
}

// from is a view of a torso at a height, from an azimuth.
func from(azimuth, elevation, height, distance float64) scene.View {
	return scene.View{Target: [3]float64{0, 0, height}, Distance: distance, Azimuth: azimuth, Elevation: elevation,
		Angle: 30}
}

// look chooses by the body, not the family.
func (c *control) look() look {
	switch {
	case strings.HasPrefix(c.name, "cheetah"):
		return look{color: cheetahColor, view: from(-76, 12, 0.42, 3.9), grid: 0.5}
	case strings.HasPrefix(c.name, "ant-goal"):
		return look{color: antColor, view: from(-65, 42, 0, 12), grid: 1, sign: disc, still: true}
	case strings.HasPrefix(c.name, "ant"):
		return look{color: antColor, view: from(-62, 24, 0.35, 6), grid: 1, sign: arrow, carried: true}
	case strings.HasPrefix(c.name, "humanoid"):
		return look{color: sided("right", "left"), view: from(-52, 16, 0.75, 5.4), grid: 1, sign: arrow, carried: true}
	}
	return look{color: sided("", "_left"), view: from(-70, 9, 0.78, 4.6), grid: 0.5}
}

func cheetahColor(geom string) scene.Color {
	switch {
	case geom == "torso" || geom == "head":
		return scene.Pearl
	case strings.HasPrefix(geom, "f"):
		return scene.Blue
	}
	return scene.Sand
}

func antColor(geom string) scene.Color {
	switch {
	case geom == "torso":
		return scene.Pearl
	case strings.HasPrefix(geom, "front"):
		return scene.Blue
	}
	return scene.Sand
}

// sided colours what names mark as of the left or the right side; "" marks the limbs without the other mark.
func sided(right, left string) func(string) scene.Color {
	middle := map[string]bool{"torso": true, "head": true, "uwaist": true, "lwaist": true, "butt": true}
	return func(geom string) scene.Color {
		switch {
		case middle[geom]:
			return scene.Pearl
		case strings.Contains(geom, left):
			return scene.Sand
		case strings.Contains(geom, right):
			return scene.Blue
		}
		return scene.Pearl
	}
}

// disc marks a goal on the floor.
func disc(goal []float64) (scene.Solid, scene.Triangles) {
	t := scene.Arc("goal", 0, 0.35, 360)
	for i := range t.Vertices {
		t.Vertices[i][0] += float32(goal[0])
		t.Vertices[i][1] += float32(goal[1])
	}
	return scene.Solid{Name: "goal", Kind: scene.Mesh, Color: scene.Goal, Sign: true}, t
}

// arrow marks a direction in the plane, at the origin.
func arrow(angle []float64) (scene.Solid, scene.Triangles) {
	t := scene.Arrow("direction", 0.8, 0.1)
	sin, cos := math.Sincos(angle[0])
	for i, v := range t.Vertices {
		x, y := float64(v[0])+0.45, float64(v[1])
		t.Vertices[i] = [3]float32{float32(x*cos - y*sin), float32(x*sin + y*cos)}
	}
	return scene.Solid{Name: "direction", Kind: scene.Mesh, Color: scene.Goal, Sign: true}, t
}

// Scene implements sim.Visible.
func (b *batch) Scene(i int) (*scene.Scene, error) {
	l := b.control.look()
	shapes, meshes, omitted := b.model.Shapes()
	s := &scene.Scene{
		Name: b.control.name, Meshes: meshes, Omitted: omitted, View: l.view, Grid: l.grid, Interval: b.envs[i].dt,
	}
	s.View.Follow = -1
	if b.control.vary == nil { // a task that changes the model is not in its text
		s.Model = &scene.Model{MJCF: b.control.xml(), Substeps: b.control.substeps, Gain: b.control.gain}
	}
	for k, g := range shapes {
		g.Color = l.color(g.Name)
		if g.Kind == scene.Plane {
			g.Color = scene.Floor
		}
		if g.Name == "torso" && !l.still {
			s.View.Follow = k
		}
		s.Solids = append(s.Solids, g.Solid)
		if s.Model != nil {
			s.Model.Geoms = append(s.Model.Geoms, g.Index) // the models have no sites
		}
	}
	if l.sign != nil {
		solid, mesh := l.sign(b.envs[i].task.Params)
		solid.Mesh = len(s.Meshes)
		s.Solids, s.Meshes = append(s.Solids, solid), append(s.Meshes, mesh)
		if s.Model != nil {
			s.Model.Geoms = append(s.Model.Geoms, -1)
		}
	}
	return s, nil
}

// Poses implements sim.Visible.
func (b *batch) Poses(i int, poses []scene.Pose) error {
	if b.shapes == nil {
		b.shapes, _, _ = b.model.Shapes()
	}
	if len(poses) < len(b.shapes) {
		return fmt.Errorf("controls: %s: room for %d poses; the scene has at least %d solids", b.control.name,
			len(poses), len(b.shapes))
	}
	b.chunk.Poses(i, b.shapes, poses)
	for k := range poses[len(b.shapes):] {
		sign := scene.At(0, 0, 0.003) // on the floor
		if torso := b.envs[i].torso; b.control.look().carried {
			sign[0], sign[1] = float32(torso[0]), float32(torso[1])
		}
		poses[len(b.shapes)+k] = sign
	}
	return nil
}
