package rt

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"
)

// templateFunc stands for a cell's function whose type native code does not know. It returns that function.
type templateFunc func() any

// TemplateFuncs are functions for a template. If a function has parameters or results of cells' types, the package only
// sees that it is a function.
func (r *Registry) TemplateFuncs(m template.FuncMap) template.FuncMap {
	funcs := template.FuncMap{}
	for name, f := range m {
		funcs[name] = f
		if v := r.valueOf(f); v.of.t != nil && v.Kind() == reflect.Func {
			if err := callable(name, v.Type()); err != nil {
				panic(err)
			}
			funcs[name] = templateFunc(func() any { return f })
		}
	}
	return funcs
}

// callable returns the reason why templates cannot call functions of type t.
func callable(name string, t ReflectType) error {
	switch n := t.NumOut(); {
	case n == 1, n == 2 && t.Out(1) == rtype{n: reflect.TypeFor[error]()}:
		return nil
	case n == 2:
		return fmt.Errorf("invalid function signature for %s: second return value should be error; is %s",
			name, t.Out(1))
	default:
		return fmt.Errorf("function %s has %d return values; should be 1 or 2", name, n)
	}
}

// function returns the function that templates call by a name. It is one of their own or a built-in.
func (e *execution) function(name string) (f ReflectValue, builtin bool) {
	if f, ok := e.funcs[name]; ok {
		if held, ok := f.Interface().(templateFunc); ok {
			return e.r.valueOf(held()), false
		}
		return ReflectValue{r: e.r, of: item{v: f}}, false
	}
	if f, ok := e.builtin[name]; ok {
		return e.r.valueOf(f), true
	}
	e.fail("%q is not a defined function", name)
	return f, false
}

// builtins are the functions that all templates have. execution.call treats and, or and call itself.
func (r *Registry) builtins() map[string]any {
	called := func(ReflectValue, ...ReflectValue) ReflectValue { return ReflectValue{} }
	not := func(f func(a, b ReflectValue) (bool, error)) func(a, b ReflectValue) (bool, error) {
		return func(a, b ReflectValue) (bool, error) {
			is, err := f(a, b)
			return !is && err == nil, err
		}
	}
	atMost := func(a, b ReflectValue) (bool, error) {
		if less, err := templateLess(a, b); less || err != nil {
			return less, err
		}
		return r.templateEq(a, b)
	}
	return map[string]any{
		"and": called, "or": called, "call": called,
		"not":      func(v ReflectValue) bool { return !truth(v) },
		"len":      templateLen,
		"index":    r.templateIndex,
		"slice":    templateSlice,
		"print":    func(a ...any) string { return r.printed(a...) },
		"println":  func(a ...any) string { r.printed(a...); return r.Sprintln(a) },
		"printf":   func(format string, a ...any) string { r.printed(a...); return r.Sprintf(format, a) },
		"html":     r.htmlEscaper,
		"js":       r.jsEscaper,
		"urlquery": r.urlEscaper,
		"eq":       r.templateEq,
		"ne":       not(func(a, b ReflectValue) (bool, error) { return r.templateEq(a, b) }),
		"lt":       templateLess,
		"ge":       not(templateLess),
		"le":       atMost,
		"gt":       not(atMost),
	}
}

func (r *Registry) htmlEscaper(a ...any) string { return template.HTMLEscapeString(r.joined(a)) }
func (r *Registry) jsEscaper(a ...any) string   { return template.JSEscapeString(r.joined(a)) }
func (r *Registry) urlEscaper(a ...any) string  { return template.URLQueryEscaper(r.joined(a)) }

// TemplateSymbols returns the functions of the template packages that look into values.
func (r *Registry) TemplateSymbols() map[string]reflect.Value {
	return map[string]reflect.Value{
		"HTMLEscaper": reflect.ValueOf(r.htmlEscaper), "JSEscaper": reflect.ValueOf(r.jsEscaper),
		"URLQueryEscaper": reflect.ValueOf(r.urlEscaper),
		"IsTrue":          reflect.ValueOf(func(x any) (bool, bool) { return truth(r.valueOf(x)), true }),
	}
}

// joined returns the text that the escaping functions escape.
func (r *Registry) joined(args []any) string {
	list := make([]any, len(args))
	for k, x := range args {
		list[k] = x
		if p, ok := printable(r.valueOf(x)); ok && (x != nil || len(args) == 1) {
			list[k] = p
		}
	}
	return r.printed(list...)
}

