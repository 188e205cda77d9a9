package lanes

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// kernelCase makes fresh arguments and returns the calls of one kernel with them.
type kernelCase struct {
	name string
	run  func(s *Set, r *rand.Rand) any
}

func fill[T ~[]float32](r *rand.Rand, v T) T {
	for i := range v {
		v[i] = float32(r.NormFloat64() * 3)
	}
	return v
}

func vectors(r *rand.Rand, n int) []Vec {
	v := make([]Vec, n)
	for i := range v {
		fill(r, v[i][:])
	}
	return v
}

func stageArgs(r *rand.Rand, blocks, l, radix int) *StageArgs {
	return &StageArgs{Re: vectors(r, blocks*l), Im: vectors(r, blocks*l), L: l,
		Tw: fill(r, make([]float32, l/radix*2*(radix-1)))}
}

func cases() []kernelCase {
	out := []kernelCase{
		{"repel", func(s *Set, r *rand.Rand) any {
			v := vectors(r, 5+4*7)
			a := &RepelArgs{X: &v[0], Y: &v[1], FX: &v[2], FY: &v[3], Z: &v[4], OX: &v[5], OY: &v[12], OFX: &v[19],
				OFY: &v[26], Count: 7}
			s.Repel(a)
			return v
		}},
		{"attract", func(s *Set, r *rand.Rand) any {
			const rows, points = 37, 500
			a := &AttractArgs{Y: fill(r, make([]float32, 2*points)), Own: fill(r, make([]float32, 2*rows)),
				Out: make([]float32, 2*rows)}
			a.Ptr = []int32{1}
			for i := range rows {
				a.Ptr = append(a.Ptr, a.Ptr[i]+int32(i%5))
			}
			for range 16 * a.Ptr[rows] {
				a.Col = append(a.Col, int32(r.IntN(points)))
			}
			a.Val = fill(r, make([]float32, len(a.Col)))
			s.Attract(a)
			return a.Out
		}},
		{"near", func(s *Set, r *rand.Rand) any {
			var out []NearArgs
			for d := 1; d < 20; d++ {
				a := NearArgs{Block: vectors(r, d), Q: fill(r, make([]float32, 4*d)),
					Limit: [4]float32{float32(10 * d), float32(20 * d), 0, float32(math.Inf(1))}}
				s.Near(&a)
				out = append(out, a)
			}
			return out
		}},
		{"scale", func(s *Set, r *rand.Rand) any {
			a := &ScaleArgs{Re: vectors(r, 9), Im: vectors(r, 9), K: vectors(r, 9)}
			s.Scale(a)
			return a
		}},
		{"transpose", func(s *Set, r *rand.Rand) any {
			var a, b [Width]Vec
			copy(a[:], vectors(r, 16))
			s.Transpose(&TransposeArgs{Dst: &b, Src: &a})
			return b
		}},
		{"spread", func(s *Set, r *rand.Rand) any {
			a := splineArgs(r)
			s.Spread(a)
			return a.Grid
		}},
		{"gather", func(s *Set, r *rand.Rand) any {
			a := splineArgs(r)
			s.Gather(a)
			for i := 3; i < len(a.Out); i += 4 {
				a.Out[i] = 0
			}
			return a.Out
		}},
		{"move", func(s *Set, r *rand.Rand) any {
			var out []*MoveArgs
			for _, clip := range []float32{5, float32(math.Inf(1))} {
				v := fill(r, make([]float32, 5*64))
				a := &MoveArgs{Y: v[:64], Step: v[64:128], Gain: v[128:192], Att: v[192:256], Rep: v[256:],
					Exaggeration: 12, InvZ: 0.3, Momentum: 0.8, Rate: 2, Clip: clip}
				s.Move(a)
				out = append(out, a)
			}
			return out
		}},
	}
	for name, pick := range map[string]func(*Set) func(*SplitArgs){
		"split": func(s *Set) func(*SplitArgs) {
			return s.Split
		}, "join": func(s *Set) func(*SplitArgs) { return s.Join },
	} {
		out = append(out, kernelCase{name, func(s *Set, r *rand.Rand) any {
			a := &SplitArgs{Re: vectors(r, 40), Im: vectors(r, 40), Half: new([64]Vec)}
			copy(a.Half[:], vectors(r, 64))
			for i := range 16 {
				a.At = append(a.At, int32(i), int32(30-2*i%32+i))
			}
			a.At[0], a.At[1] = 39, 39
			pick(s)(a)
			return a
		}})
	}
	for _, radix := range []int{2, 3, 4} {
		out = append(out, kernelCase{"forward " + string(rune('0'+radix)), func(s *Set, r *rand.Rand) any {
			a := stageArgs(r, 3, 5*radix, radix)
			s.Forward[radix](a)
			return a
		}}, kernelCase{"inverse " + string(rune('0'+radix)), func(s *Set, r *rand.Rand) any {
			a := stageArgs(r, 3, 5*radix, radix)
			s.Inverse[radix](a)
			return a
		}})
	}
	return out
}

