package metaworld

import (
	"nacre/internal/nprand"
	"nacre/sim"
	"nacre/sim/mujoco"
)

// era holds the common properties of the environments of one time that are not in their rows.
type era struct {
	prefix string // of the families' names
	source string // what defines an environment, with its name for %s
	engine string // further text on the engine for a record

	obsDim int
	write  func(e *env, obs []float64) // an observation; obs may be shorter
	see    func(obs []float64) seen    // what scripted controllers are told of one
	kept   func(v float64) float64     // a number of their actions

	path func(scene string) (string, error)  // of a scene's model
	tune func(m *mujoco.Model, w *row) error // sets the values that the classes set in a model after it is loaded

	handSteps int  // mj_step in which the hand goes to its start
	forward   bool // whether what follows from the state is computed again after a control step
	bounded   bool // whether rewards see the hand inside the observation's box
	pads      bool // whether observations and rewards see the parts of the gripper, which some scenes of 2020 lack

	vectors func(w *row, seed uint32, nTrain, nTest int) (train, test [][]float64) // ML1's, in its order
}

// release is the time of the release that Version names.
var release = &era{
	prefix: "ml1/", source: "Meta-World " + Version + " %s-v3",
	obsDim: obsDim, write: (*env).write,
	kept: single32,
	see: func(obs []float64) seen {
		return seen{hand: point(obs), opening: obs[3], object: point(obs[4:]), other: point(obs[11:])}
	},
	path: scenePath,
	tune: func(m *mujoco.Model, _ *row) error {
		// The weld that ties the hand to the mocap body: at its origin, turned by nothing, rotation counting five
		// times.
		m.SetWelds(vec3{}, vec3{}, quat{-1, 0, 0, 0}, 5)
		return nil
	},
	handSteps: 250, forward: true, bounded: true, pads: true,
	vectors: func(w *row, seed uint32, nTrain, nTest int) (train, test [][]float64) {
		// A reset of these classes goes through twice and keeps the second vector.
		twice := func(w *row, r *nprand.Rand) { w.draw(r.Uniform) }
		return w.list(nprand.New(seed), nTrain, twice), w.list(nprand.New(seed+1), nTest, twice)
	},
}

// year2020 is the time of the paper's experiments: the classes called v1 of github.com/rlworkgroup/metaworld at commit
// 0875192. Their arm still swings at the first observation. What they observe and pay follows from the state before the
// last mj_step. A reset is as every reset of a task in one environment of theirs but the first, which finds the scene
// where the model file or another task has it.
var year2020 = &era{
	prefix: "ml1-2020/", source: "Meta-World of 2020 (0875192) %s-v1", engine: " set to follow 2.1.0",
	obsDim: 12, write: (*env).write2020,
	kept: whole,
	see:  func(obs []float64) seen { return seen{hand: point(obs), object: point(obs[3:]), other: point(obs[6:])} },
	path: scenePath2020, tune: tune2020,
	handSteps: 50,
	vectors: func(w *row, seed uint32, nTrain, nTest int) (train, test [][]float64) {
		// ML1 draws 50 for training and goes on with 50 for testing. Further ones follow in turn.
		const n = 50
		all := w.list(nprand.New(seed), 2*max(n, nTrain, nTest), func(w *row, r *nprand.Rand) {
			for range w.spare {
				w.any(r.Uniform)
			}
		})
		train, test = all[:n:n], all[n:2*n:2*n]
		for i := 2 * n; i < len(all); i += 2 {
			train, test = append(train, all[i]), append(test, all[i+1])
		}
		return train[:nTrain], test[:nTest]
	},
}

// write2020 fills a row of observations: the hand, the positions of two objects, and three zeros for the goal, which
// stays hidden. The older interface has the first nine numbers.
func (e *env) write2020(obs []float64) {
	copy(obs, e.now[:3])
	copy(obs[3:], e.now[4:7])
	copy(obs[6:], e.now[11:14])
	clear(obs[9:])
}

// redrawnDim is the length of an observation of the older interface, which filled shorter ones up with zeros.
const redrawnDim = 9

// redrawn is a family of the older interface of 2020 (commit 861ae8d), whose resets draw the object and the goal anew
// and read no task. It has no start to vary, no grid of goals, and no controller that could be told the goal.
type redrawn struct {
	unguided
	row *row
}

// unguided is the part of family that a redrawn family has.
type unguided interface {
	sim.Family
	sim.Checker
	sim.Chunker
	sim.Native
}

// Act implements sim.Controller with the goal-blind controller: no task says where the goal will be.
func (f redrawn) Act(task sim.Task, obs, act []float64) {
	f.row.blind().Act(task, obs, act)
}

// Blind implements sim.Blinder.
func (f redrawn) Blind() sim.Controller { return f }