var templateValue = rtype{n: reflect.TypeFor[ReflectValue]()} // replaces reflect.Value

// parameter returns the type of the k-th argument of a function of type t.
func parameter(t ReflectType, k int) ReflectType {
	last := t.NumIn() - 1
	if t.IsVariadic() && k >= last {
		return t.In(last).Elem()
	}
	return t.In(k)
}

// call calls a function.
func (e *execution) call(dot, f ReflectValue, builtin bool, name string, at use) ReflectValue {
	args := at.args
	if args != nil {
		args = args[1:]
	}
	t := f.Type()
	params, given := t.NumIn(), len(args)
	if at.final != nil {
		given++
	}
	switch {
	case t.IsVariadic() && given < params-1:
		e.fail("wrong number of args for %s: want at least %d got %d", name, params-1, len(args))
	case !t.IsVariadic() && given != params:
		e.fail("wrong number of args for %s: want %d got %d", name, params, given)
	}
	if err := callable(name, t); err != nil {
		e.fail("%v", err)
	}
	shortens := builtin && (name == "and" || name == "or")
	escapes := strings.HasPrefix(name, "_html_template_") || name == "_eval_args_"
	in := make([]ReflectValue, given)
	for k := range in {
		if k < len(args) {
			in[k] = e.argument(dot, parameter(t, k), args[k])
		} else {
			in[k] = e.fitting(*at.final, parameter(t, k))
		}
		switch {
		case shortens && (k == given-1 || truth(in[k]) == (name == "or")):
			return in[k]
		case escapes:
			in[k] = e.r.valueOf(e.r.escapable(name, in[k]))
		}
	}
	var v ReflectValue
	var err error
	if builtin && name == "call" {
		callee := in[0].String()
		if len(args) > 0 {
			callee = args[0].String()
		}
		v, err = e.callValue(callee, inInterface(in[0]), in[1:])
	} else {
		v, err = e.safely(f, in)
	}
	if escapes && err == nil {
		v = e.r.valueOf(encodingBoxes.Replace(v.String()))
	}
	if err != nil {
		e.at = at.n
		e.fail("error calling %s: %w", name, err)
	}
	return v
}

// encodingBoxes removes the texts that package encoding/json puts before errors of encoding a cell's value.
var encodingBoxes = strings.NewReplacer(
	"json: error calling MarshalJSON for type rt.Obj: ", "", "json: error calling MarshalJSON for type rt.ErrObj: ", "",
	"json: error calling MarshalJSON for type *rt.Obj: ", "", "json: error calling MarshalJSON for type *rt.ErrObj: ",
	"")

// safely calls a function. It returns a panic as an error.
func (e *execution) safely(f ReflectValue, args []ReflectValue) (v ReflectValue, err error) {
	defer func() {
		x := recover()
		if x == nil {
			return
		}
		if _, final := x.(Final); !final {
			x = e.r.Panicked(x)
		}
		if _, final := x.(Final); final {
			panic(x)
		}
		if x == indexOutOfRange || x == boundsOutOfRange {
			refuse("what a function of a template panics with, %v, is not supported by this engine in text", x)
		}
		if err, _ = x.(error); err == nil {
			err = errors.New(e.r.Sprintf("%v", []any{x}))
		}
	}()
	if f.IsNil() {
		return v, errors.New("reflect.Value.Call: call of nil function")
	}
	in := make([]reflect.Value, len(args))
	for k, x := range args {
		typ := parameter(rtype{n: f.of.v.Type()}, k).(rtype)
		if in[k] = x.as(typ.n); typ == templateValue {
			in[k] = reflect.ValueOf(x)
		}
	}
	out := f.results(f.of.v.Call(in))
	if len(out) == 2 && !out[1].IsNil() {
		err, _ = e.r.Norm(out[1].of.v.Interface()).(error)
	}
	if v = out[0]; v.Type() == templateValue {
		v = v.of.v.Interface().(ReflectValue)
	}
	return v, err
}

// callValue is the built-in call.
func (e *execution) callValue(name string, f ReflectValue, args []ReflectValue) (v ReflectValue, err error) {
	if f.none() {
		return v, errors.New("call of nil")
	}
	t := f.Type()
	if t.Kind() != reflect.Func {
		return v, fmt.Errorf("non-function %s of type %s", name, t)
	}
	if err := callable(name, t); err != nil {
		return v, err
	}
	params := t.NumIn()
	switch {
	case t.IsVariadic() && len(args) < params-1:
		return v, fmt.Errorf("wrong number of args for %s: got %d want at least %d", name, len(args), params-1)
	case !t.IsVariadic() && len(args) != params:
		return v, fmt.Errorf("wrong number of args for %s: got %d want %d", name, len(args), params)
	}
	for k, x := range args {
		if args[k], err = e.r.taken(inInterface(x), parameter(t, k)); err != nil {
			return v, fmt.Errorf("arg %d: %w", k, err)
		}
	}
	return e.safely(f, args)
}