func splineArgs(r *rand.Rand) *SplineArgs {
	a := &SplineArgs{Grid: fill(r, make([]float32, 40*50)), Stride: 50, Self: fill(r, make([]float32, 17*17*4)),
		Out: make([]float32, 4*100)}
	for range 100 {
		a.U = append(a.U, 2+r.Float32()*40, 2+r.Float32()*33)
	}
	a.U[0], a.U[1], a.U[3] = 2, 34.999996, 7
	return a
}

// Every set gives the bits of plain Go.
func TestSetsAgree(t *testing.T) {
	sets := Available()
	t.Logf("%d sets here", len(sets))
	for _, c := range cases() {
		want := c.run(&plain, rand.New(rand.NewPCG(1, 2)))
		for _, s := range sets[:len(sets)-1] {
			if got := c.run(s, rand.New(rand.NewPCG(1, 2))); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s differs from plain Go", c.name, s.Name)
			}
		}
	}
}

// The definitions themselves, against float64 written another way.
func TestRepelIsEveryPair(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	v := vectors(r, 12)
	for i := 4; i < 12; i++ {
		if i == 4 || i >= 8 {
			v[i] = Vec{}
		}
	}
	var fx, fy, z Vec
	repel(&RepelArgs{X: &v[0], Y: &v[1], FX: &fx, FY: &fy, Z: &z, OX: &v[2], OY: &v[4], OFX: &v[8], OFY: &v[10],
		Count: 2})
	for l := range Width {
		var wx, wz float64
		for g := range 2 {
			for m := range Width {
				dx, dy := float64(v[0][l])-float64(v[2+g][m]), float64(v[1][l])-float64(v[4+g][m])
				w := 1 / (1 + dx*dx + dy*dy)
				wz += w
				wx += w * w * dx
			}
		}
		if math.Abs(float64(fx[l])-wx) > 2e-6 || math.Abs(float64(z[l])-wz) > 2e-5 {
			t.Errorf("lane %d: force %v, want %v; Σw %v, want %v", l, fx[l], wx, z[l], wz)
		}
	}
	var back, own float64
	for l := range Width {
		own += float64(fx[l])
		back += float64(v[8][l]) + float64(v[9][l])
	}
	if math.Abs(own+back) > 1e-5 {
		t.Errorf("action %v and reaction %v", own, back)
	}
}

// B-splines of order 6: a partition of one that reproduces straight lines, whose slopes reproduce their slope.
func TestSplinePieces(t *testing.T) {
	for _, x := range []float32{0, 0.25, 0.7, 0.999} {
		var w, d [6]float32
		splineValue.at(x, &w)
		splineSlope.at(x, &d)
		var one, line, slope float64
		for k := range 6 {
			one += float64(w[k])
			line += float64(w[k]) * float64(k-2)
			slope += float64(d[k]) * float64(k-2)
		}
		if math.Abs(one-1) > 1e-6 || math.Abs(line-float64(x)) > 1e-6 || math.Abs(slope-1) > 1e-6 {
			t.Errorf("at %v: Σw %v, Σwk %v, Σw'k %v", x, one, line, slope)
		}
	}
	var w [6]float32
	splineValue.at(0, &w)
	for k, want := range []float64{1, 26, 66, 26, 1, 0} {
		if math.Abs(float64(w[k])*120-want) > 1e-4 {
			t.Errorf("B₆ at node %d is %v/120, want %v/120", k, w[k]*120, want)
		}
	}
}

func TestSelect(t *testing.T) {
	if _, err := Select("sse"); err == nil {
		t.Error("unknown kernels were accepted")
	}
	if s, err := Select("go"); err != nil || s.Name != "go" {
		t.Errorf("got %v, %v", s, err)
	}
}

func BenchmarkKernels(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	v := vectors(r, 5+4*8)
	rep := &RepelArgs{X: &v[0], Y: &v[1], FX: &v[2], FY: &v[3], Z: &v[4], OX: &v[5], OY: &v[13], OFX: &v[21],
		OFY: &v[29], Count: 8}
	att := &AttractArgs{Y: fill(r, make([]float32, 20000)), Own: make([]float32, 200), Out: make([]float32, 200)}
	for i := range 101 {
		att.Ptr = append(att.Ptr, int32(9*i))
	}
	for range 16 * 900 {
		att.Col = append(att.Col, int32(r.IntN(10000)))
	}
	att.Val = fill(r, make([]float32, len(att.Col)))
	near := &NearArgs{Block: vectors(r, 50), Q: make([]float32, 200)}
	fwd, inv := stageArgs(r, 4, 256, 4), stageArgs(r, 4, 256, 4)
	spl := splineArgs(r)
	for _, s := range Available() {
		for _, c := range []struct {
			name string
			unit float64
			f    func()
		}{
			{"repel/pair", 16 * 128 * 2, func() { s.Repel(rep) }},
			{"attract/edge", 16 * 900, func() { s.Attract(att) }},
			{"near/pairdim", 64 * 50, func() { s.Near(near) }},
			{"forward4/value", 16 * 1024, func() { s.Forward[4](fwd) }},
			{"inverse4/value", 16 * 1024, func() { s.Inverse[4](inv) }},
			{"spread/point", 100, func() { s.Spread(spl) }},
			{"gather/point", 100, func() { s.Gather(spl) }},
		} {
			b.Run(s.Name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					c.f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/c.unit, "ns/unit")
			})
		}
	}
}
