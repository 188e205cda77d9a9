package cpu

import (
	"sync"
	"sync/atomic"
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

	// members counts the helpers inside the job. While the job is closed it is below zero and nobody may enter; the last
	// one to leave a closed job says so on left.
	members atomic.Int64
	left    chan struct{}
}

const closed = -1 << 32

// acquire starts the helpers for the first user.
func (p *pool) acquire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users++
	if p.users > 1 {
		return
	}
	p.job = &job{left: make(chan struct{}, 1)}
	p.job.members.Store(closed)
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
	for range wake {
		if !j.enter() {
			continue
		}
		j.work(id)
		if j.members.Add(-1) == closed {
			j.left <- struct{}{}
		}
	}
}

func (j *job) enter() bool {
	for {
		n := j.members.Load()
		if n < 0 {
			return false
		}
		if j.members.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// work takes units until none is left.
func (j *job) work(id int) {
	w, ph := j.workers[id], j.phase
	for {
		unit := int(j.next.Add(1)) - 1
		if unit >= ph.units {
			return
		}
		ph.runShared(w, unit)
	}
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
	j.members.Store(0)
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
	if j.members.Add(closed) != closed {
		<-j.left
	}
	j.phase, j.workers = nil, nil
}
