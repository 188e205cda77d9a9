package app

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"nacre/core/cuda"
	"nacre/core/gpu"
	"nacre/core/ref"
	"nacre/core/webgpu"
	"nacre/rl/benchmark"
)

// WebGPUPlan is the output of nacre bench update --explain --device webgpu for one kind of update. Nothing is run: the
// plan is the same whatever the GPU.
type WebGPUPlan struct {
	Algorithm string    `json:"algorithm"`
	Size      string    `json:"size"`
	WebGPU    gpu.Total `json:"webgpu"`
	CUDA      gpu.Total `json:"cuda"` // totals of the same update on CUDA
	Launches  string    `json:"launches"`
}

// WebGPUPlans is the output of nacre bench update --explain --device webgpu.
type WebGPUPlans []WebGPUPlan

func (o BenchUpdateOptions) planWebGPU(ctx context.Context, env *Env) error {
	var r WebGPUPlans
	err := o.each(ctx, func(size benchmark.Size, algorithm string) error {
		y, err := newBenchmark(size, algorithm, ref.Device)
		if err != nil {
			return err
		}
		defer y.Close()
		program, err := programOf(y)
		if err != nil {
			return err
		}
		own, err := webgpu.Plan(program)
		if err != nil {
			return err
		}
		nvidia, err := gpu.New(program, cuda.Planning(cuda.Options{}))
		if err != nil {
			return err
		}
		r = append(r, WebGPUPlan{algorithm, size.Name, own.Total(true), nvidia.Total(false), own.String()})
		return nil
	})
	if err != nil {
		return err
	}
	return env.Print(r, r.WriteText)
}

// WriteText prints the plans as text.
func (r WebGPUPlans) WriteText(w io.Writer) error {
	for _, p := range r {
		fmt.Fprintf(w, "%s, %s\n", p.Algorithm, p.Size)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "  \tlaunches\tone after the other\tGFLOP in products\tMB moved\tMB of memory\t")
		for _, line := range []struct {
			name string
			gpu.Total
		}{{"webgpu", p.WebGPU}, {"cuda", p.CUDA}} {
			depth := line.Depth
			if line.name == "webgpu" {
				depth = line.Launches // a queue has no branches
			}
			fmt.Fprintf(t, "  %s\t%d\t%d\t%.2f\t%.1f\t%.1f\t\n", line.name, line.Launches, depth,
				float64(line.FLOPs)/1e9, float64(line.Moved)/1e6, float64(line.Memory)/1e6)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "\n%s\n", p.Launches); err != nil {
			return err
		}
	}
	return nil
}
