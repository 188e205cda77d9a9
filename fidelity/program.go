// Package fidelity compares cells with compiled Go. Programs are generated from a seed or written by hand. They are
// split at random places into cells, which run in sessions of a kernel. The Go tool chain compiles the same programs,
// hundreds in one build, and they run too. Their output and their ends must be the same. A difference is shrunk to a
// small program, which joins the corpus:
//
//	go test ./fidelity -run Generated -programs 20000 -seed 7
//	go test ./fidelity -run Written -programs-in DIR -seed 7
//
// The second command runs the programs of a folder. They are Go files, or txtar archives of Go files, of package main
// with a function main, and import only what cells may import. With -engine go, cells are compiled too. Without these
// flags the tests run the corpus, the programs in the folder "programs", and five hundred programs that are generated
// from a seed for which no difference is known. With -short they run a few of each. Each program in the folder "whole"
// runs as one cell. This command runs programs of other authors, such as Go's own tests, each in a process that it may
// end. What it finds stays in the user's cache; a second call goes on where the first stopped:
//
//	go test ./fidelity -run Suite -suite $(go env GOROOT)/test -engine go -timeout 9h
package fidelity

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
)

// Case is a program, as one file and in cells.
type Case struct {
	Name   string
	Source string // text of a file of package main with a function main
	Cells  []string
}

// piece is a declaration, or a statement of main.
type piece struct {
	text  string
	decl  bool
	names map[string]bool // that it declares at package level, its method's own included
	uses  map[string]bool // identifiers in it
	base  string          // of a method: the type
	whole bool            // of a method: it uses the receiver itself, which may have to have other methods
	init  bool            // a function init
	value bool            // variables of the package
}

// New makes a program of a file, split over cells by the random numbers of r.
func New(name, source string, r *rand.Rand) (*Case, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	p := &Case{Name: name, Source: source}
	if r.IntN(8) == 0 {
		p.Cells = []string{source}
		return p, nil
	}
	text := func(n ast.Node) string { return source[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset] }
	var imports []string
	var list, body []piece
	global := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				imports = append(imports, text(d))
				for _, s := range d.Specs {
					path := strings.Trim(s.(*ast.ImportSpec).Path.Value, `"`)
					global[path[strings.LastIndex(path, "/")+1:]] = true
				}
				continue
			}
		case *ast.FuncDecl:
			if d.Name.Name == "main" && d.Recv == nil {
				if top := statements(d.Body); top != nil {
					for _, s := range top {
						body = append(body, newPiece(text(s), s))
					}
					continue
				}
				body = append(body, newPiece(text(d), d))
				continue
			}
		}
		x := newPiece(text(d), d)
		switch d := d.(type) {
		case *ast.FuncDecl:
			x.init = d.Recv == nil && d.Name.Name == "init"
		case *ast.GenDecl:
			x.value = d.Tok == token.VAR
		}
		list = append(list, x)
		for name := range list[len(list)-1].names {
			global[name] = true
		}
	}
	if len(body) == 0 || len(body) == 1 && body[0].decl || shadows(body, global) || drops(f) {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == "main" && d.Recv == nil {
				body = []piece{newPiece(text(d), d)}
			}
		}
	}
	list = append(list, body...)
	rate := 1 + r.IntN(6)
	cell := strings.Join(imports, "\n") + "\n\n"
	for k, x := range list {
		if k > 0 && r.IntN(rate) == 0 && cuttable(list, k) {
			p.Cells = append(p.Cells, cell)
			cell = ""
		}
		cell += x.text + "\n\n"
	}
	p.Cells = append(p.Cells, cell)
	return p, nil
}

// statements returns the statements of main if they mean the same at the top of cells, else nil.
func statements(b *ast.BlockStmt) []ast.Stmt {
	ok := true
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.DeferStmt:
			ok = false
		case *ast.BranchStmt:
			ok = ok && n.Tok != token.GOTO
		}
		return ok
	})
	if !ok {
		return nil
	}
	return b.List
}

