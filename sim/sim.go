// Package sim says what a task family, an environment, a trajectory and a rollout are.
//
// A Family is a set of tasks that share observations, actions and dynamics up to the task (a goal, a velocity). Its
// environments are stepped many at a time: a Batch is a chunk of environments owned by one worker and advanced by
// one call, because entering native code once per environment step costs more than a small step itself.
// Rollout runs whole episodes over several workers; its result does not depend on how many there are.
//
// The package knows no algorithm. What a family must and may have is in contract.go; families register themselves by
// name, package sim/families lists those that the program has, and package sim/simtest tells whether one is complete
// and shows how to write one. Package sim itself brings the point robot of PEARL in pure Go.
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

// Spec describes a family.
type Spec struct {
	Name    string // lower case, as in point-goal or ml1/push; an ending after a colon names a variant: ml1/push:v2
	ObsDim  int
	ActDim  int    // actions are in [-1,1]^ActDim; the family scales them to its actuators
	Horizon int    // steps per episode unless it ends earlier
	TaskDim int    // length of Task.Params: what a Controller and the oracle learner are told
	Source  string // what defines it, for nacre doctor and the run record, e.g. "oyster half-cheetah on MuJoCo 3.3.0"

	// NoSuccess says that the family has no notion of success: StepResult.Success stays false, and no rate is shown.
	NoSuccess bool
}

// Succeeds reports whether a family, by name, has a notion of success; one that this program does not know may.
func Succeeds(family string) bool {
	f, err := Lookup(family)
	return err != nil || !f.Spec().NoSuccess
}

// Task is one member of a family. Params is its task vector (a goal position in metres, a velocity in m/s, a
// direction of ±1). Tasks of a family are equal when their Params are.
type Task struct {
	ID     int // position in the family's list, train tasks first
	Params []float64
}

// ChunkOf returns how many environments of f a worker steps fastest: 16, from which on entering native code costs next
// to nothing, unless f is a Chunker.
func ChunkOf(f Family) int {
	if c, ok := f.(Chunker); ok {
		return c.Chunk()
	}
	return 16
}

// State is the physical state of one environment: enough to draw it and, together with its task, to go on from it.
type State struct {
	QPos, QVel []float64 // positions and velocities of the joints, as the physics library orders them
	Warmstart  []float64 // accelerations from which the contact solver starts; nil is none
	MocapPos   []float64 // positions of bodies moved by hand, 3 each, in metres; nil where there are none
}

// StepResult receives what a step returned, one element per environment.
type StepResult struct {
	Reward  []float64
	Done    []bool // the task itself ended; reaching the horizon does not count
	Success []bool // families without a notion of success (Spec.NoSuccess) leave it false
	// ContextReward is the reward an agent may put into its context where that differs from Reward (sparse
	// families train on the dense reward and infer the task from the sparse one). Equal to Reward elsewhere.
	ContextReward []float64
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
