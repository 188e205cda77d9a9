//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"

	"nacre/core/feed"
)

const (
	notesKept  = 64 // updates whose scalars the GPU keeps
	maxScalars = 32
)

// notes carries the scalars of the last updates to the host. The kernel note writes a row per update into a ring on the
// GPU. Many rows at a time are copied to pinned memory, after the updates that wrote them and while later updates run.
// An event tells when they have arrived.
type notes struct {
	rows, at address
	width    int
	pinned   [2][]float32
	arrived  [2]event
	flights  []flight  // copies under way, oldest first
	turn     int       // index of the pinned memory for the next copy
	started  int       // updates since the beginning
	copied   int       // updates whose rows have been asked for
	runs     []*runner // runners of the updates since the last copy
}

// flight is a copy of rows that is under way.
type flight struct {
	buffer int
	runs   []*runner
}

func (n *notes) prepare(f *deviceFeed) (err error) {
	n.width = maxScalars + f.drawing.Slots + countsOfFeed
	if n.rows, err = f.take("scalars", notesKept*n.width); err != nil {
		return err
	}
	if n.at, err = f.take("scalars", 1); err != nil {
		return err
	}
	for i := range n.pinned {
		if n.pinned[i], err = f.gpu.pin(notesKept * n.width); err != nil {
			return err
		}
		if n.arrived[i], err = f.gpu.newEvent(); err != nil {
			return err
		}
	}
	return nil
}

func (n *notes) release(g *device) {
	for i := range n.pinned {
		g.unpin(n.pinned[i])
		n.pinned[i] = nil
		if n.arrived[i] != 0 {
			g.call("cuEventDestroy_v2", uintptr(n.arrived[i]))
			n.arrived[i] = 0
		}
	}
}

// add notes that an update of r has started.
func (n *notes) add(r *runner) {
	n.started++
	n.runs = append(n.runs, r)
}

// Room implements feed.Feed.
func (f *deviceFeed) Room() int { return notesKept }

// Records implements feed.Feed.
func (f *deviceFeed) Records(wait bool) (out []feed.Record, err error) {
	n := &f.notes
	leave, err := f.gpu.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := f.mem.group.flush(f.mem); err != nil {
		return nil, err
	}
	if len(n.flights) == len(n.pinned) && len(n.runs) > 0 {
		if out, err = f.land(out); err != nil {
			return nil, err
		}
	}
	if len(n.runs) > 0 {
		if err := f.fly(); err != nil {
			return nil, err
		}
	}
	for len(n.flights) > 0 {
		if !wait {
			ready, err := f.gpu.query(n.arrived[n.flights[0].buffer])
			if err != nil || !ready {
				return out, err
			}
		}
		if out, err = f.land(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fly starts copying the rows of all updates since the last copy.
func (f *deviceFeed) fly() error {
	n := &f.notes
	to := n.pinned[n.turn]
	for left := len(n.runs); left > 0; {
		at := n.copied % notesKept
		rows := min(left, notesKept-at)
		if err := f.gpu.copyOut(f.mem.stream, to[:rows*n.width], n.rows+address(4*at*n.width)); err != nil {
			return err
		}
		to, left, n.copied = to[rows*n.width:], left-rows, n.copied+rows
	}
	if err := f.gpu.record(n.arrived[n.turn], f.mem.stream); err != nil {
		return err
	}
	n.flights = append(n.flights, flight{n.turn, n.runs})
	n.turn, n.runs = 1-n.turn, nil
	return nil
}

// land waits for the oldest copy and reads its rows.
func (f *deviceFeed) land(out []feed.Record) ([]feed.Record, error) {
	n := &f.notes
	if err := f.gpu.do(Launching, "cuEventSynchronize", uintptr(n.arrived[n.flights[0].buffer])); err != nil {
		return nil, err
	}
	rows := n.pinned[n.flights[0].buffer]
	for i, r := range n.flights[0].runs {
		row := rows[i*n.width : (i+1)*n.width]
		scalars := f.runs[r].n
		x := feed.Record{Scalars: append([]float32(nil), row[:scalars]...)}
		row = row[scalars:]
		for _, task := range row[:f.drawing.Slots] {
			x.Tasks = append(x.Tasks, int(task))
		}
		row = row[f.drawing.Slots:]
		x.Pairs, x.Overlap, x.Short = int(row[0]), int(row[1]), int(row[2])
		if row[3] != 0 {
			return nil, fmt.Errorf("cuda: the stream of random numbers ended before an update's %d normals were drawn",
				f.content.noises)
		}
		out = append(out, x)
	}
	n.flights = n.flights[1:]
	return out, nil
}
