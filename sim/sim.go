// Package sim says what a task family, an environment, a trajectory and a rollout are.
//
// A Family is a set of tasks that share observations, actions and dynamics up to the task (a goal, a velocity). Its
// environments are stepped many at a time: a Batch is a chunk of environments owned by one worker and advanced by
// one call, because entering native code once per environment step costs more than a small step itself.
// Rollout runs whole episodes over several workers; its result does not depend on how many there are.
//
// The package knows no algorithm. Families register themselves by name; package sim itself brings the point robot
// of PEARL in pure Go.
//
//	family, err := sim.Lookup("point-goal")
//	train, test, err := family.Tasks(1, 0, 0)
//	pool, err := sim.NewPool(family, 2, 16)
//	defer pool.Close()
//	episodes := []sim.Episode{{Task: train[0], Seed: 1}, {Task: test[0], Seed: 2}}
//	policy, err := sim.GoalPolicy(family, episodes)
//	trajectories, err := pool.Rollout(ctx, episodes, policy, 0)
//	fmt.Println(trajectories[0].Return)
package sim

import "math/rand/v2"

// Spec describes a family.
type Spec struct {
	Name    string
	ObsDim  int
	ActDim  int    // actions are in [-1,1]^ActDim; the family scales them to its actuators
	Horizon int    // steps per episode unless it ends earlier
	TaskDim int    // length of Task.Params: the task vector a goal-conditioned oracle sees
	Source  string // what defines it, for nacre doctor and the run record, e.g. "oyster half-cheetah on MuJoCo 3.3.0"
}

// Task is one member of a family. Params is its task vector (a goal position in metres, a velocity in m/s, a
// direction of ±1). Tasks of a family are equal when their Params are.
type Task struct {
	ID     int // position in the family's list, train tasks first
	Params []float64
}

// Family makes tasks and environments.
type Family interface {
	Spec() Spec

	// Tasks returns the train and test tasks. Families with a published list return that list whatever the seed
	// when n asks for its published sizes. nTrain or nTest of 0 means the family's own default.
	Tasks(seed uint64, nTrain, nTest int) (train, test []Task, err error)

	// NewBatch makes n environments for one worker. They are independent; only stepping is shared.
	NewBatch(n int) (Batch, error)
}

// Chunker is implemented by families that are stepped fastest with a number of environments per worker other than 16.
type Chunker interface {
	Chunk() int
}

// ChunkOf returns how many environments of f a worker steps fastest: 16, from which on entering native code costs next
// to nothing, unless f is a Chunker.
func ChunkOf(f Family) int {
	if c, ok := f.(Chunker); ok {
		return c.Chunk()
	}
	return 16
}

// Batch is a chunk of environments stepped together. It is used by one goroutine at a time.
type Batch interface {
	// Len is the number of environments.
	Len() int

	// Reset starts an episode of task in environment i, drawing the initial state from r, and writes the first
	// observation (ObsDim long). After Reset nothing of earlier episodes remains, bit for bit.
	Reset(i int, task Task, r *rand.Rand, obs []float64) error

	// Step advances the environments with active[i] by one control step. act, obs and the slices of out hold one
	// row per environment; rows of inactive environments are left alone. Actions outside [-1,1] are clipped; an
	// action or a state that is not finite is an *Error naming environment, task and value.
	Step(active []bool, act []float64, obs []float64, out *StepResult) error

	// Close frees native memory.
	Close() error
}

// StepResult receives what a step returned, one element per environment.
type StepResult struct {
	Reward  []float64
	Done    []bool // the task itself ended; reaching the horizon does not count
	Success []bool // families without a notion of success leave it false
	// ContextReward is the reward an agent may put into its context where that differs from Reward (sparse
	// families train on the dense reward and infer the task from the sparse one). Equal to Reward elsewhere.
	ContextReward []float64
}

// Controller is implemented by families that know a good policy for a known task: the yardstick a learned policy
// is measured by, not an agent.
type Controller interface {
	// Act writes the action of the goal-knowing controller for one observation.
	Act(task Task, obs, act []float64)
}

// Trajectory is one episode. Obs holds Len+1 observations, the last one being the state after the last action.
type Trajectory struct {
	Task      Task
	Len       int
	Obs       []float32 // (Len+1)×ObsDim
	Act       []float32 // Len×ActDim, as the agent gave them, in [-1,1]
	Reward    []float32 // Len
	CtxReward []float32 // Len; see StepResult.ContextReward
	Done      bool      // ended by the task (true terminal), not by the horizon
	Success   bool      // success at any step
	Return    float64   // undiscounted sum of rewards, added in float64
}

// Episode asks Rollout for one episode.
type Episode struct {
	Task Task
	// Seed addresses the episode's random stream: initial state and, by the policy, exploration noise. Two
	// episodes with equal Task and Seed and an equal policy are equal.
	Seed uint64
}

// Policy chooses actions for a chunk of environments.
type Policy interface {
	// Act writes one action row per row of obs; row k belongs to episode episodes[k] of the slice given to Rollout,
	// at step steps[k]. Calls with different worker numbers may run at the same time. The action of an episode
	// must not depend on which other episodes share the call.
	Act(worker int, episodes, steps []int, obs, act []float64) error
}

// Watcher is a Policy that sees what its actions led to, as one with a memory must. Watch follows every call of Act with
// the same worker, episodes and steps, once the environments have stepped; reward[k] is the ContextReward of row k.
type Watcher interface {
	Policy
	Watch(worker int, episodes, steps []int, reward []float64) error
}
