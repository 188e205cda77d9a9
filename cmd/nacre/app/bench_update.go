package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"nacre/analysis/stats"
	"nacre/bench/torch"
	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/cuda"
	"nacre/core/devices"
	"nacre/core/ref"
	"nacre/core/webgpu"
	"nacre/experiment"
	"nacre/internal/usage"
	"nacre/rl"
	"nacre/rl/benchmark"
)

// Tolerances of nacre bench update --check, relative to the reference figures. In float64, the tolerance covers the
// figures' twelve digits. In float32, it covers the rounding of a few thousand additions. On GPUs' tensor cores, it
// covers operands rounded to 10 or 7 bits.
const (
	toleranceRef    = 1e-9
	toleranceCPU    = 1e-4
	toleranceTensor = 1e-2
)

// ErrCheck is returned by a check whose figures differ from the reference by more than the tolerance.
var ErrCheck = errors.New("bench update: figures differ from the reference by more than they should, see above")

// BenchUpdateOptions are the flags of nacre bench update.
type BenchUpdateOptions struct {
	Check   bool   // compare with reference figures instead of timing
	Explain bool   // print how the update is executed, and the time of every region
	GPU     string // with Explain: name of a GPU to model, one of roofline.Names(); if empty, updates are measured
	Seeds   int    // with GPU: number of seeds that run as one program
	Dump    string // with GPU: folder for the graph and the source of the kernels; empty for none
	Scaling bool   // time an update by one worker, by all workers together, and by each worker alone at the same time
	// other software that is timed in turns with Nacre's update: "torch", on a GPU also "torch-graph", "torch-compile",
	// "jax"; empty for none
	Versus    string
	Python    string // interpreter that has the other software
	Products  string // on a GPU: "own" for Nacre's own matrix products; empty for cuBLASLt's
	Size      string // "oyster", "metaworld" or "both"
	Algorithm string // one of Measured(), or "both" for pearl and tcl-pearl
	Updates   int
	experiment.Host
}

// BenchUpdate times complete gradient updates, or compares them with reference figures.
func BenchUpdate(ctx context.Context, env *Env, o BenchUpdateOptions) error {
	var err error
	if o.Precision, err = devices.CheckPrecision(o.Device, o.Precision); err != nil {
		return Usagef("--%w", err)
	}
	o.Workers = cmp.Or(o.Workers, runtime.NumCPU())
	if o.GPU != "" {
		return o.model(ctx, env)
	}
	if o.Explain && strings.HasPrefix(o.Device, webgpu.Backend.Name) {
		return o.planWebGPU(ctx, env)
	}
	device, err := o.open(env)
	if err != nil {
		return err
	}
	switch {
	case o.Check:
		return o.check(ctx, env, device)
	case o.Explain && strings.HasPrefix(device.Name(), cuda.Backend.Name+":"):
		return o.measured(ctx, env, device)
	case o.Explain:
		return o.explain(ctx, env, device)
	case o.Scaling:
		return o.scaling(ctx, env)
	}
	return o.time(ctx, env, device)
}

// open opens the device to time.
func (o *BenchUpdateOptions) open(env *Env) (core.Device, error) {
	d, notice, err := devices.Open(o.Device, o.on(o.Workers))
	if err == nil && notice != "" {
		env.Notice(notice)
		o.Device = "cpu"
	}
	return d, err
}

// on returns the options of the device with a number of workers.
func (o BenchUpdateOptions) on(workers int) core.DeviceOptions {
	return core.DeviceOptions{Precision: o.Precision, Workers: workers, Kernel: o.Kernel, Products: o.Products}
}

// gpu reports whether a GPU is asked for.
func (o BenchUpdateOptions) gpu() bool { return devices.Accelerated(o.Device) }

// tolerance returns by how much figures of the device may differ from the reference.
func (o BenchUpdateOptions) tolerance() float64 {
	if o.gpu() && (o.Precision == "tf32" || o.Precision == "bf16") {
		return toleranceTensor
	}
	return toleranceCPU
}

// compared lists the algorithms that "both" means: those that the paper compares.
var compared = []string{"pearl", "tcl-pearl"}

// newBenchmark loads the update of an algorithm.
func newBenchmark(size benchmark.Size, algorithm string, device core.Device) (benchmark.Update, error) {
	a, err := rl.Lookup(algorithm)
	if err != nil {
		return nil, err
	}
	if a.Benchmark == nil {
		return nil, Usagef("--algo %s: it has no update to measure; expected both, %s", algorithm,
			strings.Join(Measured(), ", "))
	}
	return a.Benchmark(size, device)
}

