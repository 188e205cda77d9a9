package config

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"strings"
)

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// field is one key of a table.
type field struct {
	name  string
	index []int
	tag   reflect.StructTag
	typ   reflect.Type
}

// fields lists the keys of a struct in its order. Embedded structs without a key add their own keys.
func fields(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if name == "-" {
			continue
		}
		if f.Anonymous && name == "" && deref(f.Type).Kind() == reflect.Struct {
			for _, inner := range fields(deref(f.Type)) {
				inner.index = append([]int{i}, inner.index...)
				out = append(out, inner)
			}
			continue
		}
		if !f.IsExported() {
			continue
		}
		name = cmp.Or(name, f.Name)
		out = append(out, field{name, []int{i}, f.Tag, f.Type})
	}
	return out
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// isText reports whether values of t are written as TOML strings.
func isText(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Implements(textType) || reflect.PointerTo(t).Implements(textType)
}

func isTable(t reflect.Type) bool {
	return !isText(t) && (t.Kind() == reflect.Struct || t.Kind() == reflect.Map)
}

// lookup returns the type at a dotted key, which may lead into the elements of an array of tables.
func lookup(cfg any, path []string) (reflect.Type, error) {
	t := deref(reflect.TypeOf(cfg))
	for i, name := range path {
		if t.Kind() == reflect.Slice && isTable(deref(t.Elem())) {
			t = deref(t.Elem())
		}
		switch {
		case t.Kind() == reflect.Map:
			t = deref(t.Elem())
		case isTable(t):
			next := reflect.Type(nil)
			for _, f := range fields(t) {
				if f.name == name {
					next = deref(f.typ)
				}
			}
			if next == nil {
				return nil, fmt.Errorf("no key %s", strings.Join(path[:i+1], "."))
			}
			t = next
		default:
			return nil, fmt.Errorf("%s is not a table", strings.Join(path[:i], "."))
		}
	}
	return t, nil
}

// childKeys lists the dotted keys directly under the table at prefix.
func childKeys(t reflect.Type, prefix string) []string {
	var out []string
	if t.Kind() == reflect.Struct {
		for _, f := range fields(t) {
			out = append(out, join(prefix, f.name))
		}
	}
	return out
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

// Keys lists every dotted key that holds a value, in the struct's order.
func Keys(cfg any) []string {
	return leafKeys(deref(reflect.TypeOf(whole(cfg, tables(cfg)))), "")
}

func leafKeys(t reflect.Type, prefix string) []string {
	var out []string
	for _, f := range fields(t) {
		key, ft := join(prefix, f.name), deref(f.typ)
		if isTable(ft) && ft.Kind() == reflect.Struct {
			out = append(out, leafKeys(ft, key)...)
		} else {
			out = append(out, key)
		}
	}
	return out
}

// WholeFromZero is the text with which messages describe a count without a sign, such as a seed. TOML holds no larger
// number.
const WholeFromZero = "a whole number from 0 to 9223372036854775807"

// typeName describes how a value of t is written in TOML, for messages.
func typeName(t reflect.Type) string {
	switch t = deref(t); {
	case t == reflect.TypeFor[Duration]():
		return `a duration such as "5m"`
	case isText(t):
		return "a string"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return WholeFromZero
	case reflect.Slice, reflect.Array:
		return "a list, each element " + typeName(t.Elem())
	case reflect.Struct, reflect.Map:
		return "a table"
	default:
		return "a whole number"
	}
}
