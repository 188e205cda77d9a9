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
	pkg     *types.Package
	types   *identity
}

func (b *build) file() *ast.File {
	u := b.unit
	for tn := range u.Keys {
		b.fresh[tn] = tn.Name()
	}
	b.rw = b.rewriter(b.prog.Info, func(o types.Object) string { return b.low[o] })
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
	b.decls = append(b.decls, b.cell())
	f := &ast.File{Name: ast.NewIdent("main")}
	b.rw.imports(f)
	named, dots := u.Imports()
	g := f.Decls[0].(*ast.GenDecl)
	spec := func(name, path string) {
		s := &ast.ImportSpec{Name: ast.NewIdent(name), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}
		g.Specs = append(g.Specs, s)
		f.Imports = append(f.Imports, s)
	}
	declared := cells.DeclaredNames(b.decls)
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
			list = append(list, &ast.ExprStmt{X: b.rw.host(x.Pos(), b.show(u.Value), b.rw.expr(u.Value))})
			continue
		} else if ok && !b.statement(x) { // a value that is not to be shown
			list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{ast.NewIdent("_")}, Tok: token.ASSIGN, TokPos: x.Pos(), Rhs: []ast.Expr{b.rw.expr(x.X)}})
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

// show names the host function that shows x. Of several values a last error is left out where it is nil.
func (b *build) show(x ast.Expr) string {
	if t, ok := b.prog.Info.TypeOf(x).(*types.Tuple); ok && t.Len() > 1 && t.At(t.Len()-1).Type().String() == "error" {
		return "ShowBut"
	}
	return "Show"
}

// statement says whether an expression can stand alone.
func (b *build) statement(x *ast.ExprStmt) bool {
	switch y := ast.Unparen(x.X).(type) {
	case *ast.CallExpr:
		return !b.prog.Info.Types[y.Fun].IsType() && b.prog.Info.Types[y].Value == nil
	case *ast.UnaryExpr:
		return y.Op == token.ARROW
	}
	return false
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
func (b *build) check(f *ast.File) (*types.Info, error) {
	pkg := types.NewPackage("main", "main")
	b.pkg = pkg
	declared := cells.DeclaredNames(b.decls)
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
	return info, first
}

// supported refuses what the interpreter would get wrong.
func (b *build) supported(info *types.Info) {
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

// publish makes what the cell declares known under the objects that cells are checked with.
func (b *build) publish(ip *ixgo.Interp) {
	scope := b.pkg.Scope()
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
