// Package difftest compares cells with compiled Go. A generator makes programs, seeded and split over cells at random
// places; they run in sessions of a kernel and, many in one build, as compiled by the Go tool chain; what they print
// and how they end must be the same. The corpus has small programs that once differed:
//
//	go test ./kernel/difftest -programs 20000 -seed 7
//
// The tests of this package run the corpus and a thousand programs.
package difftest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
	"strings"
)

// Piece is a declaration or a statement at the top of a cell.
type Piece struct {
	Text string
	Decl bool // of a function, method or type; otherwise part of what main does
}

// Program is one program in cells. Its Prefix begins the names of all it declares at package level, so that many
// programs can be compiled as one.
type Program struct {
	Prefix  string
	Pieces  []Piece
	Cuts    []int // pieces that begin a cell, after the first
	Imports []string
}

// Cells are the texts of the program's cells.
func (p *Program) Cells() []string {
	var cells []string
	var b strings.Builder
	for _, path := range p.Imports {
		fmt.Fprintf(&b, "import %q\n", path)
	}
	for k, piece := range p.Pieces {
		for _, cut := range p.Cuts {
			if cut == k {
				cells = append(cells, b.String())
				b.Reset()
			}
		}
		b.WriteString(piece.Text + "\n")
	}
	return append(cells, b.String())
}

// Source is the program as one file of package main; main is the name of the function that its statements become.
func (p *Program) Source(main string) string {
	var b strings.Builder
	b.WriteString("package main\n\n")
	for _, path := range p.Imports {
		fmt.Fprintf(&b, "import %q\n", path)
	}
	for _, piece := range p.Pieces {
		if piece.Decl {
			b.WriteString("\n" + piece.Text + "\n")
		}
	}
	fmt.Fprintf(&b, "\nfunc %s() {\n", main)
	for _, piece := range p.Pieces {
		if !piece.Decl {
			b.WriteString(piece.Text + "\n")
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// known are the packages that programs use, by the name they are used under.
var known = map[string]string{
	"cmp": "cmp", "errors": "errors", "fmt": "fmt", "io": "io", "json": "encoding/json", "maps": "maps", "math": "math",
	"os": "os", "slices": "slices", "slog": "log/slog", "sort": "sort", "strconv": "strconv", "strings": "strings",
	"sync": "sync", "time": "time",
}

// setImports makes the imports those that the pieces use.
func (p *Program) setImports() error {
	used := map[string]bool{}
	f, err := parser.ParseFile(token.NewFileSet(), "", (&Program{Pieces: p.Pieces}).Source("main"), 0)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && known[id.Name] != "" {
				used[known[id.Name]] = true
			}
		}
		return true
	})
	p.Imports = nil
	for path := range used {
		p.Imports = append(p.Imports, path)
	}
	sort.Strings(p.Imports)
	return nil
}
