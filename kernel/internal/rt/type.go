// Package rt is called by lowered cells while they run. The interpreter keeps no identity and no methods of types
// declared in cells once a value sits in an interface, so the cell compiler erases such types and boxes their values:
// an interface holds either a native Go value or an Obj, which carries its type.
package rt

import (
	"fmt"
	"go/types"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
)

// Type is the run-time identity of a type that native code does not know, or of any type asserted to.
type Type struct {
	ID     int
	Name   string       // as %T prints it
	Go     types.Type   // the newest of the checker's objects for it
	Native reflect.Type // nil if the type mentions types of cells

	r     *Registry
	mu    sync.RWMutex
	err   atomic.Bool              // whether it has an Error method
	binds map[string]reflect.Value // by method: func(receiver) func(arguments) results

	// the reflect.Type that its values have, once one has been reflected upon or where erased fields lead to it
	lowered atomic.Value
}

// Obj is a value of a cell's type in an interface. Two are equal under == when their types and values are.
type Obj struct {
	T *Type
	V any // lowered value
}

// bind returns the method of that name bound to the receiver v.
func (t *Type) bind(name string, v any) (reflect.Value, bool) {
	b, ok := t.binder(name)
	if !ok {
		return reflect.Value{}, false
	}
	in := reflect.ValueOf(v)
	if !in.IsValid() {
		in = reflect.Zero(b.Type().In(0))
	}
	f := b.Call([]reflect.Value{in})[0]
	if f.Kind() == reflect.Interface {
		f = f.Elem()
	}
	return f, true
}

// bound returns the type of a method that is bound to a receiver, or nil if it is not known.
func (t *Type) bound(name string) reflect.Type {
	b, ok := t.binder(name)
	if !ok {
		return nil
	}
	return b.Type().Out(0)
}

// binder returns the function that binds a method to a receiver. A pointer has the methods of what it points to.
func (t *Type) binder(name string) (reflect.Value, bool) {
	t.mu.RLock()
	b, ok := t.binds[name]
	t.mu.RUnlock()
	p, isPointer := types.Unalias(t.Go).(*types.Pointer)
	if ok || !isPointer || t.r.Resolve == nil {
		return b, ok
	}
	of := t.r.Resolve(p.Elem())
	of.mu.RLock()
	b, ok = of.binds[name]
	of.mu.RUnlock()
	if !ok {
		return b, false
	}
	ft := reflect.FuncOf([]reflect.Type{reflect.PointerTo(b.Type().In(0))}, []reflect.Type{b.Type().Out(0)}, false)
	return reflect.MakeFunc(ft, func(in []reflect.Value) []reflect.Value {
		if in[0].IsNil() {
			typ := strings.TrimPrefix(of.Name, "main.")
			panic(plainError("value method " + of.Name + "." + name + " called using nil *" + typ + " pointer"))
		}
		return b.Call([]reflect.Value{in[0].Elem()})
	}), true
}

func (t *Type) reg() *Registry { return t.r }

func (t *Type) has(name string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, ok := t.binds[name]
	return ok
}

// method returns the method of that name of any value, native or not.
func method(x any, name string) (reflect.Value, bool) {
	if o, ok := object(x); ok {
		return o.T.bind(name, o.V)
	}
	m := reflect.ValueOf(x).MethodByName(name)
	return m, m.IsValid()
}

// object returns the cell's value in any of the forms in which native code sees it.
func object(x any) (Obj, bool) {
	switch x := x.(type) {
	case Obj:
		return x, true
	case ErrObj:
		return x.Obj, true
	case traveller:
		return x.home(), true
	}
	return Obj{}, false
}

// A traveller is a cell's value in the form in which it goes through native code that looks for certain methods.
type traveller interface{ home() Obj }

// A Standin writes to the cell in place of a standard file, which would not know whose text it is.
type Standin interface{ Standard() *os.File }

