package display

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"nacre/analysis/frame"
	"nacre/sim"
)

// ofFields shows a struct of this project's packages that has no form of its own. It is a table of the exported fields;
// fields of inner structs are named Outer.Inner.
func ofFields(v any) (map[string]any, error) {
	if f, ok := v.(sim.Family); ok && ours(reflect.TypeOf(v)) {
		v = f.Spec()
	}
	x := reflect.ValueOf(v)
	if x.Kind() == reflect.Pointer {
		x = x.Elem()
	}
	if x.Kind() != reflect.Struct || !ours(x.Type()) || hasText(v) {
		return nil, nil
	}
	var names, values []string
	leaves(x, "", func(name, value string) { names, values = append(names, name), append(values, value) })
	if len(names) == 0 {
		return nil, nil
	}
	return withText(frame.New(frame.Texts("field", names), frame.Texts("value", values)), fmt.Sprintf("%+v", v))
}

// ours reports whether a type is declared in this project.
func ours(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.HasPrefix(t.PkgPath(), "nacre/")
}

// leaves gives the exported fields of a struct that are no structs themselves.
func leaves(x reflect.Value, prefix string, add func(name, value string)) {
	for k := range x.NumField() {
		field := x.Type().Field(k)
		v := x.Field(k)
		switch {
		case !field.IsExported():
		case v.Kind() == reflect.Struct && !hasText(v.Interface()):
			leaves(v, prefix+field.Name+".", add)
		default:
			add(prefix+field.Name, leaf(v))
		}
	}
}

// longest is the length of a field's text, in characters.
const longest = 200

// leaf is a field in a line.
func leaf(v reflect.Value) string {
	const most = 20
	text := ""
	switch k := v.Kind(); {
	case (k == reflect.Pointer || k == reflect.Interface || k == reflect.Func || k == reflect.Chan) && v.IsNil():
		return "nil"
	case hasText(v.Interface()):
		text = fmt.Sprint(v.Interface())
	case k == reflect.Pointer || k == reflect.Func || k == reflect.Chan:
		text = v.Type().String()
	case k == reflect.Interface:
		return leaf(v.Elem())
	case k == reflect.Slice && v.Len() > most:
		text = fmt.Sprintf("%v … %d values", strings.TrimSuffix(fmt.Sprint(v.Slice(0, most).Interface()), "]"), v.Len())
	case (k == reflect.Map || k == reflect.Array) && v.Len() > most:
		text = fmt.Sprintf("%d values", v.Len())
	default:
		text = fmt.Sprint(v.Interface())
	}
	if text = strings.Join(strings.Fields(text), " "); utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest-1]) + "…"
	}
	return text
}
