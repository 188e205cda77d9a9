// Package offpolicy makes the gradient updates of learners that learn from replay. It draws the data of an update, on
// the host or on a device that can (package feeding), runs the update's program, and keeps the means of its losses
// until they are reported. What the losses are is the learner's.
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

// Program is the program of an update, and its outputs of one number whose means are kept.
type Program struct {
	*core.Program
	Scalars []string
}

// Updates describes the updates of a learner.
type Updates struct {
	Algorithm string // its name, for errors
	Seed      uint64
	Plan      feed.Recipe
	Stores    func() [][]*replay.Task // the plan's, by store and task; a checkpoint may replace them
	Programs  []Program
	Choose    func(update int) int // the place in Programs of an update's program; nil: the first
	Fixed     map[string][]float32 // inputs that are the same in every update
	Count     func(feed.Record)    // is told what each update drew; may be nil
}

// Updater makes updates. A learner embeds it: Update, Chunk, UpdateMany and Settle are those of rl.Learner and rl.Bulk.
type Updater struct {
	Updates
	Means Means // of the scalars, over the updates that were looked at

	device  core.Device
	mem     core.Memory
	sampler *replay.Sampler
	host    []core.Runner // on data from the host; not loaded before it is needed where the device draws
	feed    *feeding.Feed // nil where the device does not draw
	drawing []core.Runner // on data that the device draws
	drawn   feed.Record   // of the update last sampled on the host
	last    pending
	scalar  [1]float64
}

// pending is an update on the host's data whose losses have not been looked at: a device may still be making it.
type pending struct {
	running           bool
	iteration, update int
	tasks             []int
}

// New makes room for the data of an update and loads the programs, whose parameters are in m.
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

// Close gives programs and buffers back. That of nil does nothing.
func (u *Updater) Close() error {
	if u == nil {
		return nil
	}
	return errors.Join(u.feed.Close(), core.CloseAll(u.host...))
}

// chosen is the place of an update's program.
func (u *Updater) chosen(update int) int {
	if u.Choose == nil {
		return 0
	}
	return u.Choose(update)
}

// Update makes gradient update number update of an iteration. A device that works by itself does so while the next
// update's data are drawn. A loss that is no longer a number is therefore found one update later, or by Settle. It
// allocates nothing that lasts.
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
	if err := run.Run(); err != nil {
		return err
	}
	u.last = pending{true, iteration, update, append(u.last.tasks[:0], u.drawn.Tasks...)}
	return nil
}

// Sample draws the data of one update on the host.
func (u *Updater) Sample(r *rand.Rand) (err error) {
	if u.drawn, err = u.sampler.Sample(r, u.Stores()); err != nil {
		return fmt.Errorf("%s: train %w", u.Algorithm, err)
	}
	u.count(u.drawn)
	return nil
}

// Input is what the last Sample drew for an input, row-major; nil if the plan does not fill it. Drawn tells of which
// tasks. Neither is to be kept.
func (u *Updater) Input(name string) []float32 { return u.sampler.Input(name) }

// Drawn is the record of the last Sample.
func (u *Updater) Drawn() feed.Record { return u.drawn }

// Write hands what Sample drew to another program, as far as that has inputs for it.
func (u *Updater) Write(run core.Runner, p *core.Program) error { return u.sampler.Write(run, p) }

func (u *Updater) count(r feed.Record) {
	if u.Count != nil {
		u.Count(r)
	}
}

// Chunk is how many updates UpdateMany makes at a time at most: more than one where the device draws their data.
func (u *Updater) Chunk() int { return u.feed.Chunk() }

// UpdateMany makes n gradient updates from number update on, as Update does. A device that draws their data is only
// given them: it may still be at work on return, and a later call finds a loss that is no longer a number.
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
		tasks = nil // the one store holds all tasks: its place tells nothing
	}
	if err := rl.Finite(u.Algorithm, name, v, iteration, update, tasks); err != nil {
		return err
	}
	u.Means.Add(name, v)
	return nil
}
