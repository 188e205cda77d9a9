package rt

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
)

// The packages parse templates, and html/template escapes its own. This file executes them, by the rules and with the
// errors of text/template. Package text/template itself would see lowered values, which lack their methods.

// executes is a template of package text/template or html/template.
type executes interface {
	Execute(io.Writer, any) error
	ExecuteTemplate(io.Writer, string, any) error
}

// execution is the execution of a template, or of a template that it calls.
type execution struct {
	r       *Registry
	w       io.Writer
	t       *template.Template
	funcs   map[string]reflect.Value
	builtin map[string]any
	missing int64      // option for keys that a map lacks
	at      parse.Node // the node that errors refer to
	vars    []templateVar
	depth   int
}

type templateVar struct {
	name  string
	value ReflectValue
}

// Numbers of text/template for its option missingkey.
const (
	missingZero  = 1
	missingError = 2
)

// unwritten holds the error of writing a template's text.
type unwritten struct{ err error }

// Execute runs a template. If a name is given, it runs the template of this name in the same group.
func (r *Registry) Execute(t executes, w io.Writer, name, data any) (err error) {
	text, err := prepared(t, name)
	if err != nil {
		return err
	}
	e := execution{r: r, w: w, t: text, builtin: r.builtins()}
	if c := reflect.ValueOf(text).Elem().FieldByName("common"); !c.IsNil() {
		e.missing = c.Elem().FieldByName("option").FieldByName("missingKey").Int()
		lock := hidden[sync.RWMutex](c.Elem(), "muFuncs")
		lock.RLock()
		e.funcs = maps.Clone(*hidden[map[string]reflect.Value](c.Elem(), "execFuncs"))
		lock.RUnlock()
	}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case unwritten:
			err = x.err
		case template.ExecError:
			err = x
		default:
			panic(x)
		}
	}()
	dot, ok := data.(ReflectValue)
	if !ok {
		dot = r.valueOf(data)
	}
	e.vars = []templateVar{{"$", dot}}
	e.walk(dot, text.Root)
	return nil
}

// hidden returns a pointer to an unexported field.
func hidden[T any](of reflect.Value, name string) *T {
	return (*T)(of.FieldByName(name).Addr().UnsafePointer())
}

var preparing sync.Mutex

// stopped ends an execution that only prepares a template and writes nothing.
type stopped struct{}

func (stopped) Error() string             { return "stopped" }
func (stopped) Write([]byte) (int, error) { return 0, stopped{} }

// prepared returns the template to execute. Package html/template escapes its templates when they are executed, so
// prepared lets it begin and stops it when it writes an empty text that was put first. If there is nothing to execute,
// the packages' own errors say so.
func prepared(t executes, name any) (*template.Template, error) {
	preparing.Lock()
	defer preparing.Unlock()
	of := reflect.ValueOf(t)
	if name != nil && !of.IsNil() {
		of = of.MethodByName("Lookup").Call([]reflect.Value{reflect.ValueOf(name)})[0]
	}
	text, plain := of.Interface().(*template.Template)
	if !plain && !of.IsNil() { // of html/template, which the browser's kernel lacks
		text = *hidden[*template.Template](of.Elem(), "text")
	}
	if text != nil && text.Tree != nil && text.Root != nil {
		if plain {
			return text, nil
		}
		tree, root := text.Tree, text.Root
		tree.Root = &parse.ListNode{NodeType: parse.NodeList,
			Nodes: []parse.Node{&parse.TextNode{NodeType: parse.NodeText}, root}}
		defer func() { tree.Root = root }()
	}
	var err error
	if name == nil {
		err = t.Execute(stopped{}, nil)
	} else {
		err = t.ExecuteTemplate(stopped{}, name.(string), nil)
	}
	if err == (stopped{}) {
		return text, nil
	}
	return nil, err
}

// fail ends the execution with an error.
func (e *execution) fail(format string, args ...any) {
	location, context := e.t.ErrorContext(e.at)
	where := strings.ReplaceAll(fmt.Sprintf("executing %q at <%s>", e.t.Name(), context), "%", "%%")
	panic(template.ExecError{Name: e.t.Name(), Err: e.r.Errorf("template: "+location+": "+where+": "+format, args)})
}

