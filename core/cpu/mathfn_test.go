package cpu

import (
	"math"
	"slices"
	"testing"
)

var mathFunctions = []struct {
	name string
	f    func(float32) float32
	ref  func(float64) float64
}{
	{"exp", exp32, math.Exp},
	{"log", log32, math.Log},
	{"log1p", log1p32, math.Log1p},
	{"tanh", tanh32, math.Tanh},
	{"sqrt", sqrt32, math.Sqrt},
	{"sigmoid", sigmoid32, func(x float64) float64 {
		if x < 0 {
			return math.Exp(x) / (1 + math.Exp(x))
		}
		return 1 / (1 + math.Exp(-x))
	}},
	{"softplus", softplus32, func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }},
}

// ulps is the distance of got from want in units of the last place of a float32 of want's size. Infinities and NaN
// are right or infinitely wrong.
func ulps(got float32, want float64) float64 {
	r := float32(want)
	switch {
	case got == r && math.IsInf(float64(r), 0), got != got && r != r:
		return 0
	case got != got || r != r:
		return math.Inf(1)
	}
	return math.Abs(float64(got)-want) / spacing(want)
}

// spacing is the distance between the float32 numbers around x.
func spacing(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e, -125)-24)
}

var inf = float32(math.Inf(1))

// functionEdges are arguments at which functions change their way or their result's kind.
var functionEdges = []float32{0, float32(math.Copysign(0, -1)), 1, -1, inf, -inf, float32(math.NaN()),
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, math.MaxFloat32, -math.MaxFloat32,
	0x1p-126, 88.72283, 88.722839, -87.33654, -103.97208, -103.9721, 9.0109, 0.25, -0.25, 0.41421354,
	-0.29289323, 16777216}

// Every function against float64 on a fine comb of all float32 bit patterns, both signs, and on the edges.
func TestFunctionsOverTheWholeRange(t *testing.T) {
	for _, fn := range mathFunctions {
		worst, where := 0.0, float32(0)
		check := func(x float32) {
			want := fn.ref(float64(x))
			if e := ulps(fn.f(x), want); !(e <= worst) {
				worst, where = e, x
			}
		}
		for _, x := range functionEdges {
			check(x)
		}
		for bits := uint64(0); bits < 1<<32; bits += 4099 {
			check(math.Float32frombits(uint32(bits)))
		}
		if !(worst <= 0.51) {
			t.Errorf("%s(%g) = %g, want %g: %.3f units in the last place", fn.name, where, fn.f(where),
				fn.ref(float64(where)), worst)
		}
	}
}

// The vector kernels against float64 on a coarser comb: the same bound.
func TestVectorFunctions(t *testing.T) {
	forKernels(t, func(t *testing.T, k *kernels) {
		for name, f := range map[string]func(*vecArgs){"exp": k.exp, "log": k.log, "tanh": k.tanh, "sigmoid": k.sigmoid,
			"softplus": k.softplus} {
			var ref func(float64) float64
			for _, fn := range mathFunctions {
				if fn.name == name {
					ref = fn.ref
				}
			}
			xs := slices.Clone(functionEdges)
			for bits := uint64(0); bits < 1<<32; bits += 16411 {
				xs = append(xs, math.Float32frombits(uint32(bits)))
			}
			x, y := newMat(1, len(xs)), newMat(1, len(xs))
			copy(x.d, xs)
			v := &vecArgs{}
			v.result(y, false)
			v.a, v.lda, v.stepA = &x.d[0], int64(4*x.ld), 64
			f(v)
			worst, where := 0.0, 0
			for i, x := range xs {
				if e := ulps(y.d[i], ref(float64(x))); !(e <= worst) {
					worst, where = e, i
				}
			}
			if !(worst <= 0.51) {
				t.Errorf("%s(%g) = %g, want %g: %.3f units in the last place", name, xs[where], y.d[where],
					ref(float64(xs[where])), worst)
			}
		}
	})
}

func TestAbsAndSign(t *testing.T) {
	for x, want := range map[float32][2]float32{-2: {2, -1}, 0: {0, 0}, 0.5: {0.5, 1}} {
		if abs32(x) != want[0] || sign32(x) != want[1] {
			t.Errorf("x = %g: abs %g, sign %g, want %v", x, abs32(x), sign32(x), want)
		}
	}
	if nan := float32(math.NaN()); sign32(nan) == sign32(nan) || abs32(nan) == abs32(nan) {
		t.Error("abs or sign of NaN is a number")
	}
}

func BenchmarkFunctions(b *testing.B) {
	x := make([]float32, 1024)
	for i := range x {
		x[i] = float32(i)/256 + 0.001
	}
	for _, fn := range mathFunctions {
		b.Run(fn.name, func(b *testing.B) {
			for b.Loop() {
				for i, v := range x {
					x[i] = v + 0*fn.f(v)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/element")
		})
	}
}
