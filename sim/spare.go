package sim

import (
	"runtime"
	"sync"
)

// spare counts what SpareProcessor has changed.
var spare struct {
	sync.Mutex
	users, before int
}

// SpareProcessor raises GOMAXPROCS by one until the function it returns is called. It does so only if workers
// goroutines would keep all of Go's processors in native code. Several callers share the one additional processor.
//
// If no processor is idle, Go's monitor takes the processor away from every call longer than 20 µs. This costs 5 % of a
// simulation's processor time. At other times the additional processor makes a training update 2 to 3 % slower: an
// interrupted goroutine moves to it, and Go's idle threads, which look for work, compete with this goroutine for the
// machine's cores.
func SpareProcessor(workers int) (release func()) {
	spare.Lock()
	defer spare.Unlock()
	if spare.users == 0 {
		spare.before = runtime.GOMAXPROCS(0)
	}
	if workers < spare.before {
		return func() {}
	}
	if spare.users++; spare.users == 1 {
		runtime.GOMAXPROCS(spare.before + 1)
	}
	return sync.OnceFunc(func() {
		spare.Lock()
		defer spare.Unlock()
		if spare.users--; spare.users == 0 && runtime.GOMAXPROCS(0) == spare.before+1 { // nobody else has changed it
			runtime.GOMAXPROCS(spare.before)
		}
	})
}
