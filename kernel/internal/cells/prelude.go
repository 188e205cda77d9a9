package cells

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
)

// Source is a generic function that is given in source.
type Source struct {
	Name string
	Decl *ast.FuncDecl
	Obj  *types.Func
}

// CheckSource checks the source of a package's generic functions.
func (p *Program) CheckSource(path, src string) ([]Source, error) {
	f, err := parser.ParseFile(p.Fset, "prelude "+path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{GoVersion: GoVersion, Importer: p}
	pkg, err := conf.Check(path, p.Fset, []*ast.File{f}, p.Info)
	if err != nil {
		return nil, fmt.Errorf("prelude: %w", err)
	}
	var list []Source
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			list = append(list, Source{fd.Name.Name, fd, pkg.Scope().Lookup(fd.Name.Name).(*types.Func)})
		}
	}
	return list, nil
}

// InitsAt is how many statements of the body precede the init functions: the variable declarations it begins with.
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
func (p *Program) order(f *parsed) {
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
	slices.SortStableFunc(list, func(a, b *ast.ValueSpec) int { return cmp.Compare(place[a.Values[0]], place[b.Values[0]]) })
	for _, s := range list {
		add(s)
	}
	f.body = append(out, f.body[first:]...)
}

// initialised are the places of the values of variables in the order of initialisation of a package that holds what the
// cell declares. What it uses of other cells is unknown there, and needs no place.
func (p *Program) initialised(f *parsed, specs []*ast.ValueSpec) map[ast.Expr]int {
	file := &ast.File{Name: ast.NewIdent("main"), Decls: slices.Clone(f.decls)}
	for _, s := range f.imports {
		file.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{s}}}, file.Decls...)
	}
	for _, s := range specs {
		file.Decls = append(file.Decls, &ast.GenDecl{Tok: token.VAR, TokPos: s.Pos(), Specs: []ast.Spec{s}})
	}
	file.Decls = append(file.Decls, foreign(f.decls)...)
	info := types.Info{}
	conf := types.Config{GoVersion: GoVersion, Importer: p, Error: func(error) {}}
	conf.Check("main", p.Fset, []*ast.File{file}, &info) // in which errors do not matter
	place := map[ast.Expr]int{}
	for k, i := range info.InitOrder {
		place[i.Rhs] = k
	}
	return place
}

// foreign declares the types of other cells that methods among decls are of, so that calls find the methods.
func foreign(decls []ast.Decl) (list []ast.Decl) {
	known := map[string]bool{}
	for _, d := range decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					known[s.Name.Name] = true
				}
			}
		}
	}
	for _, d := range decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Recv.NumFields() != 1 {
			continue
		}
		base, params := receiverBase(d.Recv.List[0].Type), receiverParams(d.Recv.List[0].Type)
		if base == nil || known[base.Name] {
			continue
		}
		known[base.Name] = true
		at := base.Pos()
		spec := &ast.TypeSpec{
			Name: &ast.Ident{NamePos: at, Name: base.Name},
			Type: &ast.StructType{Struct: at, Fields: &ast.FieldList{Opening: at, Closing: at}},
		}
		if len(params) > 0 {
			any := &ast.Ident{NamePos: at, Name: "any"}
			spec.TypeParams = &ast.FieldList{List: []*ast.Field{{Names: params, Type: any}}}
		}
		list = append(list, &ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{spec}})
	}
	return list
}
