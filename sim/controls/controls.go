// Package controls holds the six MuJoCo meta-RL controls of PEARL (Rakelly et al. 2019) as families of package sim:
// cheetah-vel, cheetah-dir, ant-dir, ant-goal, humanoid-dir and walker-rand-params. Importing the package registers
// them. A build without MuJoCo also lists them; if one is used, it says what is missing.
//
//	family, err := sim.Lookup("cheetah-vel")
//	train, test, err := family.Tasks(0, 0, 0) // the published 100 and 30 target velocities
//	pool, err := sim.NewPool(family, 0, 0)
//	trajectories, err := pool.Rollout(ctx, episodes, policy, 0)
//
// Observations, rewards and initial states follow the original environments; the model files are our own. They were
// written from the numbers of the originals (sizes, masses, gears) and checked against the originals step by step
// (docs/environments.md).
//
// Rewards of ant and humanoid contain the contact forces on the bodies, and so do observations of ant-goal and
// humanoid-dir. MuJoCo up to 1.50, the version of the published set-up, computed these forces in every step. Later
// versions compute them only on request; the originals never request them, so they see zeros. Here they are computed
// once per control step; ant-dir-zero-contact, ant-goal-zero-contact and humanoid-dir-zero-contact are the same
// families with zeros.
package controls

import (
	"nacre/sim"
	"nacre/sim/mujoco"
)

func init() {
	for _, c := range families() {
		sim.Builtin(evenly(c))
	}
}

// zeroContact is the ending of the names of families whose contact forces are zero.
const zeroContact = "-zero-contact"

func families() []*control {
	return []*control{
		cheetahVel(), cheetahDir(), antDir(true), antDir(false), antGoal(true), antGoal(false),
		humanoidDir(true), humanoidDir(false), walkerRandParams(),
	}
}

// contacts chooses whether contact forces are computed or zero.
func (c *control) contacts(computed bool) {
	c.forces = computed
	if computed {
		c.origin += ", contact forces once per control step,"
	} else {
		c.name += zeroContact
		c.origin += ", contact forces zero,"
	}
}

// physics names what steps a family, for Spec.Source.
func physics() string {
	if v := mujoco.Version(); v != "" {
		return "MuJoCo " + v
	}
	return "MuJoCo (absent)"
}
