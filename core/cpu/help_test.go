package cpu

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// A product that others help with has the bits of one that a worker computes alone, stored or added to what is there.
// WebAssembly has one thread: an owner that does not wait is done before anybody can help.
func TestHelp(t *testing.T) {
	const rows, terms, cols = 120, 200, 70
	r := rand.New(rand.NewPCG(5, 6))
	random := func(rows, cols int) mat {
		m := newMat(rows, cols)
		for i := range rows {
			for j := range m.row(i) {
				m.row(i)[j] = float32(r.NormFloat64())
			}
		}
		return m
	}
	a, at, b := random(rows, terms), random(terms, rows), random(terms, cols)
	for _, k := range available() {
		for _, p := range []product{{a: a, b: b, mode: gemmStore}, {a: at, b: b, ta: true}} {
			want := newMat(rows, cols)
			twice := func(w *worker, c mat) {
				for _, fresh := range []bool{true, false} {
					q := p
					q.c = c
					w.multiply(&q, fresh, true)
				}
			}
			twice(&worker{k: k}, want)

			j := &job{workers: []*worker{{k: k, offer: newOffer()}, {k: k, offer: newOffer()},
				{k: k, offer: newOffer()}}}
			j.workers[0].job = j
			j.idle.Store(2)
			var helped, ended atomic.Int64
			var helpers sync.WaitGroup
			for _, w := range j.workers[1:] {
				helpers.Go(func() {
					for ended.Load() == 0 {
						if j.assistOne(w) {
							helped.Add(1)
						}
						runtime.Gosched()
					}
				})
			}
			for try := 0; try < 20 || runtime.NumCPU() > 1 && helped.Load() < 20 && try < 100000; try++ {
				c := newMat(rows, cols)
				twice(j.workers[0], c)
				if !slices.Equal(c.d, want.d) {
					t.Fatalf("%s, over rows %v: another result with help", k.name, p.ta)
				}
			}
			ended.Store(1)
			helpers.Wait()
			if helped.Load() == 0 && runtime.NumCPU() > 1 {
				t.Errorf("%s: nobody helped", k.name)
			}
		}
	}
}
