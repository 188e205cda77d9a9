// Package offpolicy makes the gradient updates of learners that learn from replay. It draws the data of an update, on
// the host or on a device that supports it (package feeding). It runs the update's program, and keeps the means of its
// losses until they are reported. The learner defines the losses.
//
//	updater, err := offpolicy.New(device, memory, offpolicy.Updates{
//		Algorithm: "pearl", Seed: seed, Plan: plan, Stores: stores,
//		Programs: []offpolicy.Program{{Program: update, Scalars: []string{"q_loss", "policy_loss"}}},
//	})
//	err = updater.Update(iteration, 0)
//	err = updater.Settle()
//	loss, _ := updater.Means.Of("q_loss")
package offpolicy

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"nacre/core"
	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/replay"
	"nacre/rl/replay/feeding"
)

// Program is the program of an update, and its 1×1 outputs whose means are kept.
type Program struct {
	*core.Program
	Scalars []string
}

// Updates describes the updates of a learner.
type Updates struct {
	Algorithm string // algorithm's name, for errors
	Seed      uint64
	Plan      feed.Recipe
	Stores    func() [][]*replay.Task // the plan's stores, by store and task; a checkpoint may replace them
	Programs  []Program
	Choose    func(update int) int // index in Programs of an update's program; nil: the first
	Fixed     map[string][]float32 // inputs that are the same in every update
	Count     func(feed.Record)    // called with what each update drew; may be nil
	// Before and After, which may be nil, are called around the run of each update. Before may write inputs of the
	// update's program. If there is one, all data come from the host.
	Before func(run core.Runner, iteration, update int) error
	After  func(iteration, update int) error
}

// Updater makes updates. A learner embeds it: Update, Chunk, UpdateMany and Settle are those of rl.Learner and rl.Bulk.
type Updater struct {
	Updates
	Means Means // means of the scalars, over the updates whose losses were read

	device  core.Device
	mem     core.Memory
	sampler *replay.Sampler
	host    []core.Runner // programs on data from the host; if the device draws, loaded only when needed
	feed    *feeding.Feed // nil if the device does not draw
	drawing []core.Runner // programs on data that the device draws
	drawn   feed.Record   // record of the update last sampled on the host
	last    pending
	scalar  [1]float64
}

// pending is an update on the host's data whose losses have not been read: a device may still be making it.
type pending struct {
	running           bool
	iteration, update int
	tasks             []int
}

