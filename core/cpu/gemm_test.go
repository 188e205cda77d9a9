package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// forKernels runs f with every kernel set this machine has.
func forKernels(t *testing.T, f func(t *testing.T, k *kernels)) {
	for _, k := range available() {
		t.Run(k.name, func(t *testing.T) { f(t, k) })
	}
}

func randomMat(r *rand.Rand, rows, cols int) mat {
	m := newMat(rows, cols)
	for i := range rows {
		for j := range m.row(i) {
			m.row(i)[j] = float32(r.NormFloat64())
		}
	}
	return m
}

// integerMat has small whole elements, so that sums of products are exact in float32 in any order.
func integerMat(r *rand.Rand, rows, cols int) mat {
	m := newMat(rows, cols)
	for i := range rows {
		for j := range m.row(i) {
			m.row(i)[j] = float32(r.IntN(9) - 4)
		}
	}
	return m
}

// naive computes what a product of the mode must leave in C, in float64.
func naive(p *product, old mat, i, j int) float64 {
	s := 0.0
	for k := range p.b.rows {
		x, y := i, k
		if p.ta {
			x, y = k, i
		}
		a := p.a.d[x*p.a.ld+y]
		s += float64(a) * float64(p.b.d[k*p.b.ld+j])
	}
	aux := func(i int) float64 { return float64(floats(p.aux, int64((i+1)*p.c.ld))[i*p.c.ld+j]) }
	switch p.mode {
	case gemmBias:
		s += aux(0)
	case gemmBiasReLU:
		s = math.Max(0, s+aux(0))
	case gemmMask:
		if !(aux(i) > 0) {
			s = 0
		}
	case gemmAdd:
		s += float64(old.d[i*old.ld+j])
	}
	return s
}

var gemmModes = []gemmMode{gemmStore, gemmBias, gemmBiasReLU, gemmMask, gemmAdd}

func clone(m mat) mat {
	c := newMat(m.rows, m.cols)
	copy(c.d, m.d)
	return c
}

// Every block shape of every kernel set in every mode, against plain loops; integers make the comparison exact. The
// range of rows leaves a border that must stay as it was.
func TestGemmAgainstLoops(t *testing.T) {
	forKernels(t, func(t *testing.T, k *kernels) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, m := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 23} {
			for _, n := range []int{1, 16, 17, 40, 48, 64, 80, 100, 130} {
				for _, kk := range []int{1, 2, 7, 33, 150} {
					for _, ta := range []bool{false, true} {
						for _, mode := range gemmModes {
							if ta && kk > contractRows && mode != gemmStore && mode != gemmAdd {
								continue
							}
							checkGemm(t, k, r, m, n, kk, ta, mode)
						}
					}
				}
			}
		}
	})
}

func checkGemm(t *testing.T, k *kernels, r *rand.Rand, m, n, kk int, ta bool, mode gemmMode) {
	t.Helper()
	a := integerMat(r, m+2, kk)
	if ta {
		a = integerMat(r, kk, m+2)
	}
	aux := integerMat(r, m+2, n)
	p := product{a: a, b: integerMat(r, kk, n), c: integerMat(r, m+2, n), ta: ta, mode: mode, aux: &aux.d[0]}
	old := clone(p.c)
	inPanels := p
	inPanels.c = clone(p.c)
	p.rows(k, &gemmArgs{}, 1, m+1)
	q := k.newPanels(&slab{}, kk, n)
	q.copyRows(&p.b, 0, kk)
	inPanels.b, inPanels.byPanel, inPanels.after = q.mat, true, &ahead{&q.d[0], 64}
	inPanels.rows(k, &gemmArgs{}, 1, m+1)
	if !slices.Equal(p.c.d, inPanels.c.d) {
		t.Fatalf("%d×%d×%d ta=%v mode %d: the product with B in panels differs", m, n, kk, ta, mode)
	}
	for i := range m + 2 {
		for j := range p.c.ld {
			want := float64(old.d[i*old.ld+j])
			if i > 0 && i <= m {
				want = naive(&p, old, i, j)
			}
			if got := p.c.d[i*p.c.ld+j]; float64(got) != want {
				t.Fatalf("%d×%d×%d ta=%v mode %d: element (%d,%d) = %g, want %g", m, n, kk, ta, mode, i, j, got, want)
			}
		}
	}
}

// The value of an element does not depend on how the rows are cut into ranges.
func TestGemmDoesNotDependOnRanges(t *testing.T) {
	forKernels(t, func(t *testing.T, k *kernels) {
		r := rand.New(rand.NewPCG(3, 4))
		const m, n = 29, 100
		for _, ta := range []bool{false, true} {
			kk := 53
			a := randomMat(r, m, kk)
			if ta {
				kk = 2*contractRows + 5
				a = randomMat(r, kk, m)
			}
			p := product{a: a, b: randomMat(r, kk, n), c: newMat(m, n), ta: ta}
			p.rows(k, &gemmArgs{}, 0, m)
			whole := clone(p.c)
			for range 20 {
				clear(p.c.d)
				for lo := 0; lo < m; {
					hi := min(m, lo+1+r.IntN(12))
					p.rows(k, &gemmArgs{}, lo, hi)
					lo = hi
				}
				for i, x := range p.c.d {
					if x != whole.d[i] {
						t.Fatalf("ta=%v: element %d is %g in pieces, %g at once", ta, i, x, whole.d[i])
					}
				}
			}
		}
	})
}

// A product with one column has the bits it would have as the first of several.
func TestGemmSingle(t *testing.T) {
	forKernels(t, func(t *testing.T, k *kernels) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, terms := range []int{1, 15, 16, 17, 300} {
			for _, mode := range []gemmMode{gemmStore, gemmBias, gemmBiasReLU} {
				b, bias := randomMat(r, terms, 1), randomMat(r, 1, 1)
				p := product{a: randomMat(r, 53, terms), b: b, c: newMat(53, 1), mode: mode, aux: &bias.d[0]}
				p.rows(k, &gemmArgs{}, 0, 53)
				q := p
				q.c = newMat(53, 2)
				q.rows(k, &gemmArgs{}, 0, 53)
				if !slices.Equal(p.c.d, q.c.d) {
					t.Fatalf("%d terms, mode %d: %v, want %v", terms, mode, p.c.d, q.c.d)
				}
			}
		}
	})
}

// What is not a number stays so through every mode that does not drop the element.
func TestGemmKeepsNaN(t *testing.T) {
	forKernels(t, func(t *testing.T, k *kernels) {
		for _, mode := range gemmModes {
			a, b, aux := newMat(1, 1), newMat(1, 16), newMat(1, 16)
			a.d[0] = float32(math.NaN())
			for j := range 16 {
				b.d[j], aux.d[j] = 1, 1
			}
			p := product{a: a, b: b, c: newMat(1, 16), mode: mode, aux: &aux.d[0]}
			p.rows(k, &gemmArgs{}, 0, 1)
			for j, x := range p.c.d {
				if x == x {
					t.Fatalf("mode %d: column %d is %g, want NaN", mode, j, x)
				}
			}
		}
	})
}

func BenchmarkGemm(b *testing.B) {
	for _, k := range available() {
		for _, ta := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/ta=%v", k.name, ta), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 1))
				p := product{a: randomMat(r, 256, 300), b: randomMat(r, 300, 300), c: newMat(256, 300), ta: ta}
				flops := 2.0 * 256 * 300 * 300
				if ta {
					p.b, p.c = randomMat(r, 256, 300), newMat(300, 300)
				}
				var g gemmArgs
				for b.Loop() {
					p.rows(k, &g, 0, p.c.rows)
				}
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
