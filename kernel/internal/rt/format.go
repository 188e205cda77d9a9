package rt

import (
	"fmt"
	"go/types"
	"io"
	"reflect"
	"strings"
)

// Format prints a cell's value as fmt would print it in a compiled program.
func (o Obj) Format(f fmt.State, verb rune) {
	format := fmt.FormatString(f, verb)
	called := ""
	defer func() {
		if x := recover(); x != nil {
			if v := reflect.ValueOf(o.V); v.Kind() == reflect.Pointer && v.IsNil() {
				io.WriteString(f, "<nil>")
				return
			}
			fmt.Fprintf(f, "%%!%c(PANIC=%s method: %v)", verb, called, o.T.reg().Panicked(x))
		}
	}()
	if m, ok := o.T.bind("Format", o.V); ok && m.Type().NumIn() == 2 && m.Type().In(0) == reflect.TypeFor[fmt.State]() {
		called = "Format"
		m.Call([]reflect.Value{reflect.ValueOf(f), reflect.ValueOf(verb)})
		return
	}
	if verb == 'v' && f.Flag('#') {
		called = "GoString"
		if s, ok := o.text("GoString"); ok {
			io.WriteString(f, s)
			return
		}
		goSyntax(f, o.T.reg(), reflect.ValueOf(o.V), o.T.Go, true)
		return
	}
	if strings.ContainsRune("vsxXq", verb) {
		for _, name := range []string{"Error", "String"} {
			called = name
			if s, ok := o.text(name); ok {
				fmt.Fprintf(f, format, s)
				return
			}
		}
	}
	o.print(f, format, verb)
}

func (o Obj) print(f fmt.State, format string, verb rune) {
	m := o.T.reg().printMirror()
	v := reflect.ValueOf(o.V)
	if p, ok := o.T.Go.Underlying().(*types.Pointer); ok && v.Kind() == reflect.Pointer {
		if v.IsNil() {
			if verb == 'p' {
				fmt.Fprintf(f, format, v.UnsafePointer())
			} else {
				io.WriteString(f, "<nil>")
			}
			return
		}
		switch p.Elem().Underlying().(type) {
		case *types.Struct, *types.Slice, *types.Array, *types.Map:
			if verb != 'p' {
				io.WriteString(f, "&")
				x := m.value(v.Elem(), p.Elem(), m.bare(p.Elem()), true)
				fmt.Fprintf(f, format, x.Interface())
				return
			}
		}
		fmt.Fprintf(f, format, v.UnsafePointer())
		return
	}
	x := m.value(v, o.T.Go, m.bare(o.T.Go), true)
	fmt.Fprintf(f, format, x.Interface())
}

// bare is the mirror type of t itself, whatever methods it has.
func (m *mirror) bare(t types.Type) reflect.Type {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		m.open[n.Obj()] = true
		defer delete(m.open, n.Obj())
	}
	return m.typ(t.Underlying(), true)
}

// HasText says whether the type says itself how it is printed.
func (o Obj) HasText() bool { return o.T.has("String") || o.T.has("Error") || o.T.has("Format") }

// text calls a method that takes nothing and returns a string.
func (o Obj) text(name string) (string, bool) {
	m, ok := o.T.bind(name, o.V)
	if !ok || m.Type().NumIn() != 0 || m.Type().NumOut() != 1 || m.Type().Out(0).Kind() != reflect.String {
		return "", false
	}
	return m.Call(nil)[0].String(), true
}

// Verbs replaces what fmt would ask of native types only: %T of a cell's value becomes its name.
func (r *Registry) Verbs(format string, args []any) (string, []any) {
	if !strings.Contains(format, "T") {
		return format, args
	}
	var b strings.Builder
	next := 0
	out := append([]any(nil), args...)
	for k := 0; k < len(format); k++ {
		b.WriteByte(format[k])
		if format[k] != '%' {
			continue
		}
		for k++; k < len(format) && strings.IndexByte("+-# 0123456789.*[]", format[k]) >= 0; k++ {
			if format[k] == '*' {
				next++
			}
			if format[k] == '[' {
				n := 0
				if _, err := fmt.Sscanf(format[k:], "[%d]", &n); err == nil {
					next = n - 1
				}
			}
			b.WriteByte(format[k])
		}
		if k == len(format) {
			break
		}
		if format[k] == '%' {
			b.WriteByte('%')
			continue
		}
		c := format[k]
		if c == 'T' && next >= 0 && next < len(out) {
			if o, ok := object(out[next]); ok {
				out = append(out, nil)[:len(out)]
				out[next] = o.T.Name
				c = 's'
			}
		}
		b.WriteByte(c)
		next++
	}
	return b.String(), out
}
