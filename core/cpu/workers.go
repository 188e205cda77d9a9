package cpu

import (
	"sync"
	"sync/atomic"
	"time"
)

// pool is the goroutines that help runs. There are size-1 of them, because the caller of Run works too. They exist
// while programs are loaded, and sleep except while a phase is worth sharing.
type pool struct {
	size int

	mu    sync.Mutex // guards users and wake
	users int
	wake  []chan struct{}

	busy sync.Mutex // held by the run for which the helpers work
	job  *job       // job of the current helpers
}

// job is the phase that the helpers work on.
type job struct {
	phase   *phase
	workers []*worker
	next    atomic.Int64 // the next unit to take

	gate gate // the last helper that leaves after it was closed reports on left
	left chan struct{}

	finished atomic.Int64 // number of finished units
	idle     atomic.Int64 // number of workers without a unit, who are ready to help with products
}

// acquire starts the helpers for the first user.
func (p *pool) acquire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users++
	if p.users > 1 {
		return
	}
	p.job = &job{left: make(chan struct{}, 1)}
	p.job.gate.members.Store(closed)
	for i := 1; i < p.size; i++ {
		wake := make(chan struct{}, 1)
		p.wake = append(p.wake, wake)
		go p.job.help(i, wake)
	}
}

// release ends the helpers when the last user leaves.
func (p *pool) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users--
	if p.users > 0 {
		return
	}
	for _, wake := range p.wake {
		close(wake)
	}
	p.wake = nil
}

// help is the loop of a helper. If a wake-up comes late, the job is closed or the next job is open.
func (j *job) help(id int, wake <-chan struct{}) {
	for soon(wake) {
		if !j.gate.enter() {
			continue
		}
		j.work(id)
		if j.gate.leave() {
			j.left <- struct{}{}
		}
	}
}

// linger is how long a worker that waits for another looks before it sleeps. Waking it takes as long as a short phase.
const linger = 300 * time.Microsecond

// soon receives from c. It does not sleep if it need not wait long. It returns false if c is closed.
func soon(c <-chan struct{}) bool {
	since := time.Now()
	for spins := 0; ; spins++ {
		select {
		case _, ok := <-c:
			return ok
		default:
		}
		pause(spins)
		if spins%spinning == spinning-1 && time.Since(since) > linger {
			_, ok := <-c
			return ok
		}
	}
}

// work takes units until none is left. Then it helps other workers if that is worthwhile.
func (j *job) work(id int) {
	w, ph := j.workers[id], j.phase
	w.job = j
	for unit := int(j.next.Add(1)) - 1; unit < ph.units; unit = int(j.next.Add(1)) - 1 {
		ph.runShared(w, unit)
		j.finished.Add(1)
	}
	if ph.tiled {
		j.assist(w, ph.units)
	}
	w.job = nil
}

// share runs a phase with the helpers. The caller holds busy. share returns when every unit is done. It does not wait
// for helpers that woke too late.
func (p *pool) share(ph *phase, workers []*worker) {
	j := p.job
	for i := range ph.done {
		ph.done[i].Store(false)
	}
	j.phase, j.workers = ph, workers
	j.next.Store(0)
	j.finished.Store(0)
	j.gate.open()
	for i, wake := range p.wake {
		if i+1 >= ph.units {
			break
		}
		select {
		case wake <- struct{}{}:
		default: // it has not yet answered an earlier wake-up
		}
	}
	j.work(0)
	if !j.gate.close() {
		soon(j.left)
	}
	j.phase, j.workers = nil, nil
}
