//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/gpu"
	"nacre/core/ref"
	"nacre/experiment/programs"
	"nacre/internal/heavy"
	"nacre/rl/benchmark"
	"nacre/tcl/tclpearl"
)

// texts are the kernels of every program of every algorithm, each kernel once, as a GPU gets them; and those that draw
// data.
func texts(t *testing.T) map[string]string {
	head, drawing := cuda.Texts()
	out := map[string]string{"feed": drawing}
	known := map[string]bool{}
	for _, of := range programs.All(t) {
		name := of.Algorithm
		out[name] = head
		for _, p := range of.Programs {
			bodies, err := cuda.Kernels(p)
			must(t, err)
			for _, body := range bodies {
				if !known[body] {
					known[body] = true
					out[name] += strings.ReplaceAll(body, "@", fmt.Sprintf("kernel%d", len(known)))
				}
			}
		}
	}
	t.Logf("%d kernels", len(known))
	return out
}

// The CUDA side of the kernels compiles with clang, without NVIDIA's headers, to code for compute capability 8.0.
func TestClang(t *testing.T) {
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("there is no clang to compile the kernels as CUDA with: install clang")
	}
	dir := t.TempDir()
	for name, text := range texts(t) {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "-")+".cu") // a variant has a slash
		must(t, os.WriteFile(file, []byte(text), 0o644))
		out, err := exec.Command("clang", "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-device-only",
			"--cuda-gpu-arch=sm_80", "-O1",
			"-ffp-contract=off", "-Wall", "-Wno-unused", "-Werror", "-S", "-o", filepath.Join(dir, "out.ptx"),
			file).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		ptx, err := os.ReadFile(filepath.Join(dir, "out.ptx"))
		must(t, err)
		if n := strings.Count(string(ptx), ".visible .entry"); n != strings.Count(text, "\nKERNEL(")+
			strings.Count(text, "\nGEMM(") {
			t.Errorf("%s: %d kernels compiled", name, n)
		}
	}
}

// With NVIDIA's own compiler, where its library is installed, which needs no GPU: machine code for compute capability
// 9.0, with the lines of a file.
func TestNVRTC(t *testing.T) {
	y, err := tclpearl.NewBenchmark(benchmark.Oyster, ref.Device)
	must(t, err)
	_, _, text, err := cuda.Plan(y.Program(), false)
	must(t, err)
	_, drawing := cuda.Texts()
	folder := t.TempDir()
	t.Setenv(cuda.EnvSource, folder)
	for what, text := range map[string]string{"an update": text, "drawing data": drawing} {
		cubin, err := cuda.Compile(text, "9.0")
		var missing *cuda.Error
		if errors.As(err, &missing) && missing.Fault == cuda.NoNVRTC {
			t.Skip(missing)
		}
		if err != nil || !strings.HasPrefix(string(cubin), "\x7fELF") {
			t.Errorf("%s: error %v, %d bytes", what, err, len(cubin))
		}
		if !strings.Contains(string(cubin), ".debug_line") || !strings.Contains(string(cubin), filepath.Base(folder)) {
			t.Errorf("%s: no lines of a file", what)
		}
	}
}

