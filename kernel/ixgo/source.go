package ixgo

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"nacre/kernel/internal/prelude"
)

// preludePrefix is before the paths of packages whose generic functions are given in source.
const preludePrefix = "prelude/"

// preludeName is what files import them as.
func preludeName(path string) string { return "prelude__" + path }

// source checks and builds a package of the kernel's own.
func (e *interpreter) source(path, src string) (*types.Package, error) {
	f, err := parser.ParseFile(e.ctx.FileSet, path+".go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return e.built(path, f)
}

func (e *interpreter) built(path string, f *ast.File) (*types.Package, error) {
	info := newInfo()
	pkg := types.NewPackage(path, f.Name.Name)
	if e.base != nil {
		for _, name := range e.base.Scope().Names() {
			pkg.Scope().Insert(e.base.Scope().Lookup(name))
		}
	}
	if err := types.NewChecker(config(e), e.ctx.FileSet, pkg, info).Files([]*ast.File{f}); err != nil {
		return nil, fmt.Errorf("package %s of the engine: %w", path, err)
	}
	imports := pkg.Imports()
	e.register(imports)
	e.ctx.Builder.BuildPackages(e.compiled(imports))
	p := e.ctx.Builder.Program().CreatePackage(pkg, []*ast.File{f}, info, true)
	p.Build()
	p.Func("init").Blocks = nil // it has nothing to initialise, and no interpreter is to compile all of it
	return pkg, nil
}

// compiled leaves out the packages that are given in source: they are built already.
func (e *interpreter) compiled(list []*types.Package) []*types.Package {
	var out []*types.Package
	for _, p := range list {
		if e.sources[p.Path()] != p {
			out = append(out, p)
		}
	}
	return out
}

// prelude builds the source of a package's generic functions, after those it needs.
func (e *interpreter) prelude(path string) error {
	if e.sources[preludePrefix+path] != nil {
		return nil
	}
	src, err := prelude.Source(path)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(e.ctx.FileSet, "prelude "+path, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	info := newInfo()
	if _, err := config(e).Check(path, e.ctx.FileSet, []*ast.File{f}, info); err != nil {
		return fmt.Errorf("prelude: %w", err)
	}
	for _, s := range f.Imports {
		for _, p := range prelude.Packages {
			if s.Path.Value == fmt.Sprintf("%q", p) && p != path {
				if err := e.prelude(p); err != nil {
					return err
				}
			}
		}
	}
	r := &rewriter{info: info, fset: e.ctx.FileSet, low: func(types.Object) string { return "" }, generic: e.generic}
	out := copyOf(r, f)
	e.imports(out)
	pkg, err := e.built(preludePrefix+path, out)
	if err != nil {
		return err
	}
	e.sources[preludePrefix+path] = pkg
	return nil
}

// generic says under which name files import the source of a native generic function.
func (e *interpreter) generic(path, name string) (string, bool) {
	p := e.sources[preludePrefix+path]
	if p == nil || p.Scope().Lookup(name) == nil {
		return "", false
	}
	return preludeName(path), true
}

// imports adds the engine's own packages to those a file imports.
func (e *interpreter) imports(f *ast.File) {
	g := &ast.GenDecl{Tok: token.IMPORT, Lparen: 1, Rparen: 1}
	spec := func(name, path string) {
		s := &ast.ImportSpec{Name: ast.NewIdent(name), Path: &ast.BasicLit{Kind: token.STRING, Value: fmt.Sprintf("%q", path)}}
		g.Specs = append(g.Specs, s)
		f.Imports = append(f.Imports, s)
	}
	spec("rt__", "rt__")
	for _, path := range prelude.Packages {
		if e.sources[preludePrefix+path] != nil {
			spec(preludeName(path), preludePrefix+path)
		}
	}
	f.Decls = append([]ast.Decl{g}, f.Decls...)
}
