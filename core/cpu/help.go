package cpu

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A worker that finds no tile left helps the others with their products. Otherwise one worker might compute at the end
// of a level while the rest sleep. The rows of a product are independent of each other, so the bits do not depend on
// who computes them.

// patience is how long a worker without a tile waits for a product that it can help with, before it sleeps. It is
// somewhat longer than a product takes.
const patience = time.Millisecond

// offer is a product that a worker shares. Others read it while its owner computes, so it has cache lines of its own.
type offer struct {
	_     [64]byte
	gate  gate
	next  atomic.Int64 // the next part to take
	p     product
	fresh bool // for a sum over rows: overwrite the result instead of adding to it
	part  int  // rows of the result that are taken at a time
	_     [64]byte
}

func newOffer() *offer {
	o := &offer{}
	o.gate.members.Store(closed)
	return o
}

// multiply computes p. With p.ta it adds p to the result, unless fresh is set. If helped is set, other workers may
// help.
func (w *worker) multiply(p *product, fresh, helped bool) {
	rows := p.c.rows
	if !helped || w.job == nil || w.job.idle.Load() == 0 {
		p.part(w, 0, rows, fresh)
		return
	}
	o := w.offer
	o.p, o.fresh = *p, fresh
	o.part = partOf(rows, len(w.job.workers))
	o.next.Store(0)
	o.gate.open()
	o.work(w)
	o.gate.close()
	for spins := 0; !o.gate.left(); spins++ {
		pause(spins)
	}
}

// part computes rows lo..hi-1 of a product.
func (p *product) part(w *worker, lo, hi int, fresh bool) {
	if p.ta && !fresh {
		p.mode = gemmAdd
	}
	p.rows(w.k, &w.gemm, lo, hi)
}

// work takes parts of the product until none is left.
func (o *offer) work(w *worker) {
	for {
		lo := int(o.next.Add(1)-1) * o.part
		if lo >= o.p.c.rows {
			return
		}
		p := o.p
		p.part(w, lo, min(lo+o.part, p.c.rows), o.fresh)
	}
}

// assist helps the other workers until all tiles are done or no product was offered for a while.
func (j *job) assist(w *worker, units int) {
	j.idle.Add(1)
	defer j.idle.Add(-1)
	since := time.Now()
	for spins := 0; int(j.finished.Load()) < units; spins++ {
		if j.assistOne(w) {
			since, spins = time.Now(), 0
			continue
		}
		pause(spins)
		if spins%spinning == spinning-1 && time.Since(since) > patience {
			return
		}
	}
}

// assistOne helps with the first product on offer and reports whether there was one.
func (j *job) assistOne(w *worker) bool {
	for _, other := range j.workers {
		if o := other.offer; other != w && o.gate.enter() {
			o.work(w)
			o.gate.leave()
			return true
		}
	}
	return false
}

// spinning is how often a waiting worker looks before it lets other goroutines run.
const spinning = 100

// pause is called in a loop that waits for another worker.
func pause(spins int) {
	if spins%spinning == spinning-1 {
		runtime.Gosched()
	}
}

// gate counts who is inside while it is open.
type gate struct{ members atomic.Int64 } // below zero while the gate is closed; then nobody may enter

const closed = -1 << 32

func (g *gate) open() { g.members.Store(0) }

// enter reports whether the gate was open; then leave must follow.
func (g *gate) enter() bool {
	for {
		n := g.members.Load()
		if n < 0 {
			return false
		}
		if g.members.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// leave goes out, close closes the gate. Both report whether the gate is closed and nobody is inside.
func (g *gate) leave() bool { return g.members.Add(-1) == closed }
func (g *gate) close() bool { return g.members.Add(closed) == closed }

// left reports whether the gate is closed and nobody is inside.
func (g *gate) left() bool { return g.members.Load() == closed }
