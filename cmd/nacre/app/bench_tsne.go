package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"nacre/analysis/stats"
	tsnebench "nacre/bench/tsne"
	"nacre/experiment/progress"
	"nacre/internal/home"
	"nacre/tsne"
)

// TSNEBenchReport is the output of nacre bench tsne.
type TSNEBenchReport struct {
	Date    string             `json:"date"`
	Load    string             `json:"load,omitempty"` // the machine's load at the start, over 1, 5 and 15 minutes
	Cores   int                `json:"cores"`
	Workers int                `json:"workers"` // threads each library may use
	Results []tsnebench.Result `json:"results"`
	// comparison of layouts that start from the same positions in all libraries
	Paired []TSNEPaired `json:"paired,omitempty"`
}

// BenchTSNEOptions are the flags of nacre bench tsne.
type BenchTSNEOptions struct {
	Sizes   []int    // numbers of points
	Digits  bool     // also lay out scikit-learn's digits
	UMAP    bool     // also make layouts by UMAP
	Starts  int      // number of further layouts, each from a start that the libraries share
	Peers   []string // names of the other libraries; if empty, all of them
	Scripts string   // folder of the scripts that run the other libraries; if empty, the scripts in the program
	Home    string   // folder in which the other libraries are installed; if empty, a folder in the cache
	Python  string   // interpreter with scikit-learn and openTSNE; if empty, the one in Home
	Node    string   // command that starts Node
	Modules string   // node_modules folder with wasm-bhtsne; if empty, the one in Home
	Keep    string   // folder in which the layouts of the other libraries are kept; if empty, none are kept
	Workers int      // threads that each library may use; 0: 1
}

// BenchTSNE lays out the same points with this program and with other libraries, and scores all layouts in the same
// way.
func BenchTSNE(ctx context.Context, env *Env, o BenchTSNEOptions) error {
	r := TSNEBenchReport{Date: time.Now().Format(time.DateOnly), Load: loadAverage(), Cores: runtime.NumCPU(),
		Workers: max(o.Workers, 1)}
	where := tsnebench.Where{Scripts: o.Scripts, Home: o.Home, Python: o.Python, Node: o.Node, Modules: o.Modules}
	if where.Home == "" {
		dir, err := home.Dir()
		if err != nil {
			return err
		}
		where.Home = filepath.Join(dir, "tsne")
	}
	if err := where.Prepare(); err != nil {
		return err
	}
	b := tsneBench{env: env, o: o, peers: tsnebench.Peers(where), workers: r.Workers}
	for _, n := range o.Sizes {
		if err := b.run(ctx, &r, fmt.Sprintf("%d points", n), tsnebench.Points(n)); err != nil {
			return err
		}
	}
	if o.Digits {
		x, err := tsnebench.Digits(ctx, where)
		if err == nil {
			err = b.run(ctx, &r, "the digits of scikit-learn", x)
		}
		if err != nil {
			return err
		}
	}
	return env.Print(r, r.WriteText)
}

type tsneBench struct {
	env     *Env
	o       BenchTSNEOptions
	peers   []tsnebench.Peer
	workers int
}

// run adds the results of all libraries on one data set and, if asked, their comparison from shared starts.
func (b *tsneBench) run(ctx context.Context, r *TSNEBenchReport, title string, x tsne.Matrix) error {
	stage := b.env.Progress.Stage(title, (len(b.peers)+1)*(b.o.Starts+1)+1)
	defer stage.Done()
	judge, err := tsnebench.NewJudge(ctx, x)
	if err != nil {
		return err
	}
	stage.Add(1)
	var shared [][]tsnebench.Result // by start, then by library
	for k := range b.o.Starts + 1 {
		var start tsne.Matrix
		if k > 0 {
			start = tsnebench.Start(x.Rows, uint64(k))
		}
		results, err := b.all(ctx, judge, x, start, k, stage)
		if err != nil {
			return err
		}
		if k == 0 {
			r.Results = append(r.Results, results...)
		} else {
			shared = append(shared, results)
		}
	}
	r.Paired = append(r.Paired, paired(x, shared)...)
	return nil
}