// Measured names the algorithms that have an update to measure.
func Measured() []string {
	return slices.DeleteFunc(rl.Names(), func(name string) bool {
		a, err := rl.Lookup(name)
		return err != nil || a.Benchmark == nil
	})
}

// each calls f for every size and algorithm asked for.
func (o BenchUpdateOptions) each(ctx context.Context, f func(size benchmark.Size, algorithm string) error) error {
	algorithms := []string{o.Algorithm}
	if o.Algorithm == "both" {
		algorithms = compared
	}
	for _, size := range benchmark.Sizes {
		if o.Size != "both" && o.Size != size.Name {
			continue
		}
		for _, algorithm := range algorithms {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			if err := f(size, algorithm); err != nil {
				return err
			}
		}
	}
	return nil
}

// UpdateTimings is the output of nacre bench update.
type UpdateTimings struct {
	Device string         `json:"device"`
	Load   string         `json:"load,omitempty"` // the system's load averages at the start, if it has them
	Rows   []UpdateTiming `json:"updates"`
}

// UpdateTiming is the time of one kind of update.
type UpdateTiming struct {
	Algorithm string  `json:"algorithm"`
	Size      string  `json:"size"`
	Updates   int     `json:"updates"`
	Median    float64 `json:"median_ms"`
	Min       float64 `json:"min_ms"`
	CPU       float64 `json:"cpu_ms"`      // median processor time, all workers together; 0 if unknown
	Work      float64 `json:"gflop"`       // GFLOP of the matrix products of one update
	Rate      float64 `json:"gflops"`      // Work divided by Median, per second
	Peak      float64 `json:"peak_gflops"` // rate of multiply-adds of one core in its fastest 3 ms, times the workers
	Share     float64 `json:"peak_share"`  // Rate divided by Peak
	// share of Peak that the fastest update reaches, the figure that depends least on other programs
	MinShare float64 `json:"min_share"`
	// share of one core's peak, computed from processor time, so that a busy machine does not distort it
	CPUShare float64 `json:"cpu_share"`
	// median rate of pure multiply-adds by all workers, measured in the 3 ms after every update
	FMA float64 `json:"fma_gflops"`
	// median of each update's rate divided by the FMA rate measured beside it: on a shared machine, the share of the
	// available speed that was used
	FMAShare float64 `json:"fma_share"`
	Mallocs  float64 `json:"allocations_per_update"`
	// on a GPU: time per update if updates are sent without waiting for the previous one; equal to Median if they must
	// wait
	Stream float64 `json:"back_to_back_ms,omitempty"`
	// the same for updates whose data the GPU draws, as in training; the fastest of three series
	Drawn  float64 `json:"drawn_ms,omitempty"`
	Versus *Versus `json:"versus,omitempty"`
}

func (o BenchUpdateOptions) time(ctx context.Context, env *Env, device core.Device) error {
	r := UpdateTimings{Device: device.Name(), Load: loadAverage()}
	err := o.each(ctx, func(size benchmark.Size, algorithm string) error {
		row, err := o.timeSize(ctx, env, size, algorithm, device)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, row)
		if !o.gpu() {
			return nil
		}
		one := r // printed at once: a visit to a GPU may end at any time
		one.Rows = []UpdateTiming{row}
		return env.Print(one, one.WriteText)
	})
	if err != nil || o.gpu() {
		return err
	}
	return env.Print(r, r.WriteText)
}

// loadAverage returns the machine's load over 1, 5 and 15 minutes, or an empty text if it is unknown.
func loadAverage() string {
	b, _ := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(b)); len(f) > 3 {
		return strings.Join(f[:3], " ")
	}
	return ""
}

// timeSize times one kind of update.
func (o BenchUpdateOptions) timeSize(ctx context.Context, env *Env, size benchmark.Size, algorithm string,
	device core.Device) (UpdateTiming, error) {
	y, err := newBenchmark(size, algorithm, device)
	if err != nil {
		return UpdateTiming{}, err
	}
	defer y.Close()
	if o.gpu() {
		return o.timeGPU(ctx, env, y)
	}
	return o.timeBoth(ctx, env, y)
}

