package sim

import "nacre/sim/scene"

// Visible is implemented by batches whose environments can be drawn.
type Visible interface {
	Stateful

	// Scene returns what environment i looks like in the episode it was last Reset to: solids, colours and signs of
	// the task.
	Scene(i int) (*scene.Scene, error)

	// Poses writes where every solid of that scene is. It is called after Reset or SetState; after Step, poses may be
	// those before the last integration, as with everything MuJoCo computes from a state.
	Poses(i int, poses []scene.Pose) error
}
