package metaworld

import (
	"fmt"

	"nacre/sim"
	"nacre/sim/mujoco"
)

// scenePath returns the model file called name among the page's scenes, which mujoco.LoadFile fetches.
func scenePath(name string) (string, error) {
	if !mujoco.HasScenes() {
		return "", fmt.Errorf("the scene %s of Meta-World is %w: the page has no scenes; nacre site copies them "+
			"where nacre setup has fetched them",
			name, sim.ErrUnavailable)
	}
	return "sawyer_xyz/" + name + ".xml", nil
}

// Scenes returns an error that wraps sim.ErrUnavailable: the scenes are in no folder here.
func Scenes() (string, error) {
	return "", fmt.Errorf("a folder of Meta-World's scenes is %w in a browser", sim.ErrUnavailable)
}

// scenePath2020 returns an error that wraps sim.ErrUnavailable: pages have no scenes of 2020.
func scenePath2020(string) (string, error) {
	return "", fmt.Errorf("Meta-World of 2020 is %w in a browser", sim.ErrUnavailable)
}

func tune2020(*mujoco.Model, *row) error { return nil }