// Registry holds the types and symbols of one session.
type Registry struct {
	mu       sync.RWMutex
	types    []*Type
	byKey    map[string]*Type
	wrappers map[reflect.Type]bool // wrappers of the library for interfaces
	richer   []reflect.Type        // wrappers that have more methods than their interface; the richest come first
	symbols  map[string]map[string]reflect.Value

	hidden map[string]map[string]reflect.Type

	// Resolve returns the run-time type of any type. The cell compiler sets it, because it knows the types' keys.
	Resolve func(types.Type) *Type

	// Standard returns the replacement of a file, or nil if there is none.
	Standard func(*os.File) Standin

	// Recovered is called on the goroutine of a cell that recovers a panic.
	Recovered func()
}

// NewRegistry makes a registry from the library's symbols and from wrappers that have more methods than their
// interface, for native code that looks for them.
func NewRegistry(symbols map[string]map[string]reflect.Value, richer []reflect.Type) *Registry {
	r := &Registry{byKey: map[string]*Type{}, wrappers: map[reflect.Type]bool{}, symbols: symbols, richer: richer}
	for _, w := range richer {
		r.wrappers[w] = true
	}
	for _, table := range symbols {
		for name, v := range table {
			if name[0] == '_' && v.Kind() == reflect.Pointer {
				r.wrappers[v.Type().Elem()] = true
			}
		}
	}
	return r
}

// Intern returns the type registered under key. If there is none, it makes one. The newest t replaces older ones.
func (r *Registry) Intern(key, name string, t types.Type, native reflect.Type) *Type {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.byKey[key]; old != nil {
		old.Go = t
		return old
	}
	n := &Type{r: r, ID: len(r.types), Name: name, Go: t, Native: native, binds: map[string]reflect.Value{}}
	r.types = append(r.types, n)
	r.byKey[key] = n
	return n
}

// Find returns the type registered under key, or nil if there is none.
func (r *Registry) Find(key string) *Type {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byKey[key]
}

func (r *Registry) typ(id int) *Type {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.types[id]
}

// Symbol returns a native symbol.
func (r *Registry) Symbol(path, name string) (reflect.Value, bool) {
	v, ok := r.symbols[path][name]
	return v, ok
}

// Register sets a method of a type: f is a func(receiver) func(arguments) results.
func (r *Registry) Register(id int, name string, f any) {
	t := r.typ(id)
	t.mu.Lock()
	t.binds[name] = reflect.ValueOf(f)
	if name == "Error" && reflect.TypeOf(f).Out(0) == reflect.TypeFor[func() string]() {
		t.err.Store(true)
	}
	t.mu.Unlock()
}

// Lowered notes that values of a type are lowered to the type that p points to.
func (r *Registry) Lowered(id int, p any) { r.typ(id).lowered.Store(reflect.TypeOf(p).Elem()) }

// Box gives a value of a cell's type its identity.
func (r *Registry) Box(id int, v any) any {
	t := r.typ(id)
	o := Obj{t, v}
	if t.err.Load() {
		return ErrObj{o}
	}
	return o
}

// Norm returns x as interfaces of cells hold it, without native wrappers.
func (r *Registry) Norm(x any) any {
	if x == nil {
		return nil
	}
	switch v := x.(type) {
	case Obj:
		if v.T.err.Load() { // it may have changed since the value was boxed
			return ErrObj{v}
		}
		return x
	case ErrObj, string, int, float64, bool:
		return x
	case traveller:
		return r.Norm(v.home())
	case Standin:
		return v.Standard()
	case reflect.Value: // the interpreter's panic carries one
		if !v.IsValid() {
			return nil
		}
		return r.Norm(v.Interface())
	}
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Struct && r.wrappers[v.Type()] {
		return r.Norm(v.Field(0).Interface())
	}
	return x
}

// Value returns the lowered value of x.
func (r *Registry) Value(x any) any {
	x = r.Norm(x)
	if o, ok := object(x); ok {
		return o.V
	}
	return x
}

