package cpu

import "math"

func addGo(v *vecArgs) { vecGo(v, addRow) }
func subGo(v *vecArgs) { vecGo(v, subRow) }
func mulGo(v *vecArgs) { vecGo(v, mulRow) }
func divGo(v *vecArgs) { vecGo(v, divRow) }
func minGo(v *vecArgs) { vecGo(v, minRow) }
func maxGo(v *vecArgs) { vecGo(v, maxRow) }

func reluGradGo(v *vecArgs) { vecGo(v, reluGradRow) }
func affineGo(v *vecArgs)   { vecGo(v, affineRow) }
func clampGo(v *vecArgs)    { vecGo(v, clampRow) }

func expGo(v *vecArgs)      { vecGo(v, expRow) }
func logGo(v *vecArgs)      { vecGo(v, logRow) }
func tanhGo(v *vecArgs)     { vecGo(v, tanhRow) }
func sigmoidGo(v *vecArgs)  { vecGo(v, sigmoidRow) }
func softplusGo(v *vecArgs) { vecGo(v, softplusRow) }

var (
	expRow      = mapped(exp32)
	logRow      = mapped(log32)
	tanhRow     = mapped(tanh32)
	sigmoidRow  = mapped(sigmoid32)
	softplusRow = mapped(softplus32)
)

// mapped returns f as a function of rows.
func mapped(f func(float32) float32) func(v *vecArgs, dst, a, b []float32) {
	return func(_ *vecArgs, dst, a, _ []float32) {
		if len(a) == 1 {
			y := f(a[0])
			for i := range dst {
				dst[i] = y
			}
			return
		}
		for i, x := range a[:len(dst)] {
			dst[i] = f(x)
		}
	}
}

func lessGo(v *vecArgs)      { vecGo(v, lessRow) }
func tanhGradGo(v *vecArgs)  { vecGo(v, tanhGradRow) }
func clampGradGo(v *vecArgs) { vecGo(v, clampGradRow) }

// vecGo applies f to every row. A column is passed to f as a slice of one value. The masked columns of a row's last
// chunk are cleared afterwards.
func vecGo(v *vecArgs, f func(v *vecArgs, dst, a, b []float32)) {
	n := 16 * v.chunks
	for r := range v.rows {
		dst := floats(at(v.dst, r*v.ldd), n)
		a := operandRow(v.a, v.lda, v.colA, v.ldColA, r, n)
		b := a
		if v.b != nil || v.colB != nil {
			b = operandRow(v.b, v.ldb, v.colB, v.ldColB, r, n)
		}
		f(v, dst, a, b)
		for i, keep := range v.mask {
			if keep == 0 {
				dst[int(n)-16+i] = 0
			}
		}
	}
}

func operandRow(wide *float32, ld int64, col *float32, ldCol, r, n int64) []float32 {
	if col != nil {
		return floats(at(col, r*ldCol), 1)
	}
	return floats(at(wide, r*ld), n)
}

// pairs calls f for every element of a row, repeating an operand of one value.
func pairs(dst, a, b []float32, f func(x, y float32) float32) {
	switch {
	case len(a) == 1 && len(b) == 1:
		y := f(a[0], b[0])
		for i := range dst {
			dst[i] = y
		}
	case len(a) == 1:
		for i, y := range b[:len(dst)] {
			dst[i] = f(a[0], y)
		}
	case len(b) == 1:
		for i, x := range a[:len(dst)] {
			dst[i] = f(x, b[0])
		}
	default:
		b = b[:len(dst)]
		for i, x := range a[:len(dst)] {
			dst[i] = f(x, b[i])
		}
	}
}

func addRow(_ *vecArgs, dst, a, b []float32) {
	pairs(dst, a, b, func(x, y float32) float32 { return x + y })
}

func subRow(_ *vecArgs, dst, a, b []float32) {
	pairs(dst, a, b, func(x, y float32) float32 { return x - y })
}

func mulRow(_ *vecArgs, dst, a, b []float32) {
	pairs(dst, a, b, func(x, y float32) float32 { return x * y })
}

func divRow(_ *vecArgs, dst, a, b []float32) {
	pairs(dst, a, b, func(x, y float32) float32 { return x / y })
}

func minRow(_ *vecArgs, dst, a, b []float32) {
	pairs(dst, a, b, func(x, y float32) float32 { return min(x, y) })
}

func maxRow(_ *vecArgs, dst, a, b []float32) {
	pairs(dst, a, b, func(x, y float32) float32 { return max(x, y) })
}

