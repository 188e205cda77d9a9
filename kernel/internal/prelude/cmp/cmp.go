// Package cmp is the source from which cells instantiate the generic functions of the standard package cmp.
package cmp

import "cmp"

func Compare[T cmp.Ordered](x, y T) int {
	if x < y {
		return -1
	}
	if x > y {
		return 1
	}
	if x == y {
		return 0
	}
	if x == x { // only y is not a number
		return 1
	}
	if y == y {
		return -1
	}
	return 0
}

func Less[T cmp.Ordered](x, y T) bool { return x < y || x != x && y == y }

func Or[T comparable](vals ...T) T {
	var zero T
	for _, v := range vals {
		if v != zero {
			return v
		}
	}
	return zero
}
