package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// A shim implements someone else's interface method by method: that interface has the comments.
type shim struct {
	path    string // of a file, or of a folder with a slash at its end
	methods bool   // only methods need no comment
}

var shims = []shim{
	// Operations implement Gorgonia's SDOp, and Op, whose methods have comments.
	{"core/op/", true},
	{"kernel/internal/prelude/", false},     // generic functions of the standard library, under their own names
	{"kernel/internal/rt/reflect.go", true}, // reflect.Value for values of cells' types
}

// isShim reports whether a name of a file, a method or not, needs no comment.
func isShim(file string, method bool) bool {
	return slices.ContainsFunc(shims, func(s shim) bool {
		return (file == s.path || strings.HasSuffix(s.path, "/") && strings.HasPrefix(file, s.path)) &&
			(method || !s.methods)
	})
}

// wellKnown are the methods whose names every reader of Go knows.
var wellKnown = map[string]bool{"String": true, "Error": true, "Unwrap": true, "Is": true, "Len": true, "Less": true,
	"Swap": true,
	"Read": true, "Write": true, "Close": true, "ServeHTTP": true, "MarshalJSON": true, "UnmarshalJSON": true,
	"MarshalText": true, "UnmarshalText": true}

// uncommented calls report with every exported name of a file that has no comment: types, functions, methods of
// exported types, constants and variables. A comment of a group is one of its names; so is one behind a name.
func uncommented(f *ast.File, report func(at token.Pos, name string)) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name, seen := d.Name.Name, true
			if d.Recv != nil {
				of := receiver(d)
				name, seen = of+"."+name, ast.IsExported(of) && !wellKnown[d.Name.Name]
			}
			if d.Name.IsExported() && seen && d.Doc == nil {
				report(d.Pos(), name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && s.Doc == nil && d.Doc == nil && s.Comment == nil {
						report(s.Pos(), s.Name.Name)
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() && s.Doc == nil && d.Doc == nil && s.Comment == nil {
							report(n.Pos(), n.Name)
						}
					}
				}
			}
		}
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) string {
	kind := d.Recv.List[0].Type
	for {
		switch k := kind.(type) {
		case *ast.StarExpr:
			kind = k.X
		case *ast.IndexExpr:
			kind = k.X
		case *ast.IndexListExpr:
			kind = k.X
		case *ast.Ident:
			return k.Name
		default:
			return ""
		}
	}
}

// TestExportedNamesHaveComments looks at all packages that others can import.
func TestExportedNamesHaveComments(t *testing.T) {
	sources(t, func(name string, text []byte) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, text, parser.ParseComments)
		if err != nil {
			t.Error(err)
			return
		}
		if f.Name.Name == "main" {
			return
		}
		uncommented(f, func(at token.Pos, what string) {
			if isShim(name, strings.Contains(what, ".")) {
				return
			}
			t.Errorf("%s:%d: %s.%s has no comment; say what it is, with shapes, units, ranges and errors", name,
				files.Position(at).Line, f.Name.Name, what)
		})
	})
}

func TestUncommented(t *testing.T) {
	const text = `package p

type A struct{}
// B is one.
type B struct{}
func (A) F() {}
func (*B) G() {}
func (b) H() {}
func (B) String() string { return "" }
const C = 1 // of something
// They are two.
const ( D = 1; E = 2 )
var F, g int
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	uncommented(f, func(_ token.Pos, name string) { got = append(got, name) })
	if want := "A A.F B.G F"; strings.Join(got, " ") != want {
		t.Errorf("without a comment: %v, expected %s", got, want)
	}
}
