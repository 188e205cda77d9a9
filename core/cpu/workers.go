package cpu

import (
	"sync"
	"sync/atomic"
	"time"
)

// pool is the goroutines that help runs: size-1 of them, since the caller of Run works too. They sleep except while a
// phase is worth sharing, and exist while programs are loaded.
type pool struct {
	size int

	mu    sync.Mutex // guards users and wake
	users int
	wake  []chan struct{}

	busy sync.Mutex // held by the run that the helpers work for
	job  *job       // of the present helpers
}

// job is the phase that the helpers work on.
type job struct {
	phase   *phase
	workers []*worker
	next    atomic.Int64 // the next unit to take

	gate gate // the last helper to leave after it closed says so on left
	left chan struct{}

	finished atomic.Int64 // units
	idle     atomic.Int64 // workers without a unit, ready to help with products
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

// help is a helper's life. A wake-up that comes late finds the job closed, or the next one open.
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

// linger is how long a worker that waits for another looks before it sleeps: to wake one takes as long as a short
// phase.
const linger = 300 * time.Microsecond

// soon receives from c, without sleeping if that need not be waited for long. It reports false when c is closed.
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

// work takes units until none is left. Then it helps other workers if that is worth it.
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

// share runs a phase with the helpers. The caller holds busy. It returns when every unit is done; a helper that did
// not wake in time is not waited for.
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
		default: // still has a wake-up to answer
		}
	}
	j.work(0)
	if !j.gate.close() {
		soon(j.left)
	}
	j.phase, j.workers = nil, nil
}
