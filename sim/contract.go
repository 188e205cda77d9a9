package sim

import (
	"math/rand/v2"

	"nacre/sim/scene"
)

// This file holds everything a family can be asked. Family and Batch are what it must have. The other interfaces are
// capabilities: whoever needs one asks for it with a type assertion, and says so where it is missing. Package
// sim/simtest checks all of them, those that are there, in one line.
//
//	asked of a family   by whom                                what it is for
//	Checker             Lookup                                 what this build or machine lacks
//	Chunker             NewPool                                environments per worker
//	Native              Pool.Rollout                           a processor left idle for Go
//	Controller          GoalPolicy, the baselines of a run     the upper baseline
//	Blinder             the baselines of a run                 the same without the goal
//	Gridder             embeddings                             evenly spread tasks
//	Starter             embeddings                             starts drawn anew
//
//	asked of a batch
//	Stateful            recordings, verification               physical states, read and set
//	Visible             films: pictures and playback           what there is to see
//	PlainStepper        rates                                  the same steps in a plain C loop
//	Forcible            verification                           another simulator's states
//
// All of a family's methods may be called by several goroutines at a time; a batch and what it hands out belong to one.

// Family makes tasks and environments. Its values do not change once it is registered.
type Family interface {
	// Spec describes the family. It is the same at every call, and needs nothing that a build may lack.
	Spec() Spec

	// Tasks returns the train and test tasks; the caller may change them. The same arguments give the same tasks. No
	// test task is a train task, except in families so small that both lists hold all there are. Families with a
	// published list return that list whatever the seed when n asks for its published sizes. nTrain or nTest of 0
	// means the family's own default; a negative one, or more than there are, is an error.
	Tasks(seed uint64, nTrain, nTest int) (train, test []Task, err error)

	// NewBatch makes n ≥ 1 environments for one worker. They are independent; only stepping is shared. Before its
	// first Reset an environment is not stepped.
	NewBatch(n int) (Batch, error)
}

// Batch is a chunk of environments stepped together. It is used by one goroutine at a time.
type Batch interface {
	// Len is the number of environments.
	Len() int

	// Reset starts an episode of task in environment i, drawing the initial state from r, and writes the first
	// observation (ObsDim long). After Reset nothing of earlier episodes remains, bit for bit. It reads task.Params as
	// long as the episode lasts and never writes them; a wrong number of them is an *Error.
	Reset(i int, task Task, r *rand.Rand, obs []float64) error

	// Step advances the environments with active[i] by one control step. act, obs and the slices of out hold one
	// row per environment; rows of inactive environments are left alone, and act is only read. Actions outside
	// [-1,1] are clipped. It is an error if an argument has another length (see CheckRows), and an *Error naming
	// environment, task and value if an action (see CheckAction) or a state is not finite. An environment does not
	// count its steps to end at the horizon: that is the caller's, and no terminal. Once every environment has been
	// stepped, Step allocates nothing.
	Step(active []bool, act []float64, obs []float64, out *StepResult) error

	// Close frees native memory. Nothing else is called afterwards.
	Close() error
}

// Checker is implemented by families that need something a build or a machine may lack. Lookup calls it; a page in a
// browser, for one, may have been written without MuJoCo, and families on it say so there.
type Checker interface {
	// Available returns nil, or an error that wraps ErrUnavailable and says in one sentence what to do.
	Available() error
}

// Chunker is implemented by families that are stepped fastest with a number of environments per worker other than 16.
// NewPool asks where it is not told a number; see ChunkOf.
type Chunker interface {
	// Chunk is that number, at least 1. Results do not depend on it.
	Chunk() int
}

// Native is implemented by families that step their environments in native code: a Pool has a SpareProcessor while it
// steps them.
type Native interface {
	// Native is never called: having it is the answer.
	Native()
}

// Controller is implemented by families that know a good policy for a known task: the upper baseline of a learned
// policy, not an agent. GoalPolicy and the baselines of a run ask it.
type Controller interface {
	// Act writes the action (ActDim long) of the goal-knowing controller for one observation, which it leaves as it
	// is. It keeps nothing from call to call.
	Act(task Task, obs, act []float64)
}

// Blinder is implemented by Controllers that can do without knowing the task: what a policy gets that never infers it.
// The way from it to the goal-knowing controller is what knowing the goal is worth.
type Blinder interface {
	Controller

	// Blind returns the goal-blind controller: the same one, told the middle of the range that goals are drawn from.
	// Its Act reads no task. It is the Controller itself where nothing about the goal is hidden.
	Blind() Controller
}

// Gridder is implemented by families that can spread tasks evenly over their range, for pictures and tables of how
// well tasks are told apart: neighbouring tasks are equally far from each other, which randomly drawn ones are not.
type Gridder interface {
	// Grid returns n ≥ 1 evenly spread tasks, with IDs from 0, from the range that Tasks draws from. They are neither
	// train nor test tasks. A smaller n is an error.
	Grid(n int) ([]Task, error)
}

// Starter is implemented by families whose episodes of one task all start alike and that can draw the start instead.
// Where many episodes of a task are compared, a fixed start makes them more alike than the task does.
type Starter interface {
	// VaryStart returns the family with the start of every episode drawn from the stream that Reset is given. Tasks and
	// what they place stay as they are. The returned family has another name and is not registered.
	VaryStart() Family
}

// Stateful is implemented by batches whose physical states can be read and set: for recording, drawing and checking.
type Stateful interface {
	// State returns a copy of the state of environment i.
	State(i int) State

	// SetState puts environment i, which has been Reset, into state s without ending its episode, and writes the
	// observation there. What the episode remembers from its start (a first distance, a step count) stays. s is only
	// read, and a state of other lengths is an *Error.
	SetState(i int, s State, obs []float64) error
}

// Visible is implemented by batches whose environments can be drawn. Recordings ask for it when they are made films.
type Visible interface {
	Stateful

	// Scene returns what environment i looks like in the episode it was last Reset to: solids, colours and signs of
	// the task. It is one that scene.Scene.Validate accepts.
	Scene(i int) (*scene.Scene, error)

	// Poses writes where every solid of that scene is, in the scene's order. It is called after Reset or SetState;
	// after Step, poses may be those before the last integration, as with everything MuJoCo computes from a state.
	Poses(i int, poses []scene.Pose) error
}

// PlainStepper is implemented by batches of native environments whose steps a plain loop can make too: package
// sim/rates measures what a Batch costs beside it.
type PlainStepper interface {
	Batch

	// Plain returns a function that makes len(act)/(Len×ActDim) control steps of all environments from where they are
	// now, environment after environment in one C loop, with actions act (steps×Len×ActDim). What is to be prepared is
	// done before it is returned. The states it ends in are those of Step, bit for bit.
	Plain(act []float64) func() error

	// QPos returns the joint positions of environment i in place.
	QPos(i int) []float64
}

// Forcible is implemented by batches that can be put into another simulator's states and asked what they pay there:
// package sim/verify compares formulas so where the physics differ.
type Forcible interface {
	Batch
	Stateful

	// ResetFrom is Reset, with the hand's way to its start left out but for the last mj_step, which starts in state
	// hand: what the reward remembers of the reset is then the other simulator's.
	ResetFrom(i int, task Task, hand State, obs []float64) error

	// Evaluate writes what a step with action act would have paid that led environment i into the state it was last set
	// to. Errors are those of Step.
	Evaluate(i int, act []float64, out *StepResult) error
}
