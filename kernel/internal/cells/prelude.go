package cells

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
)

// Source is a generic function whose source is given.
type Source struct {
	Name string
	Decl *ast.FuncDecl
	Obj  *types.Func
}

// CheckSource checks the source of a package's generic functions.
func (p *Scope) CheckSource(path, src string) ([]Source, error) {
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
