package rt

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// encoder encodes lowered values by the rules of encoding/json. It leaves native parts to encoding/json.
type encoder struct {
	r      *Registry
	buf    []byte
	fields map[*Type][]jsonField
	path   []any // names and indices that lead to the value being encoded
	top    *Type
	open   map[visit]bool // pointers, maps and slices that contain the value being encoded
}

var anyInterface = types.NewInterfaceType(nil, nil)

// enter notes that a pointer, map or slice is being encoded, until leave is called. again reports whether this was
// noted before.
func (e *encoder) enter(v reflect.Value) (again bool, leave func()) {
	k := v.Kind()
	if k != reflect.Pointer && k != reflect.Map && k != reflect.Slice || v.IsNil() {
		return false, func() {}
	}
	id := visit{at: v.UnsafePointer(), typ: v.Type()}
	if k == reflect.Slice {
		id.len = v.Len()
	}
	if e.open[id] {
		return true, nil
	}
	e.open[id] = true
	return false, func() { delete(e.open, id) }
}

// cycleVia returns the error for a value that contains itself.
func cycleVia(t *Type, v reflect.Value) error {
	return &encodeError{err: &json.UnsupportedValueError{Value: v, Str: "encountered a cycle via " + t.Name}}
}

// unsupported returns the error for a cell's type that cannot be encoded.
func unsupported(name string, t reflect.Type) error {
	return &json.UnsupportedTypeError{Type: typeNamed{t, name}}
}

// value encodes a value. If addressable is true, it may call methods of pointers to the value. If quoted is true, it
// puts basic values into strings.
func (e *encoder) value(i item, addressable, quoted bool) error {
	if i.t == nil {
		return e.native(i.v, quoted)
	}
	if done, err := e.byMethod(i, addressable); done || err != nil {
		return err
	}
	under := i.t.Go.Underlying()
	if !i.v.IsValid() {
		if _, ok := under.(*types.Signature); !ok {
			e.text("null")
			return nil
		}
	}
	again, leave := e.enter(i.v)
	if again {
		return cycleVia(i.t, i.v)
	}
	defer leave()
	switch u := under.(type) {
	case *types.Basic:
		if basic := e.r.Resolve(u).Native; basic != nil {
			return e.native(i.v.Convert(basic), quoted)
		}
	case *types.Pointer:
		if i.v.IsNil() {
			e.text("null")
			return nil
		}
		return e.value(e.of(i.v.Elem(), u.Elem()), true, quoted)
	case *types.Interface:
		if i.v.IsNil() {
			e.text("null")
			return nil
		}
		return e.value(e.r.printer().item(i.v.Interface()), false, quoted)
	case *types.Slice:
		if i.v.IsNil() {
			e.text("null")
			return nil
		}
		if i.v.Type().Elem().Kind() == reflect.Uint8 && !e.methodOf(types.NewPointer(u.Elem()), "MarshalJSON") &&
			!e.methodOf(types.NewPointer(u.Elem()), "MarshalText") {
			e.text(`"` + base64.StdEncoding.EncodeToString(i.v.Bytes()) + `"`)
			return nil
		}
		return e.list(i.v, u.Elem(), true)
	case *types.Array:
		return e.list(i.v, u.Elem(), addressable)
	case *types.Map:
		return e.mapping(i, u)
	case *types.Struct:
		return e.structure(i, u, addressable)
	}
	return unsupported(i.t.Name, typeOf(i.v))
}

func typeOf(v reflect.Value) reflect.Type {
	if !v.IsValid() {
		return reflect.TypeFor[func()]()
	}
	return v.Type()
}

func (e *encoder) text(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) of(v reflect.Value, t types.Type) item { return e.r.printer().of(v, t, false) }

