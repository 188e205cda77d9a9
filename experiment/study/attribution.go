package study

import (
	"math"
	"slices"

	"nacre/analysis/stats"
	"nacre/experiment"
	"nacre/internal/rng"
	"nacre/rl/protocol"
	"nacre/tcl/tclpearl"
)

// Attribution is about one measured number. It divides the gap between PEARL and TCL-PEARL into two parts: that of the
// windows (PEARL on windows minus PEARL) and that of the contrastive loss (TCL-PEARL minus PEARL on windows).
type Attribution struct {
	Context experiment.ContextKind `json:"context,omitempty"` // kind of context; empty for returns
	Figure  string                 `json:"figure"`
	Gap     stats.Interval         `json:"gap"`
	Windows stats.Interval         `json:"windows"`
	Loss    stats.Interval         `json:"loss"`
	// Share is Windows divided by Gap. It is nil unless the interval of the gap excludes 0. It is above 1 if the loss
	// works against the windows.
	Share *stats.Interval `json:"share_of_windows,omitempty"`
}

// These are the numbers of the evaluation in which the gap is attributed.
const (
	adaptedReturn   = "adapted_return"
	exploringReturn = "exploring_return"
	adaptationGain  = "adaptation_gain" // the return after adaptation minus that of the first trajectory
	swapGain        = "swap_gain"       // the return with the belief about the task minus that about another
)

// returnFigures returns the numbers of the evaluation, with the primary outcome first if there is one. Their replicates
// resample the test tasks, in the same way for all arms of a seed.
func (r *Result) returnFigures() (out []figure) {
	if r.hasShare() {
		out = append(out, r.shareFigure())
	}
	out = append(out, figure{adaptedReturn, "return after adaptation",
		ofTasks(func(r protocol.Result) []float64 { return r.AdaptedByTask() })})
	if r.Protocol.Explore == 0 {
		return out
	}
	exploring := func(r protocol.Result) []float64 { return byTask(r, 0) }
	out = append(out,
		figure{exploringReturn, "return of the first exploring trajectory", ofTasks(exploring)},
		figure{adaptationGain, "adaptation gain", ofTasks(func(r protocol.Result) []float64 {
			after, before := r.AdaptedByTask(), exploring(r)
			for i := range after {
				after[i] -= before[i]
			}
			return after
		})},
	)
	if r.hasSwap() {
		out = append(out, figure{swapGain, "swap gain",
			func(s SeedResult) (stats.Replicated, error) { return replicated(s.Seed, s.Swap.GainByTask()), nil }})
	}
	return out
}

// hasSwap reports whether the swap gain of every run was measured.
func (r *Result) hasSwap() bool {
	for _, a := range r.Arms {
		if slices.ContainsFunc(a.Seeds, func(s SeedResult) bool { return s.Swap == nil }) {
			return false
		}
	}
	return len(r.Arms) > 0
}

// ofTasks makes a seed's number from one value per test task: their mean.
func ofTasks(values func(protocol.Result) []float64) func(SeedResult) (stats.Replicated, error) {
	return func(s SeedResult) (stats.Replicated, error) { return replicated(s.Seed, values(s.Adapted)), nil }
}

// replicated is the mean of values by test task, with replicates that resample the tasks in the same way for all arms
// of a seed.
func replicated(seed uint64, values []float64) stats.Replicated {
	const replicates = 1000
	out := stats.Replicated{Value: stats.Mean(values), Replicates: make([]float64, replicates)}
	r := rng.New(seed, rng.Bootstrap)
	for i := range out.Replicates {
		for range values {
			out.Replicates[i] += values[r.IntN(len(values))] / float64(len(values))
		}
	}
	return out
}

// three returns PEARL, PEARL on windows and TCL-PEARL. ok is false if the study compares other arms.
func (r *Result) three() (arms [3]ArmResult, ok bool) {
	if len(r.Arms) != 3 {
		return arms, false
	}
	for i, want := range []string{"pearl", tclpearl.Windows, "tcl-pearl"} {
		if arms[i] = r.Arms[i]; arms[i].Algorithm != want {
			return arms, false
		}
	}
	return arms, true
}

// attribute fills Attribution if the study has the three arms.
func (r *Result) attribute() error {
	arms, ok := r.three()
	if !ok {
		return nil
	}
	add := func(kind experiment.ContextKind, figures []figure) error {
		for _, f := range figures {
			var values [][]stats.Replicated
			for _, a := range arms {
				v, err := a.figures(f)
				if err != nil {
					return err
				}
				values = append(values, v)
			}
			row := Attribution{Context: kind, Figure: f.name}
			if err := row.divide(values); err != nil {
				return err
			}
			r.Attribution = append(r.Attribution, row)
		}
		return nil
	}
	for _, kind := range r.Plan.Contexts {
		if err := add(kind, figuresOf(kind)); err != nil {
			return err
		}
	}
	return add("", r.returnFigures())
}

// divide computes the parts of the gap from the figures of the three arms.
func (a *Attribution) divide(three [][]stats.Replicated) error {
	share := stats.Interval{}
	for _, part := range []struct {
		to *stats.Interval
		of func(m []float64) float64
	}{
		{&a.Gap, func(m []float64) float64 { return m[2] - m[0] }},
		{&a.Windows, func(m []float64) float64 { return m[1] - m[0] }},
		{&a.Loss, func(m []float64) float64 { return m[2] - m[1] }},
		{&share, func(m []float64) float64 { return (m[1] - m[0]) / (m[2] - m[0]) }},
	} {
		var err error
		if *part.to, err = stats.Nested(three, part.of, level, resamples, 1); err != nil {
			return err
		}
	}
	if (a.Gap.Lo > 0 || a.Gap.Hi < 0) && !math.IsNaN(share.Mean) {
		a.Share = &share
	}
	return nil
}
