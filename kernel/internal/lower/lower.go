// Package lower turns type-checked cells into the plain part of Go that the interpreter runs faithfully.
//
// The interpreter (yaegi) is dependable on functions, closures, control flow, and values of basic types, slices, maps
// and structs. It is not dependable on methods of its own types, on values of these types in interfaces, on generics,
// on constant expressions, and on a few forms of assignment. Lowering removes these:
//   - methods become functions;
//   - a generic function becomes one function per instance;
//   - constants become literals;
//   - interfaces of cells become `any` with a value that is boxed with its type (package rt);
//   - package variables become pointers;
//   - struct variables whose address is taken become pointers.
package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"sort"
	"strings"

	"nacre/kernel/internal/rt"
)

// Func is a function or method of a cell.
type Func struct {
	Name string           // "f", "T.M"
	Decl *ast.FuncDecl    // the declaration with the body
	Obj  *types.Func      // the object to which callers refer
	Also *types.Func      // a second object, used in bodies that were checked together with this one; nil for methods
	Sig  *types.Signature // signature of the body; the receiver is its first parameter
	low  string
}

// Global is a variable of the session.
type Global struct {
	Name  string
	Type  types.Type
	low   string
	boxed bool
}

// Unit holds the parts of one cell that are to be lowered.
type Unit struct {
	Cell    int
	Funcs   []*Func
	Inits   []*Func
	InitsAt int   // number of statements of Body before Inits
	Main    *Func // the function main, which runs after the body
	Body    []ast.Stmt
	Locals  map[*types.Var]*Global // variables of the body's top level
	New     []*Global              // the Locals that need a slot
	Value   ast.Expr               // the last statement, if its value is to be shown
}

// Lowerer lowers the cells of one session.
type Lowerer struct {
	Info *types.Info
	Fset *token.FileSet
	Reg  *rt.Registry

	// Cooperative makes every stop check call the host. It is needed where no other thread can set the flag.
	Cooperative bool

	// Files is called if a cell may write to the standard files directly.
	Files func()

	// Keeps lists packages outside the standard library. Their functions only store or show values that they get as
	// any.
	Keeps []string

	// Generic returns the generic functions of a native package in source, checked into Info; nil where there are none.
	Generic func(path string) ([]*Func, error)

	funcs   map[*types.Func]*Func
	byLow   map[string]*Func
	globals map[*types.Var]*Global
	generic map[string]map[string]*Func // generic functions of native packages in source, by path and name
	sources map[*types.Func]*Func       // the same functions by their objects; they stay when a cell is undone
	version map[string]int
	insts   map[string]string // lowered functions of instances
	structs map[string]string // lowered struct types by key
	local   map[*types.TypeName]int
	number  map[*types.TypeName]int // numbers of types that are declared inside functions
	locals  map[localInstance]*types.Named
	keys    map[*types.TypeName]string
	newest  map[string]*types.TypeName // by name and identity: the object of the last declaration
	boxed   map[*rt.Type]map[string]string
	reaches bool                        // see boxReached
	ifaces  map[string]string           // host functions by native interface
	vars    map[string]string           // host functions by package variable
	loops   map[string]bool             // by type: whether looped reports true
	knots   map[string]*knot            // by key: recursive struct types
	told    map[string]bool             // lowered names of those that the interpreter has built
	indexOf map[*types.Var]types.Object // by variable of a loop: the variable into which it is an index
	seen    map[*ast.IndexExpr]bool     // those whose index has been looked at
	ranges  map[*types.Var]interval     // of loop variables that nothing else changes
	lengths map[types.Object]int64      // of slices whose length stays
	held    map[*ast.IndexExpr]string   // variables that have their indices
	early   *[]ast.Stmt                 // calls to make before the statement; nil if calls stay in it
	host    map[string]reflect.Value

	recovering map[*ast.BlockStmt]bool // function bodies: whether they call recover themselves

	// of the unit being lowered
	unit     *Unit
	out      []ast.Decl
	imports  map[string]string
	regs     []ast.Stmt
	queue    []func()
	fn       *function
	env      map[*types.TypeParam]types.Type
	serial   int
	numbered bool         // whether a cell has called recover
	placing  bool         // whether the current operand is being assigned to
	deferred *ast.FuncLit // function that the current defer statement calls
	later    *pending     // call of the current go or defer statement
}