// For profilers the text of kernels is written to files, whose lines compiled kernels know, also where the same kernels
// are kept without.
func TestSource(t *testing.T) {
	fake := fakecuda.Use(t)
	must(t, use(t, cuda.Options{}))
	if n := fake.Lined(); n != 0 {
		t.Errorf("%d texts are compiled with lines of their own accord", n)
	}
	folder := filepath.Join(t.TempDir(), "kernels")
	t.Setenv(cuda.EnvSource, folder)
	for range 2 {
		must(t, use(t, cuda.Options{}))
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.cu"))
	if err != nil || len(files) != 2 || fake.Lined() != 2 { // the program's and those that draw
		t.Errorf("files %q, error %v, %d texts compiled with lines", files, err, fake.Lined())
	}
	must(t, os.RemoveAll(folder))
	must(t, os.WriteFile(folder, nil, 0o644))
	wantFault(t, "a file for a folder", use(t, cuda.Options{}), cuda.Compiling, cuda.EnvSource)
}

// What NVIDIA's compiler makes of the kernels of TCL-PEARL's update and of those that draw its data, where it and its
// tools are installed: nothing is spilled on any kind of GPU; on the H100 what works on a megabyte or more reads and
// writes 16 bytes at a time, and reads all it needs before it writes.
func TestMachineCode(t *testing.T) {
	y, err := tclpearl.NewBenchmark(benchmark.Oyster, ref.Device)
	must(t, err)
	pl, err := gpu.New(y.Program(), cuda.Planning(cuda.Options{}))
	must(t, err)
	text, names := cuda.Source(pl)
	_, drawing := cuda.Texts()
	for _, capability := range capabilities {
		for what, text := range map[string]string{"update": text, "drawing": drawing} {
			codes := compiled(t, text, capability)
			for name, c := range codes {
				if c.Spills > 0 {
					t.Errorf("%s spills %d bytes for compute capability %s", name, c.Spills, capability)
				}
			}
			if what == "update" && capability == "9.0" {
				checkAccess(t, pl, names, codes)
			}
		}
	}
}

// checkAccess checks how launches of a plan read and write memory, given their kernels' names and what these are
// compiled to.
func checkAccess(t *testing.T, pl *gpu.Schedule, names []string, codes map[string]machineCode) {
	for i, u := range pl.Units {
		c := codes[names[i]]
		if _, bytes := pl.Work(u); u.Kernel == nil || bytes < 1<<20 {
			continue
		}
		whole := func(v int) bool { x := pl.Program.Values[v]; return x.Cols%4 == 0 && x.Rows*x.Cols >= 1<<18 }
		if slices.ContainsFunc(u.Reads, whole) && c.Load != 16 {
			t.Errorf("launch %d, %s, reads %d bytes at a time: %s", i, names[i], c.Load, pl.Describe(u))
		}
		if slices.ContainsFunc(u.Writes, whole) && c.Store != 16 {
			t.Errorf("launch %d, %s, writes %d bytes at a time: %s", i, names[i], c.Store, pl.Describe(u))
		}
		if c.LoadsFirst < min(2, len(u.Reads)) {
			t.Errorf("launch %d, %s, makes %d loads before its first store: %s", i, names[i], c.LoadsFirst,
				pl.Describe(u))
		}
	}
}

// A kernel that lacks a barrier is found: lanes in another order give another result. With the barrier they do not.
func TestOrderShowsRaces(t *testing.T) {
	fake := fakecuda.Use(t)
	const text = `
KERNEL(sums, float *to) {
  SHARED(float, s, BLOCK);
  PHASE
    s[lane] = (float)lane;
  %s
    to[lane] = s[lane] + s[(lane + 1) %% BLOCK];
  END_PHASE
}
`
	for barrier, same := range map[string]bool{"END_PHASE\n  PHASE": true, "": false} {
		var first []float32
		for order := range 3 {
			fake.Order(order)
			got, err := cuda.RunText(newDevice(t, cuda.Options{}), fmt.Sprintf(text, barrier), "sums", 1, 128)
			must(t, err)
			equal := slices.EqualFunc(got, first, func(a, b float32) bool {
				return math.Float32bits(a) == math.Float32bits(b)
			})
			if order > 0 && equal != same {
				t.Errorf("barrier %q: order %d gives the same: %v", barrier, order, equal)
			}
			if order == 0 {
				first = got
			}
		}
	}
}

// The functions of the kernel language, over their whole range and at its ends.
func TestFunctions(t *testing.T) {
	heavy.Skip(t, "every function on the stand-in for a GPU")
	fakecuda.Use(t)
	d := newDevice(t, cuda.Options{})
	inf := math.Inf(1)
	xs := []float64{0, 1, -1, 0.5, 1e-30, -1e-30, 1e-40, 1e38, -1e38, 88.7, -87, -103, 89, -104, 200, -200, inf,
		-inf, math.NaN()}
	for x := -20.0; x < 20; x += 0.137 {
		xs = append(xs, x, math.Exp(x), -math.Exp(-x))
	}
	softplus := func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
	for name, f := range map[string]func(float64) float64{"exp": math.Exp, "log": math.Log, "log1p": math.Log1p,
		"tanh": math.Tanh, "softplus": softplus,
		"sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, "sqrt": math.Sqrt, "abs": math.Abs,
		"recip": func(x float64) float64 { return 1 / x }} {
		var b strings.Builder
		fmt.Fprintf(&b, "KERNEL(f, float *to) {\n  PHASE\n    int i = BLOCK_ID * BLOCK + lane;\n    float x = 0.0f;\n"+
			"    switch (i) {\n")
		for i, x := range xs {
			fmt.Fprintf(&b, "    case %d: x = k_float(%d); break;\n", i, int32(math.Float32bits(float32(x))))
		}
		fmt.Fprintf(&b, "    }\n    if (i < %d) to[i] = k_%s(x);\n  END_PHASE\n}\n", len(xs), name)
		got, err := cuda.RunText(d, b.String(), "f", (len(xs)+127)/128, len(xs))
		must(t, err)
		worst := 0.0
		for i, x := range xs {
			want := f(float64(float32(x)))
			g := float64(got[i])
			if float64(float32(want)) == g || want != want && g != g {
				continue
			}
			unit := math.Max(math.Abs(want), 0x1p-126) * 0x1p-23
			if e := math.Abs(g-want) / unit; !(e <= 4) {
				t.Errorf("%s(%g) = %g, want %g, %.1f units in the last place", name, x, g, want, e)
			} else {
				worst = max(worst, e)
			}
		}
		t.Logf("%s: %.2f units in the last place", name, worst)
	}
}
