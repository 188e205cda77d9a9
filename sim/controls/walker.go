package controls

import (
	"math"
	"math/rand/v2"

	"nacre/sim/mujoco"
)

// walkerFields are multiplied by the walker's tasks: the masses of 8 bodies, their 8×3 moments of inertia, the damping
// of 9 degrees of freedom and the 8×3 coefficients of friction, 65 numbers. Seven multiply a zero: mass and inertia of
// the world and damping of the three root joints.
var walkerFields = []mujoco.Field{mujoco.BodyMass, mujoco.BodyInertia, mujoco.DofDamping, mujoco.GeomFriction}

const (
	walkerDamping  = 8 + 24 // index of the first damping multiplier
	walkerFriction = walkerDamping + 9
	walkerParams   = walkerFriction + 24
)

// walkerRandParams is the planar walker of PEARL whose physical constants are the task: Params are 65 multipliers of
// walkerFields, each B^U[-3,3], with B = 1.3 for damping and 1.5 for the rest. With x = qpos[0] and control steps of
// 4·0.004 s, the frame skip that the published code really has,
//
//	r = (x_after - x_before)/0.016 s + 1 - 0.001·|a|²
//
// Observation (17): qpos[1:9] and qvel clipped to ±10. An episode starts at qpos0 and velocities 0, both
// + U[-0.005, 0.005], and ends when the height leaves (0.8, 2) m or the torso's angle (-1, 1) radian. Constants that
// MuJoCo derives when it compiles a model keep their nominal values, as in the original.
func walkerRandParams() *control {
	return &control{
		name: "walker-rand-params", origin: "rand_param_envs walker", xml: WalkerXML, obs: 17, act: 6,
		params: walkerParams, substeps: 4, gain: 1, vary: walkerFields,
		tasks: drawn(40, 10, walkerTask),
		start: func(e *env, r *rand.Rand) {
			shift(e.qpos, 0.005, r)
			shift(e.qvel, 0.005, r)
		},
		place: along,
		observe: func(e *env, obs []float64) {
			appendTo(obs, e.qpos[1:])
			for j, v := range e.qvel {
				obs[8+j] = min(max(v, -10), 10)
			}
		},
		reward: func(e *env) (float64, bool) {
			height, angle := e.qpos[1], e.qpos[2]
			up := height > 0.8 && height < 2 && angle > -1 && angle < 1
			return (e.after[0]-e.before[0])/e.dt + 1 - 0.001*squares(e.ctrl), !up
		},
	}
}

func walkerTask(r *rand.Rand) []float64 {
	multipliers := make([]float64, walkerParams)
	for j := range multipliers {
		base := 1.5
		if j >= walkerDamping && j < walkerFriction {
			base = 1.3
		}
		multipliers[j] = math.Pow(base, 6*r.Float64()-3)
	}
	return multipliers
}
