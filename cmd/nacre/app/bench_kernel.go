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
	"nacre/bench/page"
	"nacre/web"
)

// pageCells are the sizes of the notebooks whose page is opened.
var pageCells = []int{20, 300}

// KernelReport is the output of nacre bench kernel.
type KernelReport struct {
	Lines       int              `json:"printed_lines"`
	Kernels     []kernels.Result `json:"kernels"`
	Absent      []string         `json:"absent,omitempty"` // peers that are not installed
	Page        []page.Result    `json:"page,omitempty"`
	PageProblem string           `json:"page_problem,omitempty"` // why Page is missing
}

// BenchKernelOptions are the flags of nacre bench kernel.
type BenchKernelOptions struct {
	Cells int // number of round trips
	Lines int // number of lines that one cell prints
	Loads int // how often the page is opened with each notebook
}

// BenchKernel times the notebook kernel beside the other kernels that are installed, and the notebook's page.
func BenchKernel(ctx context.Context, env *Env, o BenchKernelOptions) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	peers, absent := kernels.Find(kernels.Peers)
	r := KernelReport{Lines: o.Lines, Absent: absent}
	list := append([]kernels.Kernel{kernels.Ours(program, "yaegi")}, peers...)
	stage := env.Progress.Stage("kernels", len(list)+1)
	defer stage.Done()
	for _, k := range list {
		stage.Describe(k.Name)
		result, err := kernels.Measure(ctx, k, kernels.Options{Cells: o.Cells, Lines: o.Lines, Limit: 20 * time.Second})
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			result.Problem = strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		r.Kernels = append(r.Kernels, result)
		stage.Add(1)
	}
	stage.Describe("page")
	pageErr := r.openPages(ctx, o.Loads)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	stage.Add(1)
	if err := env.Print(r, r.WriteText); err != nil {
		return err
	}
	if p := r.Kernels[0].Problem; p != "" {
		return errors.New(p)
	}
	return pageErr
}

// openPages times the page. If there is no browser or no page, the report says so and there is no error.
func (r *KernelReport) openPages(ctx context.Context, loads int) error {
	files, built := web.Files()
	program, err := page.Find()
	if err == nil && !built {
		err = errors.New("the browser page is not built in: run make where the source is, with Node 18 or newer")
	}
	if err != nil {
		r.PageProblem = err.Error()
		return nil
	}
	argv, err := kernelCommand("")
	if err != nil {
		return err
	}
	r.Page, err = page.Measure(ctx, page.Options{Chromium: program, Kernel: argv, Static: files, Cells: pageCells,
		Loads: loads})
	if err != nil {
		r.PageProblem = err.Error()
	}
	return err
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
		fmt.Fprintf(tw, "%s\t%.0f\t%.2f\t%.2f\t%d\t%.0f\t%d\t\n", k.Name, k.First, k.P50, k.P99, k.Cells, k.Print,
			k.Messages)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if len(r.Absent) > 0 {
		if _, err := fmt.Fprintf(w, "not installed, so not compared: %s\n", strings.Join(r.Absent, ", ")); err != nil {
			return err
		}
	}
	return r.writePage(w)
}

func (r KernelReport) writePage(w io.Writer) error {
	if r.PageProblem != "" {
		_, err := fmt.Fprintf(w, "the page was not timed: %s\n", r.PageProblem)
		return err
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "page, empty cache\tcontents loaded ms\tcells shown ms\tfastest ms\tloads\t")
	for _, p := range r.Page {
		fmt.Fprintf(tw, "%d cells\t%.0f\t%.0f\t%.0f\t%d\t\n", p.Cells, p.Contents, p.Shown, p.Fastest, p.Loads)
	}
	return tw.Flush()
}