// Is reports whether x's dynamic type is the type id, or implements it if it is an interface.
func (r *Registry) Is(x any, id int) bool {
	x = r.Norm(x)
	if x == nil {
		return false
	}
	t := r.typ(id)
	if i, ok := t.Go.Underlying().(*types.Interface); ok {
		return implements(x, t, i)
	}
	if o, ok := object(x); ok {
		return o.T == t
	}
	return t.Native != nil && reflect.TypeOf(x) == t.Native
}

func implements(x any, t *Type, i *types.Interface) bool {
	if _, ok := object(x); !ok && t.Native != nil {
		return reflect.TypeOf(x).Implements(t.Native)
	}
	return missing(x, i) == ""
}

// missing returns the name of the first method of an interface that x lacks, or "" if x has them all.
func missing(x any, i *types.Interface) string {
	if o, ok := object(x); ok {
		for m := range i.Methods() {
			if !o.T.has(m.Name()) {
				return m.Name()
			}
		}
		if m, _ := types.MissingMethod(o.T.Go, i, true); m != nil {
			return m.Name()
		}
		return ""
	}
	rt := reflect.TypeOf(x)
	for m := range i.Methods() {
		f, ok := rt.MethodByName(m.Name())
		if !ok || !sameSignature(f.Type, m.Signature()) {
			return m.Name()
		}
	}
	return ""
}

// sameSignature compares a native method, whose receiver comes first, with a signature, as far as reflection can tell.
func sameSignature(f reflect.Type, s *types.Signature) bool {
	if f.NumIn()-1 != s.Params().Len() || f.NumOut() != s.Results().Len() {
		return false
	}
	return sameParts(f, 1, s)
}

// sameParameters compares a native function's type with a signature, as far as reflection can tell.
func sameParameters(f reflect.Type, s *types.Signature) bool {
	return f.NumIn() == s.Params().Len() && f.NumOut() == s.Results().Len() && sameParts(f, 0, s)
}

// sameParts compares the results, and the parameters of f from number first on, with those of a signature.
func sameParts(f reflect.Type, first int, s *types.Signature) bool {
	for k := range s.Params().Len() {
		if !sameKind(f.In(k+first), s.Params().At(k).Type()) {
			return false
		}
	}
	for k := range s.Results().Len() {
		if !sameKind(f.Out(k), s.Results().At(k).Type()) {
			return false
		}
	}
	return true
}

func sameKind(r reflect.Type, t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return r.PkgPath() == n.Obj().Pkg().Path() && r.Name() == n.Obj().Name()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return r.String() == u.String() || u.Name() == "byte" && r.Kind() == reflect.Uint8 ||
			u.Name() == "rune" && r.Kind() == reflect.Int32
	case *types.Pointer:
		return r.Kind() == reflect.Pointer && sameKind(r.Elem(), u.Elem())
	case *types.Slice:
		return r.Kind() == reflect.Slice && sameKind(r.Elem(), u.Elem())
	case *types.Map:
		return r.Kind() == reflect.Map && sameKind(r.Key(), u.Key()) && sameKind(r.Elem(), u.Elem())
	case *types.Interface:
		return r.Kind() == reflect.Interface && r.NumMethod() == u.NumMethods()
	}
	return true
}

// AssertError is the run-time error of a failed type assertion; its text is the Go run time's.
type AssertError struct{ text string }

func (e *AssertError) Error() string { return e.text }

// RuntimeError marks it as runtime.Error does.
func (e *AssertError) RuntimeError() {}

// As returns the lowered value of x, which must have the type id. The argument from is the name of the interface type
// that x came from.
func (r *Registry) As(x any, id int, from string) any {
	if !r.Is(x, id) {
		panic(r.assertError(x, id, from))
	}
	if _, ok := r.typ(id).Go.Underlying().(*types.Interface); ok {
		return r.Norm(x)
	}
	return r.Value(x)
}

