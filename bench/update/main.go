// Command update times the benchmark's TCL-PEARL update with every kernel of the training core, natively and as
// WebAssembly in Node, and compares its first update with the reference figures:
//
//	update [-size oyster|metaworld] [-kernel NAME] [-updates N]
//
// A line of JSON for every size and kernel goes to standard output. One worker computes, in WebAssembly the only one.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"nacre/core/cpu"
	"nacre/internal/quiet"
	"nacre/internal/usage"
	"nacre/rl/benchmark"
	"nacre/tcl/tclpearl"
)

// timing is a line of the output; times are of one update, in seconds.
type timing struct {
	Platform string  `json:"platform"`
	Go       string  `json:"go"`
	Device   string  `json:"device"`
	Size     string  `json:"size"`
	Updates  int     `json:"updates"`
	Min      float64 `json:"min_s"`
	Median   float64 `json:"median_s"`
	CPU      float64 `json:"cpu_s"` // median of processor time
	Rate     float64 `json:"gflops"`
	Peak     float64 `json:"peak_gflops"` // of multiplications and additions alone
	Off      float64 `json:"off"`         // largest relative difference of the first update's figures
}

func main() {
	log.SetFlags(0)
	size := flag.String("size", "oyster,metaworld", "sizes")
	kernel := flag.String("kernel", "", "kernels, the fastest if empty")
	updates := flag.Int("updates", 5, "updates to time")
	flag.Parse()
	defer quiet.Measure()()
	for _, s := range strings.Split(*size, ",") {
		for _, k := range strings.Split(*kernel, ",") {
			t, err := run(s, k, *updates)
			if err == nil {
				err = json.NewEncoder(os.Stdout).Encode(t)
			}
			if err != nil {
				log.Fatalf("update: %v", err)
			}
		}
	}
}

func run(size, kernel string, updates int) (*timing, error) {
	s, err := benchmark.Find(size)
	if err != nil {
		return nil, err
	}
	d, err := cpu.New(cpu.Options{Workers: 1, Kernel: kernel})
	if err != nil {
		return nil, err
	}
	y, err := tclpearl.NewBenchmark(s, d)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	t := &timing{Platform: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Device: d.Name(), Size: size,
		Updates: updates}
	figures, err := y.Update(0)
	if err != nil {
		return nil, err
	}
	for name, want := range y.Expected(0) {
		t.Off = max(t.Off, math.Abs(figures[name]/want-1))
	}
	if t.Peak, err = cpu.Peak(kernel); err != nil {
		return nil, err
	}
	var wall, used []float64
	for range updates {
		start, cpu := time.Now(), usage.CPU()
		if err := y.Run(); err != nil {
			return nil, err
		}
		wall, used = append(wall, time.Since(start).Seconds()), append(used, usage.CPU()-cpu)
	}
	slices.Sort(wall)
	slices.Sort(used)
	t.Min, t.Median, t.CPU = wall[0], wall[updates/2], used[updates/2]
	t.Rate = float64(y.FLOPs()) / t.CPU / 1e9
	if t.CPU == 0 {
		t.Rate = float64(y.FLOPs()) / t.Median / 1e9
	}
	return t, nil
}
