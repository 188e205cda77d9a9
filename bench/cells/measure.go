package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"nacre/bench/cells/programs"
	"nacre/internal/python"
	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

//go:embed programs/programs.go
var source string

//go:embed programs/programs.py
var pythonSource string

// speed runs the programs in turns: compiled into this program, and in cells.
func speed(turns int) record {
	r := record{
		What:       "Programs in cells beside the same source as compiled Go, and Python, milliseconds",
		Conditions: "The fastest of many short runs, in turns within one process; Python in processor time",
		Labels:     []string{"program"},
		Columns: []column{{"program", "compiled", 2}, {"cell", "engine go", 2}, {"share", "speed of cells", 2},
			{"python", "Python", 0}},
	}
	_, code, _ := strings.Cut(source, "package programs\n")
	compiled := open("go")
	defer compiled.Close()
	value(compiled, code)
	for k, p := range programs.List {
		_, want := programs.Best(k, 1)
		own, cell := math.Inf(1), math.Inf(1)
		for range turns {
			a, _ := programs.Best(k, 12)
			b, got := best(compiled, k, 12)
			if got != want {
				fail(fmt.Errorf("%s gives %v in a cell and %v compiled", p.Name, got, want))
			}
			own, cell = min(own, a), min(cell, b)
		}
		r.Rows = append(r.Rows, row{[]string{p.Name},
			map[string]any{"program": own, "cell": cell, "share": own / cell}})
	}
	p, err := python.Find()
	var out []byte
	if err == nil {
		out, err = exec.Command(p.Path, "-c", pythonSource).Output()
	}
	var times []float64
	if err == nil {
		err = json.Unmarshal(out, &times)
	}
	for k := range r.Rows {
		if err != nil {
			r.Rows[k].Cells["python"] = "–"
		} else {
			r.Rows[k].Cells["python"] = times[k]
		}
	}
	return r
}

func best(s kernel.Session, k, n int) (ms, result float64) {
	text, exact, _ := strings.Cut(value(s, fmt.Sprintf("Best(%d, %d)", k, n)), ", ")
	ms, err := strconv.ParseFloat(text, 64)
	if err == nil {
		result, err = strconv.ParseFloat(exact, 64)
	}
	if err != nil {
		fail(err)
	}
	return ms, result
}

// interrupts interrupts each kind of cell on each engine.
func interrupts() record {
	r := record{
		What:    "From an interrupt to the end of a cell that does not end by itself, milliseconds",
		Labels:  []string{"kind"},
		Columns: []column{{"go", "engine go", 0}, {"yaegi", "yaegi", 0}},
	}
	all := slices.Concat(kerneltest.Interrupts, kerneltest.LibraryInterrupts)
	for _, c := range all {
		r.Rows = append(r.Rows, row{[]string{c.Kind}, map[string]any{}})
	}
	for name := range engines {
		s := open(name)
		value(s, "state := 7\nadd := func(n int) int { return state + n }")
		for k, c := range all {
			took, err := kerneltest.Interrupt(s, c.Code)
			if err != nil {
				fail(err)
			}
			if got := value(s, "add(1)"); got != "8" {
				fail(fmt.Errorf("after the interrupt of %s, 7 + 1 is %s", c.Kind, got))
			}
			r.Rows[k].Cells[name] = float64(took.Microseconds()) / 1000
		}
		s.Close()
	}
	return r
}

// changes are functions to change, by what their cells import.
var changes = []struct{ of, first, change string }{
	{"nothing declared: a call, an assignment, a value",
		"import \"math\"\nfunc f(x float64) float64 { return math.Sqrt(x) }\ny := f(2)", "y = f(%d)\ny"},
	{"a function, fmt", "import \"fmt\"", "func f(x int) string { return fmt.Sprint(x * %d) }\nf(2)"},
	{"a function, sim", "import \"nacre/sim\"", "func g(x float64) float64 { return sim.Clip(x) * %d }\ng(2)"},
	{"a function, everything", "import (\"gonum.org/v1/gonum/mat\"; \"gonum.org/v1/plot\"; " +
		"\"gorgonia.org/gorgonia\"; \"nacre/pearl\"; \"nacre/sim\"; \"nacre/library/display\"; \"nacre/tsne\")",
		"func h() int { plot.New(); gorgonia.NewGraph(); display.Text(\"\"); _, _ = pearl.Default(), " +
			"tsne.AnalyseOptions{}; return mat.NewDense(2, 2, nil).RawMatrix().Rows + int(sim.Clip(1)) + %d }\nh()"},
}

