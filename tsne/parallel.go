package tsne

import (
	"sync"
	"sync/atomic"

	"nacre/internal/breathe"
)

// parallel calls f(i) for every i in [0,n), at most workers at a time, in no particular order.
func parallel(workers, n int, f func(i int)) {
	parallelBy(workers, n, func(_, i int) { f(i) })
}

// parallelBy is parallel that also says which of the workers, counted from 0, makes the call.
func parallelBy(workers, n int, f func(worker, i int)) {
	workers = min(workers, n)
	if workers <= 1 {
		for i := range n {
			breathe.Now()
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	work := func(worker int) {
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			f(worker, i)
		}
	}
	var wg sync.WaitGroup
	for worker := 1; worker < workers; worker++ {
		wg.Go(func() { work(worker) })
	}
	work(0)
	wg.Wait()
}

// blocks cuts n points into at most 32 equal stretches, of a multiple of 16 each. The cut depends on n alone, and
// every sum over points is taken block by block in order, which is why the number of workers cannot show in a result.
type blocks struct{ n, size, count int }

func cut(n int) blocks {
	size := max(32, ((n+31)/32+15)&^15)
	return blocks{n: n, size: size, count: (n + size - 1) / size}
}

func (b blocks) bounds(i int) (lo, hi int) { return i * b.size, min(b.n, (i+1)*b.size) }

// each calls f for every block, in parallel.
func (b blocks) each(workers int, f func(worker, lo, hi int)) {
	parallelBy(workers, b.count, func(worker, i int) {
		lo, hi := b.bounds(i)
		f(worker, lo, hi)
	})
}

// sum adds f over the blocks, in parallel, in block order.
func (b blocks) sum(workers int, f func(lo, hi int) float64) float64 {
	return b.sumBy(workers, func(_, lo, hi int) float64 { return f(lo, hi) })
}

// sumBy is sum with the number of the worker, as in parallelBy.
func (b blocks) sumBy(workers int, f func(worker, lo, hi int) float64) float64 {
	part := make([]float64, b.count)
	parallelBy(workers, b.count, func(worker, i int) {
		lo, hi := b.bounds(i)
		part[i] = f(worker, lo, hi)
	})
	total := 0.0
	for _, v := range part {
		total += v
	}
	return total
}
