package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"nacre/analysis/stats"
)

// UnmarshalJSON reads what encoding/json writes. A null is an error; encoding/json would read it as 0.
func (t *TaskResult) UnmarshalJSON(text []byte) (err error) {
	var in struct {
		ID      int          `json:"id"`
		Params  []*float64   `json:"params"`
		Return  [][]*float64 `json:"return"`
		Success [][]*bool    `json:"success"`
		Len     [][]*int     `json:"len"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	params, err := values("params", [][]*float64{in.Params})
	if err != nil {
		return fmt.Errorf("task with id %d: %w", in.ID, err)
	}
	*t = TaskResult{ID: in.ID, Params: params[0]}
	var errs [3]error
	t.Return, errs[0] = values("return", in.Return)
	t.Success, errs[1] = values("success", in.Success)
	t.Len, errs[2] = values("len", in.Len)
	if err := errors.Join(errs[:]...); err != nil {
		return fmt.Errorf("task with id %d: %w", in.ID, err)
	}
	return nil
}

// values are the values that pointers point to, in the same shape.
func values[T any](name string, of [][]*T) (out [][]T, err error) {
	for i, row := range of {
		list := []T{}
		for j, p := range row {
			if p == nil {
				return nil, fmt.Errorf("%s: value %d of list %d, both counted from 0, is null", name, j, i)
			}
			list = append(list, *p)
		}
		out = append(out, list)
	}
	return out, nil
}

// Check returns an error for a result that Evaluate cannot have made: one without tasks, with fewer trajectories than
// its protocol says, with returns that no run has, or whose summary is not that of its tasks.
func (r Result) Check() error {
	p := r.Protocol
	n := p.Trajectories()
	if len(r.Tasks) == 0 || p.Repeats < 1 || n < 1 {
		return errors.New("it has no trajectories of test tasks")
	}
	for i, t := range r.Tasks {
		short := slices.ContainsFunc(t.Len, func(of []int) bool { return len(of) != n })
		if short || !t.whole(n) || len(t.Return) != p.Repeats || len(t.Len) != p.Repeats {
			return fmt.Errorf("task %d, counted from 0, has not the %d × %d trajectories of its protocol", i, p.Repeats,
				n)
		}
		for _, list := range t.Return {
			for _, v := range list {
				if !(math.Abs(v) <= stats.MostSize) {
					return fmt.Errorf("task %d, counted from 0, has the return %v; expected at most %g", i, v,
						stats.MostSize)
				}
			}
		}
	}
	if have, want := r.Summary.Adapted, stats.Mean(r.AdaptedByTask()); have.N != len(r.Tasks) ||
		!(math.Abs(have.Mean-want) <= 1e-9*max(1, math.Abs(want))) {
		return fmt.Errorf("its summary has the return %v of %d tasks; its %d tasks have %v", have.Mean, have.N,
			len(r.Tasks), want)
	}
	return nil
}
