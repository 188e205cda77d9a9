package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// halfKernelSets are the kernels with products in bfloat16, none on machines without a matrix unit.
func halfKernelSets(t testing.TB) []*kernels {
	sets := inHalves()
	if len(sets) == 0 {
		t.Skip("this machine has no matrix unit")
	}
	return sets
}

// halfProduct computes a product as steps do: by a parameter, by a parameter's transpose, or Aᵀ·B.
func halfProduct(k *kernels, a, b, c mat, mode gemmMode, aux *float32, kind string) {
	terms := b.rows
	w := &worker{k: k, half: newHalfScratch(2*max(tileWords(a.rows, terms), tileWords(a.cols, terms)),
		2*tileWords(c.cols, terms))}
	p := product{c: c, mode: mode, aux: aux}
	if kind == "contract" {
		p.contractHalves(w, &a, &b)
		return
	}
	par := &param{w: b}
	par.spec.Rows, par.spec.Cols = b.rows, b.cols
	if kind == "transposed" {
		par.w = newMat(b.cols, b.rows)
		b.transposeInto(&par.w, 0, b.rows)
		par.spec.Rows, par.spec.Cols = b.cols, b.rows
	}
	p.byHalves(w, &a, par.needHalves(k, kind == "transposed"))
}

func tileWords(across, terms int) int { h := newHalves(across, terms); return h.words() }

// Small whole numbers are exact in bfloat16, so the products must be: every mode, at odd shapes.
func TestHalfProductsAgainstLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range halfKernelSets(t) {
		for _, m := range []int{1, 16, 17, 33, 64} {
			for _, n := range []int{1, 16, 31, 48, 70} {
				for _, terms := range []int{1, 2, 16, 31, 33, 64, 90} {
					for _, kind := range []string{"plain", "transposed", "contract"} {
						for _, mode := range gemmModes {
							a := integerMat(r, m, terms)
							if kind == "contract" {
								a = integerMat(r, terms, m)
							}
							aux := integerMat(r, m, n)
							p := product{a: a, b: integerMat(r, terms, n), c: integerMat(r, m, n),
								ta: kind == "contract", mode: mode, aux: &aux.d[0]}
							old := clone(p.c)
							halfProduct(k, p.a, p.b, p.c, mode, p.aux, kind)
							for i := range m {
								for j := range p.c.ld {
									if got, want := float64(p.c.d[i*p.c.ld+j]), naive(&p, old, i, j); got != want {
										t.Fatalf("%s: %s %d×%d×%d mode %d: element (%d,%d) = %g, want %g", k.name, kind,
											m, n, terms, mode, i, j, got, want)
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

// The stated precision: of the sum of the terms' sizes, 2⁻¹⁵ with three products (a term is off by 3·2⁻¹⁸ at most, and
// rounding of the sum comes on top), 2⁻⁷ with one (2·2⁻⁹).
func TestHalfPrecision(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, k := range halfKernelSets(t) {
		limit, worst := 0x1p-7, 0.0
		if k.half.low {
			limit = 0x1p-15
		}
		a, b, c := randomMat(r, 64, 300), randomMat(r, 300, 96), newMat(64, 96)
		halfProduct(k, a, b, c, gemmStore, nil, "plain")
		for i := range c.rows {
			for j := range c.cols {
				sum, size := 0.0, 0.0
				for x := range a.cols {
					y := float64(a.row(i)[x]) * float64(b.row(x)[j])
					sum, size = sum+y, size+math.Abs(y)
				}
				worst = max(worst, math.Abs(float64(c.row(i)[j])-sum)/size)
			}
		}
		t.Logf("%s: %.2g", k.name, worst)
		if !(worst <= limit) {
			t.Errorf("%s: error %g of the terms' sizes, want at most %g", k.name, worst, limit)
		}
	}
}

func BenchmarkHalfProduct(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range halfKernelSets(b) {
		for _, kind := range []string{"plain", "contract"} {
			b.Run(k.name+"/"+kind, func(b *testing.B) {
				const n = 300
				x, y, c := randomMat(r, 256, n), randomMat(r, n, n), newMat(256, n)
				w := &worker{k: k, half: newHalfScratch(2*tileWords(512, 512), 2*tileWords(512, 512))}
				par := &param{w: y}
				par.spec.Rows, par.spec.Cols = n, n
				cut := par.needHalves(k, false)
				g, dw := randomMat(r, 256, n), newMat(n, n)
				for b.Loop() {
					if kind == "plain" {
						p := product{c: c, mode: gemmStore}
						p.byHalves(w, &x, cut)
					} else {
						p := product{c: dw, mode: gemmStore}
						p.contractHalves(w, &x, &g)
					}
				}
				b.ReportMetric(2*256*n*n*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}