func reluGradRow(_ *vecArgs, dst, y, g []float32) {
	pairs(dst, y, g, func(y, g float32) float32 {
		if y > 0 {
			return g
		}
		return 0
	})
}

// lessRow is the derivative of min(x, y) by x.
func lessRow(_ *vecArgs, dst, a, b []float32) {
	pairs(dst, a, b, func(x, y float32) float32 {
		switch {
		case x < y:
			return 1
		case x == y:
			return 0.5
		}
		return 0
	})
}

func tanhGradRow(_ *vecArgs, dst, y, g []float32) {
	pairs(dst, y, g, func(y, g float32) float32 { return g * (1 - float32(y*y)) })
}

func clampGradRow(v *vecArgs, dst, a, g []float32) {
	lo, hi := v.s0, v.s1
	pairs(dst, a, g, func(x, g float32) float32 {
		if x >= lo && x <= hi {
			return g
		}
		return 0
	})
}

func affineRow(v *vecArgs, dst, a, b []float32) {
	s0, s1 := v.s0, v.s1
	pairs(dst, a, b, func(x, _ float32) float32 { return float32(s0*x) + s1 })
}

func clampRow(v *vecArgs, dst, a, b []float32) {
	lo, hi := v.s0, v.s1
	pairs(dst, a, b, func(x, _ float32) float32 { return min(max(x, lo), hi) })
}

func colSumGo(s *sumArgs) {
	dst := floats(s.dst, s.cols)
	for j := int64(0); j < s.cols; j += 4 {
		var t0, t1, t2, t3 float32
		for r := range s.rows {
			x := (*[4]float32)(floats(at(s.src, r*s.ld+4*j), 4))
			t0 += x[0]
			t1 += x[1]
			t2 += x[2]
			t3 += x[3]
		}
		d := (*[4]float32)(dst[j:])
		if s.add == 0 {
			*d = [4]float32{}
		}
		d[0] += t0
		d[1] += t1
		d[2] += t2
		d[3] += t3
	}
}

func adamGo(a *adamArgs) {
	w, g, m, v := floats(a.w, a.n), floats(a.g, a.n), floats(a.m, a.n), floats(a.v, a.n)
	for i, x := range g {
		m[i] = float32(a.b1*m[i]) + float32(a.omb1*x)
		v[i] = float32(a.b2*v[i]) + float32(a.omb2*float32(x*x))
		w[i] -= float32(a.step * (m[i] / (float32(math.Sqrt(float64(float32(v[i]*a.scale)))) + a.eps)))
	}
}

// squaresGo computes four interleaved sums, so that additions need not wait for each other.
func squaresGo(a *squareArgs) {
	for src := floats(a.src, a.n); len(src) >= 4; src = src[4:] {
		for j := range 4 {
			x := float64(src[j])
			a.sum[j] += x * x
		}
	}
}

func emaGo(e *emaArgs) {
	dst, src := floats(e.dst, e.n), floats(e.src, e.n)
	for i, x := range src {
		dst[i] = float32(e.keep*dst[i]) + float32(e.take*x)
	}
}

// peakGo runs eight independent chains of a multiplication and an addition.
func peakGo(p *peakArgs) {
	var a, b, c, d, e, f, g, h float32
	x, y := peakFactor, peakTerm
	for range p.n {
		a = float32(a*x) + y
		b = float32(b*x) + y
		c = float32(c*x) + y
		d = float32(d*x) + y
		e = float32(e*x) + y
		f = float32(f*x) + y
		g = float32(g*x) + y
		h = float32(h*x) + y
	}
	peakResult = a + b + c + d + e + f + g + h
}

// These are variables, so that the compiler cannot compute the loop of peakGo beforehand.
var peakFactor, peakTerm float32 = 0.5, 1

//lint:ignore U1000 it is written so that the compiler cannot leave the loop out
var peakResult float32

func sumLanesGo(a *laneArgs) {
	dst := floats(a.dst, a.n)
	copy(dst, floats(a.src, a.n))
	for l := int64(1); l < a.lanes; l++ {
		for i, x := range floats(at(a.src, l*a.stride), a.n) {
			dst[i] += x
		}
	}
}

func transposeGo(a *transposeArgs) {
	lds := a.lds / 4
	src := floats(a.src, (a.rows-1)*lds+a.cols)
	for j := range a.cols {
		dst := floats(at(a.dst, j*a.ldd), a.rows)
		for i := range dst {
			dst[i] = src[int64(i)*lds+j]
		}
	}
}