// leave says how the execution of a part ended.
type leave int

const (
	passed leave = iota
	broken
	continued
)

// walk executes a part of the template.
func (e *execution) walk(dot ReflectValue, node parse.Node) leave {
	e.at = node
	switch n := node.(type) {
	case *parse.ListNode:
		for _, x := range n.Nodes {
			if left := e.walk(dot, x); left != passed {
				return left
			}
		}
	case *parse.TextNode:
		e.write(n.Text)
	case *parse.ActionNode:
		if v := e.pipeline(dot, n.Pipe); len(n.Pipe.Decl) == 0 {
			e.print(n, v)
		}
	case *parse.IfNode:
		return e.branch(dot, &n.BranchNode)
	case *parse.WithNode:
		return e.branch(dot, &n.BranchNode)
	case *parse.RangeNode:
		e.ranges(dot, n)
	case *parse.TemplateNode:
		e.template(dot, n)
	case *parse.BreakNode:
		return broken
	case *parse.ContinueNode:
		return continued
	case *parse.CommentNode:
	default:
		e.fail("unknown node: %s", node)
	}
	return passed
}

func (e *execution) write(text []byte) {
	if _, err := e.w.Write(text); err != nil {
		panic(unwritten{err})
	}
}

// print prints a value as the cell would print it.
func (e *execution) print(n parse.Node, v ReflectValue) {
	e.at = n
	x, ok := printable(v)
	if !ok {
		e.fail("can't print %s of type %s", n, v.Type())
	}
	e.write([]byte(e.r.printed(x)))
}

// branch executes if and with.
func (e *execution) branch(dot ReflectValue, n *parse.BranchNode) (left leave) {
	mark := len(e.vars)
	v := e.pipeline(dot, n.Pipe)
	switch {
	case truth(v) && n.NodeType == parse.NodeWith:
		left = e.walk(v, n.List)
	case truth(v):
		left = e.walk(dot, n.List)
	case n.ElseList != nil:
		left = e.walk(dot, n.ElseList)
	}
	e.vars = e.vars[:mark]
	return left
}

func (e *execution) template(dot ReflectValue, n *parse.TemplateNode) {
	called := *e
	if called.t = e.t.Lookup(n.Name); called.t == nil {
		e.fail("template %q not defined", n.Name)
	}
	most := 100_000
	if runtime.GOARCH == "wasm" {
		most = 1000
	}
	if e.depth == most {
		e.fail("exceeded maximum template depth (%v)", most)
	}
	dot = e.pipeline(dot, n.Pipe)
	called.depth++
	called.vars = []templateVar{{"$", dot}}
	called.walk(dot, called.t.Root)
}

func (e *execution) ranges(dot ReflectValue, n *parse.RangeNode) {
	outer := len(e.vars)
	v, _ := indirect(e.pipeline(dot, n.Pipe))
	decl, mark, ran := n.Pipe.Decl, len(e.vars), false
	// once executes the body and reports whether to go on.
	once := func(key, elem ReflectValue) bool {
		ran = true
		switch {
		case len(decl) == 0:
		case n.Pipe.IsAssign:
			if len(decl) > 1 {
				e.set(decl[0].Ident[0], key)
			}
			e.set(decl[len(decl)-1].Ident[0], elem)
		default:
			e.vars[mark-1].value = elem
			if len(decl) > 1 {
				e.vars[mark-2].value = key
			}
		}
		left := e.walk(elem, n.List)
		e.vars = e.vars[:mark]
		return left != broken
	}
	e.each(v, len(decl), once)
	if !ran && n.ElseList != nil {
		e.walk(dot, n.ElseList)
	}
	e.vars = e.vars[:outer]
}

