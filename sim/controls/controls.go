// Package controls brings the MuJoCo meta-RL controls of PEARL (Rakelly et al. 2019) as families of package sim. So
// far these are cheetah-vel and cheetah-dir. Importing the package registers them; a build without MuJoCo lists them
// too and says on use what is missing.
//
//	family, err := sim.Lookup("cheetah-vel")
//	train, test, err := family.Tasks(0, 0, 0) // the published 100 and 30 target velocities
//	pool, err := sim.NewPool(family, 0, 0)
//	trajectories, err := pool.Rollout(ctx, episodes, policy, 0)
//
// Observations, rewards and initial states follow the original environments; the model files are our own, written
// from the figures of the originals and checked against them step by step (docs/sim.md).
package controls

import (
	"fmt"

	"nacre/sim"
	"nacre/sim/mujoco"
)

func init() {
	for _, f := range []sim.Family{cheetah{velocity: true}, cheetah{}} {
		if err := sim.Register(f); err != nil {
			panic(err)
		}
	}
}

// physics names what steps a family, for Spec.Source.
func physics() string {
	if v := mujoco.Version(); v != "" {
		return "MuJoCo " + v
	}
	return "MuJoCo (absent)"
}

// count returns n, or def where n is 0.
func count(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

func sizeError(name string, nTrain, nTest int, expected string) error {
	return fmt.Errorf("controls: %s: %d train and %d test tasks; expected %s", name, nTrain, nTest, expected)
}