// argument evaluates an argument for a parameter of type t. If t is nil, any value will do.
func (e *execution) argument(dot ReflectValue, t ReflectType, n parse.Node) ReflectValue {
	e.at = n
	switch n.(type) {
	case *parse.NilNode:
		if nilable(t) {
			return e.r.nilOf(t)
		}
		e.fail("cannot assign nil to %s", t)
	case *parse.DotNode, *parse.FieldNode, *parse.VariableNode, *parse.PipeNode, *parse.IdentifierNode,
		*parse.ChainNode:
		return e.fitting(e.operand(dot, n, use{n: n}), t)
	}
	if t == templateValue || t.Kind() == reflect.Interface && t.NumMethod() == 0 {
		return e.operand(dot, n, use{n: n})
	}
	var what string
	var value any
	fits := false
	number, isNumber := n.(*parse.NumberNode)
	if !isNumber {
		number = new(parse.NumberNode)
	}
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		b, ok := n.(*parse.BoolNode)
		if what, fits = "bool", ok; ok {
			value = b.True
		}
	case kind == reflect.String:
		s, ok := n.(*parse.StringNode)
		if what, fits = "string", ok; ok {
			value = s.Text
		}
	case reflect.Int <= kind && kind <= reflect.Int64:
		what, value, fits = "integer", number.Int64, number.IsInt
	case reflect.Uint <= kind && kind <= reflect.Uintptr:
		what, value, fits = "unsigned integer", number.Uint64, number.IsUint
	case kind == reflect.Float32 || kind == reflect.Float64:
		what, value, fits = "float", number.Float64, number.IsFloat
	case kind == reflect.Complex64 || kind == reflect.Complex128:
		what, value, fits = "complex", number.Complex128, number.IsComplex
	default:
		e.fail("can't handle %s for arg of type %s", n, t)
	}
	if !fits {
		e.fail("expected %s; found %s", what, n)
	}
	typ := t.(rtype)
	return ReflectValue{r: e.r, of: item{t: typ.t, v: reflect.ValueOf(value).Convert(typ.low())}}
}

func nilable(t ReflectType) bool {
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return true
	}
	return t == templateValue
}

// nilOf returns nil as a value of type t.
func (r *Registry) nilOf(t ReflectType) ReflectValue {
	if t == templateValue {
		return ReflectValue{}
	}
	return r.zeroOf(t)
}

// fitting returns v as a value of type t. If t is nil, any value will do.
func (e *execution) fitting(v ReflectValue, t ReflectType) ReflectValue {
	switch {
	case t == nil || t == templateValue:
		return v
	case v.none() && nilable(t):
		return e.r.nilOf(t)
	case v.none():
		e.fail("invalid value; expected %s", t)
	case v.Type().AssignableTo(t):
		return v
	}
	if v.Kind() == reflect.Interface && !v.IsNil() {
		if v = v.Elem(); v.Type().AssignableTo(t) {
			return v
		}
	}
	switch {
	case v.Kind() == reflect.Pointer && v.Type().Elem().AssignableTo(t):
		if v = v.Elem(); v.none() {
			e.fail("dereference of nil pointer of type %s", t)
		}
		return v
	case v.CanAddr() && pointerTo(v.Type()).AssignableTo(t):
		return v.Addr()
	}
	e.fail("wrong type for value; expected %s; got %s", t, v.Type())
	return v
}

// taken returns v as the functions call and index take it, for a parameter or a key of type t.
func (r *Registry) taken(v ReflectValue, t ReflectType) (ReflectValue, error) {
	switch {
	case v.none() && !nilable(t):
		return v, fmt.Errorf("value is nil; should be of type %s", t)
	case v.none():
		return r.nilOf(t), nil
	case t == templateValue || v.Type().AssignableTo(t):
		return v, nil
	case isInteger(v.Kind()) && isInteger(t.Kind()):
		return v.Convert(t), nil
	}
	return v, fmt.Errorf("value has type %s; should be %s", v.Type(), t)
}

