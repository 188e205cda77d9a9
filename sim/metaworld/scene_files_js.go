package metaworld

import (
	"fmt"

	"nacre/sim"
	"nacre/sim/mujoco"
)

// scenePath returns the model file called name among the page's scenes, which mujoco.LoadFile fetches.
func scenePath(name string) (string, error) {
	if !mujoco.HasScenes() {
		return "", fmt.Errorf("the scene %s of Meta-World is %w: the page has no scenes; nacre site copies them where nacre setup has fetched them",
			name, sim.ErrUnavailable)
	}
	return "sawyer_xyz/" + name + ".xml", nil
}
