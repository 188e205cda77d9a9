package controls

import (
	"math"
	"math/rand/v2"
)

// humanoidDir runs along the angle g, drawn from U[0, 2π]. With c the centre of mass in the plane as MuJoCo leaves it,
// u the controls (0.4 at an action of 1) and f the contact forces, 14 bodies by 6,
//
//	r = 0.25·(cos g, sin g)·(c_after - c_before)/0.003 s - 0.1·|u|² - min(0.5e-6·|f|², 10) + 5
//
// The published code divides the progress of a control step of 0.015 s by one time step. Observation (376): qpos[2:24],
// qvel, cinert (14×10), cvel (14×6), actuators' forces (23), f. An episode starts at qpos0 and velocities 0, both
// + U[-0.01, 0.01], and ends when the torso's height leaves [1, 2] m.
func humanoidDir(forces bool) *control {
	c := &control{
		name: "humanoid-dir", origin: "oyster humanoid-dir", xml: HumanoidXML,
		obs: 376, act: 17, params: 1, substeps: 5, gain: humanoidControl,
		start: func(e *env, r *rand.Rand) {
			shift(e.qpos, 0.01, r)
			shift(e.qvel, 0.01, r)
		},
		place: centreOfMass,
		observe: func(e *env, obs []float64) {
			appendTo(obs, e.qpos[2:], e.qvel, e.cinert, e.cvel, e.actuators, e.external)
		},
		reward: func(e *env) (float64, bool) {
			sin, cos := math.Sincos(e.task.Params[0])
			progress := 0.25 * (cos*(e.after[0]-e.before[0]) + sin*(e.after[1]-e.before[1])) / humanoidTimestep
			impact := min(0.5e-6*squares(e.external), 10)
			z := e.qpos[2]
			return progress - 0.1*squares(e.ctrl) - impact + 5, z < 1 || z > 2
		},
	}
	c.tasks = drawn(100, 30, func(r *rand.Rand) []float64 { return []float64{2 * math.Pi * r.Float64()} })
	c.contacts(forces)
	return c
}

// centreOfMass is the centre of mass of all bodies, in the plane.
func centreOfMass(e *env) (c [2]float64) {
	for i, m := range e.mass {
		c[0] += m * e.xipos[3*i]
		c[1] += m * e.xipos[3*i+1]
	}
	total := sum(len(e.mass), func(i int) float64 { return e.mass[i] })
	return [2]float64{c[0] / total, c[1] / total}
}
