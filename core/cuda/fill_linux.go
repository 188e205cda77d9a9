//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"

	"nacre/core/feed"
)

// job is one matrix that the kernel gather fills.
type job struct {
	to, table        address
	same             float32
	kind, rows, cols int32
	pitch            int32
	store, at, n     int32
	column, split    int32
	windows, which   int32
	base             int32
}

type part struct{ job, from int32 }

// Kinds of jobs, as in feed.h.
const (
	fillColumns int32 = iota
	fillWeight
	fillTable
	fillSameTask
	fillNoise
	fillHistory
)

// jobs lists what is to be filled of a program's inputs.
func (d *fed) jobs(r *runner) ([]job, error) {
	var out []job
	base := 0
	for _, n := range d.plan.Noise {
		if v, ok := r.p.Inputs[n.Input]; ok {
			j := d.job(r, v)
			j.kind, j.base = fillNoise, int32(base)
			if int(j.rows*j.cols) != n.N {
				return nil, fmt.Errorf("input %q holds %d×%d numbers, noise is %d", n.Input, j.rows, j.cols, n.N)
			}
			out = append(out, j)
		}
		base += n.N
	}
	for _, f := range d.plan.Fills {
		v, ok := r.p.Inputs[f.Input]
		if !ok {
			continue
		}
		j := d.job(r, v)
		rows, cols, err := d.describe(&j, f)
		if err != nil {
			return nil, err
		}
		if int(j.rows) != rows || cols > 0 && int(j.cols) != cols {
			return nil, fmt.Errorf("input %q is %d×%d, the plan fills %d×%d", f.Input, j.rows, j.cols, rows, cols)
		}
		out = append(out, j)
	}
	return out, nil
}

// job is the matrix of an input.
func (d *fed) job(r *runner, v int) job {
	x := r.p.Values[v]
	return job{to: r.address(v), rows: int32(x.Rows), cols: int32(x.Cols), pitch: int32(pitchOf(x.Cols)), n: 1, which: -1, windows: 1}
}

// describe completes a job and tells the shape the plan means; 0 columns are any number.
func (d *fed) describe(j *job, f feed.Fill) (rows, cols int, err error) {
	p := &d.plan
	switch f.Field {
	case feed.OfTask:
		j.kind = fillTable
		cols = int(j.cols)
		if len(f.Table) != p.Tasks*cols {
			return 0, 0, fmt.Errorf("input %q: a table of %d numbers for %d tasks, %d each", f.Input, len(f.Table), p.Tasks, cols)
		}
		if j.table, err = d.take("tables of tasks", len(f.Table)); err != nil {
			return 0, 0, err
		}
		return p.Slots, cols, upload(d.gpu.driver, j.table, f.Table)
	case feed.SameTask:
		j.kind, j.same = fillSameTask, f.Value
		return p.Slots, p.Slots, nil
	}
	draw := p.Draws[f.Draw]
	j.store, j.at, j.n = int32(draw.Store), d.content.draw[f.Draw].at, int32(draw.N)
	if draw.Kind != feed.Independent {
		j.which = int32(f.Which)
	}
	rows = p.Slots * draw.N
	columns := func(from, n int) (int, int, error) {
		j.column, j.split = int32(from), int32(n)
		return rows, n, nil
	}
	switch f.Field {
	case feed.Obs:
		return columns(0, p.Obs)
	case feed.Act:
		return columns(p.Obs, p.Act)
	case feed.Reward:
		return columns(p.Context(), 1)
	case feed.Done:
		return columns(p.Context()+1, 1)
	case feed.Context:
		return columns(0, p.Context())
	case feed.ContextNext:
		columns(0, p.Context())
		return rows, p.Context() + p.Obs, nil
	case feed.NextObs:
		return rows, p.Obs, nil
	case feed.Weight:
		j.kind = fillWeight
		return rows, 1, nil
	case feed.Before, feed.After:
		j.kind, j.windows = fillHistory, j.cols/int32(p.Context())
		if f.Field == feed.Before {
			j.split = 1
		}
		return rows, int(j.windows) * p.Context(), nil
	}
	return 0, 0, fmt.Errorf("input %q: no field has the number %d", f.Input, f.Field)
}
