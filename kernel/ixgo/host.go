package ixgo

import (
	"fmt"
	"reflect"
	"runtime"

	"nacre/kernel/internal/rt"
)

// hostSource is the package rewritten cells call. What has no body here is in hostFuncs.
const hostSource = `package rt__

func Check()
func Show(xs ...any)
func Recovered(x any) any
func NotNil(x any) any
func Print(xs ...any)
func Println(xs ...any)
func GoStart()
func GoDone(x any)
func Exactly(x, t any) any
func ExactlyOK(x, t any) any
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
		"Recovered": func(x any) any {
			switch x.(type) {
			case stopped, rt.Final:
				panic(x)
			}
			return x
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
				h.GoPanic(x)
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
		"clear": clear,
	}
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

// clear panics where a type switch with cases of the types ts would take x for one it is not.
func clear(x any, ts []any) {
	for _, t := range ts {
		if reflect.TypeOf(t).Elem() == reflect.TypeOf(x) {
			return
		}
	}
	for _, t := range ts {
		if is, want, other := otherType(x, t); other {
			panic(rt.Refusal{Text: fmt.Sprintf("this type switch is not supported: the engine would take the %v it switches on for a %v", is, want)})
		}
	}
}
