// Package reflect is the source from which cells instantiate the generic functions of the standard package reflect.
package reflect

import "reflect"

func TypeFor[T any]() reflect.Type {
	var x T
	if t := reflect.TypeOf(x); t != nil {
		return t
	}
	return reflect.TypeOf((*T)(nil)).Elem()
}

func TypeAssert[T any](v reflect.Value) (T, bool) {
	x, ok := v.Interface().(T)
	return x, ok
}
