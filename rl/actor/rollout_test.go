package actor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"nacre/core/cpu"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/rl/actor"
)

// newPolicy makes the policy of the half-cheetah's size for calls of so many rows, and a call.
func newPolicy(t testing.TB, rows int, stochastic bool) (act func() error, done func()) {
	t.Helper()
	policy := actor.Policy{
		Net: nn.MLP{Name: "policy", In: 25, Hidden: []int{300, 300, 300}, Out: 12, Act: op.ReLU}, Obs: 20,
		Condition: 5, Act: 6,
	}
	d, err := cpu.New(cpu.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.NewMemory(policy.Net.Specs())
	if err != nil {
		t.Fatal(err)
	}
	a, err := actor.New(d, m, policy, 1, rows)
	if err != nil {
		t.Fatal(err)
	}
	z, episodes, noise := make([][]float64, rows), make([]int, rows), []*rand.Rand(nil)
	for i := range rows {
		z[i], episodes[i] = make([]float64, 5), i
		if stochastic {
			noise = append(noise, rand.New(rand.NewPCG(uint64(i), 1)))
		}
	}
	p := a.Policy(z, noise)
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
