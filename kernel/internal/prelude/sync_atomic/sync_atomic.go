// Package atomic is the source from which cells instantiate the generic type of the standard package sync/atomic. Its
// methods are written as functions, named after the type and the method.
package atomic

import "sync"

// Pointer has as many fields as the standard one.
type Pointer[T any] struct {
	_  [0]*T
	mu sync.Mutex
	p  *T
}

func Pointer_Load[T any](x *Pointer[T]) *T {
	x.mu.Lock()
	p := x.p
	x.mu.Unlock()
	return p
}

func Pointer_Store[T any](x *Pointer[T], p *T) {
	x.mu.Lock()
	x.p = p
	x.mu.Unlock()
}

func Pointer_Swap[T any](x *Pointer[T], p *T) *T {
	x.mu.Lock()
	old := x.p
	x.p = p
	x.mu.Unlock()
	return old
}

func Pointer_CompareAndSwap[T any](x *Pointer[T], old, p *T) bool {
	x.mu.Lock()
	swapped := x.p == old
	if swapped {
		x.p = p
	}
	x.mu.Unlock()
	return swapped
}
