//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"nacre/core/cuda"
	"nacre/core/gpu"
	"nacre/core/ref"
	"nacre/rl/benchmark"
	"nacre/tcl/tclpearl"
)

// With NACRE_SASS_TABLE=FILE, and NVIDIA's compiler and tools: what all kernels of TCL-PEARL's update at both sizes,
// and of drawing its data, compile to, as rows for docs/measurements.
func TestSASSTable(t *testing.T) {
	to := os.Getenv("NACRE_SASS_TABLE")
	if to == "" {
		t.Skip("writes a table: set NACRE_SASS_TABLE to a file")
	}
	type row struct {
		Of    []string       `json:"of"`
		Cells map[string]any `json:"cells"`
	}
	var rows []row
	list := func(of, text string, blocks map[string]int, what map[string]string) {
		for _, capability := range capabilities {
			codes := compiled(t, text, capability)
			var names []string
			for name := range codes {
				names = append(names, name)
			}
			slices.Sort(names)
			for _, name := range names {
				c, title := codes[name], name
				if w := what[name]; w != "" {
					title += ": " + w
				}
				cells := map[string]any{"registers": c.Registers, "shared": c.Shared, "spills": c.Spills,
					"load": c.Load, "store": c.Store, "first": c.LoadsFirst}
				if n := blocks[name]; n > 0 {
					cells["blocks"] = n
				}
				rows = append(rows, row{[]string{of, title, capability}, cells})
			}
		}
	}
	for _, s := range benchmark.Sizes {
		y, err := tclpearl.NewBenchmark(s, ref.Device)
		must(t, err)
		pl, err := gpu.New(y.Program(), cuda.Planning(cuda.Options{}))
		must(t, err)
		text, names := cuda.Source(pl)
		blocks, what := map[string]int{}, map[string]string{}
		for i, u := range pl.Units {
			if u.Kernel != nil && what[names[i]] == "" {
				blocks[names[i]] = u.Kernel.Blocks
				for _, v := range u.Writes {
					x := pl.Program.Values[v]
					if len(what[names[i]]) < 60 {
						what[names[i]] += fmt.Sprintf("%v %d×%d ", pl.Instrs[pl.Def[v]].Op, x.Rows, x.Cols)
					}
				}
			}
		}
		list(s.Name, text, blocks, what)
	}
	_, drawing := cuda.Texts()
	list("drawing", drawing, nil, nil)
	b, err := json.Marshal(rows)
	must(t, err)
	must(t, os.WriteFile(to, b, 0o644))
}
