package ixgo

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
)

// build makes a file of a cell: its declarations, those that are compiled again because of it, a variable for each that
// its statements define, and a function of the statements.
type build struct {
	*interpreter
	unit    *cells.Unit
	rw      *rewriter
	fresh   map[*types.TypeName]string // types the cell declares, by name
	aliases []*types.TypeName          // names for types the file cannot write
	decls   []ast.Decl
}

func (b *build) file() *ast.File {
	u := b.unit
	for tn := range u.Keys {
		b.fresh[tn] = tn.Name()
	}
	b.rw = &rewriter{info: b.prog.Info, fset: b.prog.Fset, generic: b.generic, low: func(o types.Object) string { return b.low[o] }}
	for _, v := range u.Vars {
		if v.Old != nil {
			b.low[v.Obj] = b.low[v.Old.Obj]
			b.objects[v.Obj] = b.objects[v.Old.Obj]
			b.values[v.Obj] = b.values[v.Old.Obj]
		} else {
			b.low[v.Obj] = fmt.Sprintf("%s__%d", v.Name, u.Cell)
		}
		b.low[v.Def] = b.low[v.Obj]
	}
	for _, d := range append(slices.Clone(u.Consts), u.Types...) {
		b.decls = append(b.decls, copyOf(b.rw, d.Node))
	}
	for _, d := range u.Funcs {
		f := copyOf(b.rw, d.Node.(*ast.FuncDecl))
		if f.Recv == nil && (f.Name.Name == "init" || f.Name.Name == "_") {
			f.Name.Name = initFunc(d)
		}
		b.decls = append(b.decls, f)
	}
	for _, v := range u.Vars {
		if v.Old == nil {
			b.declare(b.low[v.Obj], v.Obj.Type())
		}
	}
	b.decls = append(b.decls, b.cell(), b.methods())
	f := &ast.File{Name: ast.NewIdent("main")}
	b.imports(f)
	named, dots := u.Imports()
	g := f.Decls[0].(*ast.GenDecl)
	spec := func(name, path string) {
		s := &ast.ImportSpec{Name: ast.NewIdent(name), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}
		g.Specs = append(g.Specs, s)
		f.Imports = append(f.Imports, s)
	}
	declared := b.declared()
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if !declared[name] {
			spec(name, named[name])
		}
	}
	for _, path := range dots {
		spec(".", path)
	}
	f.Decls = append(f.Decls, b.decls...)
	return f
}

func initFunc(d *cells.Decl) string { return fmt.Sprintf("init__%d", d.Node.Pos()) }

func (b *build) declare(name string, t types.Type) {
	b.decls = append(b.decls, &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{
		&ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent(name)}, Type: b.typeExpr(t)},
	}})
}

// declared are the names that the file declares.
func (b *build) declared() map[string]bool {
	m := map[string]bool{}
	for _, d := range b.decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				m[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					m[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						m[n.Name] = true
					}
				}
			}
		}
	}
	return m
}

// cell is the function of the cell's statements.
func (b *build) cell() *ast.FuncDecl {
	u := b.unit
	var list []ast.Stmt
	call := func(name string) {
		list = append(list, &ast.ExprStmt{X: &ast.CallExpr{Fun: ast.NewIdent(name)}})
	}
	inits := func() {
		for _, d := range u.Inits {
			call(initFunc(d))
		}
	}
	if !u.InitsLast {
		inits()
	}
	for k, s := range u.Body {
		list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{ast.NewIdent("stmt__")}, Tok: token.ASSIGN, Rhs: []ast.Expr{
			&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(k + 1)},
		}})
		if x, ok := s.(*ast.ExprStmt); ok && u.Value != nil && k == len(u.Body)-1 {
			list = append(list, &ast.ExprStmt{X: b.rw.host(x.Pos(), "Show", b.rw.expr(u.Value))})
			continue
		}
		list = append(list, b.global(s)...)
	}
	if u.InitsLast {
		inits()
	}
	if u.Main != nil {
		call("main")
	}
	return &ast.FuncDecl{Name: ast.NewIdent(cellFunc(u.Cell)), Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: &ast.BlockStmt{List: list}}
}

// methods is a function, not called, that converts each type of the cell to an interface: the interpreter compiles the
// methods of such types only, and a later cell or native code may call those of others.
func (b *build) methods() *ast.FuncDecl {
	var list []ast.Stmt
	add := func(t func() ast.Expr) {
		zero := func() *ast.CallExpr { return &ast.CallExpr{Fun: ast.NewIdent("new"), Args: []ast.Expr{t()}} }
		list = append(list, &ast.ExprStmt{X: b.rw.host(token.NoPos, "Show", &ast.StarExpr{X: zero()}, zero())})
	}
	for tn, name := range b.fresh {
		if n, ok := tn.Type().(*types.Named); ok && n.TypeParams().Len() == 0 && !types.IsInterface(n) {
			add(func() ast.Expr { return ast.NewIdent(name) })
		}
	}
	var seen typeutil.Map
	note := func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			eachNamed(b.prog.Info.TypeOf(x), &seen, func(n *types.Named) {
				if n.TypeArgs().Len() > 0 && !types.IsInterface(n) && n.NumMethods() > 0 {
					add(func() ast.Expr { return b.typeExpr(n) })
				}
			})
		}
		return true
	}
	for _, s := range b.unit.Body {
		ast.Inspect(s, note)
	}
	for _, d := range b.unit.Funcs {
		ast.Inspect(d.Node, note)
	}
	return &ast.FuncDecl{Name: ast.NewIdent("methods__"), Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: &ast.BlockStmt{List: list}}
}

