// Package sync is the source from which cells instantiate the generic functions of the standard package sync.
package sync

import "sync"

func OnceValue[T any](f func() T) func() T {
	var once sync.Once
	var value T
	var failed any
	ok := false
	return func() T {
		once.Do(func() {
			defer func() {
				if !ok {
					failed = recover()
				}
			}()
			value = f()
			ok = true
		})
		if !ok {
			panic(failed)
		}
		return value
	}
}

func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	var once sync.Once
	var v1 T1
	var v2 T2
	var failed any
	ok := false
	return func() (T1, T2) {
		once.Do(func() {
			defer func() {
				if !ok {
					failed = recover()
				}
			}()
			v1, v2 = f()
			ok = true
		})
		if !ok {
			panic(failed)
		}
		return v1, v2
	}
}
