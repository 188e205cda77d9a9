package kernel

import (
	"context"
	"time"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
)

// grace is how long a stopped cell has to reach a stop check before it is left behind.
const grace = 150 * time.Millisecond

// run runs a compiled cell to its end, or to its interruption.
func (s *session) run(ctx context.Context, r *run, p *engine.Compiled, u *cells.Unit, code string) (*Data, *Error) {
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	s.running.Store(r)
	done := make(chan *Error, 2) // end of the cell, and end of a goroutine that exits
	r.done = done
	go s.goroutine(r, p, code, done)
	release := s.watch(r)
	defer release()
	var fail *Error
	select {
	case fail = <-done:
	case <-ctx.Done():
		r.interrupt(errInterrupted)
	case <-r.ctx.Done():
	}
	if fail == nil && r.stopped.Load() {
		select {
		case fail = <-done:
		case <-time.After(grace):
			s.zombies.Add(1)
			go func() { <-done; s.zombies.Add(-1) }()
			fail = r.interrupted(p, code, true)
		}
	}
	s.running.Store(nil)
	r.late.Store(true)
	s.streams.flush()
	if r.stopped.Load() {
		s.sweep(r)
	}
	if fail != nil {
		return nil, fail
	}
	if r.shown == nil {
		return nil, nil
	}
	d, err := s.render(*r.shown)
	if err != nil {
		return nil, valueError(code, s.fset.Position(u.Value.Pos()), err)
	}
	return d, nil
}

// goroutine is where the statements of a cell run.
func (s *session) goroutine(r *run, p *engine.Compiled, code string, done chan<- *Error) {
	r.enter()
	ended := false
	defer func() {
		x := recover()
		switch {
		case x != nil && !(r.stopped.Load() && isFailed(x)): // a call that an interrupt ended fails
			done <- r.panicked(p, code, x)
		case !ended && r.waited():
			done <- &Error{Name: "Exit",
				Message: "the cell called runtime.Goexit, and nothing of it runs any more: exit status 2"}
		case !ended || r.stopped.Load():
			done <- r.interrupted(p, code, false)
		default:
			r.mu.Lock()
			fail := r.fail
			r.mu.Unlock()
			done <- fail
		}
	}()
	p.Run()
	ended = true
}

// waited waits for the goroutines of a cell that has called runtime.Goexit, as a program does, and reports whether all
// have ended without an interrupt.
func (r *run) waited() bool {
	for r.live.Load() > 0 && !r.stopped.Load() {
		time.Sleep(5 * time.Millisecond)
	}
	return !r.stopped.Load()
}

// sweep lowers the stop flag and raises it now and then, until what is left of the stopped cell r has met it.
func (s *session) sweep(r *run) {
	left := func() bool { return s.zombies.Load() > 0 || r.live.Load() > 0 }
	if !left() {
		s.engine.Stop(false)
		return
	}
	go func() {
		for k := 0; left(); k++ {
			if k > 0 {
				s.engine.Stop(true)
			}
			time.Sleep(5 * time.Millisecond)
			if now := s.running.Load(); now == nil || !now.stopped.Load() {
				s.engine.Stop(false)
			}
			select {
			case <-s.closed:
				return
			case <-time.After(min(time.Duration(k+1)*20*time.Millisecond, time.Second)):
			}
		}
		if now := s.running.Load(); now == nil || !now.stopped.Load() {
			s.engine.Stop(false)
		}
	}()
}
