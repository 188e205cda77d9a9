// Package roofline models how long the launches of a schedule (core/gpu) take on a named GPU, one by one and in
// parallel. It needs only shapes, no GPU. Its times are estimates for comparing schedules, not measurements. For an
// H100 they were fitted to measurements of whole updates and lie within an eighth of them. On other cards nothing was
// measured.
//
//	card, err := roofline.Find("h100")
//	m := roofline.New(schedule, card, roofline.Options{Precision: "tf32"})
//	fmt.Print(m) // every launch with its time and its bound, and the critical path
//
// The time of a launch is a sum of three: its start, its bytes at the card's bandwidth, and the longest of
//   - its instructions at the rate at which a multiprocessor issues them,
//   - the latency of its loads, which wait for one another in rounds,
//   - for a product, its tiles at the rate of the arithmetic units.
//
// In a launch without sums, though, the bytes move at the same time as the longest part runs. Launches on different
// branches share multiprocessors and bandwidth. All assumptions stand in Card and in the constants of launch.go.
package roofline

import (
	"fmt"
	"strings"

	"nacre/internal/nearest"
)

// Card holds what the model knows of a GPU. Rates are those of the maker's data sheets, for dense operands. Numbers
// marked as assumed are not from a data sheet: those of the H100 come from measurements; those of the other cards may
// be wrong by some tens of percent.
type Card struct {
	Name   string  `json:"name"`
	Title  string  `json:"title"`
	SMs    int     `json:"multiprocessors"`
	Clock  float64 `json:"ghz"`
	FP32   float64 `json:"fp32_tflops"`
	TF32   float64 `json:"tf32_tflops"`
	BF16   float64 `json:"bf16_tflops"`
	Memory float64 `json:"memory_tb_s"`
	Cache  float64 `json:"cache_mb"` // size of the second-level cache

	CacheRate float64 `json:"cache_tb_s"` // bandwidth of this cache; assumed
	// AnyLayout is the share of the tensor cores' rate that the instruction mma.sync reaches, which takes operands in
	// any memory layout. For TF32, cuBLASLt is as slow as with mma.sync, although there are faster instructions (wgmma,
	// tcgen05). Assumed.
	AnyLayout float64 `json:"any_layout_share"`
	// time of a load from the second-level cache while the card is busy; assumed
	Latency float64 `json:"latency_us"`
	Gap     float64 `json:"gap_us"`   // time from a launch's end to the start of the next in a graph; assumed
	Start   float64 `json:"start_us"` // time in which the blocks of a launch begin and end; assumed
}

// Cards lists the known cards.
var Cards = []Card{
	{Name: "h100", Title: "H100 SXM", SMs: 132, Clock: 1.755, FP32: 67, TF32: 494, BF16: 989, Memory: 3.35, Cache: 50,
		CacheRate: 6.5, AnyLayout: 0.62, Latency: 0.45, Gap: 1.7, Start: 1.2},
	{Name: "h200", Title: "H200 SXM", SMs: 132, Clock: 1.755, FP32: 67, TF32: 494, BF16: 989, Memory: 4.8, Cache: 50,
		CacheRate: 6.5, AnyLayout: 0.62, Latency: 0.45, Gap: 1.7, Start: 1.2},
	{Name: "a100", Title: "A100 SXM 80 GB", SMs: 108, Clock: 1.41, FP32: 19.5, TF32: 156, BF16: 312, Memory: 2.04,
		Cache:     40,
		CacheRate: 4, AnyLayout: 1, Latency: 0.4, Gap: 1.7, Start: 1.4},
	{Name: "rtx4090", Title: "GeForce RTX 4090", SMs: 128, Clock: 2.52, FP32: 82.6, TF32: 82.6, BF16: 165, Memory: 1.01,
		Cache:     72,
		CacheRate: 5, AnyLayout: 1, Latency: 0.35, Gap: 1.7, Start: 1.2},
	{Name: "b200", Title: "B200", SMs: 148, Clock: 1.85, FP32: 75, TF32: 1100, BF16: 2250, Memory: 8, Cache: 126,
		CacheRate: 9, AnyLayout: 0.35, Latency: 0.5, Gap: 1.7, Start: 1.2},
}

// Names lists the names of the cards.
func Names() []string {
	var out []string
	for _, c := range Cards {
		out = append(out, c.Name)
	}
	return out
}

// Of returns the card to which a driver's name, such as "NVIDIA H100 80GB HBM3", belongs. If there is none, ok is
// false.
func Of(title string) (c Card, ok bool) {
	title = strings.ToLower(strings.ReplaceAll(title, " ", ""))
	for _, c := range Cards {
		if strings.Contains(title, c.Name) {
			return c, true
		}
	}
	return Card{}, false
}

// Find returns the card of a name. Its error has the nearest name.
func Find(name string) (Card, error) {
	for _, c := range Cards {
		if c.Name == name {
			return c, nil
		}
	}
	return Card{}, fmt.Errorf("the GPU %q is not among those modelled%s", name, nearest.Hint(name, Names()))
}