// drops reports whether statements of main call functions of the program whose last result is an error that they leave
// alone: at the top of a cell one that is there ends the cell.
func drops(f *ast.File) bool {
	fails := map[string]bool{}
	var main *ast.BlockStmt
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if d.Name.Name == "main" && d.Recv == nil {
			main = d.Body
		}
		if r := d.Type.Results; r.NumFields() > 0 {
			id, isIdent := r.List[len(r.List)-1].Type.(*ast.Ident)
			fails[d.Name.Name] = fails[d.Name.Name] || isIdent && id.Name == "error"
		}
	}
	if main == nil {
		return false
	}
	found := false
	ast.Inspect(main, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ExprStmt:
			if c, ok := n.X.(*ast.CallExpr); ok {
				switch fun := c.Fun.(type) {
				case *ast.Ident:
					found = found || fails[fun.Name]
				case *ast.SelectorExpr:
					found = found || fails[fun.Sel.Name]
				}
			}
		}
		return true
	})
	return found
}

func newPiece(text string, n ast.Node) piece {
	p := piece{text: text, names: map[string]bool{}, uses: map[string]bool{}}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			p.uses[id.Name] = true
		}
		return true
	})
	define := func(x ast.Expr) {
		if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
			p.names[id.Name] = true
		}
	}
	if d, ok := n.(*ast.DeclStmt); ok {
		n = d.Decl
	}
	switch d := n.(type) {
	case *ast.FuncDecl:
		p.decl = true
		p.names[d.Name.Name] = true
		if d.Recv != nil {
			t := d.Recv.List[0].Type
			if s, ok := t.(*ast.StarExpr); ok {
				t = s.X
			}
			switch x := t.(type) {
			case *ast.IndexExpr:
				t = x.X
			case *ast.IndexListExpr:
				t = x.X
			}
			p.base = t.(*ast.Ident).Name
			p.whole = usesWhole(d)
		}
	case *ast.GenDecl:
		p.decl = true
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				define(s.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					define(id)
				}
			}
		}
	case *ast.AssignStmt:
		if d.Tok == token.DEFINE {
			for _, x := range d.Lhs {
				define(x)
			}
		}
	}
	return p
}

// usesWhole reports whether a method uses its receiver other than to select from it.
func usesWhole(d *ast.FuncDecl) bool {
	names := d.Recv.List[0].Names
	found := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			_, plain := n.X.(*ast.Ident)
			return !plain
		case *ast.Ident:
			found = found || len(names) > 0 && n.Name == names[0].Name
		}
		return !found
	})
	return found
}

// shadows reports whether a variable of main has the name of something else.
func shadows(body []piece, global map[string]bool) bool {
	seen := map[string]bool{}
	for _, x := range body {
		for name := range x.names {
			if global[name] || types.Universe.Lookup(name) != nil || x.decl && seen[name] {
				return true
			}
			seen[name] = true
		}
	}
	return false
}

// cuttable reports whether a cell may begin at the k-th piece: what stands before needs nothing of what follows.
func cuttable(list []piece, k int) bool {
	init := func(x piece) bool { return x.init }
	value := func(x piece) bool { return x.value }
	if slices.ContainsFunc(list[:k], init) && slices.ContainsFunc(list[k:], value) { // init runs after all variables
		return false
	}
	later := map[string]bool{}
	for _, x := range list[k:] {
		if x.decl || x.base != "" {
			for name := range x.names {
				later[name] = true
			}
		}
		if x.base != "" {
			for _, y := range list[:k] {
				if y.uses[x.base] && !y.names[x.base] && (y.base != x.base || y.whole) {
					return false
				}
			}
		}
	}
	for _, x := range list[:k] {
		for name := range x.uses {
			if later[name] && !(x.names[name] && x.base == "") {
				return false
			}
		}
	}
	return true
}

// known are the packages that generated programs use, by the name they are used under.
var known = map[string]string{
	"bytes": "bytes", "cmp": "cmp", "context": "context", "errors": "errors", "fmt": "fmt", "heap": "container/heap",
	"io":   "io",
	"iter": "iter", "json": "encoding/json", "list": "container/list", "maps": "maps", "math": "math",
	"bits": "math/bits",
	"os":   "os", "slices": "slices", "slog": "log/slog", "sort": "sort", "strconv": "strconv", "strings": "strings",
	"sync": "sync", "atomic": "sync/atomic", "template": "text/template", "time": "time", "unicode": "unicode",
	"utf8": "unicode/utf8",
}

// withImports is the source of a file of package main with the imports it uses.
func withImports(body string) (string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+body, 0)
	if err != nil {
		return "", err
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && known[id.Name] != "" {
				used[known[id.Name]] = true
			}
		}
		return true
	})
	var paths []string
	for path := range used {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	var b strings.Builder
	b.WriteString("package main\n\n")
	for _, path := range paths {
		fmt.Fprintf(&b, "import %q\n", path)
	}
	return b.String() + "\n" + body, nil
}