// native encodes a value that encoding/json can encode.
func (e *encoder) native(v reflect.Value, quoted bool) error {
	if !v.IsValid() {
		e.text("null")
		return nil
	}
	switch t := v.Type(); {
	case v.Kind() == reflect.Interface && !v.IsNil():
		return e.value(e.r.printer().item(v.Interface()), false, quoted)
	case (t == reflect.TypeFor[[]any]() || t == reflect.TypeFor[map[string]any]()) && !v.IsNil():
		again, leave := e.enter(v)
		if again {
			return cycleVia(e.top, v)
		}
		defer leave()
		if v.Kind() == reflect.Slice {
			return e.list(v, anyInterface, true)
		}
		return e.mapping(item{v: v, t: e.top}, types.NewMap(types.Typ[types.String], anyInterface))
	}
	if e.r.cyclic(v.Interface(), true) {
		return cycleVia(e.top, v)
	}
	data, err := encode(v.Interface())
	if err != nil {
		return e.placed(err)
	}
	for quoted && v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if quoted && v.Kind() != reflect.Pointer {
		if v.Kind() == reflect.String {
			data, err = encode(string(data))
		} else {
			data = []byte(`"` + string(data) + `"`)
		}
	}
	e.buf = append(e.buf, data...)
	return err
}

// methodOf reports whether a type has a method.
func (e *encoder) methodOf(t types.Type, name string) bool {
	return types.NewMethodSet(e.r.Resolve(t).Go).Lookup(nil, name) != nil
}

// byMethod encodes a value by its own method, if it has one, and reports whether it has.
func (e *encoder) byMethod(i item, addressable bool) (bool, error) {
	if types.IsInterface(i.t.Go) {
		return false, nil
	}
	x := interfaceOf(i.v)
	for _, name := range []string{"MarshalJSON", "MarshalText"} {
		t, recv := i.t, x
		if !t.has(name) {
			_, isPointer := t.Go.Underlying().(*types.Pointer)
			if !addressable || isPointer || !i.v.IsValid() || !i.v.CanAddr() {
				continue
			}
			t, recv = e.r.Resolve(types.NewPointer(t.Go)), i.v.Addr().Interface()
			if !t.has(name) {
				continue
			}
		}
		if v := reflect.ValueOf(recv); v.Kind() == reflect.Pointer && v.IsNil() {
			e.text("null")
			return true, nil
		}
		m, ok := t.bind(name, recv)
		if !ok || m.Type().NumIn() != 0 || m.Type().NumOut() != 2 {
			continue
		}
		out := m.Call(nil)
		err, _ := out[1].Interface().(error)
		data, _ := out[0].Interface().([]byte)
		if name == "MarshalText" && err == nil {
			data, err = encode(string(data))
		}
		var b bytes.Buffer
		if err == nil {
			err = json.Compact(&b, data)
		}
		if err != nil {
			named := i.t.Name
			if pointed() {
				named = "*" + strings.TrimPrefix(named, "*")
			}
			return true, &encodeError{named, name, err}
		}
		e.buf = append(e.buf, b.Bytes()...)
		return true, nil
	}
	return false, nil
}

// failing is a type whose encoding always fails.
type failing struct{}

func (failing) MarshalJSON() ([]byte, error) { return nil, errors.ErrUnsupported }

// pointed reports whether this release of encoding/json names the pointer when a method of a value fails. It does since
// Go 1.27.
var pointed = sync.OnceValue(func() bool {
	_, err := json.Marshal(failing{})
	var failed *json.MarshalerError
	return errors.As(err, &failed) && failed.Type.Kind() == reflect.Pointer
})

func (e *encoder) list(v reflect.Value, elem types.Type, addressable bool) error {
	e.text("[")
	for k := range v.Len() {
		if k > 0 {
			e.text(",")
		}
		if err := e.within(k, e.of(v.Index(k), elem), addressable, false); err != nil {
			return err
		}
	}
	e.text("]")
	return nil
}

func (e *encoder) mapping(i item, u *types.Map) error {
	key := i.v.Type().Key()
	byText := key.Kind() != reflect.String && e.methodOf(u.Key(), "MarshalText")
	// Since Go 1.27 the message is about the keys of a map. Before, it was about the type of the map.
	if _, err := encode(reflect.Zero(reflect.MapOf(key, reflect.TypeFor[bool]())).Interface()); err != nil && !byText {
		return unsupported(i.t.Name, i.v.Type())
	}
	if i.v.IsNil() {
		e.text("null")
		return nil
	}
	values := map[string]reflect.Value{}
	for it := i.v.MapRange(); it.Next(); {
		name, err := e.key(i.t.Name, e.of(it.Key(), u.Key()), byText)
		if err != nil {
			return err
		}
		values[name] = it.Value()
	}
	e.text("{")
	for n, name := range slices.Sorted(maps.Keys(values)) {
		if n > 0 {
			e.text(",")
		}
		if err := e.name(name); err != nil {
			return err
		}
		if err := e.within(name, e.of(values[name], u.Elem()), false, false); err != nil {
			return err
		}
	}
	e.text("}")
	return nil
}

