package rl

import (
	"context"
	"time"

	"nacre/core"
	"nacre/rl/belief"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/rl/weights"
	"nacre/sim"
)

// Learner is an algorithm being trained: networks, replay, and the parts of an iteration. A run calls from one
// goroutine, for iterations 0, 1, …: Collect once, Update for updates 0, 1, … of the schedule, Metrics once, and
// Adapter if an evaluation is due. It may call Memory and State between any two of these calls.
//
// All randomness depends on the seed and on the place in the schedule, and not on earlier calls. A learner that gets
// another learner's Memory and State continues as that learner would have, bit for bit, with any number of workers.
type Learner interface {
	// Collect gathers the data of an iteration and returns the environment steps it took. If ctx is cancelled it
	// returns an error that wraps ctx's. The learner may then only be closed, because its data are incomplete.
	Collect(ctx context.Context, iteration int) (steps int, err error)
	// Update makes gradient update number update of an iteration. If a loss is no longer a number, an error names it.
	// The error may come from this call, from a later Update, or from Metrics.
	Update(iteration, update int) error
	// MetricNames lists what Metrics may report about an iteration, in order, each name once. Metrics leaves out the
	// names that have no value in it.
	MetricNames() []string
	Metrics(iteration int, record func(name string, value float64)) error

	// Memory holds every parameter with its optimiser's state. Writing to it changes the learner.
	Memory() core.Memory
	// State lists what a checkpoint must hold besides Memory. The names are the same at every call.
	State() []replay.Part
	// Adapter returns the current agent for evaluation. The agent reads the learner's parameters, changes nothing that
	// training reads, and is valid until the next Update.
	Adapter() protocol.Adapter
	// Close frees programs and buffers, but not the pool. A second Close does nothing.
	Close() error
}

// Pacer is a Learner whose number of updates in some iterations differs from its schedule.
type Pacer interface {
	// Updates returns the number of updates of the iteration. It is called when the iteration's data are collected,
	// also by a resumed run, and may depend on these data.
	Updates(iteration int) int
}

// Ahead is a Learner that can collect an iteration's data during the updates of the iteration before, if its
// configuration says so. Otherwise its methods do nothing.
type Ahead interface {
	// CollectsAhead reports whether the configuration asks for collecting ahead.
	CollectsAhead() bool
	// Ahead starts collecting for the iteration and returns. It is called as soon as the iteration before is collected.
	// A resumed run calls it again.
	Ahead(iteration int) error
	// AwaitAhead waits until this collection ends and returns its error. Until then nothing else may use the
	// environments. Collect of that iteration then takes the collected data.
	AwaitAhead() error
}

// Timed is a Learner that measures the time its workers spend choosing actions in rollouts, added up.
type Timed interface{ PolicyTime() time.Duration }

// Bulk is a Learner that can make several updates in a row without waiting for each of them.
type Bulk interface {
	// Chunk is the largest number of updates of one UpdateMany. If it is 1, Update is called instead.
	Chunk() int
	// UpdateMany makes n updates from number update on, 1 ≤ n ≤ Chunk, with the result of n calls of Update.
	UpdateMany(iteration, update, n int) error
	// Settle waits for all updates that were begun.
	Settle() error
}

// Keeper is a Learner that keeps its collected data.
type Keeper interface {
	// Keeps estimates the memory, in bytes, of the transitions that the learner holds at the end of a run. The run has
	// the given number of iterations, or ends earlier after the given environment steps if these are not 0.
	Keeps(iterations int, steps int64) int64
}

// Experienced is a Learner that needs its collected data for adaptation. Experience lists the parts of State that hold
// these data.
type Experienced interface{ Experience() []replay.Part }

// Described is a Learner that describes its networks to readers of their weights, which then can act with them.
type Described interface{ Describe() weights.Description }

// Evaluated is a Learner with metrics that come from its evaluations. In iterations without an evaluation they have no
// value.
type Evaluated interface {
	// EvaluationMetrics lists the metrics that come from evaluations, a part of MetricNames.
	EvaluationMetrics() []string
}

// Encoding is a Learner that infers tasks from contexts, so that its posteriors can be embedded.
type Encoding interface {
	Learner
	// Encoder infers with the learner's current parameters at each call. It is closed with the learner.
	Encoder() Encoder
}

// Encoder infers the latent task variable from a context. A context is transitions of one task, one row each, in the
// order in which they were made. An encoder may use this order, as recurrent ones do.
type Encoder interface {
	// NextObs reports whether rows are (o, a, r, o') rather than (o, a, r).
	NextObs() bool
	// Width is the length of a row, replay.Dims.ContextWidth.
	Width() int
	// Latent is the length of a posterior's mean and variance.
	Latent() int
	// Posteriors infers one diagonal Gaussian per context. A context is rows×Width, row-major, with any number of rows;
	// an empty one gives the prior. Each posterior depends only on its own context. If the length of a context is not a
	// multiple of the width, the error names it. Errors of the device are returned as they are. Contexts are not
	// modified.
	Posteriors(contexts [][]float32) ([]belief.Gaussian, error)
	// Explorer is the policy that collects contexts. In each episode it acts like an agent that knows nothing of its
	// task yet. The slice addresses has one number per episode, which with the seed selects the episode's random
	// stream.
	Explorer(seed uint64, addresses []uint64) sim.Policy
}
