// Package feeding lets devices that support it (feed.Device) draw an algorithm's training data themselves. It keeps a
// copy of the replay on the device up to date and starts the random streams. A device draws what package replay draws
// from the same stream, so a run has the same data in both cases.
//
//	m, err := feeding.New(device, memory, plan, func() [][]*replay.Task { return [][]*replay.Task{buf.RL, buf.Enc} })
//	run, err := m.Load(program, []string{"loss"})
//	err = m.Make(seed, iteration, update, 64, feeding.Way{
//		Run:  func(update int) core.Runner { return run },
//		Host: learner.Update, // while there is nothing to draw from
//		Note: func(u feeding.Update) error { return learner.add(u.Scalars) },
//	})
//	err = m.Close()
//
// A nil Feed stands for a device that cannot draw: it is never ready and has nothing to close.
package feeding

import (
	"errors"

	"nacre/core"
	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/rl/replay"
)

// Feed is a copy of replay on a device.
type Feed struct {
	feed.Feed
	plan   feed.Recipe
	stores func() [][]*replay.Task
	copied map[place]copied
	rows   []float32

	begun           bool
	seed, iteration uint64
	next            uint64 // number of the next update
	runs            []core.Runner
	started         []address // updates that may be unfinished, in order
}

type address struct{ iteration, update int }

// Update is a finished update.
type Update struct {
	Iteration, Number int
	feed.Record
}

type place struct{ store, task int }

// copied says what the copy of a ring holds.
type copied struct {
	of *replay.Task
	replay.Position
}

// New makes an empty copy. The function stores returns the buffers: its first index is the store, a set of buffers that
// feed.Draw names by this number, and the second is the task. The function is called every time, because a checkpoint
// may replace the buffers. The result is nil if the device cannot draw.
func New(d core.Device, m core.Memory, p feed.Recipe, stores func() [][]*replay.Task) (*Feed, error) {
	able, ok := d.(feed.Device)
	if !ok {
		return nil, nil
	}
	f, err := able.NewFeed(m, p)
	if err != nil {
		return nil, err
	}
	return &Feed{Feed: f, plan: p, stores: stores, copied: map[place]copied{}}, nil
}

// Load prepares a program, each execution of which is one update (see feed.Feed). Close closes it.
func (m *Feed) Load(p *core.Program, scalars []string) (core.Runner, error) {
	r, err := m.Feed.Load(p, scalars)
	if err == nil {
		m.runs = append(m.runs, r)
	}
	return r, err
}

// Way is how a learner makes its updates.
type Way struct {
	Run  func(update int) core.Runner      // returns the loaded program of an update on data that the device draws
	Host func(iteration, update int) error // makes an update on data from the host
	Note func(Update) error                // called with every finished update of Run, in order
}

// Make makes n updates of an iteration from number update on. Those that the device draws may still be under way on
// return; a later call, or Hear, reports them.
func (m *Feed) Make(seed uint64, iteration, update, n int, w Way) error {
	ready, err := m.ready(seed, uint64(iteration), uint64(update))
	if err != nil {
		return err
	}
	for u := update; u < update+n; u++ {
		if ready {
			err = m.start(w.Run(u), iteration, u)
		} else {
			err = w.Host(iteration, u)
		}
		if err != nil {
			return err
		}
	}
	return m.Hear(false, w.Note)
}

// Chunk is the largest number of updates of one call of Make; 1 for nil.
func (m *Feed) Chunk() int {
	if m == nil {
		return 1
	}
	return m.Room()
}

// Close frees programs and copy.
func (m *Feed) Close() error {
	if m == nil {
		return nil
	}
	var errs []error
	for _, r := range m.runs {
		errs = append(errs, r.Close())
	}
	return errors.Join(append(errs, m.Feed.Close())...)
}

// ready brings the copy up to date and makes the given update the next one to start. It returns false if a buffer is
// empty, which the device would not notice.
func (m *Feed) ready(seed, iteration, update uint64) (bool, error) {
	if m == nil {
		return false, nil
	}
	changed := false
	for s, tasks := range m.stores() {
		for i, t := range tasks {
			if t.Len() == 0 || !m.drawable(s, t) {
				return false, nil
			}
			c, err := m.update(place{s, i}, t)
			if err != nil {
				return false, err
			}
			changed = changed || c
		}
	}
	if m.begun && !changed && m.seed == seed && m.iteration == iteration && m.next == update {
		return true, nil
	}
	a, b := rng.Address(seed, rng.Replay, iteration)
	if err := m.Begin(a, b, update); err != nil {
		return false, err
	}
	m.begun, m.seed, m.iteration, m.next = true, seed, iteration, update
	return true, nil
}

// drawable reports whether rows remain without the beginnings of trajectories.
func (m *Feed) drawable(store int, t *replay.Task) bool {
	for _, d := range m.plan.Draws {
		if d.Store == store && d.Skip > 0 && t.Trajectory(t.Trajectories()-1).Len <= d.Skip {
			return false
		}
	}
	return true
}

// update copies the rows that were added to a ring.
func (m *Feed) update(at place, t *replay.Task) (changed bool, err error) {
	now, old := copied{t, t.Position()}, m.copied[at]
	if now == old {
		return false, nil
	}
	from := now.First
	if old.of == t && old.Era == now.Era {
		from = max(from, old.Next)
	}
	capacity := int64(t.Capacity())
	for from < now.Next {
		p := from % capacity
		n := min(now.Next-from, capacity-p)
		m.rows = t.Append(m.rows[:0], from, from+n)
		if err := m.Put(at.store, at.task, int(p), m.rows); err != nil {
			return false, err
		}
		from += n
	}
	r := feed.Ring{First: int(now.First % capacity), Length: t.Len()}
	if w := m.plan.Window(at.store); w > 0 {
		for _, s := range t.Croppable(w) {
			r.Spans = append(r.Spans, feed.Span{First: int32(s.First), N: int32(s.N)})
		}
	}
	m.copied[at] = now
	return true, m.Set(at.store, at.task, r)
}

// start starts the next update, number update of the iteration, and returns.
func (m *Feed) start(run core.Runner, iteration, update int) error {
	m.next++
	if err := run.Run(); err != nil {
		return err
	}
	m.started = append(m.started, address{iteration, update})
	return nil
}

// Hear calls note for updates that Make started, in their order, each once: for those known to be finished, or for all.
func (m *Feed) Hear(all bool, note func(Update) error) error {
	if m == nil || len(m.started) == 0 {
		return nil
	}
	records, err := m.Records(all)
	of := m.started[:len(records)]
	m.started = m.started[len(records):]
	for i, r := range records {
		if err := note(Update{of[i].iteration, of[i].update, r}); err != nil {
			return err
		}
	}
	return err
}
