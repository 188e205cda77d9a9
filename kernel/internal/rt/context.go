package rt

import (
	"context"
	"fmt"
	"reflect"
)

// valueContext is a context with a key or value of a cell's type, which prints with that type's name.
type valueContext struct {
	context.Context
	parent     context.Context
	key, value any
}

// ContextWithValue is context.WithValue.
func ContextWithValue(parent context.Context, key, value any) context.Context {
	k, ok := object(key)
	_, also := object(value)
	if ok && !reflect.TypeOf(k.V).Comparable() {
		panic("key is not comparable")
	}
	ctx := context.WithValue(parent, key, value)
	if !ok && !also {
		return ctx
	}
	return valueContext{ctx, parent, key, value}
}

// String names the context as package context does.
func (c valueContext) String() string {
	name := reflect.TypeOf(c.parent).String()
	if s, ok := c.parent.(fmt.Stringer); ok {
		name = s.String()
	}
	return name + ".WithValue(" + inContext(c.key) + ", " + inContext(c.value) + ")"
}

// inContext returns how a printed context shows a key or value.
func inContext(x any) string {
	o, ok := object(x)
	switch s := x.(type) {
	case nil:
		return "<nil>"
	case string:
		return s
	case fmt.Stringer:
		return s.String()
	}
	switch {
	case !ok:
		return reflect.TypeOf(x).String()
	case o.T.has("String"):
		return fmt.Sprint(o)
	}
	return o.T.Name
}
