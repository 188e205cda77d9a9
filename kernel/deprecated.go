package kernel

import (
	"fmt"
	"go/ast"
	"go/types"

	"nacre/kernel/internal/cells"
)

// deprecated says of names of the library that a cell uses, and that have another name now, what to use instead: of
// each once in a session.
func (s *session) deprecated(u *cells.Unit) (lines []string) {
	look := func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		o := s.prog.Info.Uses[id]
		if o == nil || o.Pkg() == nil {
			return true
		}
		path, name := o.Pkg().Path(), memberName(o)
		if text := s.library.Deprecated(path, name); text != "" && !s.told[path+"."+name] {
			s.told[path+"."+name] = true
			lines = append(lines, fmt.Sprintf("%s.%s is deprecated: %s", o.Pkg().Name(), name, text))
		}
		return true
	}
	for _, list := range [][]*cells.Decl{u.Types, u.Consts, u.Inits, u.Funcs} {
		for _, d := range list {
			ast.Inspect(d.Node, look)
		}
	}
	for _, stmt := range u.Body {
		ast.Inspect(stmt, look)
	}
	return lines
}

// memberName is the name of an object in its package as Library.Doc takes it: of a method with its type's.
func memberName(o types.Object) string {
	f, ok := o.(*types.Func)
	if !ok {
		return o.Name()
	}
	recv := f.Signature().Recv()
	if recv == nil {
		return o.Name()
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name() + "." + o.Name()
	}
	return o.Name()
}