func isInteger(k reflect.Kind) bool { return reflect.Int <= k && k <= reflect.Uintptr }

// escapable returns v as an escaping function of html/template takes it. That function looks for methods that lowered
// values lack.
func (r *Registry) escapable(name string, v ReflectValue) any {
	js, itself := name == "_html_template_jsvalescaper", speaking
	if js {
		itself = func(t ReflectType) bool { return t.Implements(rtype{n: reflect.TypeFor[json.Marshaler]()}) }
	}
	v = inInterface(v)
	for v.of.t != nil && v.Kind() == reflect.Pointer && !v.IsNil() && !itself(v.Type()) {
		v = v.Elem()
	}
	if v.of.t == nil {
		return interfaceOf(v.of.v)
	}
	x := v.Interface()
	if js && (itself(v.Type()) || !v.Type().Implements(rtype{n: reflect.TypeFor[fmt.Stringer]()})) {
		return x
	}
	return r.printed(x)
}

// templateAt returns an index into something with limit elements.
func templateAt(index ReflectValue, limit int) (int, error) {
	var x int64
	switch index = inInterface(index); {
	case index.none():
		return 0, errors.New("cannot index slice/array with nil")
	case index.CanInt():
		x = index.Int()
	case index.CanUint():
		x = int64(index.Uint())
	default:
		return 0, fmt.Errorf("cannot index slice/array with type %s", index.Type())
	}
	if x < 0 || int(x) < 0 || int(x) > limit {
		return 0, fmt.Errorf("index out of range: %d", x)
	}
	return int(x), nil
}

func (r *Registry) templateIndex(of ReflectValue, indices ...ReflectValue) (ReflectValue, error) {
	v := inInterface(of)
	if v.none() {
		return v, errors.New("index of untyped nil")
	}
	for _, index := range indices {
		var isNil bool
		if v, isNil = indirect(v); isNil {
			return v, errors.New("index of nil pointer")
		}
		switch v.Kind() {
		case reflect.Array, reflect.Slice, reflect.String:
			k, err := templateAt(index, v.Len())
			if err != nil {
				return v, err
			}
			if k == v.Len() {
				return v, errors.New(map[reflect.Kind]string{
					reflect.Array:  "reflect: array index out of range",
					reflect.Slice:  "reflect: slice index out of range",
					reflect.String: "reflect: string index out of range",
				}[v.Kind()])
			}
			v = v.Index(k)
		case reflect.Map:
			key, err := r.taken(inInterface(index), v.Type().Key())
			if err != nil {
				return v, err
			}
			x := v.MapIndex(key)
			if x.none() {
				x = v.element(reflect.Zero(v.of.v.Type().Elem()))
			}
			v = x
		default:
			return v, fmt.Errorf("can't index item of type %s", v.Type())
		}
	}
	return v, nil
}

func templateSlice(of ReflectValue, indices ...ReflectValue) (ReflectValue, error) {
	v := inInterface(of)
	if v.none() {
		return v, errors.New("slice of untyped nil")
	}
	v, isNil := indirect(v)
	if isNil {
		return v, errors.New("slice of nil pointer")
	}
	if len(indices) > 3 {
		return v, fmt.Errorf("too many slice indexes: %d", len(indices))
	}
	limit := 0
	switch v.Kind() {
	case reflect.String:
		if limit = v.Len(); len(indices) == 3 {
			return v, errors.New("cannot 3-index slice a string")
		}
	case reflect.Array, reflect.Slice:
		limit = v.Cap()
	default:
		return v, fmt.Errorf("can't slice item of type %s", v.Type())
	}
	at := [3]int{0, v.Len(), limit}
	for k, index := range indices {
		var err error
		if at[k], err = templateAt(index, limit); err != nil {
			return v, err
		}
	}
	for k := range max(len(indices)-1, 1) {
		if at[k] > at[k+1] {
			return v, fmt.Errorf("invalid slice index: %d > %d", at[k], at[k+1])
		}
	}
	switch {
	case v.Kind() == reflect.Array && !v.CanAddr():
		return v, errors.New("reflect.Value.Slice" + map[bool]string{true: "3"}[len(indices) == 3] +
			": slice of unaddressable array")
	case len(indices) < 3:
		return v.slice(v.of.v.Slice(at[0], at[1])), nil
	}
	return v.slice(v.of.v.Slice3(at[0], at[1], at[2])), nil
}

