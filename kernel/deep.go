package kernel

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// A recursion that does not end would exhaust the stack, which no program survives. While a cell runs, a watcher reads
// how much memory all stacks take and, past deepStacks, raises the stop flag: each goroutine then looks at its own
// depth at its next stop check.
const (
	deepStacks = 256 << 20
	deepFrames = 100_000
)

// watch watches the stacks while r runs.
func (s *session) watch(r *run) (release func()) {
	done := make(chan struct{})
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
		t := time.NewTicker(10 * time.Millisecond)
		defer t.Stop()
		hold := time.Millisecond // longer each time: on a busy machine the goroutine may not run meanwhile
		for {
			select {
			case <-done:
				return
			case <-t.C:
			}
			metrics.Read(sample)
			if !r.stopped.Load() && sample[0].Value.Uint64() > deepStacks {
				s.engine.Stop(true)
				time.Sleep(hold)
				hold = min(2*hold, 100*time.Millisecond)
				if !r.stopped.Load() {
					s.engine.Stop(false)
				}
			}
		}
	}()
	return func() { close(done) }
}

// onStack reports whether the calling goroutine is in a call of a function.
func onStack(function string) bool {
	pcs := make([]uintptr, deepFrames)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if f.Function == function {
			return true
		}
		if !more {
			return false
		}
	}
}

// tooDeep reports whether the calling goroutine's stack is deepFrames deep.
func tooDeep() bool {
	var pc [1]uintptr
	return runtime.Callers(deepFrames, pc[:]) > 0
}
