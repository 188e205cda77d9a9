package cells

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
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

// order puts the variable declarations that a cell begins with in the order a program initialises them: each after those it
// depends on, also through functions.
func (f *parsed) order() {
	first := leading(f.body)
	var specs []*ast.ValueSpec
	for _, s := range f.body[:first] {
		for _, spec := range s.(*ast.DeclStmt).Decl.(*ast.GenDecl).Specs {
			specs = append(specs, spec.(*ast.ValueSpec))
		}
	}
	bodies := map[string][]ast.Node{}
	for _, d := range f.decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
			bodies[fd.Name.Name] = append(bodies[fd.Name.Name], fd.Body) // methods by name, whatever their type
		}
	}
	defines := map[string]int{}
	for k, s := range specs {
		for _, n := range s.Names {
			defines[n.Name] = k
		}
	}
	needs := func(s *ast.ValueSpec) map[int]bool {
		m, seen := map[int]bool{}, map[string]bool{}
		var walk func(ast.Node)
		walk = func(n ast.Node) {
			ast.Inspect(n, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && !seen[id.Name] {
					seen[id.Name] = true
					if k, ok := defines[id.Name]; ok {
						m[k] = true
					}
					for _, b := range bodies[id.Name] {
						walk(b)
					}
				}
				return true
			})
		}
		for _, v := range s.Values {
			walk(v)
		}
		return m
	}
	var out []ast.Stmt
	state := make([]int, len(specs))
	var visit func(int)
	visit = func(k int) {
		if state[k] != 0 {
			return
		}
		state[k] = 1
		deps := needs(specs[k])
		for j := range specs {
			if deps[j] {
				visit(j)
			}
		}
		out = append(out, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, TokPos: specs[k].Pos(), Specs: []ast.Spec{specs[k]}}})
	}
	for k := range specs {
		visit(k)
	}
	f.body = append(out, f.body[first:]...)
}