// slice returns x, which holds elements of v, as a value of the type of a slice of v.
func (v ReflectValue) slice(x reflect.Value) ReflectValue {
	if v.of.t != nil && v.Kind() == reflect.Array {
		return v.part(x, types.NewSlice(v.of.t.Go.Underlying().(*types.Array).Elem()), false)
	}
	return v.with(x)
}

func templateLen(of ReflectValue) (int, error) {
	v, isNil := indirect(of)
	if isNil {
		return 0, errors.New("len of nil pointer")
	}
	switch v.Kind() {
	case reflect.Array, reflect.Chan, reflect.Map, reflect.Slice, reflect.String:
		return v.Len(), nil
	case reflect.Invalid:
		return 0, &reflect.ValueError{Method: "reflect.Value.Type"}
	}
	return 0, fmt.Errorf("len of type %s", v.Type())
}

var errUnordered = errors.New("invalid type for comparison")

// shape returns one kind for all kinds that templates compare with each other. It returns Invalid if they compare none
// with v.
func shape(v ReflectValue) reflect.Kind {
	switch {
	case v.none():
		return reflect.Invalid
	case v.CanInt():
		return reflect.Int
	case v.CanUint():
		return reflect.Uint
	case v.CanFloat():
		return reflect.Float64
	case v.CanComplex():
		return reflect.Complex128
	case v.Kind() == reflect.Bool || v.Kind() == reflect.String:
		return v.Kind()
	}
	return reflect.Invalid
}

// signs compares a signed with an unsigned integer, which have one shape here. ok reports whether a and b are such a
// pair.
func signs(a, b ReflectValue) (order int, ok bool) {
	switch x, y := shape(a), shape(b); {
	case x == reflect.Int && y == reflect.Uint && a.Int() < 0:
		return -1, true
	case x == reflect.Int && y == reflect.Uint:
		return cmp.Compare(uint64(a.Int()), b.Uint()), true
	case x == reflect.Uint && y == reflect.Int:
		order, ok = signs(b, a)
	}
	return -order, ok
}

func incomparable(a, b ReflectValue) error {
	return fmt.Errorf("incompatible types for comparison: %v and %v", a.Type(), b.Type())
}

func (r *Registry) templateEq(a ReflectValue, others ...ReflectValue) (bool, error) {
	a = inInterface(a)
	if len(others) == 0 {
		return false, errors.New("missing argument for comparison")
	}
	for _, b := range others {
		same, err := r.templateSame(a, inInterface(b))
		if same || err != nil {
			return same, err
		}
	}
	return false, nil
}

func (r *Registry) templateSame(a, b ReflectValue) (bool, error) {
	if order, ok := signs(a, b); ok {
		return order == 0, nil
	}
	switch x := shape(a); {
	case x != shape(b) && (a.none() || b.none()):
		return false, nil
	case x != shape(b):
		return false, incomparable(a, b)
	case x == reflect.Float64:
		return a.Float() == b.Float(), nil
	case x == reflect.Complex128:
		return a.Complex() == b.Complex(), nil
	case x != reflect.Invalid:
		return compareKeys(a.of.v, b.of.v) == 0, nil
	case a.Kind() != b.Kind() && !a.none() && !b.none():
		return false, errors.New(r.Sprintf("non-comparable types %s: %v, %s: %v", []any{a, a.Type(), b.Type(), b}))
	case absent(a) || absent(b):
		return absent(a) == absent(b), nil
	case !b.Type().Comparable():
		return false, errors.New(r.Sprintf("non-comparable type %s: %v", []any{b, b.Type()}))
	}
	return r.Same(a.Interface(), b.Interface()), nil
}

// absent reports whether there is no value, or a nil value.
func absent(v ReflectValue) bool {
	return v.none() || v.Kind() != reflect.Struct && v.Kind() != reflect.Array && nilable(v.Type()) && v.IsNil()
}

func templateLess(a, b ReflectValue) (bool, error) {
	a, b = inInterface(a), inInterface(b)
	x, y := shape(a), shape(b)
	if x == reflect.Invalid || y == reflect.Invalid {
		return false, errUnordered
	}
	if order, ok := signs(a, b); ok {
		return order < 0, nil
	}
	switch {
	case x != y:
		return false, incomparable(a, b)
	case x == reflect.Bool || x == reflect.Complex128:
		return false, errUnordered
	case x == reflect.Float64:
		return a.Float() < b.Float(), nil
	}
	return compareKeys(a.of.v, b.of.v) < 0, nil
}