// global turns the definitions of a top-level statement into assignments.
func (b *build) global(s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		inner := b.global(s.Stmt)
		list := b.rw.stmts([]ast.Stmt{&ast.LabeledStmt{Label: s.Label, Colon: s.Colon, Stmt: s.Stmt}})
		if len(list) == 1 { // a loop, a switch or a select
			return list
		}
		return append(list[:1], inner...)
	case *ast.AssignStmt:
		out := copyOf(b.rw, s)
		if s.Tok == token.DEFINE {
			out.Tok = token.ASSIGN
		}
		return []ast.Stmt{out}
	case *ast.DeclStmt:
		g := s.Decl.(*ast.GenDecl)
		if g.Tok != token.VAR {
			break
		}
		var list []ast.Stmt
		for _, spec := range g.Specs {
			list = append(list, b.assigned(copyOf(b.rw, spec.(*ast.ValueSpec)))...)
		}
		return list
	}
	return b.rw.stmts([]ast.Stmt{s})
}

// assigned turns a variable declaration into assignments, of zero values where it has none.
func (b *build) assigned(s *ast.ValueSpec) []ast.Stmt {
	a := &ast.AssignStmt{Tok: token.ASSIGN, TokPos: s.Pos(), Rhs: s.Values}
	for _, id := range s.Names {
		a.Lhs = append(a.Lhs, id)
		if s.Values == nil {
			zero := ast.Expr(&ast.CallExpr{Fun: &ast.Ident{NamePos: id.Pos(), Name: "new"}, Args: []ast.Expr{s.Type}})
			a.Rhs = append(a.Rhs, &ast.StarExpr{Star: id.Pos(), X: zero})
		}
	}
	if s.Type != nil && s.Values != nil && len(s.Values) == len(s.Names) {
		for k, id := range s.Names {
			if id.Name == "_" { // its value has to fit the type all the same
				a.Rhs[k] = &ast.CallExpr{Fun: &ast.ParenExpr{X: s.Type}, Args: []ast.Expr{a.Rhs[k]}}
			}
		}
	}
	return []ast.Stmt{a}
}

// check type-checks the file in a package whose scope holds what earlier cells left.
func (b *build) check(f *ast.File) (*types.Package, *types.Info, error) {
	pkg := types.NewPackage("main", "main")
	declared := b.declared()
	insert := func(name string, o types.Object) {
		if o := b.objects[o]; o != nil && !declared[name] && pkg.Scope().Lookup(o.Name()) == nil {
			pkg.Scope().Insert(o)
		}
	}
	for _, name := range b.base.Scope().Names() {
		pkg.Scope().Insert(b.base.Scope().Lookup(name))
	}
	for _, tn := range b.aliases {
		pkg.Scope().Insert(tn)
	}
	for _, v := range b.prog.Vars {
		insert(b.low[v.Obj], v.Obj)
	}
	named, _ := b.unit.Imports()
	for _, d := range b.prog.Decls {
		switch {
		case named[d.Name] != "":
		case d.Type != nil:
			insert(d.Name, d.Type)
		case d.Consts != nil:
			for _, k := range d.Consts {
				insert(k.Name(), k)
			}
		case d.Func != nil && !strings.Contains(d.Name, "."):
			insert(d.Name, d.Func)
		}
	}
	conf, info := config(b.interpreter), newInfo()
	var first error
	conf.Error = func(err error) {
		if e := err.(types.Error); first == nil && !e.Soft && !strings.HasPrefix(e.Msg, "declared and not used") {
			p := b.prog.Fset.Position(e.Pos)
			first = &engine.Refused{Line: p.Line, Column: p.Column, Text: "this engine does not accept this: " + e.Msg}
		}
	}
	types.NewChecker(conf, b.ctx.FileSet, pkg, info).Files([]*ast.File{f})
	pkg.SetImports(b.compiled(pkg.Imports()))
	return pkg, info, first
}

// supported refuses what the interpreter would get wrong.
func (b *build) supported(info *types.Info) {
	for id, inst := range info.Instances {
		if n, ok := inst.Type.(*types.Named); ok && n.NumMethods() > 0 && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() != "main" && b.sources[n.Obj().Pkg().Path()] == nil {
			b.rw.refuse(id, n.Obj().Pkg().Name()+"."+n.Obj().Name()+" is a generic type whose source this engine does not have")
		}
	}
	for id, o := range info.Defs {
		tn, ok := o.(*types.TypeName)
		if !ok || tn.Parent() == nil || tn.Parent() == tn.Pkg().Scope() {
			continue
		}
		if _, param := tn.Type().(*types.TypeParam); param || tn.IsAlias() {
			continue
		}
		if inGeneric(info, tn) {
			b.rw.refuse(id, "a type declared inside a generic function is not supported by this engine; declare it outside")
		}
	}
}