func (r *Registry) assertError(x any, id int, from string) error {
	t := r.typ(id)
	if i, ok := t.Go.Underlying().(*types.Interface); ok {
		if x = r.Norm(x); x == nil {
			return &AssertError{"interface conversion: interface is nil, not " + t.Name}
		}
		return &AssertError{fmt.Sprintf("interface conversion: %s is not %s: missing method %s", TypeName(x), t.Name,
			missing(x, i))}
	}
	name := "nil"
	if x = r.Norm(x); x != nil {
		name = TypeName(x)
	}
	text := fmt.Sprintf("interface conversion: %s is %s, not %s", from, name, t.Name)
	if name == t.Name {
		text += " (types from different scopes)"
	}
	return &AssertError{text}
}

// TypeName returns what %T prints for x.
func TypeName(x any) string {
	if o, ok := object(x); ok {
		return o.T.Name
	}
	return nativeNames.Replace(fmt.Sprintf("%T", x))
}

// Method returns a method of the value in an interface, bound to it.
func (r *Registry) Method(x any, name string) any {
	x = r.Norm(x)
	if x == nil {
		panic(nilPointer)
	}
	if t, ok := x.(executes); ok && reflect.TypeOf(x).String() == "*template.Template" {
		switch name {
		case "Execute":
			return func(w io.Writer, data any) error { return r.Execute(t, w, nil, data) }
		case "ExecuteTemplate":
			return func(w io.Writer, name string, data any) error { return r.Execute(t, w, name, data) }
		}
	}
	m, ok := method(r.standin(x), name)
	if !ok {
		m, ok = method(x, name)
	}
	if !ok {
		panic(fmt.Errorf("%s has no method %s", TypeName(x), name))
	}
	return m.Interface()
}

// standin returns the replacement of x, or x itself if there is none.
func (r *Registry) standin(x any) any {
	if f, ok := x.(*os.File); ok && r.Standard != nil {
		if w := r.Standard(f); w != nil {
			return w
		}
	}
	return x
}

// Equal compares two interfaces as == does.
func (r *Registry) Equal(a, b any) bool {
	return r.Same(r.Norm(a), r.Norm(b))
}

// Same compares two lowered values of one type, or the contents of two interfaces. The Go run time cannot compare the
// library's wrappers of cells' values. When it panics, its message would name lowered types.
func (r *Registry) Same(a, b any) (same bool) {
	defer func() {
		if recover() != nil {
			same = r.same(reflect.ValueOf(a), reflect.ValueOf(b))
		}
	}()
	return a == b
}

// hashed returns x, a key of a map of n elements. It panics if x cannot be hashed.
func hashed(x any, n int) any {
	name := unhashable(reflect.ValueOf(&x).Elem())
	switch {
	case name == "":
		return x
	case n == 0:
		panic(plainError("hash of unhashable type: " + name))
	}
	panic(runtimeError("hash of unhashable type " + name))
}

// unhashable returns the type name of the first part of v that cannot be hashed, or "" if there is none.
func unhashable(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return ""
		}
		name := v.Elem().Type().String()
		if v = v.Elem(); v.CanInterface() {
			if o, ok := object(v.Interface()); ok {
				v, name = reflect.ValueOf(o.V), o.T.Name
			}
		}
		if v.IsValid() && !v.Type().Comparable() {
			return name
		}
		return unhashable(v)
	case reflect.Struct:
		for k := range v.NumField() {
			if name := unhashable(v.Field(k)); name != "" {
				return name
			}
		}
	case reflect.Array:
		for k := range v.Len() {
			if name := unhashable(v.Index(k)); name != "" {
				return name
			}
		}
	}
	return ""
}

