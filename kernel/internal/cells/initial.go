package cells

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The variables at the beginning of a cell are initialised like the variables of a package.

// InitsAt is the number of statements of the body before the init functions. They are the variable declarations at the
// beginning of the body.
func (u *Unit) InitsAt() int { return leading(u.Body) }

// leading is how many variable declarations a body begins with.
func leading(body []ast.Stmt) int {
	for k, s := range body {
		if d, ok := s.(*ast.DeclStmt); !ok || d.Decl.(*ast.GenDecl).Tok != token.VAR {
			return k
		}
	}
	return len(body)
}

// order puts the variable declarations that a cell begins with in the order in which a program initialises them.
func (p *Scope) order(f *parsed) {
	first := leading(f.body)
	var specs []*ast.ValueSpec
	for _, s := range f.body[:first] {
		for _, spec := range s.(*ast.DeclStmt).Decl.(*ast.GenDecl).Specs {
			specs = append(specs, spec.(*ast.ValueSpec))
		}
	}
	if len(specs) < 2 {
		return
	}
	var out []ast.Stmt
	add := func(s *ast.ValueSpec) {
		out = append(out, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, TokPos: s.Pos(), Specs: []ast.Spec{s}}})
	}
	place := p.initialised(f, specs)
	var list []*ast.ValueSpec
	for _, s := range specs {
		switch {
		case len(s.Values) == 0:
			add(s)
		case len(s.Values) == len(s.Names) && len(s.Names) > 1: // each on its own
			for k, name := range s.Names {
				list = append(list, &ast.ValueSpec{Names: []*ast.Ident{name}, Type: s.Type, Values: s.Values[k : k+1]})
			}
		default:
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b *ast.ValueSpec) int {
		return cmp.Compare(place[a.Values[0]], place[b.Values[0]])
	})
	for _, s := range list {
		add(s)
	}
	f.body = append(out, f.body[first:]...)
}

// initialised are the places of the values of variables in the order of initialisation of a package that holds what the
// cell declares.
func (p *Scope) initialised(f *parsed, specs []*ast.ValueSpec) map[ast.Expr]int {
	file := &ast.File{Name: ast.NewIdent("main")}
	imports := slices.Clone(f.imports)
	for name, path := range p.Imports {
		imports = append(imports, importSpec(name, path))
	}
	for _, path := range p.Dots {
		imports = append(imports, importSpec(".", path))
	}
	for _, s := range imports {
		file.Decls = append(file.Decls, &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{s}})
	}
	file.Decls = append(append(file.Decls, f.decls...), p.extended(f.decls)...)
	for _, s := range specs {
		file.Decls = append(file.Decls, &ast.GenDecl{Tok: token.VAR, TokPos: s.Pos(), Specs: []ast.Spec{s}})
	}
	pkg, declared := types.NewPackage("main", "main"), DeclaredNames(file.Decls)
	insert := func(name string, o types.Object) {
		if o != nil && !declared[name] && pkg.Scope().Lookup(name) == nil {
			pkg.Scope().Insert(o)
		}
	}
	for name, v := range p.Vars {
		insert(name, v.Obj)
	}
	p.earlier(insert)
	named(file.Decls, pkg.Scope())
	info := types.Info{}
	conf := types.Config{GoVersion: GoVersion, Importer: p, Error: func(error) {}} // they do not matter here
	types.NewChecker(&conf, p.Fset, pkg, &info).Files([]*ast.File{file})
	place := map[ast.Expr]int{}
	for k, i := range info.InitOrder {
		place[i.Rhs] = k
	}
	return place
}

// extended are the declarations of types of other cells that have methods among decls.
func (p *Scope) extended(decls []ast.Decl) (list []ast.Decl) {
	declared := DeclaredNames(decls)
	for _, d := range decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Recv.NumFields() != 1 {
			continue
		}
		base := receiverBase(d.Recv.List[0].Type)
		if base == nil || declared[base.Name] || p.Decls[base.Name] == nil {
			continue
		}
		declared[base.Name] = true
		if g, ok := p.Decls[base.Name].Node.(*ast.GenDecl); ok {
			list = append(list, g)
		}
	}
	return list
}
