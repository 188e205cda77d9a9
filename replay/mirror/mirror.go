// Package mirror lets a device that can (feed.Device) draw an algorithm's training data by itself: it keeps a copy of the
// replay there up to date and starts the random streams. What the device draws is what package replay draws from the same
// stream, so a run has the same data wherever they are drawn.
//
//	m, err := mirror.New(device, memory, plan, func() [][]*replay.Task { return [][]*replay.Task{buf.RL, buf.Enc} })
//	if m != nil { // the device can
//		run, err = m.Load(program, []string{"loss"})
//		ready, err := m.Ready(seed, iteration, update)
//		err = m.Run(run) // an update, without waiting
//		records, err := m.Records(false)
//	}
package mirror

import (
	"nacre/core"
	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/replay"
)

// Mirror is a copy of replay on a device.
type Mirror struct {
	feed.Feed
	plan   feed.Plan
	stores func() [][]*replay.Task
	copied map[place]copied
	rows   []float32

	begun           bool
	seed, iteration uint64
	next            uint64 // update
}

type place struct{ store, task int }

// copied says what the copy of a ring holds.
type copied struct {
	of *replay.Task
	replay.Position
}

// New makes an empty copy. stores returns the buffers by store and task; it is asked every time, for a checkpoint may
// replace them. The result is nil where the device cannot draw.
func New(d core.Device, m core.Memory, p feed.Plan, stores func() [][]*replay.Task) (*Mirror, error) {
	able, ok := d.(feed.Device)
	if !ok {
		return nil, nil
	}
	f, err := able.NewFeed(m, p)
	if err != nil {
		return nil, err
	}
	return &Mirror{Feed: f, plan: p, stores: stores, copied: map[place]copied{}}, nil
}

// Ready brings the copy up to date and makes the next Run be the given update. It is false where a buffer is empty, which
// the device would not notice.
func (m *Mirror) Ready(seed, iteration, update uint64) (bool, error) {
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

// drawable reports whether rows remain where the beginnings of trajectories are left out.
func (m *Mirror) drawable(store int, t *replay.Task) bool {
	for _, d := range m.plan.Draws {
		if d.Store == store && d.Skip > 0 && t.Trajectory(t.Trajectories()-1).Len <= d.Skip {
			return false
		}
	}
	return true
}

// update copies what was added to a ring.
func (m *Mirror) update(at place, t *replay.Task) (changed bool, err error) {
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
	for _, d := range m.plan.Draws {
		if d.Store == at.store && d.Kind != feed.Independent {
			for _, s := range t.Croppable(d.N) {
				r.Spans = append(r.Spans, feed.Span{First: int32(s.First), N: int32(s.N)})
			}
			break
		}
	}
	m.copied[at] = now
	return true, m.Set(at.store, at.task, r)
}

// Run starts the next update, of a program of Load.
func (m *Mirror) Run(run core.Runner) error {
	m.next++
	return run.Run()
}
