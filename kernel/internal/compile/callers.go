package compile

import (
	"go/ast"
	"go/types"
	"strings"

	"nacre/kernel/internal/cells"
)

// noteCallers notes whether the session asks loggers to name the file and line of their callers.
func (s *Session) noteCallers(u *cells.Unit) {
	look := func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return !s.callers
		}
		switch o := s.Info.Uses[id]; {
		case o == nil || o.Pkg() == nil:
		case o.Pkg().Path() == "log" && (o.Name() == "Lshortfile" || o.Name() == "Llongfile"),
			o.Pkg().Path() == "log/slog" && (o.Name() == "AddSource" || o.Name() == "HandlerOptions"):
			s.callers = true
		}
		return !s.callers
	}
	for _, x := range u.Body {
		ast.Inspect(x, look)
	}
	for _, d := range u.Funcs {
		ast.Inspect(d.Node, look)
	}
}

// named reports whether a native function tells who has called it. By reflection that would be package reflect.
func (s *Session) named(o types.Object) bool {
	if o == nil || o.Pkg() == nil {
		return false
	}
	switch o.Pkg().Path() {
	case "runtime":
		return strings.HasPrefix(o.Name(), "Caller")
	case "log", "log/slog":
		return s.callers
	}
	return false
}
