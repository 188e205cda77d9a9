package sim

import (
	"fmt"

	"nacre/sim/scene"
)

// State implements Stateful: QPos is the position.
func (b *pointBatch) State(i int) State { return State{QPos: []float64{b.pos[i][0], b.pos[i][1]}} }

// SetState implements Stateful.
func (b *pointBatch) SetState(i int, s State, obs []float64) error {
	if len(s.QPos) != 2 || len(s.QVel) != 0 || len(s.MocapPos) != 0 {
		return NewError(b.family.name, b.task[i], i,
			fmt.Errorf("a state of %d positions, %d velocities and %d mocap numbers; expected a position of 2",
				len(s.QPos), len(s.QVel), len(s.MocapPos)))
	}
	copy(b.pos[i][:], s.QPos)
	copy(obs, s.QPos)
	return nil
}

const robotSize = 0.07 // size of the drawn robot

// Scene implements Visible: the robot as a ball, the half circle of goals and the goal of the task.
func (b *pointBatch) Scene(i int) (*scene.Scene, error) {
	goalSize := 0.06
	if b.family.sparse {
		goalSize = pointRadius
	}
	return &scene.Scene{
		Name: b.family.name, Interval: 0.1, Grid: 0.5,
		Solids: []scene.Solid{
			{Name: "robot", Kind: scene.Sphere, Size: [3]float64{robotSize}, Color: scene.Blue},
			{Name: "floor", Kind: scene.Plane, Color: scene.Floor},
			{Name: "goal", Kind: scene.Cylinder, Size: [3]float64{goalSize, 0.004}, Color: scene.Goal, Sign: true},
			{Name: "goals", Kind: scene.Mesh, Color: scene.Path, Sign: true},
		},
		Meshes: []scene.Triangles{scene.Arc("goals", 0.99, 1.01, 180)},
		View: scene.View{Target: [3]float64{0, 0.28, 0}, Distance: 3.9, Azimuth: -90, Elevation: 52, Angle: 34,
			Follow: -1},
	}, nil
}

// Poses implements Visible.
func (b *pointBatch) Poses(i int, poses []scene.Pose) error {
	goal := b.task[i].Params
	poses[0] = scene.At(b.pos[i][0], b.pos[i][1], robotSize)
	poses[1] = scene.At(0, 0, 0)
	poses[2] = scene.At(goal[0], goal[1], 0)
	poses[3] = scene.At(0, 0, 0.002)
	return nil
}