// New returns a lowerer for cells checked into info.
func New(info *types.Info, fset *token.FileSet, reg *rt.Registry) *Lowerer {
	l := &Lowerer{
		Info: info, Fset: fset, Reg: reg,
		funcs: map[*types.Func]*Func{}, byLow: map[string]*Func{}, globals: map[*types.Var]*Global{},
		generic: map[string]map[string]*Func{}, sources: map[*types.Func]*Func{},
		version: map[string]int{}, insts: map[string]string{}, structs: map[string]string{},
		local: map[*types.TypeName]int{}, number: map[*types.TypeName]int{}, locals: map[localInstance]*types.Named{},
		keys: map[*types.TypeName]string{}, newest: map[string]*types.TypeName{},
		boxed:  map[*rt.Type]map[string]string{},
		ifaces: map[string]string{}, vars: map[string]string{}, host: map[string]reflect.Value{},
		loops: map[string]bool{}, knots: map[string]*knot{}, told: map[string]bool{}, ranges: map[*types.Var]interval{},
		lengths: map[types.Object]int64{}, held: map[*ast.IndexExpr]string{},
		indexOf: map[*types.Var]types.Object{}, seen: map[*ast.IndexExpr]bool{},
		recovering: map[*ast.BlockStmt]bool{},
	}
	reg.Resolve = l.runtimeType
	return l
}

// function is the state of the function being lowered.
type function struct {
	names   map[types.Object]local
	results []*types.Var
	taken   map[types.Object]bool // variables whose address is taken
	yield   *yield                // set inside the body of a range over a function
	scopes  []scope

	deferring bool     // whether it has a defer statement
	defers    string   // name of the variable with its deferred calls; "" if it defers nothing
	slots     []string // pointers to the results of a function that defers

	deferred bool // whether it is a literal that a defer statement calls: what it recovers is a panic
	// name of the variable that says whether a deferred call has called the function; "" if the function does not ask
	entered string

	whole *ast.BlockStmt // its body
	known *known         // what holds where the next statement stands
	temps []string       // variables for indices
	temp  int            // how many of them the current statement uses

	top     bool // whether it is the statements of a cell
	library bool // whether it is a function of a native package
}

type local struct {
	name  string
	boxed bool
}

// Refusal is an error of code that the engine cannot run faithfully.
type Refusal struct {
	Pos  token.Pos
	Text string
}

func (e *Refusal) Error() string { return e.Text }

func (l *Lowerer) refuse(n ast.Node, format string, args ...any) {
	var pos token.Pos
	if n != nil {
		pos = n.Pos()
	}
	panic(&Refusal{pos, fmt.Sprintf(format, args...)})
}

// Func returns the function that obj names, nil where none was lowered.
func (l *Lowerer) Func(obj *types.Func) *Func { return l.funcs[obj] }

// SetGlobal makes references to v mean g.
func (l *Lowerer) SetGlobal(v *types.Var, g *Global) { l.globals[v] = g }

// SetTypeKey gives a type of a cell its identity across redefinitions: "T", or "T#2" for one laid out differently.
func (l *Lowerer) SetTypeKey(t *types.TypeName, key string) {
	l.keys[t] = key
	l.newest[t.Name()+key] = t
}

// genericOf returns the source of a generic function of a native package, or nil if there is none. The sources of a
// package are checked when a cell first uses one of them: checking all sources takes half of a kernel's start in a
// browser.
func (l *Lowerer) genericOf(n ast.Node, path, name string) *Func {
	if _, ok := l.generic[path]; !ok && l.Generic != nil {
		list, err := l.Generic(path)
		if err != nil {
			l.refuse(n, "%v", err)
		}
		l.generic[path] = map[string]*Func{}
		for _, f := range list {
			l.generic[path][f.Obj.Name()] = f
			l.sources[f.Obj] = f
		}
	}
	return l.generic[path][name]
}

