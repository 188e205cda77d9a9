package rt

import (
	"cmp"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// printer prints operands.
type printer struct {
	flags
	r         *Registry
	buf       []byte
	wraps     map[int]bool // operands of %w; nil if it is not a verb
	erring    bool         // whether it prints inside %!verb(...), where no methods are called
	panicking bool
	known     map[types.Type]*Type
}

func (r *Registry) printer() *printer { return &printer{r: r} }

func (p *printer) text(s string) { p.buf = append(p.buf, s...) }

// item is a value to be printed. If t is nil, the value is native, otherwise it is lowered and t is its type in the
// cell. Values below unexported fields are hidden: fmt cannot call their methods.
type item struct {
	v      reflect.Value
	t      *Type
	hidden bool
}

func (i item) name() string {
	if i.t != nil {
		return i.t.Name
	}
	return nativeNames.Replace(i.v.Type().String())
}

// nativeNames maps the types that replace those of reflect and of run-time errors to the original names.
var nativeNames = strings.NewReplacer("rt.ReflectValue", "reflect.Value", "rt.rtype", "*reflect.rtype",
	"rt.ReflectField", "reflect.StructField", "rt.ReflectMethod", "reflect.Method", "rt.ReflectType", "reflect.Type",
	"rt.AssertError", "runtime.TypeAssertionError", "rt.boundsError", "runtime.boundsError", "rt.runtimeError",
	"runtime.errorString", "rt.plainError", "runtime.plainError")

// item returns the value that an interface holds.
func (p *printer) item(x any) item {
	if v, reflects := x.(reflect.Value); reflects { // of a compiled cell
		return item{v: reflect.ValueOf(v)}
	}
	x = p.r.Norm(x)
	if o, ok := object(x); ok {
		return item{v: reflect.ValueOf(o.V), t: o.T}
	}
	return item{v: reflect.ValueOf(x)}
}

// of returns v, a part of another value, as a value of type t.
func (p *printer) of(v reflect.Value, t types.Type, hidden bool) item {
	typ := p.known[t]
	if typ == nil {
		typ = p.r.Resolve(t)
		if p.known == nil {
			p.known = map[types.Type]*Type{}
		}
		p.known[t] = typ
	}
	if v.IsValid() && v.Kind() == reflect.Interface && !types.IsInterface(typ.Go) { // a field that was lowered to any
		v = v.Elem()
	}
	if !v.IsValid() && typ.Native != nil {
		v = reflect.Zero(typ.Native)
	}
	if typ.Native != nil && v.Type() == typ.Native {
		typ = nil
	}
	return item{v, typ, hidden}
}

// part returns an element of i; it is native if i is.
func (p *printer) part(i item, v reflect.Value, t types.Type) item {
	if i.t == nil {
		return item{v, nil, i.hidden}
	}
	return p.of(v, t, i.hidden)
}

func (p *printer) isString(x any) bool {
	i := p.item(x)
	return i.v.IsValid() && i.v.Kind() == reflect.String
}

// operand prints an operand.
func (p *printer) operand(x any, verb rune) {
	i := p.item(x)
	switch v, reflects := x.(ReflectValue); {
	case reflects && verb != 'T' && verb != 'p' && v.none():
		p.text("<invalid reflect.Value>")
		return
	case reflects && verb != 'T' && verb != 'p': // print the value that it holds
		if i = v.of; !p.handled(i, verb) {
			p.value(i, verb, 0)
		}
		return
	}
	switch {
	case !i.v.IsValid() && i.t == nil:
		if verb == 'T' || verb == 'v' {
			p.null()
		} else {
			p.bad(i, verb)
		}
	case verb == 'T':
		p.padded(i.name())
	case verb == 'p':
		p.pointer(i, 'p')
	case i.t == nil && verb != 'w' && !p.erring && !mayHoldCells(i.v.Type()):
		p.buf = fmt.Appendf(p.buf, p.spec(verb), i.v.Interface())
	case !p.handled(i, verb):
		p.value(i, verb, 0)
	}
}

// padded prints a text in the width of the verb.
func (p *printer) padded(s string) {
	f := p.flags
	f.goSyntax, f.plusFields, f.sharp, f.plus, f.space = false, false, false, false, false
	p.buf = fmt.Appendf(p.buf, f.spec('s'), s)
}

// null prints <nil> in the width of the verb.
func (p *printer) null() {
	f := flags{width: p.width, hasWidth: p.hasWidth, minus: p.minus, zero: p.zero}
	p.buf = fmt.Appendf(p.buf, f.spec('s'), "<nil>")
}

// leaf prints a value of a basic type.
func (p *printer) leaf(x any, verb rune) {
	f := p.flags
	if verb == 'v' && !f.goSyntax { // with the flags of another verb
		f.plusFields = false
		switch x.(type) {
		case bool:
			verb = 't'
		case string:
			verb = 's'
		case int64, uint64:
			verb = 'd'
		default:
			verb = 'g'
		}
	}
	p.buf = fmt.Appendf(p.buf, f.spec(verb), x)
}

// bad reports that the verb does not fit the value.
func (p *printer) bad(i item, verb rune) {
	was := p.erring
	p.erring = true
	p.text("%!" + string(verb) + "(")
	if i.v.IsValid() || i.t != nil {
		p.text(i.name() + "=")
		p.value(i, 'v', 0)
	} else {
		p.text("<nil>")
	}
	p.text(")")
	p.erring = was
}

// method returns the method of i with a name and numbers of parameters and results. It returns none if fmt could not
// call it.
func (p *printer) method(i item, name string, in, out int) (reflect.Value, bool) {
	m, ok := i.t.bind(name, interfaceOf(i.v))
	return m, ok && m.Type().NumIn() == in && m.Type().NumOut() == out
}

func interfaceOf(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}

// handled prints i by its own methods, if it has any, and reports whether it has.
func (p *printer) handled(i item, verb rune) (handled bool) {
	if p.erring || i.hidden || !i.v.IsValid() || i.t == nil && !i.v.CanInterface() {
		return false
	}
	var format func(fmt.State, rune)
	var goString, str func() string
	name := "String"
	isError := false
	if i.t == nil {
		x := i.v.Interface()
		if f, ok := x.(fmt.Formatter); ok {
			format = f.Format
		}
		if s, ok := x.(fmt.GoStringer); ok {
			goString = s.GoString
		}
		if s, ok := x.(fmt.Stringer); ok {
			str = s.String
		}
		if e, ok := x.(error); ok {
			str, name, isError = e.Error, "Error", true
		}
	} else {
		if m, ok := p.method(i, "Format", 2, 0); ok && m.Type().In(0) == reflect.TypeFor[fmt.State]() {
			format = func(s fmt.State, verb rune) { m.Call([]reflect.Value{reflect.ValueOf(s), reflect.ValueOf(verb)}) }
		}
		call := func(name string) func() string {
			m, ok := p.method(i, name, 0, 1)
			if !ok || m.Type().Out(0).Kind() != reflect.String {
				return nil
			}
			return func() string { return m.Call(nil)[0].String() }
		}
		goString, str = call("GoString"), call("String")
		if f := call("Error"); f != nil {
			str, name, isError = f, "Error", true
		}
	}
	if verb == 'w' {
		if !isError || p.wraps == nil {
			p.bad(i, verb)
			return true
		}
		verb = 'v'
	}
	handled = true // also if the method panics
	switch {
	case format != nil:
		defer p.caught(i, verb, "Format")
		format(&state{p}, verb)
	case p.goSyntax:
		if goString == nil {
			return false
		}
		defer p.caught(i, verb, "GoString")
		p.padded(goString())
	default:
		if str == nil || !strings.ContainsRune("vsxXq", verb) {
			return false
		}
		defer p.caught(i, verb, name)
		p.leaf(str(), verb)
	}
	return handled
}

// caught prints the panic of a method.
func (p *printer) caught(i item, verb rune, method string) {
	x := recover()
	if x == nil {
		return
	}
	if i.v.Kind() == reflect.Pointer && i.v.IsNil() {
		p.text("<nil>")
		return
	}
	if p.panicking {
		panic(x)
	}
	if x = p.r.Panicked(x); x == indexOutOfRange {
		refuse("what a method %s of %s panics with, an index out of range in a function it calls, is not supported "+
			"by this engine in text", method, i.name())
	}
	was := p.flags
	p.flags, p.panicking = flags{}, true
	p.text("%!" + string(verb) + "(PANIC=" + method + " method: ")
	p.operand(x, 'v')
	p.text(")")
	p.flags, p.panicking = was, false
}

// state is the fmt.State of a Format method.
type state struct{ p *printer }

func (s *state) Write(b []byte) (int, error) {
	s.p.buf = append(s.p.buf, b...)
	return len(b), nil
}

func (s *state) WriteString(b string) (int, error) {
	s.p.buf = append(s.p.buf, b...)
	return len(b), nil
}

func (s *state) Width() (int, bool)     { return s.p.width, s.p.hasWidth }
func (s *state) Precision() (int, bool) { return s.p.precision, s.p.hasPrec }

func (s *state) Flag(c int) bool {
	switch c {
	case '-':
		return s.p.minus
	case '+':
		return s.p.plus || s.p.plusFields
	case '#':
		return s.p.sharp || s.p.goSyntax
	case ' ':
		return s.p.space
	case '0':
		return s.p.zero
	}
	return false
}

// value prints a value by its kind. depth is 0 for an operand.
func (p *printer) value(i item, verb rune, depth int) {
	// of native methods: holds a wrapper
	if depth > 0 && i.t == nil && i.v.IsValid() && i.v.Kind() == reflect.Interface && !i.v.IsNil() {
		i = p.inside(i.v.Elem(), i.hidden)
	}
	if depth > 0 && p.handled(i, verb) {
		return
	}
	if !i.v.IsValid() && i.t != nil {
		p.zeroValue(i, verb, depth)
		return
	}
	v := i.v
	var under types.Type
	if i.t != nil {
		under = i.t.Go.Underlying()
	}
	elem := func() types.Type {
		if e, ok := under.(interface{ Elem() types.Type }); ok {
			return e.Elem()
		}
		return nil
	}
	only := func(verbs string, x any) {
		if strings.ContainsRune(verbs, verb) {
			p.leaf(x, verb)
		} else {
			p.bad(i, verb)
		}
	}
	switch v.Kind() {
	case reflect.Invalid:
		if verb == 'v' {
			p.text("<nil>")
		} else {
			p.bad(i, verb)
		}
	case reflect.Bool:
		only("tv", v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		only("vdboOxXcqU", v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		only("vdboOxXcqU", v.Uint())
	case reflect.Float32:
		only("vbgGxXfFeE", float32(v.Float()))
	case reflect.Float64:
		only("vbgGxXfFeE", v.Float())
	case reflect.Complex64:
		only("vbgGxXfFeE", complex64(v.Complex()))
	case reflect.Complex128:
		only("vbgGxXfFeE", v.Complex())
	case reflect.String:
		only("vsxXq", v.String())
	case reflect.Map:
		var key types.Type
		if m, ok := under.(*types.Map); ok {
			key = m.Key()
		}
		entries := make([][2]reflect.Value, 0, v.Len())
		for it := v.MapRange(); it.Next(); {
			entries = append(entries, [2]reflect.Value{it.Key(), it.Value()})
		}
		slices.SortStableFunc(entries, func(a, b [2]reflect.Value) int { return compareKeys(a[0], b[0]) })
		p.list(i, len(entries), "map[", func(k int) {
			p.value(p.part(i, entries[k][0], key), verb, depth+1)
			p.text(":")
			p.value(p.part(i, entries[k][1], elem()), verb, depth+1)
		})
	case reflect.Struct:
		p.structure(i, under, verb, depth)
	case reflect.Interface:
		inner := v.Elem()
		switch {
		case inner.IsValid():
			p.value(p.inside(inner, i.hidden), verb, depth+1)
		case p.goSyntax:
			p.text(i.name() + "(nil)")
		default:
			p.text("<nil>")
		}
	case reflect.Array, reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 && strings.ContainsRune("sqxX", verb) {
			var b []byte
			for k := range v.Len() {
				b = append(b, byte(v.Index(k).Uint()))
			}
			p.buf = fmt.Appendf(p.buf, p.spec(verb), b)
			return
		}
		p.list(i, v.Len(), "[", func(k int) { p.value(p.part(i, v.Index(k), elem()), verb, depth+1) })
	case reflect.Pointer:
		if depth == 0 && !v.IsNil() {
			inner := p.part(i, v.Elem(), elem())
			switch inner.v.Kind() {
			case reflect.Array, reflect.Slice, reflect.Struct, reflect.Map:
				p.text("&")
				p.value(inner, verb, depth+1)
				return
			}
		}
		p.pointer(i, verb)
	default:
		p.pointer(i, verb)
	}
}

// inside returns the value in an interface. It may be an Obj that reflection may not take out.
func (p *printer) inside(v reflect.Value, hidden bool) item {
	if v.CanInterface() {
		i := p.item(v.Interface())
		i.hidden = hidden
		return i
	}
	for v.Type() == reflect.TypeFor[ErrObj]() {
		v = v.Field(0)
	}
	if v.Type() == reflect.TypeFor[Obj]() {
		return item{v.Field(1).Elem(), (*Type)(v.Field(0).UnsafePointer()), true}
	}
	return item{v, nil, hidden}
}

// list prints n elements. A map's stand between "map[" and "]".
func (p *printer) list(i item, n int, open string, element func(k int)) {
	sep, end := " ", "]"
	if p.goSyntax {
		p.text(i.name())
		if i.v.Kind() != reflect.Array && i.v.IsNil() {
			p.text("(nil)")
			return
		}
		open, sep, end = "{", ", ", "}"
	}
	p.text(open)
	for k := range n {
		if k > 0 {
			p.text(sep)
		}
		element(k)
	}
	p.text(end)
}

func (p *printer) structure(i item, under types.Type, verb rune, depth int) {
	if p.goSyntax {
		p.text(i.name())
	}
	p.text("{")
	for k := range i.v.NumField() {
		if k > 0 {
			p.text(map[bool]string{true: ", ", false: " "}[p.goSyntax])
		}
		var f item
		name := ""
		if s, ok := under.(*types.Struct); ok {
			name = s.Field(k).Name()
			f = p.of(field(i.v, k), s.Field(k).Type(), i.hidden || !s.Field(k).Exported())
		} else {
			name = i.v.Type().Field(k).Name
			f = item{i.v.Field(k), nil, i.hidden}
		}
		if p.plusFields || p.goSyntax {
			p.text(name + ":")
		}
		if f.v.IsValid() && f.v.Kind() == reflect.Interface && !f.v.IsNil() {
			f = p.inside(f.v.Elem(), f.hidden)
		}
		p.value(f, verb, depth+1)
	}
	p.text("}")
}

// zeroValue prints the zero value of a cell's type whose field the interpreter left empty.
func (p *printer) zeroValue(i item, verb rune, depth int) {
	switch u := i.t.Go.Underlying().(type) {
	case *types.Basic:
		p.value(item{reflect.Zero(p.r.Resolve(u).Native), nil, i.hidden}, verb, depth)
	case *types.Slice, *types.Map:
		switch _, isMap := u.(*types.Map); {
		case p.goSyntax:
			p.text(i.t.Name + "(nil)")
		case isMap:
			p.text("map[]")
		default:
			p.text("[]")
		}
	case *types.Array:
		p.text("[")
		for k := range int(u.Len()) {
			if k > 0 {
				p.text(" ")
			}
			p.value(p.of(reflect.Value{}, u.Elem(), i.hidden), verb, depth+1)
		}
		p.text("]")
	default:
		p.address(i, 0, verb)
	}
}

// pointer prints an address.
func (p *printer) pointer(i item, verb rune) {
	if !i.v.IsValid() {
		p.address(i, 0, verb)
		return
	}
	switch i.v.Kind() {
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
		p.address(i, uint64(uintptr(i.v.UnsafePointer())), verb)
	default:
		p.bad(i, verb)
	}
}

func (p *printer) address(i item, at uint64, verb rune) {
	f := p.flags
	switch verb {
	case 'v', 'p':
		switch {
		case p.goSyntax && verb == 'v':
			p.text("(" + i.name() + ")(")
			if at == 0 {
				p.text("nil")
			} else {
				f.goSyntax, f.sharp = false, true
				p.buf = fmt.Appendf(p.buf, f.spec('x'), at)
			}
			p.text(")")
		case at == 0 && verb == 'v':
			p.null()
		default:
			f.goSyntax, f.plusFields, f.sharp = false, false, !p.sharp
			p.buf = fmt.Appendf(p.buf, f.spec('x'), at)
		}
	case 'b', 'o', 'd', 'x', 'X':
		p.leaf(at, verb)
	default:
		p.bad(i, verb)
	}
}

var cellHolders sync.Map // of reflect.Type: bool

// mayHoldCells reports whether a value of the native type t may contain a cell's value, because it holds an interface.
func mayHoldCells(t reflect.Type) bool {
	if known, ok := cellHolders.Load(t); ok {
		return known.(bool)
	}
	seen := map[reflect.Type]bool{}
	var holds func(t reflect.Type) bool
	holds = func(t reflect.Type) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Interface:
			return true
		case reflect.Pointer, reflect.Slice, reflect.Array:
			return holds(t.Elem())
		case reflect.Map:
			return holds(t.Key()) || holds(t.Elem())
		case reflect.Struct:
			for f := range t.Fields() {
				if holds(f.Type) {
					return true
				}
			}
		}
		return false
	}
	answer := holds(t)
	cellHolders.Store(t, answer)
	return answer
}

// compareKeys compares two keys of a map in the order in which package fmt prints them.
func compareKeys(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	case a.CanComplex():
		x, y := a.Complex(), b.Complex()
		return cmp.Or(cmp.Compare(real(x), real(y)), cmp.Compare(imag(x), imag(y)))
	case a.Kind() == reflect.String:
		return strings.Compare(a.String(), b.String())
	case a.Kind() == reflect.Bool:
		switch {
		case a.Bool() == b.Bool():
			return 0
		case b.Bool():
			return -1
		}
		return 1
	case a.Kind() == reflect.Pointer || a.Kind() == reflect.Chan || a.Kind() == reflect.UnsafePointer:
		return cmp.Compare(a.Pointer(), b.Pointer())
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
	case a.Kind() == reflect.Interface:
		x, y := a.Elem(), b.Elem()
		switch {
		case !x.IsValid() || !y.IsValid():
			return cmp.Compare(boolInt(x.IsValid()), boolInt(y.IsValid()))
		case x.Type() != y.Type():
			return cmp.Compare(reflect.ValueOf(x.Type()).Pointer(), reflect.ValueOf(y.Type()).Pointer())
		case x.Type() == reflect.TypeFor[ErrObj]():
			x, y = x.Field(0), y.Field(0)
		}
		return compareKeys(x, y)
	}
	return 0
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Format prints a cell's value where native code prints it, by the rules of fmt.
func (o Obj) Format(f fmt.State, verb rune) {
	p := o.T.reg().printer()
	p.width, p.hasWidth = f.Width()
	p.precision, p.hasPrec = f.Precision()
	p.minus, p.plus, p.sharp = f.Flag('-'), f.Flag('+'), f.Flag('#')
	p.space, p.zero = f.Flag(' '), f.Flag('0')
	if verb == 'v' {
		p.goSyntax, p.sharp = p.sharp, false
		p.plusFields, p.plus = p.plus, false
	}
	p.operand(o, verb)
	f.Write(p.buf)
}

// HasText reports whether the type has its own print method.
func (o Obj) HasText() bool { return o.T.has("String") || o.T.has("Error") || o.T.has("Format") }
