package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	tsnebench "nacre/bench/tsne"
	"nacre/tsne"
)

// TSNEBenchReport is what nacre bench tsne prints.
type TSNEBenchReport struct {
	Date    string             `json:"date"`
	Load    string             `json:"load,omitempty"` // of the machine at the start: over 1, 5 and 15 minutes
	Cores   int                `json:"cores"`
	Workers int                `json:"workers"` // threads each library may use
	Results []tsnebench.Result `json:"results"`
}

// BenchTSNE lays the same points out by this program and by other libraries and judges all layouts alike.
func BenchTSNE(ctx context.Context, env *Env, o BenchTSNEOptions) error {
	r := TSNEBenchReport{Date: time.Now().Format(time.DateOnly), Load: load(), Cores: runtime.NumCPU(), Workers: o.Workers}
	if r.Workers == 0 {
		r.Workers = 1
	}
	peers := tsnebench.Peers(tsnebench.Where{
		Scripts: o.Scripts, Home: o.Home, Python: o.Python, Node: o.Node, Modules: o.Modules,
	})
	for _, n := range o.Sizes {
		results, err := benchSize(ctx, env, o, peers, n, r.Workers)
		if err != nil {
			return err
		}
		r.Results = append(r.Results, results...)
	}
	return env.Print(r, r.WriteText)
}

func benchSize(ctx context.Context, env *Env, o BenchTSNEOptions, peers []tsnebench.Peer, n, workers int) ([]tsnebench.Result, error) {
	x := tsnebench.Points(n)
	stage := env.Progress.Stage(fmt.Sprintf("%d points", n), len(peers)+2)
	defer stage.Done()
	own, err := tsnebench.Self(ctx, x, workers)
	if err != nil {
		return nil, err
	}
	stage.Add(1)
	out := []tsnebench.Result{own}
	for _, p := range peers {
		if len(o.Peers) == 0 || contains(o.Peers, p.Name) {
			r, err := peerOrKept(ctx, p, tsnebench.Kept(o.Keep), x, workers)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
		stage.Add(1)
	}
	judge, err := tsnebench.NewJudge(ctx, x)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if err := judge.Score(&out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// peerOrKept lets a library lay out x unless it has done so before.
func peerOrKept(ctx context.Context, p tsnebench.Peer, kept tsnebench.Kept, x tsne.Matrix, workers int) (tsnebench.Result, error) {
	r, found, err := kept.Load(p.Name, x.Rows, x.Cols)
	if err != nil || found {
		return r, err
	}
	r = p.Run(ctx, x, workers)
	if err := ctx.Err(); err != nil {
		return r, err
	}
	if kept != "" {
		r.Made = time.Now().Format(time.DateTime) + ", load " + load()
	}
	return r, kept.Save(r)
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// load is the machine's load where it can be read.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// WriteText prints the report for a person.
func (r TSNEBenchReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d cores, load %s, %s each\n\n", r.Date, r.Cores, r.Load, plural(r.Workers, "thread"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "points\tlibrary\titerations\tCPU s\twall s\tKL\ttrustworthiness\tkNN recall\t")
	for _, v := range r.Results {
		if v.Absent == "" {
			cpu := "–"
			if v.CPU > 0 {
				cpu = fmt.Sprintf("%.2f", v.CPU)
			}
			fmt.Fprintf(t, "%d×%d\t%s\t%d\t%s\t%.2f\t%.4f\t%.4f\t%.3f\t\n", v.Points, v.Columns, strings.TrimSpace(v.Name+" "+v.Version), v.Iterations, cpu, v.Wall, v.KL, v.Trust, v.Recall)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, v := range r.Results {
		if v.Absent != "" {
			fmt.Fprintf(w, "%d points: no %s: %s\n", v.Points, v.Name, v.Absent)
		}
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
