package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"nacre/analysis/stats"
	"nacre/core/cpu"
	"nacre/rl/benchmark"
)

// UpdateScalings is the output of nacre bench update --scaling.
type UpdateScalings struct {
	Device string          `json:"device"`
	Load   string          `json:"load,omitempty"`
	Rows   []UpdateScaling `json:"updates"`
}

// UpdateScaling says how much faster one update is with more workers. It also says how much the same number of
// independent workers gains. Shared caches, memory, clock and other programs limit both.
type UpdateScaling struct {
	Algorithm string  `json:"algorithm"`
	Size      string  `json:"size"`
	Workers   int     `json:"workers"`
	Rounds    int     `json:"rounds"`
	One       float64 `json:"one_ms"` // median time of an update by one worker
	All       float64 `json:"all_ms"` // median time of an update by all workers together
	// median time of an update when each worker makes its own update, all at the same time
	Apart   float64 `json:"apart_ms"`
	Gain    float64 `json:"gain"`    // One divided by All, median of the rounds
	Limit   float64 `json:"limit"`   // workers times One divided by Apart, median of the rounds
	Fastest float64 `json:"fastest"` // fastest One divided by fastest All
	PeakOne float64 `json:"peak_share_one"`
	// share of the peak (one core's peak times the workers) that the median update by all workers reaches
	PeakAll   float64 `json:"peak_share_all"`
	PeakApart float64 `json:"peak_share_apart"`
}

// scaling times in turns updates by one worker, by all workers together, and by each worker alone at the same time.
func (o BenchUpdateOptions) scaling(ctx context.Context, env *Env) error {
	if o.gpu() {
		return Usagef("--scaling compares numbers of CPU workers: expected --device cpu")
	}
	if o.Workers < 2 {
		return Usagef("--scaling with %d worker: expected at least 2", o.Workers)
	}
	r := UpdateScalings{Load: loadAverage()}
	err := o.each(ctx, func(size benchmark.Size, algorithm string) error {
		row, device, err := o.scalingOf(ctx, env, size, algorithm)
		r.Device, r.Rows = device, append(r.Rows, row)
		return err
	})
	if err != nil {
		return err
	}
	return env.Print(r, r.WriteText)
}

func (o BenchUpdateOptions) scalingOf(ctx context.Context, env *Env, size benchmark.Size,
	algorithm string) (row UpdateScaling, device string, err error) {
	var meters []*updateMeter // one worker each, but the last has all workers
	for i := range o.Workers + 1 {
		workers := 1
		if i == o.Workers {
			workers = o.Workers
		}
		d, err := cpu.New(o.on(workers))
		if err != nil {
			return row, "", err
		}
		y, err := newBenchmark(size, algorithm, d)
		if err != nil {
			return row, "", err
		}
		defer y.Close()
		device = d.Name()
		meters = append(meters, &updateMeter{y: y})
	}
	apart, all := meters[:o.Workers], meters[o.Workers]
	warmUp, _ := pace(all.y)
	stage := env.Progress.Stage(fmt.Sprintf("%s, %s, one worker, %d, and %d apart", algorithm, size.Name, o.Workers,
		o.Workers), o.Updates)
	defer stage.Done()
	peak, err := cpu.Peak(cpu.KernelNameOf(o.on(1)))
	if err != nil {
		return row, "", err
	}
	var one, together, each, gains, limits []float64
	for round := -warmUp; round < o.Updates; round++ {
		times := [3]float64{}
		for i, group := range [][]*updateMeter{apart[:1], {all}, apart} {
			if times[i], err = atOnce(ctx, group); err != nil {
				return row, "", err
			}
		}
		if round < 0 {
			continue
		}
		one, together, each = append(one, times[0]), append(together, times[1]), append(each, times[2])
		gains = append(gains, times[0]/times[1])
		limits = append(limits, float64(o.Workers)*times[0]/times[2])
		stage.Add(1)
	}
	again, err := cpu.Peak(cpu.KernelNameOf(o.on(1)))
	work, n := float64(all.y.FLOPs())/1e6/max(peak, again), float64(o.Workers) // ms of one core at its peak
	row = UpdateScaling{Algorithm: algorithm, Size: size.Name, Workers: o.Workers, Rounds: o.Updates,
		One: stats.Median(one), All: stats.Median(together), Apart: stats.Median(each),
		Gain: stats.Median(gains), Limit: stats.Median(limits), Fastest: slices.Min(one) / slices.Min(together)}
	row.PeakOne, row.PeakAll, row.PeakApart = work/row.One, work/row.All/n, work/row.Apart
	return row, device, err
}

// atOnce makes an update with each meter at the same time and returns the milliseconds until all are done.
func atOnce(ctx context.Context, meters []*updateMeter) (float64, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	for _, m := range meters {
		if err := m.y.Prepare(m.step); err != nil {
			return 0, err
		}
		m.step++
	}
	errs := make([]error, len(meters))
	var others sync.WaitGroup
	start := time.Now()
	for i, m := range meters[1:] {
		others.Go(func() { errs[i+1] = m.y.Run() })
	}
	errs[0] = meters[0].y.Run()
	others.Wait()
	took := float64(time.Since(start)) / 1e6
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	return took, nil
}

// WriteText prints the gains as text.
func (r UpdateScalings) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s, load %s; medians, share of the peak of the cores at work\n\n", r.Device, r.Load)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "update\tsize\trounds\tone worker ms\tshare\tworkers\ttogether ms\tshare\tgain\tby "+
		"fastest\tapart ms\tshare\tgain\t")
	for _, u := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%d\t%.1f\t%.0f %%\t%d\t%.1f\t%.0f %%\t%.2f\t%.2f\t%.1f\t%.0f %%\t%.2f\t\n", u.Algorithm,
			u.Size, u.Rounds,
			u.One, 100*u.PeakOne, u.Workers, u.All, 100*u.PeakAll, u.Gain, u.Fastest, u.Apart, 100*u.PeakApart, u.Limit)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, "\nTogether: one update by all workers; apart: an update by each of them at the same "+
		"time, which is what the machine gains at most.\n")
	return err
}
