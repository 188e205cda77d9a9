// Package iter is the source from which cells instantiate the generic functions of the standard package iter.
package iter

import "iter"

// Pull runs the sequence on its own goroutine, which waits after every value. A panic in it reaches the caller of next
// or stop.
func Pull[V any](seq iter.Seq[V]) (next func() (V, bool), stop func()) {
	var value V
	var failed any
	started, ended, panicking := false, false, false
	goOn, given := make(chan bool), make(chan bool)
	run := func() {
		defer func() {
			if panicking {
				failed = recover()
			}
			ended = true
			given <- false
		}()
		panicking = true
		seq(func(v V) bool {
			value = v
			given <- true
			return <-goOn
		})
		panicking = false
	}
	step := func(more bool) bool {
		if ended {
			return false
		}
		switch {
		case started:
			goOn <- more
		case more:
			started = true
			go run()
		default:
			ended = true
			return false
		}
		ok := <-given
		if panicking && ended {
			panicking = false
			panic(failed)
		}
		return ok
	}
	next = func() (V, bool) {
		var v V
		if !step(true) {
			return v, false
		}
		v, value = value, v
		return v, true
	}
	stop = func() {
		for step(false) {
		}
	}
	return next, stop
}

func Pull2[K, V any](seq iter.Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	var key K
	var value V
	pull, stop := Pull(func(yield func(bool) bool) {
		seq(func(k K, v V) bool {
			key, value = k, v
			return yield(true)
		})
	})
	next = func() (K, V, bool) {
		var k K
		var v V
		if _, ok := pull(); !ok {
			return k, v, false
		}
		k, key = key, k
		v, value = value, v
		return k, v, true
	}
	return next, stop
}
