package ixgo

import (
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"

	"github.com/goplus/ixgo"

	"nacre/kernel/internal/rt"
)

// hostSource is the package rewritten cells call. What has no body here is in hostFuncs.
const hostSource = `package rt__

import "io"

func Check()
func Show(xs ...any)
func ShowBut(xs ...any)
func Recovered(x any) any
func NotNil(x any) any
func Print(xs ...any)
func Println(xs ...any)
func GoStart()
func GoDone(x any)
func Exactly(x, t any) any
func ExactlyOK(x, t any) any
func Stdout() io.Writer
func Stderr() io.Writer
func clear(x any, ts []any)

func Clear[I any](x I, ts ...any) I {
	clear(x, ts)
	return x
}
`

// stopped is what ends the goroutines of an interrupted cell: cells cannot recover it.
type stopped struct{}

func hostFuncs(h rt.Host, print map[string]reflect.Value) map[string]any {
	printed := func(name string) func(...any) {
		f := print[name].Interface().(func([]any))
		return func(xs ...any) { f(xs) }
	}
	return map[string]any{
		"Check": h.Check,
		"Show":  func(xs ...any) { h.Show(xs) },
		"ShowBut": func(xs ...any) {
			if xs[len(xs)-1] == nil {
				xs = xs[:len(xs)-1]
			}
			h.Show(xs)
		},
		"Recovered": func(x any) any {
			if _, ok := x.(stopped); ok {
				panic(x)
			}
			return asGo(x)
		},
		"NotNil": func(x any) any {
			if x == nil {
				return new(runtime.PanicNilError)
			}
			return x
		},
		"Print": printed("Print"), "Println": printed("Println"),
		"GoStart": h.GoStart,
		"GoDone": func(x any) {
			if _, ok := x.(stopped); x != nil && !ok {
				h.GoPanic(asGo(x))
			}
			h.GoDone()
		},
		"Exactly": func(x, t any) any {
			if is, want, other := otherType(x, t); other {
				panic(assertError(fmt.Sprintf("interface conversion: interface {} is %v, not %v", is, want)))
			}
			return x
		},
		"ExactlyOK": func(x, t any) any {
			if _, _, other := otherType(x, t); other {
				return nil
			}
			return x
		},
		"Stdout": func() io.Writer { return h.Stdout },
		"Stderr": func() io.Writer { return h.Stderr },
		"clear":  clear,
	}
}

// asGo is a panic's value as Go has it: the interpreter calls failed assertions run-time errors.
func asGo(x any) any {
	if e, ok := x.(ixgo.RuntimeError); ok && strings.HasPrefix(string(e), "interface conversion: ") {
		return assertError(e)
	}
	return x
}

// assertError is a failed type assertion.
type assertError string

func (e assertError) Error() string { return string(e) }
func (e assertError) RuntimeError() {}

// otherType says whether x is not of the type t points to, though it could be assigned to it.
func otherType(x, t any) (is, want reflect.Type, other bool) {
	want = reflect.TypeOf(t).Elem()
	if x == nil || want.Kind() == reflect.Interface {
		return nil, want, false
	}
	is = reflect.TypeOf(x)
	return is, want, is != want && is.AssignableTo(want)
}

// clear panics where a type switch with cases of the types ts, in this order, would take x for one it is not.
func clear(x any, ts []any) {
	for _, t := range ts {
		is, want, other := otherType(x, t)
		if is == want {
			return
		}
		if other {
			panic(rt.Refusal{Text: fmt.Sprintf("this type switch is not supported: the engine would take the %v it switches on for a %v", is, want)})
		}
	}
}
