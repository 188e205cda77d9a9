// Package unique is the source from which cells instantiate the generic type and function of the standard package
// unique: a handle here is its value, so that two are equal where their values are.
package unique

type Handle[T comparable] struct {
	value T
}

func Make[T comparable](value T) Handle[T] { return Handle[T]{value} }

func Handle_Value[T comparable](h Handle[T]) T { return h.value }
