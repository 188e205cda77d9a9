package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"nacre/bench/kernels"
)

// KernelReport is what nacre bench kernel prints.
type KernelReport struct {
	Lines   int              `json:"printed_lines"`
	Kernels []kernels.Result `json:"kernels"`
	Absent  []string         `json:"absent,omitempty"` // peers that are not installed
}

// BenchKernel times the notebook kernel beside the other kernels that are installed.
func BenchKernel(ctx context.Context, env *Env, o BenchKernelOptions) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	peers, absent := kernels.Find(kernels.Peers)
	r := KernelReport{Lines: o.Lines, Absent: absent}
	list := append([]kernels.Kernel{kernels.Ours(program, "yaegi"), kernels.Ours(program, "ixgo")}, peers...)
	stage := env.Progress.Stage("kernels", len(list))
	defer stage.Done()
	for _, k := range list {
		stage.Describe(k.Name)
		result, err := kernels.Measure(ctx, k, kernels.Plan{Cells: o.Cells, Lines: o.Lines, Limit: 20 * time.Second})
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			result.Problem = strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		r.Kernels = append(r.Kernels, result)
		stage.Add(1)
	}
	if err := env.Print(r, r.WriteText); err != nil {
		return err
	}
	if p := r.Kernels[0].Problem; p != "" {
		return errors.New(p)
	}
	return nil
}

// WriteText writes the figures as a table.
func (r KernelReport) WriteText(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "kernel\tfirst cell ms\tround trip p50 ms\tp99 ms\tcells\t%d lines ms\tmessages\t\n", r.Lines)
	for _, k := range r.Kernels {
		if k.Problem != "" {
			fmt.Fprintf(tw, "%s\t%s\t\n", k.Name, k.Problem)
			continue
		}
		fmt.Fprintf(tw, "%s\t%.0f\t%.2f\t%.2f\t%d\t%.0f\t%d\t\n", k.Name, k.First, k.P50, k.P99, k.Cells, k.Print, k.Messages)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if len(r.Absent) > 0 {
		_, err := fmt.Fprintf(w, "not installed, so not compared: %s\n", strings.Join(r.Absent, ", "))
		return err
	}
	return nil
}
