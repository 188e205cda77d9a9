package rt

import (
	"cmp"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"slices"
	"strings"
)

// goSyntax writes a value as %#v does. Only an outermost pointer is followed.
func goSyntax(w io.Writer, r *Registry, v reflect.Value, t types.Type, outer bool) {
	rt := r.Resolve(t)
	null := func() { fmt.Fprintf(w, "%s(nil)", rt.Name) }
	if u, ok := t.Underlying().(*types.Interface); ok {
		if x := r.Norm(v.Interface()); x != nil {
			fmt.Fprintf(w, "%#v", x)
		} else if _, named := types.Unalias(t).(*types.Named); !named && u.NumMethods() == 0 {
			io.WriteString(w, "interface {}(nil)")
		} else {
			null()
		}
		return
	}
	if rt.Native != nil {
		text := fmt.Sprintf("%#v", v.Interface())
		if rest, ok := strings.CutPrefix(text, "[]byte"); ok { // which package fmt says of an argument only
			text = "[]uint8" + rest
		}
		io.WriteString(w, text)
		return
	}
	if rt.has("Format") || rt.has("GoString") {
		if !outer {
			fmt.Fprintf(w, "%#v", Obj{rt, v.Interface()})
			return
		}
	}
	list := func(n int, item func(k int)) {
		fmt.Fprintf(w, "%s{", rt.Name)
		for k := range n {
			if k > 0 {
				io.WriteString(w, ", ")
			}
			item(k)
		}
		io.WriteString(w, "}")
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		list(u.NumFields(), func(k int) {
			fmt.Fprintf(w, "%s:", u.Field(k).Name())
			goSyntax(w, r, field(v, k), u.Field(k).Type(), false)
		})
	case *types.Slice:
		if v.IsNil() {
			null()
			return
		}
		list(v.Len(), func(k int) { goSyntax(w, r, v.Index(k), u.Elem(), false) })
	case *types.Array:
		list(v.Len(), func(k int) { goSyntax(w, r, v.Index(k), u.Elem(), false) })
	case *types.Map:
		if v.IsNil() {
			null()
			return
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, compareKeys)
		list(len(keys), func(k int) {
			goSyntax(w, r, keys[k], u.Key(), false)
			io.WriteString(w, ":")
			goSyntax(w, r, v.MapIndex(keys[k]), u.Elem(), false)
		})
	case *types.Basic:
		fmt.Fprintf(w, "%#v", v.Interface())
	case *types.Pointer:
		switch u.Elem().Underlying().(type) {
		case *types.Struct, *types.Array, *types.Slice, *types.Map:
			if outer && !v.IsNil() {
				io.WriteString(w, "&")
				goSyntax(w, r, v.Elem(), u.Elem(), false)
				return
			}
		}
		address(w, rt.Name, v)
	default:
		address(w, rt.Name, v)
	}
}

// address writes a pointer, function or channel.
func address(w io.Writer, name string, v reflect.Value) {
	if v.IsNil() {
		fmt.Fprintf(w, "(%s)(nil)", name)
		return
	}
	fmt.Fprintf(w, "(%s)(%#x)", name, v.Pointer())
}

// compareKeys orders the keys of a map as package fmt prints them.
func compareKeys(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	case a.Kind() == reflect.String:
		return cmp.Compare(a.String(), b.String())
	case a.Kind() == reflect.Struct:
		for k := range a.NumField() {
			if c := compareKeys(a.Field(k), b.Field(k)); c != 0 {
				return c
			}
		}
		return 0
	case a.Kind() == reflect.Array:
		for k := range a.Len() {
			if c := compareKeys(a.Index(k), b.Index(k)); c != 0 {
				return c
			}
		}
		return 0
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}