// timeBoth times updates alone or in turns with others.
func (o BenchUpdateOptions) timeBoth(ctx context.Context, env *Env, y benchmark.Update) (row UpdateTiming, err error) {
	if o.Versus != "" {
		row, err = o.timeTurns(ctx, env, y)
	} else {
		row, err = o.timeOne(ctx, env, y)
	}
	row.Algorithm, row.Size = y.Algorithm(), y.Size().Name
	return row, err
}

// timeGPU times updates one by one, waiting for each. Then it times them without waiting, unless the next update needs
// their figures.
func (o BenchUpdateOptions) timeGPU(ctx context.Context, env *Env, b benchmark.Update) (UpdateTiming, error) {
	if o.Versus != "" && !slices.Contains(compared, b.Algorithm()) {
		return UpdateTiming{}, Usagef("--algo %s --vs %s on a GPU: expected pearl or tcl-pearl, the others' updates "+
			"are timed alone there", b.Algorithm(), o.Versus)
	}
	row, err := o.timeBoth(ctx, env, b)
	if err != nil {
		return UpdateTiming{}, err
	}
	y, ok := b.(benchmark.Streamed)
	if !ok {
		row.Stream = row.Median
		return row, nil
	}
	start := time.Now()
	for range o.Updates {
		if err := y.Start(); err != nil {
			return UpdateTiming{}, err
		}
	}
	if err := y.Wait(); err != nil {
		return UpdateTiming{}, err
	}
	row.Stream = float64(time.Since(start)) / 1e6 / float64(o.Updates)
	if o.Versus == "" {
		row.Drawn, _, err = o.timeDrawn(ctx, b, nil)
	}
	return row, err
}

// timeDrawn times bursts of updates on data that the device draws. After each burst the other software, if any, makes
// one too. It returns the fastest burst of each, in ms per update, or 0 if the device draws no data.
func (o BenchUpdateOptions) timeDrawn(ctx context.Context, b benchmark.Update,
	peer *torch.Process) (ours, theirs float64, err error) {
	y, ok := b.(benchmark.Drawn)
	if !ok {
		return 0, 0, nil
	}
	burst, err := y.Draw()
	if burst == nil || err != nil {
		return 0, 0, err
	}
	defer burst.Close()
	ours, theirs = math.Inf(1), math.Inf(1)
	for round := range 4 { // the first round warms up
		if ctx.Err() != nil {
			return 0, 0, context.Cause(ctx)
		}
		start := time.Now()
		if err := burst.Make(o.Updates); err != nil {
			return 0, 0, err
		}
		took, other := float64(time.Since(start))/1e6/float64(o.Updates), 0.0
		if peer != nil {
			if other, err = peer.Burst(o.Updates); err != nil {
				return 0, 0, err
			}
		}
		if round > 0 {
			ours, theirs = min(ours, took), min(theirs, other)
		}
	}
	return ours, theirs, nil
}

// pace returns how many updates are made before any is timed, and how many each side makes per turn. Turns are short,
// so that a change of the machine's speed meets both sides. An update that takes seconds is made once per turn.
func pace(y benchmark.Update) (warmUp, perTurn int) {
	if _, whole := y.(benchmark.Whole); whole {
		return 1, 1
	}
	return 3, 4
}

// timeOne times updates one by one.
func (o BenchUpdateOptions) timeOne(ctx context.Context, env *Env, y benchmark.Update) (UpdateTiming, error) {
	stage := env.Progress.Stage(fmt.Sprintf("%s, %s", y.Algorithm(), y.Size().Name), o.Updates)
	defer stage.Done()
	m, err := o.meter(y)
	if err != nil {
		return UpdateTiming{}, err
	}
	warmUp, _ := pace(y)
	if err := m.run(ctx, warmUp); err != nil {
		return UpdateTiming{}, err
	}
	m.clear()
	for range o.Updates {
		if err := m.run(ctx, 1); err != nil {
			return UpdateTiming{}, err
		}
		stage.Add(1)
	}
	return m.timing(), nil
}

// updateMeter makes updates and records their times.
type updateMeter struct {
	y       benchmark.Update
	peak    *cpu.PeakMeter // nil if the peak is not measured
	threads int
	step    int
	ms, cpu []float64
	fma     []float64 // GFLOP/s of pure multiply-adds after every update
	mallocs uint64
}

// meter makes the meter of an update; on a CPU it also measures multiply-adds.
func (o BenchUpdateOptions) meter(y benchmark.Update) (m updateMeter, err error) {
	m = updateMeter{y: y, threads: min(o.Workers, runtime.NumCPU())}
	if !o.gpu() {
		m.peak, err = cpu.NewPeakMeter(cpu.KernelNameOf(o.on(1)), m.threads)
	}
	return m, err
}

