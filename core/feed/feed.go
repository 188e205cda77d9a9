// Package feed describes what an update draws from replay: tasks, transitions or windows of each, noise, and the inputs
// that they fill. This description is the only one: package replay executes it on the host, and a device that holds the
// replay executes it on the device. Host and device make the same draws from the same random stream, so a seed gives
// the same data on both.
//
//	recipe := feed.Recipe{Obs: 3, Act: 2, Tasks: 50, Slots: 16, Choose: feed.WithoutReplacement,
//		Stores: 1, Capacity: 1_000_000,
//		Draws: []feed.Draw{{Kind: feed.Transitions, N: 256}},
//		Noise: []feed.Noise{{Input: "eps", N: 16 * 256 * 2}},
//		Fills: []feed.Fill{{Input: "obs", Field: feed.Obs}, {Input: "rew", Field: feed.Reward}},
//	}
//	f, err := device.(feed.Device).NewFeed(memory, recipe)
//	run, err := f.Load(program, []string{"loss"}) // Run makes an update on data that it draws
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
	NoTasks         Choice = iota // slot i is task i; nothing is drawn
	WithReplacement               // each slot draws its task independently of the others
	// the first of all tasks in random order; if there are fewer tasks than slots, it begins again with the first
	WithoutReplacement
)

// Field names the data with which an input is filled.
type Field int

const (
	Obs         Field = iota // rows of the draw: observation
	Act                      // action
	Reward                   // reward
	Done                     // 1 if the row reached a true terminal, else 0
	NextObs                  // next observation
	Context                  // (o, a, context reward), with zeros for rows that a window lacks
	ContextNext              // (o, a, context reward, o')
	Weight                   // 1 for a row, 0 for one that a window lacks
	Before                   // the context rows before the row, Fill.History of them, as in replay.Histories
	After                    // those one step later
	OfTask                   // a row per slot: the row of Table for the slot's task
	TaskMask                 // slots × slots: Value if two slots have one task, else 0
)

// Fill says with what an input of a program is filled.
type Fill struct {
	Input   string
	Field   Field
	Draw    int // index in Recipe.Draws
	Which   int // for a pair: 0 is the query, 1 is the key
	History int // number of context rows of Before and After; at least 1
	Table   []float32
	Value   float32
}

// OfRows reports whether the input has a row for every drawn row. Otherwise it has a row for every slot.
func (f Fill) OfRows() bool { return f.Field < OfTask }

// Cols is the number of columns that the recipe gives an input.
func (p *Recipe) Cols(f Fill) int {
	switch f.Field {
	case Obs, NextObs:
		return p.Obs
	case Act:
		return p.Act
	case Context:
		return p.Context()
	case ContextNext:
		return p.Context() + p.Obs
	case Before, After:
		return f.History * p.Context()
	case OfTask:
		return len(f.Table) / p.Tasks
	case TaskMask:
		return p.Slots
	}
	return 1 // Reward, Done, Weight
}

// Rows is the number of rows that the recipe gives an input.
func (p *Recipe) Rows(f Fill) int {
	if f.OfRows() {
		return p.Slots * p.Draws[f.Draw].N
	}
	return p.Slots
}

// Recipe says what an update draws, in this order: the tasks of its slots; for each slot all Draws; standard normal
// Noise for the named inputs, element by element.
type Recipe struct {
	Obs, Act int
	Tasks    int
	Slots    int
	Choose   Choice
	Stores   int // number of rings per task
	Capacity int // number of rows of a ring
	Draws    []Draw
	Noise    []Noise
	Fills    []Fill
}

// Noise is an input that is filled with N normal numbers.
type Noise struct {
	Input string
	N     int
}

// Stride is the length of a row for Put: o, a, context reward, reward, done, o', and the row's number in its
// trajectory, from 0.
func (p *Recipe) Stride() int { return 2*p.Obs + p.Act + 4 }

// Context is the length of (o, a, context reward).
func (p *Recipe) Context() int { return p.Obs + p.Act + 1 }

// Window is the smallest length of a trajectory from which windows, or pairs of rows, of a store are drawn. It is 0 if
// none are drawn.
func (p *Recipe) Window(store int) int {
	for _, d := range p.Draws {
		if d.Store == store && d.Least() > 0 {
			return d.Least()
		}
	}
	return 0
}

