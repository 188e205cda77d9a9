// Package roofline models how long the launches of a plan (core/gpu) take on a named GPU, one by one and side by side,
// from shapes alone: no GPU is needed. Its figures are estimates to compare plans by, not measurements. For an H100
// they were fitted to measurements of whole updates and lie within an eighth of them; of other cards nothing was
// measured.
//
//	card, err := roofline.Find("h100")
//	m := roofline.New(plan, card, roofline.Options{Precision: "tf32"})
//	fmt.Print(m) // every launch with its time, what bounds it, and the critical path
//
// A launch takes the time of its start, of its bytes at the card's bandwidth and the longest of: its instructions at
// the rate at which a multiprocessor issues them, its rounds of loads that wait for one another, and, of a product, its
// tiles at the rate of the arithmetic units; where nothing is summed, bytes move meanwhile. Launches on different
// branches share multiprocessors and bandwidth. All that is assumed stands in Card and in the constants of launch.go.
package roofline

import (
	"fmt"
	"strings"

	"nacre/internal/nearest"
)

// Card holds what the model knows of a GPU. Rates are those of the maker's data sheets, for dense operands; the rest,
// marked as assumed, is the model's own: the H100's from measurements, the others' within some tens of percent.
type Card struct {
	Name   string  `json:"name"`
	Title  string  `json:"title"`
	SMs    int     `json:"multiprocessors"`
	Clock  float64 `json:"ghz"`
	FP32   float64 `json:"fp32_tflops"`
	TF32   float64 `json:"tf32_tflops"`
	BF16   float64 `json:"bf16_tflops"`
	Memory float64 `json:"memory_tb_s"`
	Cache  float64 `json:"cache_mb"` // of the second level

	CacheRate float64 `json:"cache_tb_s"` // assumed
	// AnyLayout is the share of the tensor cores' rate that instructions reach which take operands in any order
	// (mma.sync). cuBLASLt takes them for TF32 though the fastest (wgmma, tcgen05) are there, or is no faster with
	// these. Assumed.
	AnyLayout float64 `json:"any_layout_share"`
	Latency   float64 `json:"latency_us"` // of a load from the second-level cache, under load; assumed
	Gap       float64 `json:"gap_us"`     // from a launch's end to the start of the next in a graph; assumed
	Start     float64 `json:"start_us"`   // of a launch: its blocks begin and end; assumed
}

// Cards are those known, by name.
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

// Names lists the cards' names.
func Names() []string {
	var out []string
	for _, c := range Cards {
		out = append(out, c.Name)
	}
	return out
}

// Of returns the card that a driver's name for it, such as "NVIDIA H100 80GB HBM3", is that of; ok is false for others.
func Of(title string) (c Card, ok bool) {
	title = strings.ToLower(strings.ReplaceAll(title, " ", ""))
	for _, c := range Cards {
		if strings.Contains(title, c.Name) {
			return c, true
		}
	}
	return Card{}, false
}

// Find returns the card of a name; the error has the nearest one.
func Find(name string) (Card, error) {
	for _, c := range Cards {
		if c.Name == name {
			return c, nil
		}
	}
	return Card{}, fmt.Errorf("the GPU %q is not among those modelled%s", name, nearest.Hint(name, Names()))
}
