package main

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arity is how many arguments a function takes: at least and, without bound if variadic, at most.
type arity struct {
	least    int
	variadic bool
}

func (a arity) takes(n int) bool { return n == a.least || a.variadic && n > a.least }

func (a arity) String() string {
	if a.variadic {
		return fmt.Sprintf("at least %d", a.least)
	}
	return strconv.Itoa(a.least)
}

// declared holds what the packages of one name declare for others.
type declared struct {
	names     map[string]bool
	functions map[string][]arity // of conversions and variables: none
	methods   map[string][]arity
}

// declarations are what all packages declare, by the last part of their paths: where two packages have the same, what
// either has.
type declarations map[string]*declared

func (h declarations) add(name string, f *ast.File) {
	p := h[name]
	if p == nil {
		p = &declared{map[string]bool{}, map[string][]arity{}, map[string][]arity{}}
		h[name] = p
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				p.methods[d.Name.Name] = append(p.methods[d.Name.Name], arityOf(d.Type))
				continue
			}
			p.names[d.Name.Name] = true
			p.functions[d.Name.Name] = append(p.functions[d.Name.Name], arityOf(d.Type))
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					p.names[s.Name.Name] = true
					p.interfaceMethods(s.Type)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						p.names[n.Name] = true
					}
				}
			}
		}
	}
}

// hasMethod reports whether a type of any package has a method of this name.
func (h declarations) hasMethod(name string) bool {
	for _, p := range h {
		if len(p.methods[name]) > 0 {
			return true
		}
	}
	return false
}

// interfaceMethods notes the methods of an interface and the fields of a structure that are functions.
func (p *declared) interfaceMethods(kind ast.Expr) {
	var fields *ast.FieldList
	switch kind := kind.(type) {
	case *ast.InterfaceType:
		fields = kind.Methods
	case *ast.StructType:
		fields = kind.Fields
	default:
		return
	}
	for _, f := range fields.List {
		if of, ok := f.Type.(*ast.FuncType); ok {
			for _, n := range f.Names {
				p.methods[n.Name] = append(p.methods[n.Name], arityOf(of))
			}
		}
	}
}

func arityOf(f *ast.FuncType) (a arity) {
	for _, p := range f.Params.List {
		a.least += max(1, len(p.Names))
		if _, variadic := p.Type.(*ast.Ellipsis); variadic {
			a.least, a.variadic = a.least-1, true
		}
	}
	return a
}

// faults are the calls of an example that cannot be right: of names that a package of the house does not have, and with
// another number of arguments than any function or method of that name takes. Types are not known here, so a method is
// looked up in the example's own package and those that it names.
func (h declarations) faults(own, example string) (list []string, parsed bool) {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+example+"\n}", 0)
	if err != nil {
		if f, err = parser.ParseFile(token.NewFileSet(), "", "package p\n"+example, 0); err != nil {
			return nil, false
		}
	}
	packages := []string{own}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && h[x.Name] != nil && !slices.Contains(packages, x.Name) {
				packages = append(packages, x.Name)
			}
		}
		return true
	})
	local := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && n.Tok == token.DEFINE {
					local[id.Name] = true
				}
			}
		case *ast.Field:
			for _, id := range n.Names {
				local[id.Name] = true
			}
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		name := s.Sel.Name
		if x, ok := s.X.(*ast.Ident); ok && h[x.Name] != nil && !local[x.Name] {
			p := h[x.Name]
			if !p.names[name] && h.hasMethod(name) {
				return true // a variable with the name of a package
			}
			if !p.names[name] {
				list = append(list, fmt.Sprintf("%s.%s does not exist", x.Name, name))
			} else if problem := wrong(p.functions[name], call); problem != "" {
				list = append(list, fmt.Sprintf("%s.%s is called with %s", x.Name, name, problem))
			}
			return true
		}
		var candidates []arity
		for _, p := range packages {
			if h[p] != nil {
				candidates = append(candidates, h[p].methods[name]...)
			}
		}
		if problem := wrong(candidates, call); problem != "" {
			list = append(list, fmt.Sprintf("%s is called with %s", name, problem))
		}
		return true
	})
	return list, true
}

