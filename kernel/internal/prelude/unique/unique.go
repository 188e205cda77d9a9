// Package unique is the source from which cells instantiate the generic type and function of the standard package
// unique. Here a handle is its value, so two handles are equal if their values are equal.
package unique

type Handle[T comparable] struct {
	value T
}

func Make[T comparable](value T) Handle[T] { return Handle[T]{value} }

func Handle_Value[T comparable](h Handle[T]) T { return h.value }
