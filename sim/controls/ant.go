package controls

import (
	"math"
	"math/rand/v2"
)

// ant is the four-legged ant of PEARL. An episode starts at qpos0 + U[-0.1, 0.1] with velocities 0.1·N(0,1), in a step
// of 0.05 s. Let f be the contact forces, 14 bodies by 6, each clipped to [-1,1], and p the torso's position in the
// plane as MuJoCo leaves it.
func ant(name, origin string, forces bool) *control {
	c := &control{
		name: name, origin: origin, xml: AntXML, act: 8, substeps: 5, gain: 1, start: uniformStart,
		place: func(e *env) [2]float64 { return [2]float64{e.torso[0], e.torso[1]} },
	}
	c.contacts(forces)
	return c
}

// antDir runs along the angle g, 0 (forward) or π (back). With v = (p_after - p_before)/0.05 s,
//
//	r = v·(cos g, sin g) - 0.5·|a|² - 0.0005·|f|² + 1
//
// Observation (27): qpos[2:15], qvel. The episode ends when the torso's height leaves [0.2, 1.0] m.
func antDir(forces bool) *control {
	c := ant("ant-dir", "oyster ant-dir forward/back", forces)
	c.obs, c.params = 27, 1
	c.tasks = pair(0, math.Pi)
	c.observe = func(e *env, obs []float64) { appendTo(obs, e.qpos[2:], e.qvel) }
	c.reward = func(e *env) (float64, bool) {
		sin, cos := math.Sincos(e.task.Params[0])
		v := (e.after[0]-e.before[0])/e.dt*cos + (e.after[1]-e.before[1])/e.dt*sin
		z := e.qpos[2]
		return v - 0.5*squares(e.ctrl) - contactCost(e) + 1, !(z >= 0.2 && z <= 1)
	}
	return c
}

// antGoal walks to a goal (x, y), drawn with its angle from U[0, 2π] and its radius from 3·√U[0,1] m:
//
//	r = -(|p_x - x| + |p_y - y|) - 0.1·|a|² - 0.0005·|f|²
//
// Observation (113): qpos, qvel, f. The episode never ends by itself.
func antGoal(forces bool) *control {
	c := ant("ant-goal", "oyster ant-goal", forces)
	c.obs, c.params = 113, 2
	c.tasks = drawn(150, 30, func(r *rand.Rand) []float64 {
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		radius := 3 * math.Sqrt(r.Float64())
		return []float64{radius * cos, radius * sin}
	})
	c.observe = func(e *env, obs []float64) {
		appendTo(obs, e.qpos, e.qvel)
		for j, f := range e.external {
			obs[29+j] = min(max(f, -1), 1)
		}
	}
	c.reward = func(e *env) (float64, bool) {
		distance := math.Abs(e.after[0]-e.task.Params[0]) + math.Abs(e.after[1]-e.task.Params[1])
		return -distance - 0.1*squares(e.ctrl) - contactCost(e), false
	}
	return c
}

func contactCost(e *env) float64 {
	return 0.0005 * sum(len(e.external), func(j int) float64 {
		f := min(max(e.external[j], -1), 1)
		return f * f
	})
}