// wrong says with how many arguments a call is made and how many are expected, "" if one of the functions takes them or
// none is known. A single argument that is a call may stand for several, and ... for any.
func wrong(functions []arity, call *ast.CallExpr) string {
	n := len(call.Args)
	if n == 1 {
		if _, ok := call.Args[0].(*ast.CallExpr); ok {
			return ""
		}
	}
	if len(functions) == 0 || call.Ellipsis.IsValid() {
		return ""
	}
	var expected []string
	for _, f := range functions {
		if f.takes(n) {
			return ""
		}
		if text := f.String(); !slices.Contains(expected, text) {
			expected = append(expected, text)
		}
	}
	return fmt.Sprintf("%d arguments, expected %s", n, strings.Join(expected, " or "))
}

// examples are the blocks of code in a comment.
func examples(c *ast.CommentGroup) (list []string) {
	var p comment.Parser
	for _, b := range p.Parse(c.Text()).Content {
		if code, ok := b.(*comment.Code); ok {
			list = append(list, code.Text)
		}
	}
	return list
}

// lineOf is where a comment has the call that a fault, whose first word it is, is about.
func lineOf(group *ast.CommentGroup, fault string) token.Pos {
	call, _, _ := strings.Cut(fault, " ")
	for _, c := range group.List {
		if strings.Contains(c.Text, call+"(") {
			return c.Pos()
		}
	}
	return group.Pos()
}

// TestExamplesInCommentsCallWhatThereIs compares the calls of exported functions and methods in comments with their
// declarations. Blocks that are no Go, such as commands, are left out.
func TestExamplesInCommentsCallWhatThereIs(t *testing.T) {
	h := declarations{}
	type source struct {
		name, folder string
		file         *ast.File
		files        *token.FileSet
	}
	var all []source
	sources(t, func(name string, text []byte) {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, text, parser.ParseComments)
		if err != nil {
			t.Error(err)
			return
		}
		folder := path.Base(path.Dir(name))
		if !strings.HasSuffix(name, "_test.go") && f.Name.Name != "main" && !isShim(name, false) {
			h.add(folder, f)
		}
		all = append(all, source{name, folder, f, files})
	})
	checked := 0
	for _, s := range all {
		for _, group := range s.file.Comments {
			for _, example := range examples(group) {
				faults, parsed := h.faults(s.folder, example)
				if parsed {
					checked++
				}
				for _, f := range faults {
					t.Errorf("%s:%d: the example in the comment: %s", s.name,
						s.files.Position(lineOf(group, f)).Line, f)
				}
			}
		}
	}
	if checked < 80 {
		t.Errorf("only %d examples found in comments", checked)
	}
}

func TestFaultsOfAnExample(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "", `package p
type T struct{ Each func(int) }
type I interface { M(a, b int) }
func F(a, b int, more ...string) {}
func (T) G(int) {}
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	h := declarations{}
	h.add("p", f)
	for example, want := range map[string]string{
		"p.F(1, 2); p.F(1, 2, \"\", \"\"); t.G(1); p.F(both()); i.M(1, 2)": "",
		"p.F(1)":                "p.F is called with 1 arguments, expected at least 2",
		"p.H()":                 "p.H does not exist",
		"t := p.T{}; t.G()":     "G is called with 0 arguments, expected 1",
		"i.M(1)":                "M is called with 1 arguments, expected 2",
		"t.Each(1, 2)":          "Each is called with 2 arguments, expected 1",
		"p := 1; p.H()":         "",
		"strings.Repeat(1)":     "",
		"func main() { p.H() }": "p.H does not exist",
	} {
		got, parsed := h.faults("p", example)
		if !parsed || strings.Join(got, "; ") != want {
			t.Errorf("%s: %v, expected %q", example, got, want)
		}
	}
	if _, parsed := h.faults("p", "go run ./cmd/setup"); parsed {
		t.Error("a command is taken for Go")
	}
}
