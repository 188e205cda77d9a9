package metaworld

import (
	"fmt"
	"slices"
	"strings"

	"nacre/sim"
	"nacre/sim/mujoco"
	shown "nacre/sim/scene" // scene is a type of this package
)

// State implements sim.Stateful.
func (b *batch) State(i int) sim.State {
	c := b.chunk
	return sim.State{
		QPos: slices.Clone(c.QPos(i)), QVel: slices.Clone(c.QVel(i)), Warmstart: slices.Clone(c.Warmstart(i)),
		MocapPos: slices.Clone(c.MocapPos(i)),
	}
}

// SetState implements sim.Stateful. What the task moved in the scene stays where it is.
func (b *batch) SetState(i int, s sim.State, obs []float64) error {
	e := &b.envs[i]
	warm := b.chunk.Warmstart(i)
	if len(s.QPos) != len(e.qpos) || len(s.QVel) != len(e.qvel) ||
		s.Warmstart != nil && len(s.Warmstart) != len(warm) || len(s.MocapPos) != len(e.mocap) {
		return b.fail(i, fmt.Errorf("a state of %d positions, %d velocities, %d accelerations and %d mocap numbers; "+
			"expected %d, %d, %d or none, and %d",
			len(s.QPos), len(s.QVel), len(s.Warmstart), len(s.MocapPos), len(e.qpos), len(e.qvel), len(warm),
			len(e.mocap)))
	}
	copy(e.qpos, s.QPos)
	copy(e.qvel, s.QVel)
	copy(e.mocap, s.MocapPos)
	clear(warm)
	copy(warm, s.Warmstart)
	e.forward()
	if e.err != nil {
		return b.fail(i, e.err)
	}
	copy(warm, s.Warmstart) // the solver has just moved it
	e.observe()
	e.before = e.now
	b.row.era.write(e, obs)
	return nil
}

// Scene implements sim.Visible: the scene of the Python classes without its textures and markers, and the target.
func (b *batch) Scene(i int) (*shown.Scene, error) {
	shapes, meshes, omitted := b.drawn()
	s := &shown.Scene{
		Name: b.family.name(), Meshes: meshes, Omitted: omitted, Interval: substeps * b.sizes.Timestep,
		View: shown.View{Target: [3]float64{0, 0.58, 0.15}, Distance: 2.3, Azimuth: -24, Elevation: 26, Angle: 30,
			Follow: -1}, Grid: 0.5,
	}
	for _, g := range shapes {
		g.Color = paint(g)
		if g.Kind == shown.Plane {
			g.Size = [3]float64{} // without end
		}
		s.Solids = append(s.Solids, g.Solid)
	}
	goal := shown.Goal
	goal[3] = 0.75
	s.Solids = append(s.Solids, shown.Solid{Name: "target", Kind: shown.Sphere, Size: [3]float64{0.02}, Color: goal,
		Sign: true})
	return s, nil
}

// Poses implements sim.Visible.
func (b *batch) Poses(i int, poses []shown.Pose) error {
	shapes, _, _ := b.drawn()
	if len(poses) != len(shapes)+1 {
		return fmt.Errorf("metaworld: %s: room for %d poses; the scene has %d solids", b.family.name(), len(poses),
			len(shapes)+1)
	}
	b.chunk.Poses(i, shapes, poses)
	t := b.envs[i].target
	poses[len(shapes)] = shown.At(t[0], t[1], t[2])
	return nil
}

// drawn is what is drawn of the model: no sites.
func (b *batch) drawn() (shapes []mujoco.Shape, meshes []shown.Triangles, omitted []string) {
	shapes, meshes, omitted = b.model.Shapes()
	return slices.DeleteFunc(shapes, func(s mujoco.Shape) bool { return s.Site }), meshes, omitted
}

// parts of the scenes that are there for every task, and their colours; the robot's links are named right_*.
var standing = map[string]shown.Color{
	"world": shown.Floor, "tablelink": {0.83, 0.76, 0.68, 1}, "RetainingWall": {0.76, 0.78, 0.80, 1},
	"controller_box": shown.Slate, "pedestal_feet": shown.Slate, "torso": shown.Slate, "pedestal": shown.Slate,
	"right_hand": shown.Slate, "hand": shown.Slate, "head": shown.Slate, "rightpad": shown.Blue, "leftpad": shown.Blue,
}

// paint gives what is not of the task calm colours, and makes the rest lighter and paler.
func paint(s mujoco.Shape) shown.Color {
	if c, ok := standing[s.Body]; ok && (s.Body != "world" || s.Kind == shown.Plane) {
		return c
	}
	if strings.HasPrefix(s.Body, "right_") {
		return shown.Pearl
	}
	grey := (s.Color[0] + s.Color[1] + s.Color[2]) / 3
	for k := range 3 {
		s.Color[k] = 0.18 + 0.76*(0.75*s.Color[k]+0.25*grey)
	}
	return s.Color
}