// key returns the name for a key of a map. of is the type of the map.
func (e *encoder) key(of string, k item, byText bool) (name string, err error) {
	if k.v.Kind() == reflect.Interface && !k.v.IsNil() {
		k = e.r.printer().item(k.v.Interface())
		byText = k.t != nil && e.methodOf(k.t.Go, "MarshalText")
	}
	switch {
	case k.v.Kind() == reflect.String && !byText:
		return k.v.String(), nil
	case byText:
		data, err := encode(boxedItem(e.r, k))
		if err == nil {
			err = json.Unmarshal(data, &name)
		}
		if failed := (*encodeError)(nil); errors.As(err, &failed) && failed.err != nil && !pointed() {
			err = fmt.Errorf("json: encoding error for type %q: %q", of, failed.err)
		}
		return name, err
	case k.v.IsValid() && k.v.CanInt():
		return strconv.FormatInt(k.v.Int(), 10), nil
	case k.v.IsValid() && k.v.CanUint():
		return strconv.FormatUint(k.v.Uint(), 10), nil
	}
	one := reflect.MakeMap(reflect.MapOf(k.v.Type(), reflect.TypeFor[bool]()))
	one.SetMapIndex(k.v, reflect.ValueOf(true))
	data, err := encode(one.Interface())
	if err != nil {
		return "", e.placed(err)
	}
	m := map[string]bool{}
	err = json.Unmarshal(data, &m)
	for name = range m {
	}
	return name, err
}

// within encodes a value that a name or an index leads to.
func (e *encoder) within(step any, i item, addressable, quoted bool) error {
	e.path = append(e.path, step)
	defer func() { e.path = e.path[:len(e.path)-1] }()
	return e.value(i, addressable, quoted)
}

// placed returns an error of a part with its place in the whole text. Since Go 1.27 such errors name their place.
func (e *encoder) placed(err error) error {
	var invalid *json.UnsupportedValueError
	if !errors.As(err, &invalid) {
		return err
	}
	what, at, _ := strings.Cut(invalid.Str, " after offset ")
	offset, e2 := strconv.Atoi(at)
	if e2 != nil {
		return err
	}
	what, inner, _ := strings.Cut(what, " within ")
	pointer, _ := strconv.Unquote(inner)
	var outer strings.Builder
	for _, step := range e.path {
		fmt.Fprint(&outer, "/", strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(step)))
	}
	if pointer = outer.String() + pointer; pointer != "" {
		what += fmt.Sprintf(" within %q", pointer)
	}
	return &json.UnsupportedValueError{Value: invalid.Value, Str: fmt.Sprint(what, " after offset ", offset+len(e.buf))}
}

func (e *encoder) name(name string) error {
	data, err := encode(name)
	e.buf = append(append(e.buf, data...), ':')
	return err
}

func (e *encoder) structure(i item, u *types.Struct, addressable bool) error {
	list, ok := e.fields[i.t]
	if !ok {
		list = jsonFields(e.r, u)
		e.fields[i.t] = list
	}
	e.text("{")
	first := true
fields:
	for _, f := range list {
		x, addr := i, addressable
		for _, k := range f.index {
			if x.t == nil { // an embedded struct of native code
				if x.v.Kind() == reflect.Pointer {
					if x.v.IsNil() {
						continue fields
					}
					x.v, addr = x.v.Elem(), true
				}
				x.v = x.v.Field(k)
				continue
			}
			s := x.t.Go.Underlying()
			if p, ok := s.(*types.Pointer); ok {
				if !x.v.IsValid() || x.v.IsNil() {
					continue fields
				}
				x, addr, s = e.of(x.v.Elem(), p.Elem()), true, p.Elem().Underlying()
			}
			x = e.of(field(x.v, k), s.(*types.Struct).Field(k).Type())
		}
		if f.omitEmpty && empty(x.v) || f.omitZero && e.zero(x) {
			continue
		}
		if !first {
			e.text(",")
		}
		first = false
		if err := e.name(f.name); err != nil {
			return err
		}
		if err := e.within(f.name, x, addr, f.quoted); err != nil {
			return err
		}
	}
	e.text("}")
	return nil
}