// same compares two values part by part.
func (r *Registry) same(a, b reflect.Value) bool {
	if !a.CanInterface() {
		return a.Equal(b)
	}
	switch a.Kind() {
	case reflect.Struct:
		if o, ok := object(a.Interface()); ok {
			p, ok := object(b.Interface())
			if !ok || o.T != p.T {
				return false
			}
			if t := o.T.Go; !types.Comparable(t) {
				panic(runtimeError("comparing uncomparable type " + o.T.Name))
			}
			return r.same(reflect.ValueOf(o.V), reflect.ValueOf(p.V))
		}
		for k := range a.NumField() {
			if !r.same(a.Field(k), b.Field(k)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for k := range a.Len() {
			if !r.same(a.Index(k), b.Index(k)) {
				return false
			}
		}
		return true
	case reflect.Interface:
		x, y := r.Norm(a.Interface()), r.Norm(b.Interface())
		if reflect.TypeOf(x) != reflect.TypeOf(y) || x == nil {
			return x == y
		}
		return r.same(reflect.ValueOf(x), reflect.ValueOf(y))
	case reflect.Slice, reflect.Map, reflect.Func: // of a value in an interface
		panic(runtimeError("comparing uncomparable type " + TypeName(a.Interface())))
	}
	return a.Interface() == b.Interface()
}

// Wrap returns x as a native interface type. If x is a cell's value, it uses the library's wrapper.
func (r *Registry) Wrap(x any, to reflect.Type) reflect.Value {
	if x = r.Norm(x); x == nil {
		return reflect.Zero(to)
	}
	v := reflect.ValueOf(r.standin(x))
	if !v.Type().Implements(to) {
		v = reflect.ValueOf(x)
	}
	if v.Type().Implements(to) {
		out := reflect.New(to).Elem()
		out.Set(v)
		return out
	}
	o, ok := object(x)
	if !ok {
		panic(&AssertError{fmt.Sprintf("interface conversion: %T is not %s", x, to)})
	}
	w, ok := r.wrapper(o, to)
	if !ok || !w.Type().Implements(to) {
		refuse("a value of %s as %s is not supported by this engine: the interface has methods that cells cannot "+
			"implement", o.T.Name, to)
	}
	for k := 1; k < w.NumField(); k++ {
		name := w.Type().Field(k).Name[1:]
		m, ok := o.T.bind(name, o.V)
		if !ok && optional(w.Type().Field(k)) {
			continue
		}
		if !ok {
			panic(fmt.Errorf("%s has no method %s", o.T.Name, name))
		}
		if ft := w.Field(k).Type(); m.Type() != ft {
			m = m.Convert(ft)
		}
		w.Field(k).Set(m)
	}
	w.Field(0).Set(reflect.ValueOf(x))
	out := reflect.New(to).Elem()
	out.Set(w)
	return out
}

// TryWrap is Wrap for a value that may lack the methods of the interface.
func (r *Registry) TryWrap(o Obj, to reflect.Type) (reflect.Value, bool) {
	w, ok := r.wrapper(o, to)
	if !ok || !o.fills(w.Type()) {
		return reflect.Value{}, false
	}
	return r.Wrap(o, to), true
}

// fills reports whether o has the methods of a wrapper type, with their signatures.
func (o Obj) fills(wrapper reflect.Type) bool {
	for k := 1; k < wrapper.NumField(); k++ {
		f := wrapper.Field(k)
		m, ok := o.T.bind(f.Name[1:], o.V)
		if !ok && optional(f) {
			continue
		}
		if !ok || !m.Type().ConvertibleTo(f.Type) {
			return false
		}
	}
	return true
}

// optional reports whether a field of a wrapper may stay nil. The wrapper then does what native code does without the
// method.
func optional(f reflect.StructField) bool { return f.Name[0] == 'O' }

// wrapper returns a new wrapper for the native interface. If o has optional methods that native code looks for, the
// wrapper has them too.
func (r *Registry) wrapper(o Obj, to reflect.Type) (reflect.Value, bool) {
	for _, c := range r.richer {
		if !c.Implements(to) {
			continue
		}
		if o.fills(c) {
			return reflect.New(c).Elem(), true
		}
	}
	sym, ok := r.symbols[to.PkgPath()]["_"+to.Name()]
	if !ok {
		return reflect.Value{}, false
	}
	return reflect.New(sym.Type().Elem()).Elem(), true
}
