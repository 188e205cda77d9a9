package protocol

import (
	"slices"
	"strconv"
	"strings"

	"nacre/analysis/stats"
	"nacre/sim"
)

// Result holds the measurements of an evaluation.
type Result struct {
	Protocol Protocol     `json:"protocol"`
	Seed     uint64       `json:"seed"`
	Steps    int          `json:"steps"` // environment steps of the evaluation
	Tasks    []TaskResult `json:"tasks"` // in the given order
	Summary  Summary      `json:"summary"`
}

// TaskResult holds every trajectory of one task: first index repeat, second index trajectory.
type TaskResult struct {
	ID      int         `json:"id"`
	Params  []float64   `json:"params"`
	Return  [][]float64 `json:"return"`  // undiscounted return
	Success [][]bool    `json:"success"` // success at any step
	Len     [][]int     `json:"len"`     // length in steps
}

// Summary averages over repeats within each task, then over tasks. Intervals are over tasks; those of success rates are
// cut to [0,1].
type Summary struct {
	Return  []stats.Interval `json:"return"`  // by trajectory index: the adaptation curve
	Success []stats.Interval `json:"success"` // by trajectory index: share of trajectories with success

	// Adapted and AdaptedSuccess are means over the scored trajectories.
	Adapted        stats.Interval `json:"adapted"`
	AdaptedSuccess stats.Interval `json:"adapted_success"`
}

func newResult(tasks []sim.Task, p Protocol, seed uint64) Result {
	r := Result{Protocol: p, Seed: seed, Tasks: make([]TaskResult, len(tasks))}
	for i, t := range tasks {
		tr := TaskResult{ID: t.ID, Params: append([]float64{}, t.Params...)}
		for range p.Repeats {
			tr.Return = append(tr.Return, make([]float64, p.Trajectories()))
			tr.Success = append(tr.Success, make([]bool, p.Trajectories()))
			tr.Len = append(tr.Len, make([]int, p.Trajectories()))
		}
		r.Tasks[i] = tr
	}
	return r
}

func (r *Result) record(task, repeat, traj int, t *sim.Trajectory) {
	at := &r.Tasks[task]
	at.Return[repeat][traj] = t.Return
	at.Success[repeat][traj] = t.Success
	at.Len[repeat][traj] = t.Len
	r.Steps += t.Len
}

func (r *Result) summarise() {
	n := r.Protocol.Trajectories()
	for traj := range n {
		r.Summary.Return = append(r.Summary.Return, stats.MeanInterval(r.byTask(TaskResult.meanReturn, traj, traj+1)))
		r.Summary.Success = append(r.Summary.Success, share(r.byTask(TaskResult.successRate, traj, traj+1)))
	}
	r.Summary.Adapted = stats.MeanInterval(r.AdaptedByTask())
	r.Summary.AdaptedSuccess = share(r.byTask(TaskResult.successRate, r.Protocol.Explore, n))
}

// ByTask is the mean return of each trajectory over the task's repeats, and how often each had success: the table of
// task × trajectory, in the order of Tasks. For a task without a whole repeat, as in a damaged file, both are empty.
func (r Result) ByTask() (returns, successes [][]float64) {
	n := r.Protocol.Trajectories()
	returns, successes = make([][]float64, len(r.Tasks)), make([][]float64, len(r.Tasks))
	for i, t := range r.Tasks {
		if !t.whole(n) {
			continue
		}
		for k := range n {
			returns[i] = append(returns[i], t.meanReturn(k, k+1))
			successes[i] = append(successes[i], t.successRate(k, k+1))
		}
	}
	return returns, successes
}

// whole reports whether every repeat has n trajectories.
func (t TaskResult) whole(n int) bool {
	short := func(of []float64) bool { return len(of) != n }
	return len(t.Return) > 0 && len(t.Return) == len(t.Success) && !slices.ContainsFunc(t.Return, short) &&
		!slices.ContainsFunc(t.Success, func(of []bool) bool { return len(of) != n })
}

// AdaptedByTask is the mean return of each task's scored trajectories over all repeats, in the order of Tasks.
func (r Result) AdaptedByTask() []float64 {
	return r.byTask(TaskResult.meanReturn, r.Protocol.Explore, r.Protocol.Trajectories())
}

// byTask applies f to trajectories lo … hi-1 of each task.
func (r Result) byTask(f func(TaskResult, int, int) float64, lo, hi int) []float64 {
	x := make([]float64, len(r.Tasks))
	for i, t := range r.Tasks {
		x[i] = f(t, lo, hi)
	}
	return x
}

func (t TaskResult) meanReturn(lo, hi int) float64 {
	sum := 0.0
	for _, repeat := range t.Return {
		for _, x := range repeat[lo:hi] {
			sum += x
		}
	}
	return sum / float64(len(t.Return)*(hi-lo))
}

func (t TaskResult) successRate(lo, hi int) float64 {
	n := 0
	for _, repeat := range t.Success {
		for _, s := range repeat[lo:hi] {
			if s {
				n++
			}
		}
	}
	return float64(n) / float64(len(t.Success)*(hi-lo))
}

// share is stats.MeanInterval for shares: it cuts the interval to [0,1].
func share(x []float64) stats.Interval {
	i := stats.MeanInterval(x)
	i.Lo, i.Hi = max(0, i.Lo), min(1, i.Hi)
	return i
}

// CSV returns a header and one row per trajectory, for encoding/csv: task, params (numbers separated by spaces),
// repeat, trajectory, phase (explore or scored), return, success (0 or 1) and len. Numbers are written so that they
// read back exactly.
func (r Result) CSV() [][]string {
	rows := [][]string{{"task", "params", "repeat", "trajectory", "phase", "return", "success", "len"}}
	for _, t := range r.Tasks {
		params := make([]string, len(t.Params))
		for i, x := range t.Params {
			params[i] = exact(x)
		}
		for repeat := range t.Return {
			for traj, x := range t.Return[repeat] {
				phase, success := "scored", "0"
				if traj < r.Protocol.Explore {
					phase = "explore"
				}
				if t.Success[repeat][traj] {
					success = "1"
				}
				rows = append(rows, []string{
					strconv.Itoa(t.ID), strings.Join(params, " "), strconv.Itoa(repeat), strconv.Itoa(traj),
					phase, exact(x), success, strconv.Itoa(t.Len[repeat][traj]),
				})
			}
		}
	}
	return rows
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
