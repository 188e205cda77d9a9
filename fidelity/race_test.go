//go:build race

package fidelity

// raced: the interpreter shares its memory between goroutines without locks, as the host does with its stop flag, so
// running cells under the race detector reports what is known and hides the rest.
const raced = true
