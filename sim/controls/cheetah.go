package controls

import (
	"fmt"
	"math"
	"sync"

	"nacre/internal/nprand"
	"nacre/sim"
)

// halfCheetah is the half-cheetah of PEARL, velocity or direction.
//
// Observation (20): qpos[1:9], qvel[0:9] and the world position of the torso, which MuJoCo leaves at the state before
// the last integration; it includes the absolute x. With x = qpos[0] and v = (x_after - x_before)/0.05 s,
//
//	cheetah-vel: r = -|v - v*| - 0.05·|a|²        v* in m/s
//	cheetah-dir: r = s·v - 0.05·|a|²              s = ±1
//
// An episode starts at qpos0 + U[-0.1, 0.1] per joint, in metres and radians, with velocities 0.1·N(0,1); it never
// ends by itself. Rewards are raw: PEARL multiplies them by 5 in its learner.
func halfCheetah(name string) *control {
	return &control{
		name: name, origin: "oyster half-cheetah", xml: HalfCheetahXML, obs: 20, act: 6, params: 1,
		substeps: 5, gain: 1,
		start: uniformStart, place: along,
		observe: func(e *env, obs []float64) { appendTo(obs, e.qpos[1:], e.qvel, e.torso) },
	}
}

func cheetahVel() *control {
	c := halfCheetah("cheetah-vel")
	c.tasks = velocityTasks
	c.reward = func(e *env) (float64, bool) {
		v := (e.after[0] - e.before[0]) / e.dt
		return -math.Abs(v-e.task.Params[0]) - 0.05*squares(e.ctrl), false
	}
	return c
}

func cheetahDir() *control {
	c := halfCheetah("cheetah-dir")
	c.tasks = pair(-1, 1)
	c.reward = func(e *env) (float64, bool) {
		v := (e.after[0] - e.before[0]) / e.dt
		return e.task.Params[0]*v - 0.05*squares(e.ctrl), false
	}
	return c
}

// velocityTasks cuts the published list: the first nTrain velocities train, the last nTest test. At 100 and 30 these
// are PEARL's own tasks, whatever the seed.
func velocityTasks(c *control, _ uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	list := publishedVelocities()
	tr, te := count(nTrain, 100), count(nTest, 30)
	if tr < 1 || te < 1 || tr+te > len(list) {
		return nil, nil, sizeError(c.name, nTrain, nTest,
			fmt.Sprintf("at least 1 of each (0 for 100 and 30) and at most %d together, the length of the published "+
				"list", len(list)))
	}
	cut := func(from, to int) []sim.Task {
		tasks := make([]sim.Task, 0, to-from)
		for i := from; i < to; i++ {
			tasks = append(tasks, sim.Task{ID: i, Params: []float64{list[i]}})
		}
		return tasks
	}
	return cut(0, tr), cut(len(list)-te, len(list)), nil
}

// publishedVelocities returns PEARL's 130 target velocities in m/s, as drawn by NumPy's
// RandomState(1337).uniform(0, 3, 130).
var publishedVelocities = sync.OnceValue(func() []float64 {
	r := nprand.New(1337)
	list := make([]float64, 130)
	for i := range list {
		list[i] = r.Uniform(0, 3)
	}
	return list
})
