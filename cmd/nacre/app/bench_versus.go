package app

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"nacre/analysis/stats"
	"nacre/bench/torch"
	"nacre/rl/benchmark"
)

// Versus is the same update in other software, timed in turns with ours.
type Versus struct {
	torch.Environment
	Median float64       `json:"median_ms"`
	Ratio  float64       `json:"ratio"` // Median divided by our time, median of the rounds
	CPU    float64       `json:"cpu_ms"`
	CPUs   float64       `json:"cpu_ratio"` // CPU divided by our processor time, median of the rounds
	Rounds []VersusRound `json:"rounds"`
	// on a GPU: time per update if updates are sent in bursts, as in training, in turns with ours
	Burst float64 `json:"burst_ms,omitempty"`
	Ahead float64 `json:"burst_ratio,omitempty"` // Burst divided by our time
}

// VersusRound is one turn of each side; times are medians in milliseconds.
type VersusRound struct {
	Ours   float64 `json:"ours_ms"`
	Theirs float64 `json:"theirs_ms"`

	OursCPU   float64 `json:"ours_cpu_ms"`
	TheirsCPU float64 `json:"theirs_cpu_ms"`
}

// peer starts the other software on the same kind of device.
func (o BenchUpdateOptions) peer(ctx context.Context, y benchmark.Update) (*torch.Process, error) {
	if o.gpu() {
		if o.Precision == "bf16" {
			return nil, Usagef("--precision bf16 --vs %s: expected fp32, tf32 or tf32x3; other software is timed in "+
				"fp32 or tf32", o.Versus)
		}
		return torch.StartGPU(ctx, o.Python, o.Versus, y.Size().Name, y.Algorithm(), o.Precision == "tf32")
	}
	if o.Versus != "torch" {
		return nil, Usagef("--vs %s without a GPU: expected torch", o.Versus)
	}
	return torch.Start(ctx, o.Python, y.Size().Name, y.Algorithm(), o.Workers)
}

// timeTurns times updates in turns with other software.
func (o BenchUpdateOptions) timeTurns(ctx context.Context, env *Env, y benchmark.Update) (UpdateTiming, error) {
	warmUp, perTurn := pace(y)
	rounds := max(1, o.Updates/perTurn)
	stage := env.Progress.Stage(fmt.Sprintf("%s, %s, in turns with %s", y.Algorithm(), y.Size().Name, o.Versus), rounds)
	defer stage.Done()
	p, err := o.peer(ctx, y)
	if err != nil {
		return UpdateTiming{}, err
	}
	defer p.Close()
	for name, x := range p.Figures {
		if want := y.Expected(0)[name]; !(math.Abs(x/want-1) <= o.tolerance()) {
			return UpdateTiming{}, fmt.Errorf("it computes another update: its %s is %.9g, want %.9g", name, x, want)
		}
	}
	m, err := o.meter(y)
	if err != nil {
		return UpdateTiming{}, err
	}
	if err := m.run(ctx, warmUp); err != nil {
		return UpdateTiming{}, err
	}
	if _, _, err := p.Run(warmUp); err != nil {
		return UpdateTiming{}, err
	}
	m.clear()
	v := &Versus{Environment: p.Environment}
	var theirs, theirsCPU, ratios, ratiosCPU []float64
	for range rounds {
		if err := m.run(ctx, perTurn); err != nil {
			return UpdateTiming{}, err
		}
		ms, used, err := p.Run(perTurn)
		if err != nil {
			return UpdateTiming{}, err
		}
		last := len(m.ms) - perTurn
		r := VersusRound{stats.Median(m.ms[last:]), stats.Median(ms), stats.Median(m.cpu[last:]), stats.Median(used)}
		v.Rounds = append(v.Rounds, r)
		theirs, theirsCPU = append(theirs, ms...), append(theirsCPU, used...)
		ratios = append(ratios, r.Theirs/r.Ours)
		if r.OursCPU > 0 {
			ratiosCPU = append(ratiosCPU, r.TheirsCPU/r.OursCPU)
		}
		stage.Add(1)
	}
	v.Median, v.Ratio, v.CPU = stats.Median(theirs), stats.Median(ratios), stats.Median(theirsCPU)
	if len(ratiosCPU) > 0 {
		v.CPUs = stats.Median(ratiosCPU)
	}
	t := m.timing()
	t.Versus = v
	if o.gpu() {
		if t.Drawn, v.Burst, err = o.timeDrawn(ctx, y, p); t.Drawn > 0 {
			v.Ahead = v.Burst / t.Drawn
		}
	}
	return t, err
}

func (v *Versus) writeText(w io.Writer, u UpdateTiming) {
	if v.Software != "" {
		fmt.Fprintf(w, "\n%s, %s: %s takes %.3f ms (median), %.2f times as long (median of %d rounds in turns)\n",
			u.Algorithm, u.Size, v.Software, v.Median, v.Ratio, len(v.Rounds))
		if u.Drawn > 0 {
			fmt.Fprintf(w, "  in bursts %.3f ms, %.2f times as long as ours on data that the GPU draws\n",
				v.Burst, v.Ahead)
		}
		return
	}
	fmt.Fprintf(w, "\n%s, %s: PyTorch %s takes %.1f ms (median), %.2f times as long (median of %d rounds in turns)\n",
		u.Algorithm, u.Size, v.Torch, v.Median, v.Ratio, len(v.Rounds))
	fmt.Fprintf(w, "  of processor time %.1f ms, %.2f times as much\n", v.CPU, v.CPUs)
	for _, r := range v.Rounds {
		fmt.Fprintf(w, "  %.1f ms, PyTorch %.1f ms; of processor time %.1f ms, PyTorch %.1f ms\n", r.Ours, r.Theirs,
			r.OursCPU, r.TheirsCPU)
	}
	fmt.Fprintf(w, "  %d threads, %s with %s kernels, NumPy %s, Python %s, %s\n", v.Threads, v.BLAS, v.Kernels, v.NumPy,
		v.Python, strings.Join(v.Set, " "))
}