// each calls once with each element of v, until once returns false.
func (e *execution) each(v ReflectValue, vars int, once func(key, elem ReflectValue) bool) {
	number := func(k int) ReflectValue { return e.r.valueOf(k) }
	switch v.Kind() {
	case reflect.Invalid:
	case reflect.Array, reflect.Slice:
		for k := 0; k < v.Len() && once(number(k), v.Index(k)); k++ {
		}
	case reflect.Map:
		for _, k := range sortedKeys(v.of.v) {
			if !once(v.key(k), v.element(v.of.v.MapIndex(k))) {
				return
			}
		}
	case reflect.Chan:
		if v.IsNil() {
			return
		}
		if v.Type().ChanDir() == reflect.SendDir {
			e.fail("range over send-only channel %v", v)
		}
		for k := 0; ; k++ {
			x, ok := v.of.v.Recv()
			if !ok || !once(number(k), v.element(x)) {
				return
			}
		}
	case reflect.Func:
		e.eachYielded(v, vars, once)
	default:
		if !v.CanInt() && !v.CanUint() {
			e.fail("range can't iterate over %v", v)
		}
		if vars > 1 {
			e.fail("can't use %v to iterate over more than one variable", v)
		}
		for x := range v.of.v.Seq() {
			if !once(ReflectValue{}, v.with(x.Convert(v.of.v.Type()))) {
				return
			}
		}
	}
}

var errBreak = errors.New("break")

// eachYielded ranges over a function. A break panics to end the function, as in text/template.
func (e *execution) eachYielded(f ReflectValue, vars int, once func(key, elem ReflectValue) bool) {
	t := f.Type()
	if t.NumIn() != 1 || t.NumOut() != 0 || t.In(0).Kind() != reflect.Func {
		e.fail("range can't iterate over %v", f)
	}
	yield := t.In(0).(rtype)
	n := yield.NumIn()
	if n < 1 || n > 2 || yield.IsVariadic() || yield.NumOut() != 1 || yield.Out(0).Kind() != reflect.Bool {
		e.fail("range can't iterate over %v", f)
	}
	if n == 1 && vars > 1 {
		e.fail("can't use %v iterate over more than one variable", f)
	}
	defer func() {
		if x := recover(); x != nil && x != errBreak {
			panic(x)
		}
	}()
	low := f.of.v.Type().In(0)
	f.of.v.Call([]reflect.Value{reflect.MakeFunc(low, func(in []reflect.Value) []reflect.Value {
		args := ReflectValue{r: e.r, of: item{t: yield.t}}.parameters(in)
		key, elem := ReflectValue{}, args[0]
		if n == 2 && vars > 1 {
			key, elem = args[0], args[1]
		}
		if !once(key, elem) {
			panic(errBreak)
		}
		return []reflect.Value{reflect.ValueOf(true).Convert(low.Out(0))}
	})})
}

// pipeline evaluates a pipeline and sets the variables that it declares or assigns.
func (e *execution) pipeline(dot ReflectValue, p *parse.PipeNode) (v ReflectValue) {
	if p == nil {
		return v
	}
	e.at = p
	var final *ReflectValue
	for _, c := range p.Cmds {
		v = e.command(dot, c, final)
		if v.Kind() == reflect.Interface && v.NumMethod() == 0 {
			v = v.Elem()
		}
		final = &v
	}
	for _, x := range p.Decl {
		if p.IsAssign {
			e.set(x.Ident[0], v)
		} else {
			e.vars = append(e.vars, templateVar{x.Ident[0], v})
		}
	}
	return v
}

// variable returns the last declared variable of a name.
func (e *execution) variable(name string) *ReflectValue {
	for k := len(e.vars) - 1; k >= 0; k-- {
		if e.vars[k].name == name {
			return &e.vars[k].value
		}
	}
	e.fail("undefined variable: %s", name)
	return nil
}

func (e *execution) set(name string, v ReflectValue) { *e.variable(name) = v }

// command evaluates a part of a pipeline. final is the value of the part before it, or nil if there is none.
func (e *execution) command(dot ReflectValue, c *parse.CommandNode, final *ReflectValue) ReflectValue {
	in := use{c, c.Args, final}
	switch c.Args[0].(type) {
	case *parse.FieldNode, *parse.ChainNode, *parse.IdentifierNode, *parse.VariableNode:
		return e.operand(dot, c.Args[0], in)
	case *parse.PipeNode:
	default:
		e.at = c.Args[0]
	}
	e.noArguments(in)
	return e.operand(dot, c.Args[0], use{n: c})
}

// use is a use of something that may be called, with the arguments args[1:] and, if it is not nil, final. Errors refer
// to n.
type use struct {
	n     parse.Node
	args  []parse.Node
	final *ReflectValue
}

