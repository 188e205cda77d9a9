package rt

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"runtime"
	"slices"
)

// ErrObj is an Obj whose type has an Error method: an error to native code too.
type ErrObj struct{ Obj }

func (e ErrObj) call(name string, in ...reflect.Value) ([]reflect.Value, bool) {
	m, ok := e.T.bind(name, e.V)
	if !ok || m.Type().NumIn() != len(in) {
		return nil, false
	}
	return m.Call(in), true
}

func (e ErrObj) Error() string {
	out, ok := e.call("Error")
	if !ok || len(out) != 1 {
		return e.T.Name
	}
	return out[0].String()
}

// Unwrap calls the Unwrap method of the cell's type.
func (e ErrObj) Unwrap() error {
	out, ok := e.call("Unwrap")
	if !ok || len(out) != 1 {
		return nil
	}
	err, _ := out[0].Interface().(error)
	return err
}

// unwrapped returns the errors that err wraps. It also knows cells' types whose Unwrap returns several errors.
func unwrapped(err error) []error {
	if e, ok := err.(ErrObj); ok {
		out, ok := e.call("Unwrap")
		if !ok || len(out) != 1 {
			return nil
		}
		if list, ok := out[0].Interface().([]error); ok {
			return list
		}
	}
	switch x := err.(type) {
	case interface{ Unwrap() []error }:
		return x.Unwrap()
	case interface{ Unwrap() error }:
		if e := x.Unwrap(); e != nil {
			return []error{e}
		}
	}
	return nil
}

// Timeout calls the Timeout method of the cell's type. If there is none, packages os, net and net/url read this as
// false.
func (e ErrObj) Timeout() bool { return e.says("Timeout") }

// Temporary calls the Temporary method of the cell's type, as Timeout does.
func (e ErrObj) Temporary() bool { return e.says("Temporary") }

func (e ErrObj) says(name string) bool {
	m, ok := e.T.bind(name, e.V)
	return ok && m.Type() == reflect.TypeFor[func() bool]() && m.Call(nil)[0].Bool()
}

// Is calls the Is method of the cell's type.
func (e ErrObj) Is(target error) bool {
	m, ok := e.T.bind("Is", e.V)
	if !ok || m.Type().NumIn() != 1 || m.Type().NumOut() != 1 || m.Type().Out(0).Kind() != reflect.Bool {
		return false
	}
	return m.Call([]reflect.Value{reflect.ValueOf(&target).Elem()})[0].Bool()
}

// runtimeError is a panic of the interpreter in the words of the Go run time.
type runtimeError string

func (e runtimeError) Error() string { return "runtime error: " + string(e) }

// boundsError is a runtimeError about an index or about bounds. Package fmt does not treat it as a string.
type boundsError struct{ runtimeError }

func outOf(format string, args ...any) error {
	return boundsError{runtimeError(fmt.Sprintf(format, args...))}
}

// RuntimeError marks it as runtime.Error does.
func (runtimeError) RuntimeError() {}

// noReceiver panics as the Go run time does where a method of a type's values is called with a nil pointer.
func noReceiver(typ, method string) {
	panic(plainError("value method main." + typ + "." + method + " called using nil *" + typ + " pointer"))
}

// plainError is an error whose text the Go run time prints without a prefix.
type plainError string

func (e plainError) Error() string { return string(e) }

// RuntimeError marks it as runtime.Error does.
func (plainError) RuntimeError() {}

// States of the body of a range over a function. Between two calls of the body the state is 0. After the body has left
// the loop, the state is the code of the exit that it took.
const (
	RangeInBody    = -2
	RangeOver      = -3
	RangeSwallowed = -4
)

// ranged panics as the Go run time does when a function that is ranged over breaks the rules.
func ranged(code int) {
	switch code {
	case RangeInBody:
		panic(runtimeError("range function continued iteration after loop body panic"))
	case RangeOver:
		panic(runtimeError("range function continued iteration after whole loop exit"))
	case RangeSwallowed:
		panic(runtimeError("range function recovered a loop body panic and did not resume panicking"))
	}
	panic(runtimeError("range function continued iteration after function for loop body returned false"))
}

const nilPointer = runtimeError("invalid memory address or nil pointer dereference")

