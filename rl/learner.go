package rl

import (
	"context"
	"time"

	"nacre/core"
	"nacre/rl/belief"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// Learner is an algorithm being trained: networks, replay, and the parts of an iteration. A run calls, from one
// goroutine and for iterations 0, 1, …: Collect once, Update for updates 0, 1, … of the schedule, Metrics once, Adapter
// where an evaluation is due. Memory and State may be asked for between any two of these calls.
//
// All randomness is addressed by the seed and the place in the schedule, and not by what was called before: a learner
// that is given another's Memory and State goes on as that one would have, bit for bit, with any number of workers.
type Learner interface {
	// Collect gathers the data of an iteration and returns the environment steps it took. When ctx is cancelled it
	// returns an error that wraps ctx's, and the learner may then only be closed: what it had gathered is incomplete.
	Collect(ctx context.Context, iteration int) (steps int, err error)
	// Update makes gradient update number update of an iteration. A loss that is no longer a number is an error that
	// names it, in this call, a later one, or Metrics.
	Update(iteration, update int) error
	// MetricNames lists what Metrics may report of the iteration, in order, each once. Metrics leaves out what has no
	// value in it.
	MetricNames() []string
	Metrics(iteration int, record func(name string, value float64)) error

	// Memory holds every parameter with its optimiser's state. Writing to it changes the learner.
	Memory() core.Memory
	// State lists what a checkpoint must hold besides Memory. The names are the same at every call.
	State() []replay.Part
	// Adapter is the agent as it is now, for evaluation. It reads the learner's parameters, changes nothing that
	// training reads, and is valid until the next Update.
	Adapter() protocol.Adapter
	// Close gives programs and buffers back, not the pool. A second Close does nothing.
	Close() error
}

// Pacer is a Learner that makes another number of updates in some iterations than its schedule says.
type Pacer interface {
	// Updates is asked once the iteration's data is collected, also by a resumed run; its answer may depend on that
	// data.
	Updates(iteration int) int
}

// Ahead is a Learner that can collect an iteration's data while the updates before it are made, if its configuration
// says so; otherwise both methods do nothing.
type Ahead interface {
	// Ahead starts collecting for the iteration and returns. It is called once the iteration before is collected, again
	// by a resumed run. AwaitAhead waits for the end, before which nothing else may use the environments, and returns
	// what went wrong; Collect of that iteration then takes what was collected. CollectsAhead reports whether the
	// configuration says so.
	CollectsAhead() bool
	Ahead(iteration int) error
	AwaitAhead() error
}

// Timed is a Learner that knows how long its workers have spent choosing actions in rollouts, added up.
type Timed interface{ PolicyTime() time.Duration }

// Bulk is a Learner that can make several updates in a row without waiting for one another.
type Bulk interface {
	// Chunk is the most updates of one UpdateMany; at 1, Update is called instead.
	Chunk() int
	// UpdateMany makes n updates from number update on, 1 ≤ n ≤ Chunk, with the result of n calls of Update.
	UpdateMany(iteration, update, n int) error
	// Settle waits for all updates that were begun.
	Settle() error
}

// Keeper is a Learner that keeps what it collects.
type Keeper interface {
	// Keeps is about how much memory the transitions take that it holds at the end of a run, in bytes: of so many
	// iterations, or of fewer that end with so many environment steps, if those are not 0.
	Keeps(iterations int, steps int64) int64
}

// Experienced is a Learner whose adaptation needs what it collected: Experience are those parts of its State.
type Experienced interface{ Experience() []replay.Part }

// Evaluated is a Learner some of whose metrics are of its evaluations: in iterations without one they have no value.
type Evaluated interface {
	// EvaluationMetrics lists those of MetricNames.
	EvaluationMetrics() []string
}

// Encoding is a Learner that infers tasks from contexts, so that its beliefs can be embedded.
type Encoding interface {
	Learner
	// Encoder infers with the learner's parameters as they are at each call; it is closed with the learner.
	Encoder() Encoder
}

// Encoder infers the latent task variable from a context: transitions of one task, one row each, in the order in which
// they were made. An encoder may use that order, as recurrent ones do, or not.
type Encoder interface {
	// NextObs says that rows are (o, a, r, o') rather than (o, a, r).
	NextObs() bool
	// Width is the length of a row, replay.Dims.ContextWidth.
	Width() int
	// Latent is the length of a posterior's mean and variance.
	Latent() int
	// Posteriors infers one diagonal Gaussian per context. A context is rows×Width, row-major, of any number of rows;
	// an empty one gives the prior. Each posterior depends on its own context alone, not on those beside it. The error
	// names a context whose length is not a multiple of the width, or is the device's. Contexts are not modified.
	Posteriors(contexts [][]float32) ([]belief.Gaussian, error)
	// Explorer is the policy that makes contexts, episode i acting as an agent does that knows nothing of its task yet;
	// addresses name the episodes' random streams under seed.
	Explorer(seed uint64, addresses []uint64) sim.Policy
}
