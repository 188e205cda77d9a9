// Package metaworld holds the fifty ML1 families of Meta-World (Yu et al. 2019; the package's release 3.1.1, whose
// environments are called v3) as families of package sim, named ml1/push, ml1/door-open and so on. Importing the
// package registers them. Without MuJoCo or the scenes the families are still listed; using one then gives an error
// that says what to do.
//
//	family, err := sim.Lookup("ml1/push")
//	train, test, err := family.Tasks(0, 0, 0) // ML1's 50 and 50 for seed 0
//	pool, err := sim.NewPool(family, 0, 0)
//	trajectories, err := pool.Rollout(ctx, episodes, policy, 0)
//
// A name without an ending means reward version v1 and 200 steps, which come nearest to the reports in TCL-PEARL's
// paper. Endings choose other values: ml1/push:v2 has reward version v2, in [0, 10]; ml1/push:500 has 500 steps;
// ml1/push:v2:500 has both, which is the default of the Python package.
//
// An observation has 39 numbers. 18 describe the present: the hand's position (3), the gripper's opening in [0, 1],
// then position (3) and quaternion (4) of one or two objects; if there is only one object, the rest are zeros. Then
// come the same 18 numbers of one step earlier, and three zeros, where other benchmarks show the goal. An action has
// four numbers. Three move the hand by at most 1 cm along each axis; the fourth closes the gripper. Task.Params is the
// random vector that Meta-World draws: 3 or 6 numbers in metres, mostly the start of the object and the place of the
// goal. An episode's start depends on the task alone. A success may happen at any step, and the episode continues after
// it.
//
// The tasks of ML1(name, seed) are those of the Python package, number by number, for seeds from 0 to 2³²-2.
//
// Families ml1-2020/push and so on are the Python package's first environments, which papers of 2020 used
// (docs/metaworld2020.md). Their observations have 12 numbers: hand, positions of two objects, zeros for the goal.
// Families ml1-2020/push:redrawn and so on have the older interface. Their observations are the first 9 of these
// numbers; every reset draws object and goal, and tasks are ignored. The user must provide the scenes of all these
// families (nacre setup --metaworld-v1).
package metaworld

import (
	"nacre/internal/home"
	"nacre/sim"
)

// Version is the release of Meta-World that the families follow.
const Version = home.MetaWorldVersion

// Origin says where the scenes come from. Every copy of the scenes must carry this text.
const Origin = "Meta-World " + Version +
	", Farama Foundation, MIT License, https://github.com/Farama-Foundation/Metaworld"

func init() {
	sim.Builtin(families()...)
	sim.Builtin(families2020()...)
}

// families2020 returns the two variants of every row of 2020.
func families2020() []sim.Family {
	var all []sim.Family
	for _, r := range rows2020() {
		shared := &scene{row: r}
		all = append(all, &family{row: r, scene: shared, version: v1, horizon: 200},
			again(r.older(), shared))
	}
	return all
}

// again returns the redrawn family of a row.
func again(w *row, s *scene) redrawn {
	return redrawn{&family{row: w, scene: s, version: v1, horizon: 200, redraw: true}, w}
}

// families returns the four variants of every row of the release.
func families() []*family {
	var all []*family
	for _, r := range rows() {
		shared := &scene{row: r}
		for _, reward := range []version{v1, v2} {
			for _, horizon := range []int{200, 500} {
				all = append(all, &family{row: r, scene: shared, version: reward, horizon: horizon})
			}
		}
	}
	return all
}
