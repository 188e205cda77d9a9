// Package errors is the source from which cells instantiate the generic functions of the standard package errors.
package errors

import "errors"

func AsType[E error](err error) (E, bool) {
	var target E
	ok := errors.As(err, &target)
	return target, ok
}