// given reports whether the use has arguments.
func (u use) given() bool { return len(u.args) > 1 || u.final != nil }

func (e *execution) noArguments(in use) {
	if in.given() {
		e.fail("can't give argument to non-function %s", in.args[0])
	}
}

// operand evaluates n.
func (e *execution) operand(dot ReflectValue, n parse.Node, in use) ReflectValue {
	if p, ok := n.(*parse.PipeNode); ok {
		return e.pipeline(dot, p)
	}
	e.at = n
	switch n := n.(type) {
	case *parse.FieldNode:
		return e.chain(dot, dot, n.Ident, use{n, in.args, in.final})
	case *parse.ChainNode:
		if n.Node.Type() == parse.NodeNil {
			e.fail("indirection through explicit nil in %s", n)
		}
		return e.chain(dot, e.argument(dot, nil, n.Node), n.Field, use{n, in.args, in.final})
	case *parse.VariableNode:
		v := *e.variable(n.Ident[0])
		if len(n.Ident) == 1 {
			e.noArguments(in)
			return v
		}
		return e.chain(dot, v, n.Ident[1:], use{n, in.args, in.final})
	case *parse.IdentifierNode:
		f, builtin := e.function(n.Ident)
		return e.call(dot, f, builtin, n.Ident, in)
	case *parse.DotNode:
		return dot
	case *parse.BoolNode:
		return e.r.valueOf(n.True)
	case *parse.StringNode:
		return e.r.valueOf(n.Text)
	case *parse.NumberNode:
		return e.number(n)
	case *parse.NilNode:
		e.fail("nil is not a command")
	}
	e.fail("can't evaluate command %q", n)
	return ReflectValue{}
}

// number returns a constant with the type that its text has.
func (e *execution) number(n *parse.NumberNode) ReflectValue {
	hex := len(n.Text) > 2 && n.Text[0] == '0' && (n.Text[1] == 'x' || n.Text[1] == 'X') &&
		!strings.ContainsAny(n.Text, "pP")
	switch {
	case n.IsComplex:
		return e.r.valueOf(n.Complex128)
	case n.IsFloat && !hex && n.Text[0] != '\'' && strings.ContainsAny(n.Text, ".eEpP"):
		return e.r.valueOf(n.Float64)
	case n.IsInt && int64(int(n.Int64)) == n.Int64:
		return e.r.valueOf(int(n.Int64))
	}
	e.fail("%s overflows int", n.Text)
	return ReflectValue{}
}

// chain evaluates v.A.B.C. The last name gets the arguments.
func (e *execution) chain(dot, v ReflectValue, names []string, in use) ReflectValue {
	last := len(names) - 1
	for _, name := range names[:last] {
		v = e.field(dot, v, name, use{n: in.n})
	}
	return e.field(dot, v, names[last], in)
}

// field evaluates from.name, which is a method, a field or a key of a map.
func (e *execution) field(dot, from ReflectValue, name string, in use) ReflectValue {
	if from.none() {
		if e.missing == missingError {
			e.fail("nil data; no entry for key %q", name)
		}
		return from
	}
	v, isNil := indirect(from)
	if isNil && v.Kind() == reflect.Interface {
		e.fail("nil pointer evaluating %s.%s", from.Type(), name)
	}
	m, index, isField := v.member(name)
	if m.IsValid() {
		return e.call(dot, m, false, name, in)
	}
	switch v.Kind() {
	case reflect.Struct:
		if !isField {
			break
		}
		x, broken := v.through(index)
		switch {
		case !token.IsExported(name):
			e.fail("%s is an unexported field of struct type %s", name, from.Type())
		case broken != "":
			e.fail("reflect: indirection through nil pointer to embedded struct field %s", broken)
		case in.given():
			e.fail("%s has arguments but cannot be invoked as function", name)
		}
		return x
	case reflect.Map:
		key := e.r.valueOf(name)
		if !key.Type().AssignableTo(v.Type().Key()) {
			break
		}
		if in.given() {
			e.fail("%s is not a method but has arguments", name)
		}
		x := v.MapIndex(key)
		switch {
		case !x.none():
		case e.missing == missingZero:
			x = v.element(reflect.Zero(v.of.v.Type().Elem()))
		case e.missing == missingError:
			e.fail("map has no entry for key %q", name)
		}
		return x
	case reflect.Pointer:
		if v.Type().Elem().Kind() != reflect.Struct || isField {
			e.fail("nil pointer evaluating %s.%s", from.Type(), name)
		}
	}
	e.fail("can't evaluate field %s in type %s", name, from.Type())
	return ReflectValue{}
}

