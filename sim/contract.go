package sim

import (
	"image"
	"math/rand/v2"

	"nacre/sim/scene"
)

// This file holds the interfaces of a family. Every family has Family and Batch. The other interfaces are capabilities.
// Code that needs a capability asks for it with a type assertion, and says so if it is missing. Package sim/simtest
// checks in one line all interfaces that a family has.
//
//	asked of a family   by whom                                what it is for
//	Checker             Lookup                                 what this build or machine lacks
//	Chunker             NewPool                                environments per worker
//	Native              Pool.Rollout                           a processor left idle for Go
//	Controller          GoalPolicy, the baselines of a run     the upper baseline
//	Blinder             the baselines of a run                 the same without the goal
//	Referrer            ReferencePolicy                        policies that learn, to compare with
//	Gridder             embeddings                             evenly spread tasks
//	Starter             embeddings                             starts drawn anew
//	Noticer             the record of a run                    what was assumed about it
//	Filmer              recordings                             pictures that environments draw of themselves
//
//	asked of a batch
//	Stateful            recordings, verification               physical states, read and set
//	Visible             films: pictures and playback           what there is to see
//	Pictured            recordings, of a Filmer                a picture of an environment
//	PlainStepper        rates                                  the same steps in a plain C loop
//	Forcible            verification                           another simulator's states
//
// Several goroutines may call a family's methods at a time. A batch, and what it returns, belong to one goroutine.

// Family makes tasks and environments. Its values do not change once it is registered.
type Family interface {
	// Spec describes the family. It is the same at every call, and it works in every build, also in one without MuJoCo.
	Spec() Spec

	// Tasks returns the train and test tasks; the caller may change them. The same arguments give the same tasks. No
	// test task is a train task, except in families so small that both lists hold all tasks. If a family has a
	// published list and the published sizes are asked for, it returns that list for every seed. If nTrain or nTest is
	// 0, the family's default is used. A negative number, or more tasks than there are, is an error.
	Tasks(seed uint64, nTrain, nTest int) (train, test []Task, err error)

	// NewBatch makes n ≥ 1 environments for one worker. The environments are independent; only the call of Step is
	// shared. An environment is not stepped before its first Reset.
	NewBatch(n int) (Batch, error)
}

// Batch is a chunk of environments stepped together. It is used by one goroutine at a time.
type Batch interface {
	// Len is the number of environments.
	Len() int

	// Reset starts an episode of task in environment i. It draws the initial state from r and writes the first
	// observation (ObsDim long). After Reset nothing of earlier episodes remains, bit for bit. The environment reads
	// task.Params as long as the episode lasts and never writes to them. A wrong number of Params is an *Error.
	Reset(i int, task Task, r *rand.Rand, obs []float64) error

	// Step advances the environments with active[i] by one control step. act, obs and the slices of out hold one row
	// per environment; rows of inactive environments are left alone, and act is only read. Numbers outside [-1,1] are
	// clipped. It is an error if an argument has another length (see CheckRows). If an action is wrong (see
	// Spec.CheckAction) or a state is not finite, the error is an *Error that names environment, task and value. An
	// environment does not end at the horizon: the caller counts the steps, and reaching the horizon is not a terminal
	// state. Once every environment has been stepped, Step allocates nothing.
	Step(active []bool, act []float64, obs []float64, out *StepResult) error

	// Close frees native memory. No method is called after it.
	Close() error
}

// Checker is implemented by families that need something a build or a machine may lack. Lookup calls Available. For
// example, a page in a browser may have been written without MuJoCo; then families that need MuJoCo return an error
// that says so.
type Checker interface {
	// Available returns nil, or an error that wraps ErrUnavailable and says in one sentence what to do.
	Available() error
}

// Chunker is implemented by families that are stepped fastest with a number of environments per worker other than 16.
// NewPool calls Chunk if its caller gives no number; see ChunkOf.
type Chunker interface {
	// Chunk is the number of environments per worker with which the family is stepped fastest, at least 1. Results do
	// not depend on it.
	Chunk() int
}

// Native is implemented by families that step their environments in native code. A Pool uses a SpareProcessor while it
// steps them.
type Native interface {
	// Native is never called. A family with this method is native.
	Native()
}

// Controller is implemented by families that know a good policy for a known task. This policy is not an agent: it is
// the upper baseline of a learned policy. GoalPolicy and the baselines of a run call it.
type Controller interface {
	// Act writes the action (ActDim long) of the goal-knowing controller for one observation. It does not change obs
	// and keeps nothing from call to call.
	Act(task Task, obs, act []float64)
}

