package cells

import (
	"go/ast"
	"go/token"
	"strings"
)

// Declares returns what a cell declares by its text: names of variables, functions, methods ("T.M"), types and
// constants, and those under which it imports packages, each with the line that does so. It is nil where the cell does
// not parse.
func (p *Scope) Declares(src string) map[string]string {
	q := Scope{Fset: token.NewFileSet()}
	f, err := q.parseCell("cell", src)
	if err != nil {
		return nil
	}
	lines := strings.Split(src, "\n")
	out := map[string]string{}
	note := func(name string, pos token.Pos) {
		if at := q.Fset.Position(pos).Line; name != "_" && at >= 1 && at <= len(lines) {
			out[name] = strings.TrimSpace(lines[at-1])
		}
	}
	for _, s := range f.imports {
		path := strings.Trim(s.Path.Value, "`\"")
		name := path[strings.LastIndex(path, "/")+1:]
		if pkg := p.Packages[path]; pkg != nil {
			name = pkg.Name()
		}
		if s.Name != nil {
			name = s.Name.Name
		}
		note(name, s.Pos())
	}
	for _, d := range f.decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) == 1 {
				if base := receiverBase(d.Recv.List[0].Type); base != nil {
					name = base.Name + "." + name
				}
			}
			note(name, d.Pos())
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					note(s.Name.Name, s.Pos())
				case *ast.ValueSpec:
					for _, id := range s.Names {
						note(id.Name, s.Pos())
					}
				}
			}
		}
	}
	for _, s := range f.body {
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok != token.DEFINE {
			continue
		}
		for _, id := range defined(s) {
			note(id.Name, s.Pos())
		}
	}
	return out
}