// Unit lowers a cell to a file that declares what is new and a function named cellN that runs it. If Unit fails, later
// cells do not refer to anything of this cell.
func (l *Lowerer) Unit(u *Unit) (file *ast.File, name string, err error) {
	saved := l.save()
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *Refusal:
			l.restore(saved)
			err = x
		default:
			l.restore(saved)
			panic(x)
		}
	}()
	if !l.numbered && l.recovers(u) {
		l.numbered = true
		u.Funcs = append(l.older(u), u.Funcs...)
		defer func() { l.numbered = err == nil }()
	}
	l.unit, l.out, l.imports, l.regs, l.queue = u, nil, map[string]string{}, nil, nil
	l.refuseFiles(u)
	l.numberLocals(u)
	for _, f := range u.Funcs {
		l.declare(f)
	}
	for _, g := range u.New {
		l.declareGlobal(g)
	}
	for v, g := range u.Locals {
		l.globals[v] = g
	}
	for _, f := range u.Funcs {
		if f.Sig.TypeParams().Len() == 0 {
			l.lowerFunc(f, f.low, nil)
		}
	}
	body := l.cellBody(u)
	l.drain()
	l.rebind()
	l.drain()
	name = fmt.Sprintf("cell%d", u.Cell)
	body = append(l.regs, body...)
	if u.Main != nil {
		body = append(body, l.calls([]*Func{u.Main})...)
	}
	l.out = append(l.out, &ast.FuncDecl{Name: ast.NewIdent(name), Type: &ast.FuncType{Params: &ast.FieldList{}},
		Body: &ast.BlockStmt{List: body}})
	return l.file(), name, nil
}

func (l *Lowerer) calls(fs []*Func) []ast.Stmt {
	var list []ast.Stmt
	for _, f := range fs {
		list = append(list, &ast.ExprStmt{X: call(ast.NewIdent(f.low))})
	}
	return list
}

func (l *Lowerer) drain() {
	for len(l.queue) > 0 {
		f := l.queue[0]
		l.queue = l.queue[1:]
		f()
	}
}

func (l *Lowerer) file() *ast.File {
	var paths []string
	for p := range l.imports {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	specs := &ast.GenDecl{Tok: token.IMPORT, Lparen: 1, Rparen: 1}
	for _, p := range paths {
		specs.Specs = append(specs.Specs,
			&ast.ImportSpec{Name: ast.NewIdent(l.imports[p]),
				Path: &ast.BasicLit{Kind: token.STRING, Value: fmt.Sprintf("%q", p)}})
	}
	f := &ast.File{Name: ast.NewIdent("main"), Decls: l.out}
	apart(f)
	keyElements(f)
	leading(f)
	landing(f)
	l.arrivals(f)
	if len(paths) > 0 {
		f.Decls = append([]ast.Decl{specs}, f.Decls...)
	}
	return f
}

func (l *Lowerer) declare(f *Func) {
	base := strings.NewReplacer(".", "__", " ", "_", "/", "_").Replace(f.Name)
	l.version[base]++
	f.low = fmt.Sprintf("%s__%d", base, l.version[base])
	if f.Obj != nil {
		l.funcs[f.Obj] = f
	}
	if f.Also != nil {
		l.funcs[f.Also] = f
	}
}

func (l *Lowerer) declareGlobal(g *Global) {
	l.version[g.Name]++
	g.low = fmt.Sprintf("%s__v%d", g.Name, l.version[g.Name])
	g.boxed = needsBox(g.Type)
	spec := &ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent(g.low)}, Type: l.low(nil, g.Type)}
	if g.boxed {
		spec.Values = []ast.Expr{call(ast.NewIdent("new"), spec.Type)}
		spec.Type = nil
	}
	l.out = append(l.out, &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{spec}})
	get := &ast.FuncLit{
		Type: &ast.FuncType{Params: &ast.FieldList{},
			Results: &ast.FieldList{List: []*ast.Field{field("", anyType())}}},
		Body: block(&ast.ReturnStmt{Results: []ast.Expr{l.convert(nil, globalRef(g), g.Type, anyInterface)}}),
	}
	l.regs = append(l.regs, &ast.ExprStmt{X: l.rt("Global", strLit(g.low), get)})
}