// inGeneric says whether a local type is declared inside a generic function or method.
func inGeneric(info *types.Info, tn *types.TypeName) bool {
	for s := tn.Parent(); s != nil; s = s.Parent() {
		for _, name := range s.Names() {
			if p, ok := s.Lookup(name).(*types.TypeName); ok {
				if _, ok := p.Type().(*types.TypeParam); ok {
					return true
				}
			}
		}
	}
	return false
}

// keep notes the compiled forms of the types of the cell, so that in later cells they are the same types.
func (b *build) keep(ip *ixgo.Interp, sp *ssa.Package, info *types.Info) {
	var found typeutil.Map
	names := types.NewPackage("types__", "types__")
	var list []*types.Named
	collect := func(t types.Type) {
		eachNamed(t, &found, func(n *types.Named) {
			if _, ok := b.load.LookupReflect(n); ok {
				return
			}
			tn := types.NewTypeName(token.NoPos, names, "t"+strconv.Itoa(len(list)), nil)
			types.NewAlias(tn, n)
			names.Scope().Insert(tn)
			list = append(list, n)
		})
	}
	for _, tv := range info.Types {
		collect(tv.Type)
	}
	for _, o := range info.Defs {
		if o != nil {
			collect(o.Type())
		}
	}
	p := ssa.NewProgram(b.ctx.FileSet, 0).CreatePackage(names, nil, nil, false)
	for k, n := range list {
		key := "t" + strconv.Itoa(k)
		member := "types__." + key
		sp.Members[member] = p.Members[key]
		if rt, ok := ip.GetType(member); ok {
			b.load.keep(n, rt)
		}
		delete(sp.Members, member)
	}
}

// eachNamed calls f for the concrete types of cells that t is made of.
func eachNamed(t types.Type, seen *typeutil.Map, f func(*types.Named)) {
	if t == nil || seen.At(t) != nil {
		return
	}
	seen.Set(t, true)
	each := func(t types.Type) { eachNamed(t, seen, f) }
	switch t := t.(type) {
	case *types.Alias:
		each(types.Unalias(t))
	case *types.Named:
		if o := t.Obj(); o.Pkg() == nil || o.Pkg().Path() != "main" && t.TypeArgs().Len() == 0 {
			return
		}
		if t.TypeParams().Len() > t.TypeArgs().Len() || open_(t) {
			return
		}
		f(t)
		each(t.Underlying())
	case *types.Pointer:
		each(t.Elem())
	case *types.Slice:
		each(t.Elem())
	case *types.Array:
		each(t.Elem())
	case *types.Chan:
		each(t.Elem())
	case *types.Map:
		each(t.Key())
		each(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			each(v.Type())
		}
	case *types.Tuple:
		for v := range t.Variables() {
			each(v.Type())
		}
	case *types.Signature:
		if t.TypeParams().Len() == 0 {
			each(t.Params())
			each(t.Results())
		}
	}
}

// open_ says whether a type has type parameters left in it.
func open_(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if open_(a) {
				return true
			}
		}
	case *types.Pointer:
		return open_(t.Elem())
	case *types.Slice:
		return open_(t.Elem())
	case *types.Array:
		return open_(t.Elem())
	case *types.Chan:
		return open_(t.Elem())
	case *types.Map:
		return open_(t.Key()) || open_(t.Elem())
	case *types.Signature:
		return open_(t.Params()) || open_(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if open_(v.Type()) {
				return true
			}
		}
	case *types.Struct:
		for v := range t.Fields() {
			if open_(v.Type()) {
				return true
			}
		}
	}
	return false
}

// publish makes what the cell declares known under the objects that cells are checked with.
func (b *build) publish(ip *ixgo.Interp, pkg *types.Package) {
	scope := pkg.Scope()
	for tn, name := range b.fresh {
		b.objects[tn] = scope.Lookup(name)
	}
	for _, d := range b.unit.Consts {
		for _, k := range d.Consts {
			b.objects[k] = scope.Lookup(k.Name())
		}
	}
	for _, d := range b.unit.Funcs {
		if d.Func != nil && !strings.Contains(d.Name, ".") {
			b.objects[d.Func] = scope.Lookup(d.Func.Name())
		}
	}
	for _, v := range b.unit.Vars {
		if v.Old != nil {
			continue
		}
		name := b.low[v.Obj]
		b.objects[v.Obj] = scope.Lookup(name)
		if p, ok := ip.GetVarAddr(name); ok {
			b.values[v.Obj] = reflect.ValueOf(p)
			b.load.cells.Vars[name] = reflect.ValueOf(p)
		}
	}
}