// Blinder is implemented by Controllers that can also act without the task. Their return is what a policy reaches if it
// never infers the task. The goal-knowing controller's return minus this return is the value of knowing the goal.
type Blinder interface {
	Controller

	// Blind returns the goal-blind controller: the same controller, with the middle of the range of goals as its goal.
	// Its Act does not read the task. If nothing about the goal is hidden, Blind returns the Controller itself.
	Blind() Controller
}

// Referrer is implemented by families for which there are well-known policies that learn the task within an episode. A
// learned policy is compared with them.
type Referrer interface {
	// References lists the names of the family's reference policies.
	References() []string
	// Reference makes a reference policy for a Rollout of the episodes. It does not read their tasks. An unknown name
	// is an error.
	Reference(name string, episodes []Episode) (Policy, error)
}

// Gridder is implemented by families that can spread tasks evenly over their range. Pictures and tables of how well
// tasks are told apart use these tasks: neighbouring tasks are equally far from each other, and randomly drawn tasks
// are not.
type Gridder interface {
	// Grid returns n ≥ 1 evenly spread tasks, with IDs from 0, from the range that Tasks draws from. They are neither
	// train nor test tasks. A smaller n is an error.
	Grid(n int) ([]Task, error)
}

// Starter is implemented by families whose episodes of one task all start alike, but which can draw the start instead.
// With a fixed start, the episodes of a task are alike because of the start, not only because of the task. So draw the
// start when many episodes of a task are compared.
type Starter interface {
	// VaryStart returns the family with the start of every episode drawn from the stream r of Reset. Tasks and the
	// objects they place stay as they are. The returned family has another name and is not registered.
	VaryStart() Family
}

// Noticer is implemented by families for which something had to be assumed that changes results. An example is the
// length of an episode, if a Python class does not state it.
type Noticer interface {
	// Notices returns a sentence for each assumption, without the full stop.
	Notices() []string
}

// Stateful is implemented by batches whose physical states can be read and set. Recording, drawing and checking need
// it.
type Stateful interface {
	// State returns a copy of the state of environment i.
	State(i int) State

	// SetState puts environment i, which has been Reset, into state s without ending its episode, and writes the
	// observation in that state. Values that the episode keeps from its start (a first distance, a step count) stay.
	// SetState does not change s. A state of other lengths is an *Error.
	SetState(i int, s State, obs []float64) error
}

// Visible is implemented by batches whose environments can be drawn. A recording needs it to become a film.
type Visible interface {
	Stateful

	// Scene returns what environment i looks like in the episode of its last Reset: solids, colours and signs of the
	// task. scene.Scene.Validate accepts it.
	Scene(i int) (*scene.Scene, error)

	// Poses writes the pose of every solid of the Scene, in the Scene's order. It is called after Reset or SetState.
	// After Step, poses may be from before the last integration, like everything that MuJoCo computes from a state.
	Poses(i int, poses []scene.Pose) error
}

// Filmer is implemented by families whose environments draw themselves, as those of Gymnasium's do by render.
type Filmer interface {
	Family

	// NewFilmed is NewBatch for a batch that implements Pictured. Its episodes are those of NewBatch's.
	NewFilmed(n int) (Batch, error)
}

// Pictured is implemented by the batches of a Filmer.
type Pictured interface {
	Batch

	// Picture draws environment i, which has been Reset, and returns how many pictures show a second, 0 if that is
	// unknown.
	Picture(i int) (m *image.RGBA, fps float64, err error)
}

// PlainStepper is implemented by batches of native environments that a plain C loop can step too. Package sim/rates
// compares the cost of a Batch with this loop.
type PlainStepper interface {
	Batch

	// Plain returns a function that makes len(act)/(Len×ActDim) control steps of all environments from their present
	// states, with the actions act (steps×Len×ActDim). It steps environment after environment in one C loop. All
	// preparation is done before Plain returns. The last states equal those of Step, bit for bit.
	Plain(act []float64) func() error

	// QPos returns the joint positions of environment i in place.
	QPos(i int) []float64
}

// Forcible is implemented by batches that can be put into another simulator's states and return the reward there. With
// it package sim/verify compares reward formulas although the physics differ.
type Forcible interface {
	Batch
	Stateful

	// ResetFrom is Reset, but does not move the hand to its start. It puts the environment into the state of the
	// argument hand, which another simulator recorded one mj_step before the hand arrived, and makes only this last
	// step. So the values that the reward keeps from the reset come from the other simulator.
	ResetFrom(i int, task Task, hand State, obs []float64) error

	// Evaluate writes the reward of a step with action act that ended in the state to which environment i was last set.
	// Errors are those of Step.
	Evaluate(i int, act []float64, out *StepResult) error
}