// member returns the method of that name of v or of a pointer to it. If there is none, it returns the index of the
// field of that name.
func (v ReflectValue) member(name string) (m ReflectValue, index []int, isField bool) {
	if v.of.t == nil {
		x := v.of.v
		if x.CanAddr() && x.Kind() != reflect.Pointer {
			x = x.Addr()
		}
		if m := x.MethodByName(name); m.IsValid() {
			return v.native(m), nil, false
		}
		t := v.of.v.Type()
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return m, nil, false
		}
		f, ok := t.FieldByName(name)
		return m, f.Index, ok
	}
	found, index, _ := types.LookupFieldOrMethod(v.of.t.Go, true, mainPackage(v.of.t.Go), name)
	f, isMethod := found.(*types.Func)
	if !isMethod {
		return m, index, found != nil
	}
	if m = v.MethodByName(name); !m.IsValid() && v.CanAddr() {
		m = v.Addr().MethodByName(name)
	}
	if p, ok := v.of.t.Go.Underlying().(*types.Pointer); ok && m.IsValid() && v.IsNil() && len(index) == 1 {
		if _, byPointer := f.Signature().Recv().Type().(*types.Pointer); !byPointer {
			typ := v.r.Resolve(p.Elem()).Name
			m.of.v = reflect.MakeFunc(m.of.v.Type(), func([]reflect.Value) []reflect.Value {
				panic(plainError(fmt.Sprintf("value method %s.%s called using nil *%s pointer", typ, name,
					exportedName(typ))))
			})
		}
	}
	return m, nil, false
}

// through returns a field of a struct. If the path to it leads through a nil pointer, it returns the pointer's type.
func (v ReflectValue) through(index []int) (ReflectValue, string) {
	for n, k := range index {
		if n > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, v.Type().Elem().Name()
			}
			v = v.Elem()
		}
		v.of.hidden = false // exported fields of embedded structs are not hidden
		v = v.Field(k)
	}
	return v, ""
}

// indirect follows pointers and interfaces. It returns the last value, or the first nil on the way.
func indirect(v ReflectValue) (x ReflectValue, isNil bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return v, true
		}
		v = v.Elem()
	}
	return v, false
}

// inInterface returns the value in v if v is an interface, otherwise v.
func inInterface(v ReflectValue) ReflectValue {
	if v.Kind() == reflect.Interface {
		return v.Elem()
	}
	return v
}

func truth(v ReflectValue) bool {
	v = inInterface(v)
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Struct:
		return true
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() > 0
	}
	return !v.of.v.IsZero() && !minusZero(v.of.v.Interface())
}

// printable returns what is printed for v, and whether it can be printed.
func printable(v ReflectValue) (any, bool) {
	if v.Kind() == reflect.Pointer {
		v, _ = indirect(v)
	}
	if v.none() {
		return "<no value>", true
	}
	switch {
	case speaking(v.Type()):
	case v.CanAddr() && speaking(pointerTo(v.Type())):
		v = v.Addr()
	case v.Kind() == reflect.Chan || v.Kind() == reflect.Func:
		return nil, false
	}
	return v.Interface(), true
}

// speaking reports whether t has a method Error or String.
func speaking(t ReflectType) bool {
	return t.Implements(rtype{n: reflect.TypeFor[error]()}) || t.Implements(rtype{n: reflect.TypeFor[fmt.Stringer]()})
}

// printed is fmt.Sprint for values that may contain themselves.
func (r *Registry) printed(x ...any) string {
	for _, x := range x {
		if r.Cyclic(x) {
			refuse("printing %s that contains itself never ends", TypeName(x))
		}
	}
	return r.Sprint(x)
}

// sortedKeys returns the keys of a map in order.
func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortStableFunc(keys, compareKeys)
	return keys
}
