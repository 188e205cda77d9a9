//go:build go1.27 && goexperiment.simd && (wasm || arm64)

package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// bitsOf are the bits of x, those of any NaN being the same.
func bitsOf(x []float32) []uint32 {
	out := make([]uint32, len(x))
	for i, v := range x {
		if v != v {
			v = float32(math.NaN())
		}
		out[i] = math.Float32bits(v)
	}
	return out
}

// same calls f with the kernels on vectors and with plain Go, each with the same random numbers, and compares the bits
// of what it returns.
func same(t *testing.T, name string, f func(k *kernels, r *rand.Rand) []float32) {
	t.Helper()
	got, want := f(&simd128, rand.New(rand.NewPCG(1, 2))), f(&goKernels, rand.New(rand.NewPCG(1, 2)))
	if g, w := bitsOf(got), bitsOf(want); !slices.Equal(g, w) {
		for i := range g {
			if g[i] != w[i] {
				t.Errorf("%s: value %d is %g (%#08x), in plain Go %g (%#08x)", name, i, got[i], g[i], want[i], w[i])
				return
			}
		}
	}
}

func TestVectorsEqualPlainGoInProducts(t *testing.T) {
	for _, ta := range []bool{false, true} {
		for _, mode := range gemmModes {
			for _, terms := range []int{1, 2, 7, 64, 127} {
				same(t, "product", func(k *kernels, r *rand.Rand) []float32 {
					a := randomMat(r, 23, terms)
					if ta {
						a = randomMat(r, terms, 23)
					}
					aux := randomMat(r, 23, 40)
					p := product{a: a, b: randomMat(r, terms, 40), c: randomMat(r, 23, 40), ta: ta, mode: mode,
						aux: &aux.d[0]}
					p.rows(k, &gemmArgs{}, 0, 23)
					return p.c.d
				})
			}
		}
	}
}

func TestVectorsEqualPlainGoInElements(t *testing.T) {
	values := append(slices.Clone(functionEdges), 0.5, 2, -3)
	for name, pick := range map[string]func(*kernels) func(*vecArgs){
		"add": func(k *kernels) func(*vecArgs) {
			return k.add
		}, "sub": func(k *kernels) func(*vecArgs) { return k.sub },
		"mul": func(k *kernels) func(*vecArgs) {
			return k.mul
		}, "div": func(k *kernels) func(*vecArgs) { return k.div },
		"min": func(k *kernels) func(*vecArgs) {
			return k.min
		}, "max": func(k *kernels) func(*vecArgs) { return k.max },
		"reluGrad": func(k *kernels) func(*vecArgs) {
			return k.reluGrad
		}, "less": func(k *kernels) func(*vecArgs) { return k.less },
		"tanhGrad": func(k *kernels) func(*vecArgs) {
			return k.tanhGrad
		}, "clampGrad": func(k *kernels) func(*vecArgs) { return k.clampGrad },
		"affine": func(k *kernels) func(*vecArgs) {
			return k.affine
		}, "clamp": func(k *kernels) func(*vecArgs) { return k.clamp },
	} {
		for _, column := range []bool{false, true} {
			same(t, name, func(k *kernels, r *rand.Rand) []float32 {
				a, b, out := newMat(len(values), len(values)), newMat(len(values), len(values)),
					newMat(len(values), len(values))
				for i := range values {
					for j, y := range values {
						a.row(i)[j], b.row(i)[j] = values[i], y
					}
				}
				v := &vecArgs{s0: -0.3, s1: 0.7}
				v.result(out, false)
				v.a, v.lda, v.stepA = &a.d[0], int64(4*a.ld), 64
				v.b, v.ldb, v.stepB = &b.d[0], int64(4*b.ld), 64
				if column {
					v.a, v.lda, v.stepA, v.colA, v.ldColA = &v.bufA[0], 0, 0, &a.d[0], int64(4*a.ld)
				}
				pick(k)(v)
				return out.d
			})
		}
	}
}

func TestVectorsEqualPlainGoInFunctions(t *testing.T) {
	xs := slices.Clone(functionEdges)
	for bits := uint64(0); bits < 1<<32; bits += 65537 / 4 {
		xs = append(xs, math.Float32frombits(uint32(bits)))
	}
	for name, pick := range map[string]func(*kernels) func(*vecArgs){
		"exp": func(k *kernels) func(*vecArgs) {
			return k.exp
		}, "log": func(k *kernels) func(*vecArgs) { return k.log },
		"tanh": func(k *kernels) func(*vecArgs) {
			return k.tanh
		}, "sigmoid": func(k *kernels) func(*vecArgs) { return k.sigmoid },
		"softplus": func(k *kernels) func(*vecArgs) { return k.softplus },
	} {
		same(t, name, func(k *kernels, _ *rand.Rand) []float32 {
			x, y := newMat(1, len(xs)), newMat(1, len(xs))
			copy(x.d, xs)
			v := &vecArgs{}
			v.result(y, false)
			v.a, v.lda, v.stepA = &x.d[0], int64(4*x.ld), 64
			pick(k)(v)
			return y.d
		})
	}
}

func TestVectorsEqualPlainGoInUpdatesAndSums(t *testing.T) {
	same(t, "adam", func(k *kernels, r *rand.Rand) []float32 {
		m := randomMat(r, 4, 48)
		for i, x := range m.row(3) {
			m.row(3)[i] = x * x
		}
		k.adam(&adamArgs{n: 48, w: &m.d[0], g: &m.d[48], m: &m.d[96], v: &m.d[144],
			b1: 0.9, omb1: 0.1, b2: 0.999, omb2: 0.001, step: 3e-3, eps: 1e-8, scale: 1000})
		return m.d
	})
	same(t, "ema", func(k *kernels, r *rand.Rand) []float32 {
		m := randomMat(r, 2, 48)
		k.ema(&emaArgs{n: 48, dst: &m.d[0], src: &m.d[48], keep: 0.995, take: 0.005})
		return m.d
	})
	for _, add := range []int64{0, 1} {
		same(t, "sum of rows", func(k *kernels, r *rand.Rand) []float32 {
			m := randomMat(r, 38, 48)
			k.colSum(&sumArgs{rows: 37, src: &m.d[48], ld: 4 * 48, dst: &m.d[0], cols: 48, add: add})
			return m.d
		})
	}
	same(t, "sum of lanes", func(k *kernels, r *rand.Rand) []float32 {
		m := randomMat(r, 5, 48)
		k.sumLanes(&laneArgs{n: 48, dst: &m.d[0], src: &m.d[48], stride: 4 * 48, lanes: 4})
		return m.d
	})
	for _, cols := range []int64{1, 4, 21} {
		same(t, "transpose", func(k *kernels, r *rand.Rand) []float32 {
			m, mT := randomMat(r, 16, 21), newMat(21, 16)
			k.transpose(&transposeArgs{src: &m.d[0], lds: int64(4 * m.ld), dst: &mT.d[0], ldd: int64(4 * mT.ld),
				cols: cols, rows: 16})
			return mT.d
		})
	}
}
