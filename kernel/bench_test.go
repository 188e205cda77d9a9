//go:build unix

package kernel_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStart is the time to a session that can run a cell.
func BenchmarkStart(b *testing.B) {
	for _, e := range engines {
		b.Run(e.name, func(b *testing.B) {
			for range b.N {
				s := e.start(b)
				if r, _ := execute(s, "1 + 1"); value(r) != "2" {
					b.Fatal(value(r))
				}
				s.Close()
			}
		})
	}
}

// BenchmarkCell is a cell's way from source to value.
func BenchmarkCell(b *testing.B) {
	for _, e := range engines {
		b.Run(e.name, func(b *testing.B) {
			s := e.start(b)
			execute(s, "x := 0")
			b.ResetTimer()
			for k := range b.N {
				if r, _ := execute(s, "x + 1"); r.Error != nil {
					b.Fatal(k, r.Error)
				}
			}
		})
	}
}

// BenchmarkCode is what running code costs, per operation, in time of the processor.
func BenchmarkCode(b *testing.B) {
	for _, code := range []struct{ name, code string }{
		{"float loop", "func run(n int) { s := 0.0; for i := 0; i < n; i++ { s += 1.5 } }"},
		{"slice sum", "func run(n int) { xs := make([]float64, 1000); s := 0.0; for i := 0; i < n; i++ { s += " +
			"xs[i%1000] } }"},
		{"matrix product", "func run(n int) { const m = 10; a, b, c := make([]float64, m*m), make([]float64, m*m), " +
			"make([]float64, m*m); for q := 0; q < n; q += m * m * m { for i := range m { for j := range m {\n" +
			"s := 0.0; for k := range m { s += a[i*m+k] * b[k*m+j] }\nc[i*m+j] = s } } } }"},
		{"matrix product, any size", "func mul(a, b, c []float64, m int) { for i := range m { for j := range m {\n" +
			"s := 0.0; for k := range m { s += a[i*m+k] * b[k*m+j] }\nc[i*m+j] = s } } }\n" +
			"func run(n int) { a, b, c := make([]float64, 100), make([]float64, 100), make([]float64, 100)\n" +
			"for q := 0; q < n; q += 1000 { mul(a, b, c, 10) } }"},
		{"insertion sort", "func run(n int) { xs := make([]int, 20); for q := 0; q < n; { for i := range xs { " +
			"xs[i] = (i * 7919) % 20 }; for i := 1; i < len(xs); i++ { for j := i; j > 0 && xs[j-1] > xs[j]; j-- { " +
			"xs[j-1], xs[j] = xs[j], xs[j-1]; q++ } } } }"},
		{"call", "func f(x int) int { return x }\nfunc run(n int) { for i := 0; i < n; i++ { f(i) } }"},
		{"method", "type T struct{ x int }\nfunc (t *T) inc() { t.x++ }\nfunc run(n int) { t := &T{}; for i := 0; i " +
			"< n; i++ { t.inc() } }"},
		{"interface call", "type I interface{ inc() }\ntype T struct{ x int }\nfunc (t *T) inc() { t.x++ }\n" +
			"func run(n int) { var t I = &T{}; for i := 0; i < n; i++ { t.inc() } }"},
		{"closure call", "func run(n int) { x := 0; f := func() { x++ }; for i := 0; i < n; i++ { f() } }"},
		{"float call", "func f(x float64) float64 { return x * 0.5 }\nfunc run(n int) { s := 0.0; for i := 0; i < n; " +
			"i++ { s += f(s + 1) } }"},
		{"vector method", "type V struct{ x, y float64 }\nfunc (v V) add(w V) V { return V{v.x + w.x, v.y + w.y} }\n" +
			"func run(n int) { v := V{}; for i := 0; i < n; i++ { v = v.add(V{1, 2}) } }"},
		{"float condition", "func f(x float64) float64 { return x - 1 }\nfunc run(n int) { x := float64(n); for f(x) " +
			"> 0 { x-- } }"},
		{"native call", "import \"math\"\nfunc run(n int) { for i := 0; i < n; i++ { math.Sqrt(2) } }"},
		{"defer", "func f() { defer func() {}() }\nfunc run(n int) { for i := 0; i < n; i++ { f() } }"},
	} {
		for _, e := range engines {
			b.Run(code.name+"/"+e.name, func(b *testing.B) {
				s := e.start(b)
				if r, _ := execute(s, code.code); r.Error != nil {
					b.Fatal(r.Error)
				}
				b.ResetTimer()
				start := processor(b)
				if r, _ := execute(s, fmt.Sprintf("run(%d)", b.N)); r.Error != nil {
					b.Fatal(r.Error)
				}
				b.ReportMetric(float64((processor(b)-start).Nanoseconds())/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// processor is the time that this process has spent on processors.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