// all returns the scored layouts of every chosen library, this program's first; start k > 0 is shared.
func (b *tsneBench) all(ctx context.Context, judge *tsnebench.Judge, x, start tsne.Matrix, k int,
	stage progress.Stage) ([]tsnebench.Result, error) {
	own, err := tsnebench.Self(ctx, x, start, b.workers)
	if err != nil {
		return nil, err
	}
	stage.Add(1)
	out := []tsnebench.Result{own}
	if b.o.UMAP && k == 0 {
		own, err := tsnebench.SelfUMAP(ctx, x, b.workers)
		if err != nil {
			return nil, err
		}
		out = append(out, own)
	}
	for _, p := range b.peers {
		if p.UMAP && !b.o.UMAP {
			stage.Add(1)
			continue
		}
		named := func(name string) bool { return strings.EqualFold(name, p.Name) }
		if (len(b.o.Peers) == 0 || slices.ContainsFunc(b.o.Peers, named)) && (k == 0 || p.Starts) {
			r, err := b.peerOrKept(ctx, p, x, start, k)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
		stage.Add(1)
	}
	for i := range out {
		if err := judge.Score(ctx, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// TSNEPaired is the difference between this program and another library, over layouts from the same starts.
type TSNEPaired struct {
	Name    string         `json:"name"`
	Points  int            `json:"points"`
	Columns int            `json:"columns"`
	Starts  int            `json:"starts"`
	KL      stats.Interval `json:"kl"` // difference in KL, as mean with its 95 % interval
	Trust   stats.Interval `json:"trustworthiness"`
	Recall  stats.Interval `json:"knn_recall"`
}

// paired compares this program with each of the other libraries, start by start.
func paired(x tsne.Matrix, shared [][]tsnebench.Result) []TSNEPaired {
	if len(shared) == 0 {
		return nil
	}
	var out []TSNEPaired
	for l, other := range shared[0][1:] {
		var kl, trust, recall []float64
		for _, results := range shared {
			if own, r := results[0], results[l+1]; r.Absent == "" {
				kl, trust, recall = append(kl, own.KL-r.KL), append(trust, own.Trust-r.Trust),
					append(recall, own.Recall-r.Recall)
			}
		}
		if len(kl) > 0 {
			out = append(out, TSNEPaired{
				Name: other.Name, Points: x.Rows, Columns: x.Cols, Starts: len(kl),
				KL: stats.MeanInterval(kl), Trust: stats.MeanInterval(trust), Recall: stats.MeanInterval(recall),
			})
		}
	}
	return out
}

// peerOrKept lets a library lay out x, unless its layout was kept.
func (b *tsneBench) peerOrKept(ctx context.Context, p tsnebench.Peer, x, start tsne.Matrix,
	k int) (tsnebench.Result, error) {
	kept := tsnebench.Kept(b.o.Keep)
	r, found, err := kept.Load(p.Name, x.Rows, x.Cols, k)
	if err != nil || found {
		return r, err
	}
	r = p.Run(ctx, x, start, b.workers)
	if err := ctx.Err(); err != nil {
		return r, err
	}
	if kept != "" {
		r.Made = time.Now().Format(time.DateTime) + ", load " + loadAverage()
	}
	return r, kept.Save(r, k)
}

// WriteText prints the report as text.
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
			kl := "–"
			if v.KL > 0 {
				kl = fmt.Sprintf("%.4f", v.KL)
			}
			fmt.Fprintf(t, "%d×%d\t%s\t%d\t%s\t%.2f\t%s\t%.4f\t%.3f\t\n", v.Points, v.Columns,
				strings.TrimSpace(v.Name+" "+v.Version), v.Iterations, cpu, v.Wall, kl, v.Trust, v.Recall)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, v := range r.Paired {
		fmt.Fprintf(w, "\n%d×%d, nacre less %s from %s they share, mean and 95 %%: KL %+.4f (%+.4f to %+.4f), "+
			"trustworthiness %+.5f (%+.5f to %+.5f), kNN recall %+.4f (%+.4f to %+.4f)\n",
			v.Points, v.Columns, v.Name, plural(v.Starts, "start"), v.KL.Mean, v.KL.Lo, v.KL.Hi, v.Trust.Mean,
			v.Trust.Lo, v.Trust.Hi, v.Recall.Mean, v.Recall.Lo, v.Recall.Hi)
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
