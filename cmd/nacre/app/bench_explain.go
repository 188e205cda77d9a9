package app

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/rl/benchmark"
)

// UpdatePlan is the output of nacre bench update --explain for one kind of update.
type UpdatePlan struct {
	Algorithm string `json:"algorithm"`
	Size      string `json:"size"`
	*cpu.Execution
}

// UpdatePlans is the output of nacre bench update --explain.
type UpdatePlans struct {
	Device string       `json:"device"`
	Plans  []UpdatePlan `json:"plans"`
}

func (o BenchUpdateOptions) explain(ctx context.Context, env *Env, device core.Device) error {
	r := UpdatePlans{Device: device.Name()}
	err := o.each(ctx, func(size benchmark.Size, algorithm string) error {
		y, err := newBenchmark(size, algorithm, device)
		if err != nil {
			return err
		}
		defer y.Close()
		explained, ok := y.(interface {
			Explain(updates int) (*cpu.Execution, error)
		})
		if !ok {
			return errSeveral(y)
		}
		m := updateMeter{y: y}
		warmUp, _ := pace(y)
		if err := m.run(ctx, warmUp); err != nil {
			return err
		}
		p, err := explained.Explain(o.Updates)
		r.Plans = append(r.Plans, UpdatePlan{algorithm, size.Name, p})
		return err
	})
	if err != nil {
		return err
	}
	return env.Print(r, r.WriteText)
}

// WriteText prints the plans as text.
func (r UpdatePlans) WriteText(w io.Writer) error {
	for _, p := range r.Plans {
		fmt.Fprintf(w, "%s, %s, on %s: %d tiles, %d lanes, %.1f ms\n\n", p.Algorithm, p.Size, r.Device, p.Tiles,
			p.Lanes, p.Wall)
		for _, b := range p.Buffers {
			fmt.Fprintf(w, "  %s: %d × %.1f KiB\n", b.Name, b.Count, float64(b.Bytes)/1024)
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		phase, total := 0, cpu.Region{}
		for _, g := range p.Regions {
			if g.Phase != phase {
				phase = g.Phase
				how := "one after the other"
				if g.Tiled {
					how = "all for a tile before the next"
				}
				fmt.Fprintf(t, "\nphase %d, %s\n  region\tresult\tin\tMFLOP\tMB\tpredicted ms\tms\tGFLOP/s\n",
					phase, how)
			}
			writeRegion(t, g)
			total.FLOPs, total.Bytes, total.Predicted, total.Measured = total.FLOPs+g.FLOPs, total.Bytes+g.Bytes,
				total.Predicted+g.Predicted, total.Measured+g.Measured
		}
		total.Code = "all"
		fmt.Fprintln(t)
		writeRegion(t, total)
		fmt.Fprintln(t)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func writeRegion(w io.Writer, g cpu.Region) {
	rate := ""
	if g.FLOPs > 0 {
		rate = fmt.Sprintf("%.0f", float64(g.FLOPs)/g.Measured/1e6)
	}
	fmt.Fprintf(w, "  %s\t%s\t%s\t%.1f\t%.1f\t%.3f\t%.3f\t%s\n", g.Code, g.Result, g.Place, float64(g.FLOPs)/1e6,
		float64(g.Bytes)/1e6, g.Predicted, g.Measured, rate)
}
