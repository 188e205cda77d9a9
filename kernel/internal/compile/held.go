package compile

import (
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"strings"

	"nacre/kernel/internal/cells"
)

// Held returns a sentence about every type to which the cell adds methods while variables hold values of this type in
// interfaces. Such a value has the type of the cell that made it, and keeps the methods that this type had. The cell's
// variables are given as values for reflection.
func Held(u *cells.Unit, variables []any) (sentences []string) {
	declared := map[string]bool{}
	for _, d := range u.Types {
		declared[d.Name] = d.Cell == u.Cell
	}
	for _, d := range u.Funcs {
		f := d.Node.(*ast.FuncDecl)
		if f.Recv == nil || d.Cell != u.Cell || d.Func == nil {
			continue
		}
		name, _, _ := strings.Cut(d.Name, ".")
		if here, known := declared[name]; here || !known {
			continue // the type is declared in this cell, or is the same as before
		}
		w := walk{name: name, left: 10_000, seen: map[place]bool{}}
		if slices.ContainsFunc(variables, func(v any) bool { return w.holds(reflect.ValueOf(v)) }) {
			declared[name] = true
			sentences = append(sentences,
				fmt.Sprintf("values of %s that variables hold in interfaces keep the methods they had before this "+
					"cell; make them again to give them %s", name, f.Name.Name))
		}
	}
	return sentences
}

// walk looks for values of the cells' types in interfaces. left limits how many values it visits.
type walk struct {
	name string
	left int
	seen map[place]bool // pointers and maps
}

type place struct {
	at uintptr
	of reflect.Type
}

func (w *walk) holds(v reflect.Value) bool {
	if w.left--; w.left < 0 || !v.IsValid() {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		t := v.Elem()
		if !t.IsValid() {
			return false
		}
		of := t.Type()
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		return of.String() == "main."+w.name || w.holds(t)
	case reflect.Pointer, reflect.Map:
		at := place{v.Pointer(), v.Type()}
		if v.IsNil() || w.seen[at] {
			return false
		}
		w.seen[at] = true
		if v.Kind() == reflect.Pointer {
			return w.holds(v.Elem())
		}
		for it := v.MapRange(); it.Next(); {
			if w.holds(it.Key()) || w.holds(it.Value()) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for k := 0; k < v.Len() && w.left > 0; k++ {
			if w.holds(v.Index(k)) {
				return true
			}
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			if w.holds(f) {
				return true
			}
		}
	}
	return false
}
