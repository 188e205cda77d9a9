package ixgo

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"nacre/kernel/internal/prelude"
)

// preludePrefix is before the paths of packages whose generic functions are given in source.
const preludePrefix = "prelude/"

// preludeName is what files import them as.
func preludeName(path string) string { return "prelude__" + strings.ReplaceAll(path, "/", "_") }

// atomicSource stands for the generic type of sync/atomic, which has no compiled form.
const atomicSource = `package atomic

import (
	"sync/atomic"
	"unsafe"
)

type Pointer[T any] struct{ p unsafe.Pointer }

func (x *Pointer[T]) Load() *T     { return (*T)(atomic.LoadPointer(&x.p)) }
func (x *Pointer[T]) Store(v *T)   { atomic.StorePointer(&x.p, unsafe.Pointer(v)) }
func (x *Pointer[T]) Swap(v *T) *T { return (*T)(atomic.SwapPointer(&x.p, unsafe.Pointer(v))) }

func (x *Pointer[T]) CompareAndSwap(old, new *T) bool {
	return atomic.CompareAndSwapPointer(&x.p, unsafe.Pointer(old), unsafe.Pointer(new))
}
`

// sourceOf returns the source of a package's generic declarations.
func sourceOf(path string) (string, bool) {
	if path == "sync/atomic" {
		return atomicSource, true
	}
	if !slices.Contains(prelude.Packages, path) {
		return "", false
	}
	src, err := prelude.Source(path)
	if err != nil {
		panic(err)
	}
	return src, true
}

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

// prelude builds the source of a package's generic declarations, and before it of those it needs. It is nil where
// there is none.
func (e *interpreter) prelude(path string) (*types.Package, error) {
	if p := e.sources[preludePrefix+path]; p != nil {
		return p, nil
	}
	src, ok := sourceOf(path)
	if !ok {
		return nil, nil
	}
	f, err := parser.ParseFile(e.ctx.FileSet, "prelude "+path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	info := newInfo()
	if _, err := config(e).Check(path, e.ctx.FileSet, []*ast.File{f}, info); err != nil {
		return nil, fmt.Errorf("prelude: %w", err)
	}
	r := e.rewriter(info, func(types.Object) string { return "" })
	out := copyOf(r, f)
	r.imports(out)
	pkg, err := e.built(preludePrefix+path, out)
	if err != nil {
		return nil, err
	}
	e.sources[preludePrefix+path] = pkg
	return pkg, nil
}

func (e *interpreter) rewriter(info *types.Info, low func(types.Object) string) *rewriter {
	return &rewriter{info: info, fset: e.ctx.FileSet, low: low, generic: e.generic, used: map[string]bool{}}
}

// generic says whether there is a source for a native generic function or type.
func (e *interpreter) generic(path, name string) bool {
	p, err := e.prelude(path)
	if err != nil {
		panic(err)
	}
	return p != nil && p.Scope().Lookup(name) != nil
}

// imports adds the engine's own packages to those a file imports.
func (r *rewriter) imports(f *ast.File) {
	g := &ast.GenDecl{Tok: token.IMPORT, Lparen: 1, Rparen: 1}
	spec := func(name, path string) {
		s := &ast.ImportSpec{Name: ast.NewIdent(name), Path: &ast.BasicLit{Kind: token.STRING, Value: fmt.Sprintf("%q", path)}}
		g.Specs = append(g.Specs, s)
		f.Imports = append(f.Imports, s)
	}
	spec("rt__", "rt__")
	for _, path := range slices.Sorted(maps.Keys(r.used)) {
		spec(preludeName(path), preludePrefix+path)
	}
	f.Decls = append([]ast.Decl{g}, f.Decls...)
}
