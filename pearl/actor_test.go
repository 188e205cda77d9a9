package pearl_test

import (
	"fmt"
	"testing"

	"nacre/core/cpu"
	"nacre/pearl"
	"nacre/sim"
)

// newPolicy makes the policy of the half-cheetah's size for calls of so many rows, and a call.
func newPolicy(t testing.TB, rows int, stochastic bool) (act func() error, done func()) {
	t.Helper()
	n := pearl.NewNetworks(pearl.Default(), 20, 6)
	d, err := cpu.New(cpu.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.NewMemory(n.Specs())
	if err != nil {
		t.Fatal(err)
	}
	a, err := pearl.NewActor(d, m, n, 1, rows)
	if err != nil {
		t.Fatal(err)
	}
	z, episodes, noise := make([][]float64, rows), make([]int, rows), []uint64(nil)
	for i := range rows {
		z[i], episodes[i] = make([]float64, n.Encoder.Latent), i
		if stochastic {
			noise = append(noise, uint64(i))
		}
	}
	var p sim.Policy = a.Policy(z, 1, noise)
	obs, actions := make([]float64, rows*20), make([]float64, rows*6)
	return func() error { return p.Act(0, episodes, nil, obs, actions) }, func() { a.Close() }
}

func TestActingAllocatesNothing(t *testing.T) {
	for _, rows := range []int{1, 7, 16, 64} {
		act, done := newPolicy(t, rows, true)
		n := testing.AllocsPerRun(20, func() {
			if err := act(); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%d rows: %g allocations per call", rows, n)
		}
		done()
	}
}

// BenchmarkAct times a call of the policy, 3×300 wide, for several environments at a time.
func BenchmarkAct(b *testing.B) {
	for _, rows := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			act, done := newPolicy(b, rows, false)
			defer done()
			for b.Loop() {
				if err := act(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows)/1e3, "µs/row")
		})
	}
}
