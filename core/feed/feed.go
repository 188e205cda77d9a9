// Package feed describes how the inputs of updates are drawn from replay, so that a device which holds the replay can
// draw them itself: tasks, rows or windows of rows for each, noise. What is drawn is part of what a seed means: a device
// makes the same draws, from the same random stream, as package replay does on the host.
//
//	plan := feed.Plan{Obs: 3, Act: 2, Tasks: 50, Slots: 16, Choose: feed.Permuted, Stores: 1, Capacity: 1_000_000,
//		Draws: []feed.Draw{{Kind: feed.Independent, N: 256}},
//		Noise: []feed.Noise{{Input: "eps", N: 16 * 256 * 2}},
//		Fills: []feed.Fill{{Input: "obs", Field: feed.Obs}, {Input: "rew", Field: feed.Reward}},
//	}
//	f, err := device.(feed.Device).NewFeed(memory, plan)
//	run, err := f.Load(program, []string{"loss"}) // Run makes an update on data it draws
//	err = f.Put(0, task, 0, rows)                 // what was collected
//	err = f.Set(0, task, feed.Ring{Length: n})
//	err = f.Begin(a, b, 0)                        // the streams of updates 0, 1, …
package feed

import (
	"fmt"

	"nacre/core"
)

// Choice says how the tasks of an update's slots are drawn.
type Choice int32

const (
	NoTasks  Choice = iota // slot i is task i; nothing is drawn
	Each                   // each by itself
	Permuted               // the first of all tasks in random order, again from the beginning where there are fewer than slots
)

// Kind says how rows of a task are drawn.
type Kind int32

const (
	Independent      Kind = iota // uniformly, with replacement
	Window                       // replay.Task.Window
	PairOfTrajectory             // replay.Task.WindowPair, replay.SameTrajectory
	PairOfTask                   // replay.Task.WindowPair, replay.SameTask
)

// Draw is what is drawn for every slot.
type Draw struct {
	Kind      Kind
	Store     int
	N         int  // rows, or of a window its length
	Exclusive bool // replay.CropRule.ExclusiveEnd
	Skip      int  // rows at the beginning of each trajectory that Independent leaves out
}

// Field is what an input is filled with.
type Field int

const (
	Obs         Field = iota // rows of the draw: observation
	Act                      // action
	Reward                   // reward
	Done                     // 1 where the row reached a true terminal
	NextObs                  // next observation
	Context                  // (o, a, context reward), with zeros for rows that a window lacks
	ContextNext              // (o, a, context reward, o')
	Weight                   // 1 for a row, 0 for one that a window lacks
	Before                   // replay.Histories
	After                    // replay.Histories
	OfTask                   // a row per slot: that of Table for its task
	SameTask                 // slots × slots: Value where two slots have one task, else 0
)

// Fill says what an input of a program holds.
type Fill struct {
	Input string
	Field Field
	Draw  int // index in Plan.Draws
	Which int // of a pair's windows
	Table []float32
	Value float32
}

// Plan is all an update draws: the tasks of its slots; for each slot all Draws; then standard normal Noise for the named
// inputs, element by element, in this order.
type Plan struct {
	Obs, Act int
	Tasks    int
	Slots    int
	Choose   Choice
	Stores   int // rings per task
	Capacity int // rows of a ring
	Draws    []Draw
	Noise    []Noise
	Fills    []Fill
}

// Noise is an input of n numbers.
type Noise struct {
	Input string
	N     int
}

// Stride is the length of a row as Put takes it: o, a, context reward, reward, done, o', and the row's number in its
// trajectory, from 0.
func (p *Plan) Stride() int { return 2*p.Obs + p.Act + 4 }

// Context is the length of (o, a, context reward).
func (p *Plan) Context() int { return p.Obs + p.Act + 1 }

// Validate reports a plan that means nothing.
func (p *Plan) Validate() error {
	if p.Obs < 1 || p.Act < 1 || p.Tasks < 1 || p.Slots < 1 || p.Stores < 1 || p.Capacity < 1 {
		return fmt.Errorf("feed: %d observations, %d actions, %d tasks, %d slots, %d stores of %d rows: each must be at least 1",
			p.Obs, p.Act, p.Tasks, p.Slots, p.Stores, p.Capacity)
	}
	if p.Choose == NoTasks && p.Slots > p.Tasks {
		return fmt.Errorf("feed: %d slots of %d tasks that are not drawn", p.Slots, p.Tasks)
	}
	for i, d := range p.Draws {
		if d.N < 1 || d.Store < 0 || d.Store >= p.Stores || d.Skip < 0 {
			return fmt.Errorf("feed: draw %d: %d rows of store %d, want at least 1 of one of %d", i, d.N, d.Store, p.Stores)
		}
	}
	for _, f := range p.Fills {
		if f.Field < OfTask && (f.Draw < 0 || f.Draw >= len(p.Draws)) {
			return fmt.Errorf("feed: input %q is filled from draw %d of %d", f.Input, f.Draw, len(p.Draws))
		}
	}
	return nil
}

// Span is a trajectory that windows may be cropped from: its first row, counted from the ring's oldest, and its length.
type Span struct{ First, N int32 }

// Ring says what may be drawn of a ring: Length rows from position First on, positions counted modulo the capacity; and
// for draws of windows the trajectories.
type Ring struct {
	First, Length int
	Spans         []Span
}

// Record is what is known of an update after it was made.
type Record struct {
	Scalars []float32 // in the order given to Load
	Tasks   []int     // of the slots
	// Of pairs of windows: how many, transitions that both hold, pairs with a window shorter than asked.
	Pairs, Overlap, Short int
}

// Device is a core.Device that can draw data itself.
type Device interface {
	core.Device
	NewFeed(m core.Memory, p Plan) (Feed, error)
}

// Feed is replay on a device. It is not safe for concurrent use.
type Feed interface {
	// Put writes rows of a ring from a position on; positions and lengths are below the capacity.
	Put(store, task, at int, rows []float32) error
	// Set says what may be drawn of a ring, for updates after the next Begin.
	Set(store, task int, r Ring) error
	// Begin makes the streams of the updates that follow those of rng.New(…, update), rng.New(…, update+1), …; a and b are
	// what package rng makes of the path so far.
	Begin(a, b, update uint64) error
	// Load prepares a program whose runs are updates. Run starts one and returns; inputs that the plan does not fill are
	// written as usual. scalars are 1×1 outputs to be recorded. Programs loaded here share the stream.
	Load(p *core.Program, scalars []string) (core.Runner, error)
	// Records returns those of finished updates in their order, each once: of all so far if wait is set, else of those
	// that have arrived. It must be called when Room updates have been started since the last call.
	Records(wait bool) ([]Record, error)
	// Room is how many updates may be started between calls of Records.
	Room() int
	Close() error
}
