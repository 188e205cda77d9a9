//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import "nacre/core/gpu"

// job is one matrix that the kernel gather fills. gpu.Fill has the same fields. Both number the kinds alike.
type job struct {
	to, table        address
	masked           float32
	kind, rows, cols int32
	pitch            int32
	store, at, n     int32
	column, split    int32
	windows, which   int32
	base             int32
}

type part struct{ job, from int32 }

// jobs returns the jobs for a program's inputs.
func (d *feeding) jobs(r *runner) ([]job, error) {
	fills, err := d.drawing.Fills(r.p)
	if err != nil {
		return nil, err
	}
	out := make([]job, len(fills))
	for i, f := range fills {
		j := job{to: r.address(f.Value), kind: int32(f.Kind), rows: int32(f.Rows), cols: int32(f.Cols),
			pitch: int32(gpu.Pitch(f.Cols)), n: 1,
			masked: f.Masked, column: int32(f.Column), split: int32(f.Split), windows: int32(f.Windows),
			which: int32(f.Which), base: int32(f.Base)}
		if f.Kind == gpu.Columns || f.Kind == gpu.Weight || f.Kind == gpu.History {
			p := d.drawing.Picks[f.Pick]
			j.store, j.at, j.n = int32(p.Store), int32(p.At+f.Skip), int32(p.N)
		}
		if f.Kind == gpu.OfTask {
			if j.table, err = d.take("tables of tasks", len(f.Table)); err != nil {
				return nil, err
			}
			if err := upload(d.gpu.driver, j.table, f.Table); err != nil {
				return nil, err
			}
		}
		out[i] = j
	}
	return out, nil
}
