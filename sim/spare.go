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

// SpareProcessor raises GOMAXPROCS by one, where workers goroutines would keep all of Go's processors in native code,
// until the function it returns is called; several callers share the one. With no processor idle, Go's monitor takes
// away that of every call longer than 20 µs, which costs 5 % of a simulation's processor time. At other times an idle
// one does harm: a goroutine that computes moves to it whenever it is interrupted, and threads that look for work
// contend with it for the cores, 2 to 3 % of a training update.
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
