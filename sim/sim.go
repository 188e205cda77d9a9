// Package sim defines task families, environments, trajectories and rollouts.
//
// A Family is a set of tasks that share observations, actions and dynamics and differ in what the task sets (a goal, a
// velocity). Many environments are stepped together: a Batch is a chunk of environments that one worker owns and
// advances by one call. A call into native code costs more than a small step, so one call for each environment would be
// slow. Rollout runs whole episodes over several workers; its result does not depend on the number of workers.
//
// The package knows no algorithm. The file contract.go says what a family must have and may have. Families register
// themselves by name. Package sim/families lists the families of the program. Package sim/simtest checks whether a
// family is complete and shows how to write one. Package sim itself contains the point robot of PEARL in pure Go.
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
	// name in lower case, such as point-goal or ml1/push; an ending after a colon names a variant: ml1/push:v2
	Name   string
	ObsDim int
	ActDim int // length of an action in [-1,1]^ActDim; the family scales it to its actuators
	// ActChoices are the numbers of choices of a discrete action, one for each component: [5] is Gymnasium's
	// Discrete(5) and [3 2] its MultiDiscrete([3, 2]). Such an action has a number for each choice, ActDim in all: 1
	// for the one taken and 0 for the others of its component. Nil: actions are numbers in [-1,1].
	ActChoices []int
	// ObsChoices says that observations are whole numbers: number j is one of 0 to ObsChoices[j]-1. Nil: any numbers.
	ObsChoices []int
	Horizon    int // largest number of steps of an episode
	TaskDim    int // length of Task.Params, which a Controller and the oracle see
	// definition of the family for nacre doctor and the run record, e.g. "oyster half-cheetah on MuJoCo 3.3.0"
	Source string

	// NoSuccess says that the family has no notion of success. Then StepResult.Success stays false, and no success rate
	// is shown.
	NoSuccess bool
}

// Succeeds reports whether the family of this name has a notion of success. It returns true for a name that this
// program does not know, or has not opened yet.
func Succeeds(family string) bool {
	f, is := known(family)
	return !is || !f.Spec().NoSuccess
}

// Task is one member of a family. Params is its task vector (a goal position in metres, a velocity in m/s, a direction
// of ±1). Tasks of a family are equal if their Params are equal.
type Task struct {
	ID     int // place in the family's list of tasks, train tasks first
	Params []float64
}

// ChunkOf returns the number of environments per worker with which f is stepped fastest. It is the Chunker's number if
// f is a Chunker, else 16: with 16 or more, a call into native code costs almost nothing per step.
func ChunkOf(f Family) int {
	if c, ok := f.(Chunker); ok {
		return c.Chunk()
	}
	return 16
}

// State is the physical state of one environment. It is enough to draw the environment and, with the task, to continue
// the episode.
type State struct {
	QPos, QVel []float64 // positions and velocities of the joints, in the order of the physics library
	Warmstart  []float64 // accelerations from which the contact solver starts, or nil
	MocapPos   []float64 // positions of mocap bodies, 3 numbers each, in metres; nil if there are none
}

// StepResult receives the results of a step, one element per environment.
type StepResult struct {
	Reward  []float64
	Done    []bool // whether the task itself ended; reaching the horizon does not count
	Success []bool // whether the task is achieved; always false in families with Spec.NoSuccess
	// ContextReward is the reward that an agent may put into its context. It differs from Reward in sparse families:
	// they train on the dense reward and infer the task from the sparse reward.
	ContextReward []float64
	// Truncated says that the episode ends here though the task did not: a limit of the environment's own, before the
	// horizon. It is nil where nobody asks; families without such limits leave it alone.
	Truncated []bool
}

// Trajectory is one episode. Obs holds Len+1 observations; the last one follows the last action.
type Trajectory struct {
	Task      Task
	Len       int
	Obs       []float32 // (Len+1)×ObsDim
	Act       []float32 // Len×ActDim actions as the agent gave them, in [-1,1] or discrete
	Reward    []float32 // Len rewards
	CtxReward []float32 // Len rewards for the context, see StepResult.ContextReward
	Done      bool      // whether the task ended the episode (a true terminal), not the horizon or another limit
	Success   bool      // whether any step was a success
	Return    float64   // undiscounted sum of rewards, added in float64
}

// Episode asks Rollout for one episode.
type Episode struct {
	Task Task
	// Seed is the seed of the episode's random streams: of the initial state and of the policy's exploration noise. Two
	// episodes with equal Task and Seed and an equal policy are equal.
	Seed uint64
}
