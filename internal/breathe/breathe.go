//go:build !js

// Package breathe lets a browser's page react while Go works. In a browser a Go program has one thread, and gives it
// back only when all its goroutines wait. Until then no message arrives, no timer fires and no other goroutine runs.
// Long loops therefore call Now in each round.
//
//	for range iterations {
//		breathe.Now()
//		iterate()
//	}
package breathe

// Now gives the browser's event loop a turn if it has not had one for a while. Elsewhere it does nothing.
func Now() {}
