package cells

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
)

// Scratch is a cell checked for completion: nothing of it stays, and its errors do not matter.
type Scratch struct {
	Info   *types.Info
	Marker ast.Expr     // the argument of a call of scratch__ in it, nil where there is none
	Scope  *types.Scope // the innermost around that call
}

// Tokens returns the tokens of code.
func Tokens(code string) []token.Token {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(f, []byte(code), func(token.Position, string) {}, 0)
	var list []token.Token
	for {
		_, tok, _ := s.Scan()
		if tok == token.EOF {
			return list
		}
		list = append(list, tok)
	}
}

// Scratch checks code that may be unfinished against the program. It may run beside other readers of the program.
func (p *Program) Scratch(code string) *Scratch {
	fset := token.NewFileSet()
	chunks, _ := split(code)
	parse := func(head, text, tail string) *ast.File {
		f, _ := parser.ParseFile(fset, "scratch", head+"\n"+text+tail, parser.SkipObjectResolution)
		return f
	}
	decls := parse("package main", keep(code, chunks, isDecl), "")
	body := parse("package main\nfunc scratch__body() {", keep(code, chunks, func(k token.Token) bool { return k == token.ILLEGAL }), "\n}")
	imports := parse("package main", keep(code, chunks, func(k token.Token) bool { return k == token.IMPORT }), "")
	if decls == nil || body == nil || imports == nil {
		return nil
	}
	u := &Unit{prog: p, imports: map[string]string{}}
	for k, v := range p.Imports {
		u.imports[k] = v
	}
	u.addImports(imports.Imports, func(string) error { return nil })
	c := &checker{Program: p, unit: u, file: &parsed{}}
	f := c.newFile()
	f.Decls = append(f.Decls, decls.Decls...)
	f.Decls = append(f.Decls, body.Decls...)
	f.Decls = append(f.Decls, &ast.FuncDecl{Name: ast.NewIdent("scratch__"), Type: &ast.FuncType{
		Params: &ast.FieldList{List: []*ast.Field{{Names: []*ast.Ident{ast.NewIdent("x")}, Type: &ast.Ellipsis{Elt: ast.NewIdent("any")}}}},
	}, Body: &ast.BlockStmt{}})
	s := &Scratch{Info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}}}
	pkg := types.NewPackage("main", "main")
	declared := DeclaredNames(f.Decls)
	insert := func(o types.Object) {
		if o != nil && !declared[o.Name()] && u.imports[o.Name()] == "" {
			pkg.Scope().Insert(o)
		}
	}
	for _, v := range p.Vars {
		insert(v.Obj)
	}
	for name, d := range p.Decls {
		switch {
		case d.Type != nil:
			insert(d.Type)
		case d.Func != nil && d.Func.Name() == name:
			insert(d.Func)
		}
		for _, k := range d.Consts {
			insert(k)
		}
	}
	conf := types.Config{GoVersion: GoVersion, Importer: p, DisableUnusedImportCheck: true, Error: func(error) {}}
	func() {
		defer func() { _ = recover() }() // go/types is not made for every torso
		types.NewChecker(&conf, fset, pkg, s.Info).Files([]*ast.File{f})
	}()
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "scratch__" && len(call.Args) > 0 {
			s.Marker = call.Args[0]
			s.Scope = innermost(s.Info, pkg.Scope(), call.Pos())
		}
		return true
	})
	return s
}

func innermost(info *types.Info, best *types.Scope, pos token.Pos) *types.Scope {
	size := token.Pos(1 << 40)
	for _, s := range info.Scopes {
		if s.Contains(pos) && s.End()-s.Pos() < size {
			best, size = s, s.End()-s.Pos()
		}
	}
	return best
}