// New allocates the data of an update and loads the programs, whose parameters are in m.
func New(d core.Device, m core.Memory, of Updates) (*Updater, error) {
	u := &Updater{Updates: of, Means: Means{}, device: d, mem: m}
	if err := u.open(); err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

func (u *Updater) open() (err error) {
	if u.sampler, err = replay.NewSampler(u.Plan); err != nil {
		return err
	}
	if u.Before != nil {
		return u.load()
	}
	m, err := feeding.New(u.device, u.mem, u.Plan, u.Stores)
	if err != nil {
		return err
	}
	if m == nil {
		return u.load()
	}
	u.feed = m
	for _, p := range u.Programs {
		run, err := m.Load(p.Program, p.Scalars)
		if err != nil {
			return err
		}
		if err := u.writeFixed(run); err != nil {
			return err
		}
		u.drawing = append(u.drawing, run)
	}
	return nil
}

// load prepares updates on data from the host.
func (u *Updater) load() error {
	for _, p := range u.Programs[len(u.host):] {
		run, err := u.device.Load(p.Program, u.mem)
		if err != nil {
			return err
		}
		u.host = append(u.host, run)
		if err := u.writeFixed(run); err != nil {
			return err
		}
	}
	return nil
}

func (u *Updater) writeFixed(run core.Runner) error {
	for name, x := range u.Fixed {
		if err := run.Write(name, x); err != nil {
			return err
		}
	}
	return nil
}

// Close frees programs and buffers. Closing a nil Updater does nothing.
func (u *Updater) Close() error {
	if u == nil {
		return nil
	}
	return errors.Join(u.feed.Close(), core.CloseAll(u.host...))
}

// chosen returns the index of an update's program.
func (u *Updater) chosen(update int) int {
	if u.Choose == nil {
		return 0
	}
	return u.Choose(update)
}

// Update makes gradient update number update of an iteration. A device that works asynchronously computes this update
// while the data of the next one are drawn. So a loss that is no longer a number is found one update later, or by
// Settle. It allocates nothing that lasts.
func (u *Updater) Update(iteration, update int) error {
	if err := u.load(); err != nil {
		return err
	}
	if err := u.Sample(rng.New(u.Seed, rng.Replay, uint64(iteration), uint64(update))); err != nil {
		return err
	}
	if err := u.Settle(); err != nil {
		return err
	}
	run := u.host[u.chosen(update)]
	if err := u.sampler.Write(run, nil); err != nil {
		return err
	}
	if u.Before != nil {
		if err := u.Before(run, iteration, update); err != nil {
			return err
		}
	}
	if err := run.Run(); err != nil {
		return err
	}
	u.last = pending{true, iteration, update, append(u.last.tasks[:0], u.drawn.Tasks...)}
	if u.After == nil {
		return nil
	}
	return u.After(iteration, update)
}

// Sample draws the data of one update on the host.
func (u *Updater) Sample(r *rand.Rand) (err error) {
	if u.drawn, err = u.sampler.Sample(r, u.Stores()); err != nil {
		return fmt.Errorf("%s: train %w", u.Algorithm, err)
	}
	u.count(u.drawn)
	return nil
}

// Input returns the data that the last Sample drew for an input, row-major; nil if the plan does not fill it. Drawn
// says from which tasks they are. Do not keep either result.
func (u *Updater) Input(name string) []float32 { return u.sampler.Input(name) }

// Drawn is the record of the last Sample.
func (u *Updater) Drawn() feed.Record { return u.drawn }

// Write writes the data of the last Sample to another program, for those inputs that the program has.
func (u *Updater) Write(run core.Runner, p *core.Program) error { return u.sampler.Write(run, p) }

func (u *Updater) count(r feed.Record) {
	if u.Count != nil {
		u.Count(r)
	}
}

// Chunk is the largest number of updates of one UpdateMany. It is more than one if the device draws their data.
func (u *Updater) Chunk() int { return u.feed.Chunk() }

// UpdateMany makes n gradient updates from number update on, as Update does. If the device draws their data, it may
// still be at work on return. Then a later call finds a loss that is no longer a number.
func (u *Updater) UpdateMany(iteration, update, n int) error {
	run := func(update int) core.Runner { return u.drawing[u.chosen(update)] }
	return u.feed.Make(u.Seed, iteration, update, n, feeding.Way{Run: run, Host: u.Update, Note: u.note})
}

// Settle waits until all updates are made, and adds their losses to the means.
func (u *Updater) Settle() error {
	if err := u.feed.Hear(true, u.note); err != nil || !u.last.running {
		return err
	}
	u.last.running = false
	at := u.chosen(u.last.update)
	for _, name := range u.Programs[at].Scalars {
		if err := u.host[at].Read64(name, u.scalar[:]); err != nil {
			return err
		}
		if err := u.add(name, u.scalar[0], u.last.iteration, u.last.update, u.last.tasks); err != nil {
			return err
		}
	}
	return nil
}

// note adds the losses of an update on data that the device drew.
func (u *Updater) note(made feeding.Update) error {
	for i, name := range u.Programs[u.chosen(made.Number)].Scalars {
		if err := u.add(name, float64(made.Scalars[i]), made.Iteration, made.Number, made.Tasks); err != nil {
			return err
		}
	}
	u.count(made.Record)
	return nil
}

// add adds a loss of an update to its mean.
func (u *Updater) add(name string, v float64, iteration, update int, tasks []int) error {
	if u.Plan.Tasks == 1 {
		tasks = nil // the one store holds all tasks, so its index says nothing
	}
	if err := rl.Finite(u.Algorithm, name, v, iteration, update, tasks); err != nil {
		return err
	}
	u.Means.Add(name, v)
	return nil
}