func (m *updateMeter) clear() { m.ms, m.cpu, m.fma, m.mallocs = nil, nil, nil, 0 }

// run makes n updates.
func (m *updateMeter) run(ctx context.Context, n int) error {
	var before, after runtime.MemStats
	for range n {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := m.y.Prepare(m.step); err != nil {
			return err
		}
		m.step++
		runtime.ReadMemStats(&before)
		start, used := time.Now(), usage.CPU()
		if err := m.y.Run(); err != nil {
			return err
		}
		took, used := time.Since(start), usage.CPU()-used
		runtime.ReadMemStats(&after)
		m.ms, m.cpu = append(m.ms, float64(took)/1e6), append(m.cpu, 1000*used)
		m.mallocs += after.Mallocs - before.Mallocs
		if m.peak != nil {
			m.fma = append(m.fma, m.peak.Sample())
		}
	}
	return nil
}

func (m *updateMeter) timing() UpdateTiming {
	t := UpdateTiming{Updates: len(m.ms), Median: stats.Median(m.ms), Min: slices.Min(m.ms), CPU: stats.Median(m.cpu),
		Work: float64(m.y.FLOPs()) / 1e9}
	t.Rate = t.Work / t.Median * 1e3
	// rounded down like testing.AllocsPerRun: the display allocates now and then
	t.Mallocs = math.Floor(float64(m.mallocs) / float64(len(m.ms)))
	if m.peak == nil {
		return t
	}
	t.Peak = m.peak.Fastest() * float64(m.threads)
	t.Share, t.MinShare = t.Rate/t.Peak, t.Work/t.Min*1e3/t.Peak
	if t.CPU > 0 {
		t.CPUShare = t.Work / t.CPU * 1e3 / m.peak.Fastest()
	}
	t.FMA = stats.Median(m.fma)
	shares := make([]float64, len(m.ms))
	for i, ms := range m.ms {
		shares[i] = t.Work / ms * 1e3 / m.fma[i]
	}
	t.FMAShare = stats.Median(shares)
	return t
}

// WriteText prints the timings as text.
func (r UpdateTimings) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s, load %s\n\n", r.Device, r.Load)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(r.Rows) > 0 && r.Rows[0].Stream > 0 {
		return r.writeGPU(w, t)
	}
	fmt.Fprintln(t, "update\tsize\tmedian ms\tmin ms\tprocessor ms\tGFLOP\tGFLOP/s\tpeak\tof peak\tfastest\tper "+
		"processor time\tFMA alone\tof that\tallocations\t")
	for _, u := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%.1f\t%.1f\t%.1f\t%.2f\t%.0f\t%.0f\t%.0f %%\t%.0f %%\t%.0f %%\t%.0f\t%.0f %%\t%.2g\t\n",
			u.Algorithm, u.Size, u.Median, u.Min, u.CPU, u.Work, u.Rate, u.Peak, 100*u.Share, 100*u.MinShare,
			100*u.CPUShare, u.FMA, 100*u.FMAShare, u.Mallocs)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	r.writeVersus(w)
	return nil
}

// writeGPU prints the timings of a GPU, whose peak is not measured.
func (r UpdateTimings) writeGPU(w io.Writer, t *tabwriter.Writer) error {
	fmt.Fprintln(t, "update\tsize\tmedian ms\tmin ms\tback to back ms\tas in training ms\tGFLOP\tGFLOP/s\t")
	for _, u := range r.Rows {
		drawn := "-"
		if u.Drawn > 0 {
			drawn = fmt.Sprintf("%.3f", u.Drawn)
		}
		fmt.Fprintf(t, "%s\t%s\t%.3f\t%.3f\t%.3f\t%s\t%.2f\t%.0f\t\n", u.Algorithm, u.Size, u.Median, u.Min, u.Stream,
			drawn, u.Work, u.Work/u.Stream*1e3)
	}
	err := t.Flush()
	r.writeVersus(w)
	return err
}

func (r UpdateTimings) writeVersus(w io.Writer) {
	for _, u := range r.Rows {
		if u.Versus != nil {
			u.Versus.writeText(w, u)
		}
	}
}

