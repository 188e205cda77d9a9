package kernel

import (
	"errors"
	"fmt"

	"nacre/internal/breathe"
)

var errInterrupted = errors.New("interrupted")

// interrupt asks the code of r to end.
func (r *run) interrupt(cause error) {
	if r.stopped.CompareAndSwap(false, true) {
		r.cancel(cause)
		r.session.engine.Stop(true)
	}
}

// check ends the calling goroutine where its cell was stopped, and where it recurses without end.
func (s *session) check() {
	breathe.Now()
	r := current()
	if r == nil {
		select {
		case <-s.closed: // what a cell of it left running
			s.engine.End()
		default:
		}
	}
	if r == nil || r.session != s {
		return
	}
	if r.stopped.Load() {
		s.engine.End()
	}
	if tooDeep() {
		r.setFail(&Error{Name: "Panic",
			Message: "stack overflow: functions call each other too deeply, as in a recursion that never ends"})
		r.interrupt(errInterrupted)
		s.engine.End()
	}
}

func (r *run) setFail(e *Error) {
	r.mu.Lock()
	if r.fail == nil {
		r.fail = e
	}
	r.mu.Unlock()
}

func (s *session) goStart() {
	if r := current(); r != nil {
		r.live.Add(1)
	}
}

func (s *session) goDone() {
	if r := current(); r != nil {
		r.live.Add(-1)
	}
}

// goPanic reports the panic of a goroutine of a cell, which in a program would end everything: it ends the cell.
func (s *session) goPanic(x any) {
	r := current()
	if r == nil || r.session != s {
		if r = s.latest.Load(); r == nil {
			return
		}
	}
	if e, ok := x.(exit); ok {
		r.goEnd(e.failure(), fmt.Sprint("exit status ", e.code))
		return
	}
	text := panicText(x)
	r.goEnd(&Error{Name: "Panic", Message: text + " (in a goroutine of this cell)"}, "panic: "+text)
}

// goEnd ends the cell for what one of its goroutines did, or says so where it has ended.
func (r *run) goEnd(fail *Error, text string) {
	if r.late.Load() {
		r.session.owner().out.Stream("stderr", fmt.Sprintf("in a goroutine of cell %d: %s\n", r.number, text))
		return
	}
	r.setFail(fail)
	r.interrupt(errInterrupted)
}

// exit ends the calling goroutine's cell without its deferred calls.
func (s *session) exit(code int) {
	r := current()
	if s.engine.Final() || r == nil {
		panic(exit{code})
	}
	fail := exit{code}.failure()
	if onStack("nacre/kernel.(*session).goroutine") {
		r.done <- fail
	} else { // a goroutine that the cell started
		r.goEnd(fail, fmt.Sprint("exit status ", code))
		s.goDone()
	}
	select {}
}