// Validate returns an error if the recipe cannot be executed.
func (p *Recipe) Validate() error {
	if p.Obs < 1 || p.Act < 1 || p.Tasks < 1 || p.Slots < 1 || p.Stores < 1 || p.Capacity < 1 {
		return fmt.Errorf("feed: %d observations, %d actions, %d tasks, %d slots, %d stores of %d rows: each must be "+
			"at least 1",
			p.Obs, p.Act, p.Tasks, p.Slots, p.Stores, p.Capacity)
	}
	if p.Choose == NoTasks && p.Slots > p.Tasks {
		return fmt.Errorf("feed: %d slots of %d tasks that are not drawn", p.Slots, p.Tasks)
	}
	for i, d := range p.Draws {
		if d.Store < 0 || d.Store >= p.Stores {
			return fmt.Errorf("feed: draw %d is of store %d of %d", i, d.Store, p.Stores)
		}
		if err := d.Validate(); err != nil {
			return fmt.Errorf("feed: draw %d: %w", i, err)
		}
		if w := p.Window(d.Store); d.Least() > 0 && d.Least() != w {
			return fmt.Errorf("feed: draw %d: windows of %d rows of store %d, of which windows of %d are drawn: want "+
				"one length (pairs of rows count as 2)", i, d.Least(), d.Store, w)
		}
	}
	for _, f := range p.Fills {
		if err := p.validate(f); err != nil {
			return fmt.Errorf("feed: input %q %w", f.Input, err)
		}
	}
	return nil
}

func (p *Recipe) validate(f Fill) error {
	switch {
	case f.Field < 0 || f.Field > TaskMask:
		return fmt.Errorf("holds field %d, fields are 0 to %d", f.Field, TaskMask)
	case f.Field == OfTask && (len(f.Table) == 0 || len(f.Table)%p.Tasks != 0):
		return fmt.Errorf("has a table of %d numbers for %d tasks, want equally many for each", len(f.Table), p.Tasks)
	case !f.OfRows():
		return nil
	case f.Draw < 0 || f.Draw >= len(p.Draws):
		return fmt.Errorf("is filled from draw %d of %d", f.Draw, len(p.Draws))
	}
	d := p.Draws[f.Draw]
	switch sets := d.Sets(); {
	case f.Which < 0 || f.Which >= sets:
		return fmt.Errorf("is filled from window %d of %d", f.Which, sets)
	case (f.Field == Before || f.Field == After) && (f.History < 1 || d.Kind != Transitions):
		return fmt.Errorf("holds histories of %d rows of draw %d (%v), want at least 1 row and transitions", f.History,
			f.Draw, d.Kind)
	}
	return nil
}

// Span is a trajectory from which windows or pairs of rows may be drawn: its first row, counted from the ring's oldest
// row, and its length.
type Span struct{ First, N int32 }

// Ring says what may be drawn from a ring. Length rows from position First on may be drawn; positions count modulo the
// capacity. The spans are the trajectories for draws of windows and pairs of rows.
type Ring struct {
	First, Length int
	Spans         []Span
}

// Record holds what an update reports after it was made.
type Record struct {
	Scalars []float32 // the recorded scalars, in the order given to Load
	Tasks   []int     // the tasks of the slots
	// Pairs is the number of pairs that were drawn, Overlap the number of transitions that are in both parts of a pair.
	// Short is the number of pairs with a window shorter than asked, or of pairs of rows from a trajectory with a
	// single transition.
	Pairs, Overlap, Short int
}

// Device is a core.Device that can draw data itself.
type Device interface {
	core.Device
	NewFeed(m core.Memory, p Recipe) (Feed, error)
}

// Feed is replay on a device. It is not safe for concurrent use.
type Feed interface {
	// Put writes rows of a ring from a position on; positions and lengths are below the capacity.
	Put(store, task, at int, rows []float32) error
	// Set says what may be drawn from a ring by updates after the next Begin.
	Set(store, task int, r Ring) error
	// Begin sets the random streams of the next updates: rng.New(…, update), rng.New(…, update+1), … a and b are what
	// rng.Address returns for the arguments before update.
	Begin(a, b, update uint64) error
	// Load prepares a program whose runs are updates. Run starts an update and returns. Inputs that the recipe does not
	// fill are written as usual. scalars names the 1×1 outputs to record. All programs that the feed has loaded share
	// its stream.
	Load(p *core.Program, scalars []string) (core.Runner, error)
	// Records returns the records of finished updates, in order, each once. If wait is set, it waits for all updates
	// that were started; otherwise it returns the records that have arrived. It must be called when Room updates have
	// been started since the last call.
	Records(wait bool) ([]Record, error)
	// Room is the number of updates that may be started between two calls of Records.
	Room() int
	Close() error
}