// UpdateCheck is the output of nacre bench update --check.
type UpdateCheck struct {
	Device    string            `json:"device"`
	Tolerance float64           `json:"tolerance"` // tolerance of the device's figures
	OK        bool              `json:"ok"`
	Rows      []UpdateCheckLine `json:"figures"`
}

// UpdateCheckLine is one figure of one update.
type UpdateCheckLine struct {
	Algorithm string  `json:"algorithm"`
	Size      string  `json:"size"`
	Update    int     `json:"update"` // number of the update, from 1
	Figure    string  `json:"figure"`
	Expected  float64 `json:"expected"`
	Float64   float64 `json:"float64"`
	Float32   float64 `json:"float32"`
	Diff64    float64 `json:"relative_difference_float64"`
	Diff32    float64 `json:"relative_difference_float32"`
	tolerance float64 // tolerance of Reference in float64
}

func (o BenchUpdateOptions) check(ctx context.Context, env *Env, device core.Device) error {
	r := UpdateCheck{Device: device.Name(), Tolerance: o.tolerance(), OK: true}
	err := o.each(ctx, func(size benchmark.Size, algorithm string) error {
		lines, err := checkOne(ctx, env, size, algorithm, device)
		r.Rows = append(r.Rows, lines...)
		return err
	})
	if err != nil {
		return err
	}
	for _, l := range r.Rows {
		r.OK = r.OK && l.Diff64 <= l.tolerance && l.Diff32 <= r.Tolerance
	}
	if err := env.Print(r, r.WriteText); err != nil {
		return err
	}
	if !r.OK {
		return ErrCheck
	}
	return nil
}

// checkOne makes the first three updates in float64 and on the device.
func checkOne(ctx context.Context, env *Env, size benchmark.Size, algorithm string,
	device core.Device) ([]UpdateCheckLine, error) {
	exact, err := newBenchmark(size, algorithm, ref.Device)
	if err != nil {
		return nil, err
	}
	defer exact.Close()
	fast, err := newBenchmark(size, algorithm, device)
	if err != nil {
		return nil, err
	}
	defer fast.Close()
	updates, tolerance := 3, toleranceRef
	if whole, ok := exact.(benchmark.Whole); ok { // every update is the same
		updates, tolerance = 1, whole.Tolerance()
	}
	stage := env.Progress.Stage(fmt.Sprintf("%s, %s, in float64 and float32", algorithm, size.Name), updates)
	defer stage.Done()
	var lines []UpdateCheckLine
	for step := range updates {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		a, err := exact.Update(step)
		if err != nil {
			return nil, err
		}
		b, err := fast.Update(step)
		if err != nil {
			return nil, err
		}
		for _, name := range exact.Names() {
			want := exact.Expected(step)[name]
			lines = append(lines, UpdateCheckLine{
				Algorithm: algorithm, Size: size.Name, Update: step + 1, Figure: name,
				Expected: want, Float64: a[name], Float32: b[name],
				tolerance: tolerance, Diff64: math.Abs(a[name]/want - 1), Diff32: math.Abs(b[name]/want - 1),
			})
		}
		stage.Add(1)
	}
	return lines, nil
}

// WriteText prints the comparison as text.
func (r UpdateCheck) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	title := ""
	for _, l := range r.Rows {
		if now := fmt.Sprintf("%s, size %s, update %d", l.Algorithm, l.Size, l.Update); now != title {
			if err := t.Flush(); err != nil {
				return err
			}
			if title != "" {
				fmt.Fprintln(w)
			}
			title = now
			fmt.Fprintln(w, title)
			fmt.Fprintf(t, "\texpected\tfloat64\tdifference\t%s\tdifference\t\n", r.Device)
		}
		fmt.Fprintf(t, "%s\t%.12g\t%.12g\t%.0e%s\t%.9g\t%.0e%s\t\n", l.Figure, l.Expected,
			l.Float64, l.Diff64, mark(l.Diff64, l.tolerance), l.Float32, l.Diff32, mark(l.Diff32, r.Tolerance))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	verdict := "all within"
	if !r.OK {
		verdict = "not all within"
	}
	limit := toleranceRef
	for _, l := range r.Rows {
		limit = max(limit, l.tolerance)
	}
	_, err := fmt.Fprintf(w, "\nRelative differences from figures of an independent program in float64: %s %.0e in "+
		"float64 and %.0e on the device.\n",
		verdict, limit, r.Tolerance)
	return err
}

func mark(difference, tolerance float64) string {
	if difference <= tolerance {
		return ""
	}
	return " !"
}