func empty(v reflect.Value) bool {
	if !v.IsValid() {
		return true
	}
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Func, reflect.Chan:
		return false
	}
	return v.IsZero()
}

// zero reports whether omitzero leaves a value out.
func (e *encoder) zero(i item) bool {
	if !i.v.IsValid() {
		return true
	}
	if i.t == nil {
		if z, ok := i.v.Interface().(interface{ IsZero() bool }); ok &&
			!(i.v.Kind() == reflect.Pointer && i.v.IsNil()) {
			return z.IsZero()
		}
		return i.v.IsZero()
	}
	if m, ok := i.t.bind("IsZero", i.v.Interface()); ok && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 &&
		m.Type().Out(0).Kind() == reflect.Bool {
		return m.Call(nil)[0].Bool()
	}
	return i.v.IsZero()
}

// jsonField is a field of a struct, or of a struct embedded in it, as encoding/json sees it.
type jsonField struct {
	name                        string
	index                       []int
	tagged                      bool
	omitEmpty, omitZero, quoted bool
}

// jsonFields returns the fields that are encoded, in order. Of several fields with one name it takes the least deeply
// embedded one, then the one with a tag. If several are left, it takes none.
func jsonFields(r *Registry, s *types.Struct) []jsonField {
	type level struct {
		s     *types.Struct
		index []int
		from  *types.Named
	}
	var all []jsonField
	seen := map[*types.Named]bool{}
	for open := []level{{s: s}}; len(open) > 0; {
		var deeper []level
		count := map[*types.Named]int{}
		for _, l := range open {
			if l.from != nil {
				count[l.from]++
			}
		}
		for _, l := range open {
			if l.from != nil && seen[l.from] {
				continue
			}
			if l.from != nil {
				seen[l.from] = true
			}
			for k := range l.s.NumFields() {
				f := l.s.Field(k)
				t := types.Unalias(f.Type())
				if p, ok := t.(*types.Pointer); ok && f.Embedded() {
					t = types.Unalias(p.Elem())
				}
				inner, isStruct := t.Underlying().(*types.Struct)
				if !f.Exported() && !(f.Embedded() && isStruct) {
					continue
				}
				tag := reflect.StructTag(l.s.Tag(k)).Get("json")
				if tag == "-" {
					continue
				}
				name, rest, _ := strings.Cut(tag, ",")
				if !validName(name) {
					name = ""
				}
				index := append(slices.Clone(l.index), k)
				if name == "" && f.Embedded() && isStruct {
					if n, ok := t.(*types.Named); ok {
						deeper = append(deeper, level{inner, index, n})
					}
					continue
				}
				options := strings.Split(rest, ",")
				j := jsonField{
					name: cmp.Or(name, f.Name()), index: index, tagged: name != "",
					omitEmpty: slices.Contains(options, "omitempty"), omitZero: slices.Contains(options, "omitzero"),
				}
				if q := f.Type(); slices.Contains(options, "string") {
					if p, ok := q.(*types.Pointer); ok {
						q = p.Elem()
					}
					b, ok := q.Underlying().(*types.Basic)
					j.quoted = ok && b.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
				}
				all = append(all, j)
				if count[l.from] > 1 { // two of them hide each other
					all = append(all, j)
				}
			}
		}
		open = deeper
	}
	byName := map[string][]jsonField{}
	for _, j := range all {
		byName[j.name] = append(byName[j.name], j)
	}
	var list []jsonField
	for _, js := range byName {
		slices.SortStableFunc(js, func(a, b jsonField) int {
			return cmp.Or(cmp.Compare(len(a.index), len(b.index)), -cmp.Compare(boolInt(a.tagged), boolInt(b.tagged)))
		})
		if len(js) == 1 || len(js[0].index) != len(js[1].index) || js[0].tagged != js[1].tagged {
			list = append(list, js[0])
		}
	}
	slices.SortFunc(list, func(a, b jsonField) int { return slices.Compare(a.index, b.index) })
	return list
}

// validName reports whether a tag can be the name of a field.
func validName(s string) bool {
	for _, c := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return s != ""
}
