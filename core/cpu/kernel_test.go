package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Sums of whole numbers are exact, so every kernel must give the same; the widths take the wide and the narrow path.
func TestColSum(t *testing.T) {
	forKernels(t, func(t *testing.T, k *kernels) {
		r := rand.New(rand.NewPCG(1, 2))
		w := &worker{k: k}
		for _, cols := range []int{1, 16, 48, 64, 70, 128, 200} {
			for _, rows := range []int{1, 2, 37} {
				m, dst := integerMat(r, rows, cols), integerMat(r, 1, cols)
				old := clone(dst)
				for _, add := range []bool{true, false} {
					copy(dst.d, old.d)
					w.sumRows(m.d, rows, m.ld, dst.d, add)
					for j := range cols {
						want := float32(0)
						if add {
							want = old.d[j]
						}
						for i := range rows {
							want += m.row(i)[j]
						}
						if dst.d[j] != want {
							t.Fatalf("%d×%d, add %v: column %d sums to %g, want %g", rows, cols, add, j, dst.d[j], want)
						}
					}
				}
			}
		}
	})
}

// Lanes are added in their order, whatever the kernel.
func TestSumLanes(t *testing.T) {
	forKernels(t, func(t *testing.T, k *kernels) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, lanes := range []int{2, 3, 8} {
			for _, n := range []int{16, 48, 4096} {
				m, dst := randomMat(r, lanes, n+32), randomMat(r, 1, n)
				k.sumLanes(&laneArgs{n: int64(n), dst: &dst.d[0], src: &m.d[16], stride: int64(4 * m.ld),
					lanes: int64(lanes)})
				for j, got := range dst.d {
					want := m.row(0)[16+j]
					for i := 1; i < lanes; i++ {
						want += m.row(i)[16+j]
					}
					if got != want {
						t.Fatalf("%d lanes of %d: value %d is %g, want %g", lanes, n, j, got, want)
					}
				}
			}
		}
	})
}

func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := randomMat(r, 37, 21)
	mT := newMat(21, 37)
	m.transposeInto(&mT, 0, 16)
	m.transposeInto(&mT, 16, 37)
	for i := range m.rows {
		for j := range m.cols {
			if m.row(i)[j] != mT.row(j)[i] {
				t.Fatalf("element (%d,%d)", i, j)
			}
		}
	}
}

// Panels made of a matrix whose transpose they hold equal panels made of the transpose, whatever runs of rows are
// copied.
func TestPanelsOfTranspose(t *testing.T) {
	forKernels(t, func(t *testing.T, k *kernels) {
		m := randomMat(rand.New(rand.NewPCG(1, 2)), 109, 21)
		mT := newMat(21, 109)
		m.transposeInto(&mT, 0, 109)
		want, got := k.newPanels(&slab{}, 21, 109), k.newPanels(&slab{}, 21, 109)
		want.copyRows(&mT, 0, 21)
		got.copyTransposed(k, &transposeArgs{}, &m, 0, 32)
		got.copyTransposed(k, &transposeArgs{}, &m, 96, 109)
		got.copyTransposed(k, &transposeArgs{}, &m, 32, 96)
		if !slices.Equal(got.d, want.d) {
			t.Errorf("they differ")
		}
	})
}

func TestChoiceOfKernels(t *testing.T) {
	t.Setenv(environment, "")
	fastest := available()[0].name
	if KernelName() != fastest {
		t.Errorf("KernelName() = %q, want %q", KernelName(), fastest)
	}
	for _, k := range available() {
		d, err := New(Options{Kernel: k.name, Workers: 3})
		must(t, err)
		if want := "cpu/" + k.name + " ×3"; d.Name() != want {
			t.Errorf("name %q, want %q", d.Name(), want)
		}
	}
	t.Setenv(environment, "go")
	d, err := New(Options{Workers: 1})
	must(t, err)
	if d.Name() != "cpu/go ×1" || KernelName() != "go" {
		t.Errorf("with %s=go: device %q, KernelName %q", environment, d.Name(), KernelName())
	}
	t.Setenv(environment, "sse9")
	if _, err := New(Options{}); err == nil || !strings.Contains(err.Error(), `"sse9"`) ||
		!strings.Contains(err.Error(), "go") {
		t.Errorf("with %s=sse9: error %v", environment, err)
	}
	if KernelName() != fastest {
		t.Errorf("KernelName() = %q after a wrong name, want %q", KernelName(), fastest)
	}
	if _, err := New(Options{Kernel: fastest}); err != nil {
		t.Errorf("an option must win over the environment: %v", err)
	}
	if _, err := New(Options{Workers: -1}); err == nil {
		t.Error("-1 workers: no error")
	}
}

// The kernels listed are those whose features are listed, and each reaches a positive speed.
func TestFeaturesAndPeak(t *testing.T) {
	f := Features()
	for _, k := range available() {
		needs := map[string][]string{"avx512": {"avx512f", "fma"}, "avx2": {"avx2", "fma"}}[k.name]
		for _, n := range needs {
			if !slices.Contains(f, n) {
				t.Errorf("%s runs without %s in %v", k.name, n, f)
			}
		}
	}
	if p, err := Peak(""); err != nil || !(p > 0) || math.IsInf(p, 0) {
		t.Errorf("Peak() = %g, %v", p, err)
	}
	m, err := NewPeakMeter("", 2)
	if err != nil {
		t.Fatal(err)
	}
	if all := m.Sample(); !(all > 0) || all > 2*m.Fastest() {
		t.Errorf("two threads reach %g GFLOP/s at once, one of them at most %g", all, m.Fastest())
	}
	if _, err := NewPeakMeter("", 0); err == nil {
		t.Error("a meter without threads")
	}
}

// A precision belongs to the options; NACRE_CPU and Kernel may have it too, but not another one.
func TestPrecisionOfOptions(t *testing.T) {
	t.Setenv(environment, "")
	for want, o := range map[string]Options{
		"":              {},
		"go":            {Kernel: "go", Precision: "float32"},
		"avx512+bf16":   {Precision: "bf16"},
		"avx512+bf16x3": {Kernel: "avx512+bf16x3", Precision: "bf16x3"},
	} {
		if got, err := kernelOf(o); got != want || err != nil {
			t.Errorf("%+v: kernel %q, error %v, want %q", o, got, err, want)
		}
	}
	t.Setenv(environment, "avx512+bf16")
	if got, err := kernelOf(Options{}); got != "avx512+bf16" || err != nil {
		t.Errorf("%s=avx512+bf16: kernel %q, error %v", environment, got, err)
	}
	for precision, want := range map[string]string{"fp32": "expected one precision", "tf32": "expected one precision"} {
		if _, err := New(Options{Precision: precision}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s=avx512+bf16 in %s: error %v, want %q", environment, precision, err, want)
		}
	}
	if _, err := New(Options{Kernel: "go", Precision: "bf61"}); err == nil ||
		!strings.Contains(err.Error(), `did you mean "bf16"?`) {
		t.Errorf("precision bf61: error %v", err)
	}
}
