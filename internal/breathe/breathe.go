//go:build !js

// Package breathe lets the browser be heard while Go works. A Go program there has one thread, which it gives back only
// when all its goroutines wait: no message comes in, no timer fires and no other goroutine runs before that. Long loops
// call Now in each round.
//
//	for range iterations {
//		breathe.Now()
//		iterate()
//	}
package breathe

// Now gives the browser's event loop a turn if it has not had one for a while. Elsewhere it does nothing.
func Now() {}
