//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nacre/analysis/stats"
	"nacre/core/cuda"
	"nacre/core/gpu"
	"nacre/core/ref"
	"nacre/pearl"
	"nacre/rl/yardstick"
	"nacre/tcl/tclpearl"
)

// variants are plans to compare: what each does without, and for which precisions.
var variants = []struct{ name, without, of string }{
	{"today", "", "fp32 tf32 tf32x3 bf16"},
	{"no masks", "masks", "fp32 tf32 tf32x3 bf16"},
	{"no sums", "sums", "fp32 tf32 bf16"},
	{"neither", "masks,sums", "fp32 tf32 bf16"},
	{"today, 32 algorithms", "few", "tf32"},
	{"neither, 32 algorithms", "masks,sums,few", "fp32 tf32 tf32x3 bf16"},
	{"today, one branch", "branches", "tf32"},
	{"neither, one branch", "masks,sums,branches", "fp32 tf32"},
	{"neither, no copies", "masks,sums,copies", "tf32"},
	{"neither, no copies, 32 algorithms", "masks,sums,copies,few", "tf32"},
}

func whole(t *testing.T, name string, otherwise int) int {
	if os.Getenv(name) == "" {
		return otherwise
	}
	n, err := strconv.Atoi(os.Getenv(name))
	must(t, err)
	return n
}

// TestVariants is for a machine with an NVIDIA GPU: it times TCL-PEARL's update by plans without parts of themselves, in turns.
// NACRE_VARIANTS lists sizes and precisions, "oyster/tf32 metaworld/fp32"; with NACRE_VARIANTS_COMPILE=k/n only every n-th text is
// compiled, from the k-th on.
func TestVariants(t *testing.T) {
	if os.Getenv("NACRE_VARIANTS") == "" {
		t.Skip("not asked for: NACRE_VARIANTS names no sizes and precisions")
	}
	var texts []string
	for _, of := range strings.Fields(os.Getenv("NACRE_VARIANTS")) {
		name, precision, _ := strings.Cut(of, "/")
		size, err := yardstick.Find(name)
		must(t, err)
		if os.Getenv("NACRE_VARIANTS_COMPILE") == "" {
			timeVariants(t, size, precision)
			continue
		}
		for _, text := range variantTexts(t, size, precision) {
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	if part := os.Getenv("NACRE_VARIANTS_COMPILE"); part != "" {
		var k, n int
		_, err := fmt.Sscanf(part, "%d/%d", &k, &n)
		must(t, err)
		d := newDevice(t, cuda.Options{})
		for i := k; i < len(texts); i += n {
			must(t, cuda.Precompile(d, texts[i]))
		}
	}
}

func variantTexts(t *testing.T, size yardstick.Size, precision string) []string {
	y, err := tclpearl.NewYardstick(size, ref.Device)
	must(t, err)
	_, drawing := cuda.Texts()
	texts := []string{drawing}
	for _, v := range variants {
		if slices.Contains(strings.Fields(v.of), precision) {
			t.Setenv(cuda.EnvWithout, v.without)
			pl, err := gpu.New(y.Program(), cuda.Planning(cuda.Options{Precision: precision}))
			must(t, err)
			text, _ := cuda.Source(pl)
			texts = append(texts, text)
		}
	}
	return texts
}

func timeVariants(t *testing.T, size yardstick.Size, precision string) {
	rounds, updates := whole(t, "NACRE_VARIANTS_ROUNDS", 5), whole(t, "NACRE_VARIANTS_UPDATES", 60)
	type row struct {
		Size, Precision, Variant string
		Launches                 int
		Given, Least, Drawn      float64 // ms: median of rounds, fastest, and on data that the GPU draws
		Error                    float64 // of the first update's figures
		Load                     float64 // s

		y     *pearl.Yardstick
		b     yardstick.Burst
		times [2][]float64
	}
	var rows []*row
	for _, v := range variants[:whole(t, "NACRE_VARIANTS_FIRST", len(variants))] {
		if !slices.Contains(strings.Fields(v.of), precision) {
			continue
		}
		start := time.Now()
		t.Setenv(cuda.EnvWithout, v.without)
		o := cuda.Options{Precision: precision}
		y, err := tclpearl.NewYardstick(size, newDevice(t, o))
		must(t, err)
		defer y.Close()
		pl, err := gpu.New(y.Program(), cuda.Planning(o))
		must(t, err)
		r := &row{Size: size.Name, Precision: precision, Variant: v.name, Launches: len(pl.Units), y: y}
		got, err := y.Update(0)
		must(t, err)
		for name, want := range y.Expected(0) {
			r.Error = max(r.Error, math.Abs(got[name]/want-1))
		}
		r.b, err = y.Draw()
		must(t, err)
		defer r.b.Close()
		r.Load = time.Since(start).Seconds()
		rows = append(rows, r)
	}
	for round := range rounds + 1 { // the first warms up
		for _, r := range rows {
			start := time.Now()
			for range updates {
				must(t, r.y.Start())
			}
			must(t, r.y.Wait())
			given := time.Since(start)
			start = time.Now()
			must(t, r.b.Make(updates))
			if round > 0 {
				r.times[0] = append(r.times[0], float64(given)/1e6/float64(updates))
				r.times[1] = append(r.times[1], float64(time.Since(start))/1e6/float64(updates))
			}
		}
	}
	for _, r := range rows {
		r.Given, r.Least, r.Drawn = stats.Median(r.times[0]), slices.Min(r.times[0]), slices.Min(r.times[1])
		text, err := json.Marshal(r)
		must(t, err)
		fmt.Println("VARIANT", string(text))
	}
}