// Low is the name under which lowered code gives the host a function that reads g.
func (g *Global) Low() string { return g.low }

// TakeHost returns the host functions that lowered code refers to and that are new since the last call.
func (l *Lowerer) TakeHost() map[string]reflect.Value {
	h := l.host
	l.host = map[string]reflect.Value{}
	return h
}

// state holds everything that a failed unit must leave unchanged.
type state struct {
	insts, structs map[string]string
	funcs          map[*types.Func]*Func
	boxed          map[*rt.Type]map[string]string
	reaches        bool
}

func (l *Lowerer) save() state {
	return state{clone(l.insts), clone(l.structs), clone(l.funcs), clone(l.boxed), l.reaches}
}

func (l *Lowerer) restore(s state) {
	l.insts, l.structs, l.funcs, l.boxed, l.reaches = s.insts, s.structs, s.funcs, s.boxed, s.reaches
	clear(l.knots) // a type that was given up may be declared in another way
	clear(l.loops)
}

// Save returns a function that undoes the changes that Unit makes after Save. Call it if the engine rejects the result
// of Unit.
func (l *Lowerer) Save() (undo func()) {
	s := l.save()
	return func() { l.restore(s) }
}

func clone[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// cellBody lowers the statements of the cell.
func (l *Lowerer) cellBody(u *Unit) []ast.Stmt {
	l.fn = &function{names: map[types.Object]local{}, taken: map[types.Object]bool{}, top: true}
	l.env = nil
	body := &ast.BlockStmt{List: u.Body}
	l.fn.taken = l.addressed(body)
	list := []ast.Stmt{}
	if l.fn.deferring = defers(body); l.fn.deferring {
		l.fn.defers = l.fresh("defers")
	}
	for k, s := range u.Body {
		if k == u.InitsAt {
			list = append(list, l.calls(u.Inits)...)
		}
		list = append(list, assign(ident("stmt__"), intLit(k)))
		if x, ok := s.(*ast.ExprStmt); ok && k == len(u.Body)-1 && u.Value != nil {
			list = append(list, l.at(s)...)
			l.quiet(s)
			list = append(list, l.inOrder([]ast.Expr{x.X}, func() []ast.Stmt { return l.show(x.X) })...)
			continue
		}
		list = append(list, l.stmt(s)...)
	}
	list = append(list, assign(ident("stmt__"), intLit(len(u.Body))))
	if u.InitsAt == len(u.Body) {
		list = append(list, l.calls(u.Inits)...)
	}
	list = l.withTemps(list)
	if !l.fn.deferring {
		return list
	}
	lit := &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: block(list...)}
	return []ast.Stmt{define(l.fn.defers, l.rt("Defers")), &ast.ExprStmt{X: l.rt("Run", ident(l.fn.defers), lit)}}
}

// show passes the values of the last expression to the host.
func (l *Lowerer) show(e ast.Expr) []ast.Stmt {
	t := l.typeOf(e)
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return l.exprStmt(&ast.ExprStmt{X: e})
		}
		names, list := l.temps(tuple, e)
		n := tuple.Len()
		vals := make([]ast.Expr, n)
		for k := range vals {
			vals[k] = l.convert(e, ident(names[k]), tuple.At(k).Type(), anyInterface)
		}
		return append(list, &ast.ExprStmt{X: l.rt("Show", &ast.CompositeLit{Type: anySlice(), Elts: vals})})
	}
	if t == nil || isVoid(l.Info, e) {
		return l.exprStmt(&ast.ExprStmt{X: e})
	}
	return []ast.Stmt{&ast.ExprStmt{X: l.rt("Show",
		&ast.CompositeLit{Type: anySlice(), Elts: []ast.Expr{l.to(e, anyInterface)}})}}
}

func isVoid(info *types.Info, e ast.Expr) bool {
	tv, ok := info.Types[e]
	return ok && tv.IsVoid()
}