// warm changes a function again and again.
func warm(turns int) record {
	r := record{
		What:    "From changing a function to its value on the engine go, milliseconds",
		Spread:  "the median, and the quickest and the slowest",
		Labels:  []string{"the cell has"},
		Columns: []column{{"wall", "wall", 0}, {"processor", "processor", 0}},
	}
	s := open("go")
	defer s.Close()
	for _, c := range changes {
		value(s, c.first)
		value(s, fmt.Sprintf(c.change, 1)) // what is compiled once
		var wall, processor []float64
		for k := range 2*turns + 1 {
			began, at := used(), time.Now()
			value(s, fmt.Sprintf(c.change, k+2))
			wall = append(wall, float64(time.Since(at).Microseconds())/1000)
			processor = append(processor, used()-began)
		}
		r.Rows = append(r.Rows, row{[]string{c.of},
			map[string]any{"wall": median(wall), "processor": median(processor)}})
	}
	return r
}

func median(xs []float64) map[string]float64 {
	slices.Sort(xs)
	return map[string]float64{"value": xs[len(xs)/2], "low": xs[0], "high": xs[len(xs)-1]}
}

// used is the processor time of this process and of those it started, in milliseconds.
func used() (ms float64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			fail(err)
		}
		ms += float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
	}
	return ms
}

// session runs many cells, of which every second redefines a function or a type that others use, and tells what the
// process keeps.
func session(cells int) record {
	r := record{
		What:   "A session of redefinitions on the engine go",
		Labels: []string{"after"},
		Columns: []column{{"memory", "resident memory, MB", 0}, {"compiled", "cells compiled", 0},
			{"each", "MB for each", 2}, {"mapped", "files of plugins, MB", 0}},
	}
	s := open("go")
	defer s.Close()
	value(s, "import \"fmt\"\ntype P struct { X int }\nfunc (p P) Area() int { return p.X }\nfunc f(p P) string { "+
		"return fmt.Sprint(p.Area()) }\nlist := []P{{1}, {2}}\nf(list[1])")
	runtime.GC()
	start := resident()
	compiled := 0
	for k := 1; k <= cells; k++ {
		switch {
		case k%2 == 1:
			value(s, fmt.Sprintf("list[%d%%2].Area()\nf(list[0])", k))
		case k%8 == 0:
			compiled++
			value(s, fmt.Sprintf("type P struct { X, Y%d int }\nfunc (p P) Area() int { return p.X * %d }\n"+
				"list := []P{{X: 1}, {X: 2}}\nf(list[1])", k, k))
		default:
			compiled++
			value(s, fmt.Sprintf("func (p P) Area() int { return p.X + %d }\nf(list[1])", k))
		}
		if k%max(cells/5, 1) == 0 {
			now := resident()
			r.Rows = append(r.Rows, row{[]string{fmt.Sprint(k, " cells")}, map[string]any{
				"memory": now, "compiled": compiled, "each": (now - start) / float64(compiled), "mapped": mapped(),
			}})
		}
	}
	return r
}

// resident is the memory of this process in MB.
func resident() float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		fail(err)
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kB, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		fail(err)
	}
	return kB / 1000
}

// mapped returns what the plugins take of the process's addresses, and of the disk as long as it runs, in MB.
func mapped() (mb float64) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		fail(err)
	}
	for line := range strings.Lines(string(maps)) {
		if place, _, _ := strings.Cut(line, " "); strings.Contains(line, "/nacre-cells-") {
			from, to, _ := strings.Cut(place, "-")
			a, _ := strconv.ParseUint(from, 16, 64)
			b, _ := strconv.ParseUint(to, 16, 64)
			mb += float64(b-a) / 1e6
		}
	}
	return mb
}