// Panicked returns the value of a recovered panic: the value with which the cell panicked, or a run-time error.
func (r *Registry) Panicked(x any) any {
	x = r.Norm(x)
	var text string
	switch v := x.(type) {
	case nil, Obj, ErrObj:
		return x
	case *reflect.ValueError:
		if v.Kind != reflect.Invalid { // the cell has used reflection itself
			return x
		}
		return nilPointer
	case ofReflection:
		return string(v)
	case string:
		text = v
	case runtime.Error:
		text = v.Error()
	default:
		return x
	}
	if err := plainPanic(text); err != nil {
		return err
	}
	return x
}

// ofReflection is a panic of package reflect when a cell uses it. Its text could also come from the interpreter's own
// use of reflection.
type ofReflection string

// ErrorsAs works like errors.As, also for targets that point to a type of a cell.
func (r *Registry) ErrorsAs(err error, target any) bool {
	o, ok := object(target)
	if !ok {
		return r.nativeAs(err, target)
	}
	ptr := reflect.ValueOf(o.V)
	if ptr.Kind() != reflect.Pointer || ptr.IsNil() {
		panic("errors: target must be a non-nil pointer")
	}
	p, ok := o.T.Go.Underlying().(*types.Pointer)
	if !ok {
		panic("errors: target must be a non-nil pointer")
	}
	want := r.Resolve(p.Elem())
	if err == nil {
		return false
	}
	if x := r.Norm(err); r.Is(x, want.ID) {
		v := reflect.ValueOf(x)
		if o, ok := object(x); ok && ptr.Elem().Kind() != reflect.Interface {
			v = reflect.ValueOf(o.V)
		}
		ptr.Elem().Set(v)
		return true
	}
	return asItself(err, target) || slices.ContainsFunc(unwrapped(err), func(e error) bool {
		return r.ErrorsAs(e, target)
	})
}

// asItself calls the As method of a cell's error.
func asItself(err error, target any) bool {
	e, ok := err.(ErrObj)
	if !ok {
		return false
	}
	m, ok := e.T.bind("As", e.V)
	if !ok || m.Type().NumIn() != 1 || m.Type().NumOut() != 1 || m.Type().Out(0).Kind() != reflect.Bool {
		return false
	}
	return m.Call([]reflect.Value{reflect.ValueOf(&target).Elem()})[0].Bool()
}

// nativeAs is errors.As for a target of a native type. It calls the As methods of cells' errors and follows errors that
// wrap several.
func (r *Registry) nativeAs(err error, target any) bool {
	v := reflect.ValueOf(target)
	if err == nil || v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Interface &&
		!v.Elem().Type().Implements(reflect.TypeFor[error]()) {
		return errors.As(err, target) // or a panic that says what is wrong
	}
	if reflect.TypeOf(err).AssignableTo(v.Type().Elem()) {
		v.Elem().Set(reflect.ValueOf(err))
		return true
	}
	if x, ok := err.(interface{ As(any) bool }); ok && x.As(target) || asItself(err, target) {
		return true
	}
	return slices.ContainsFunc(unwrapped(err), func(e error) bool { return r.nativeAs(e, target) })
}

// ErrorsIs works like errors.Is on unwrapped values, because two wrappers of one value are not equal.
func (r *Registry) ErrorsIs(err, target error) bool {
	if err == nil || target == nil {
		return err == target
	}
	t := r.Norm(target)
	comparable := reflect.TypeOf(t).Comparable()
	if o, ok := object(t); ok {
		comparable = reflect.TypeOf(o.V).Comparable()
	}
	if comparable && r.Norm(err) == t {
		return true
	}
	if x, ok := err.(interface{ Is(error) bool }); ok && x.Is(target) {
		return true
	}
	return slices.ContainsFunc(unwrapped(err), func(e error) bool { return r.ErrorsIs(e, target) })
}

// Refusal is a panic of code that asks for something that the kernel cannot do.
type Refusal struct{ Text string }

func (r Refusal) Error() string { return r.Text }

// Final marks the panic so that the cell's deferred functions do not run.
func (Refusal) Final() {}

func refuse(format string, args ...any) { panic(Refusal{fmt.Sprintf(format, args...)}) }
