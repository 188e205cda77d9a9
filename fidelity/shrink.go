package fidelity

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
)

// tried is how many smaller programs are tried at once.
const tried = 30

// Shrink removes statements and declarations from a program as long as the rest still differs. The function differs
// decides this; it gets the smaller program and the result of its compiled form. Programs are compiled in folders below
// dir.
func Shrink(ctx context.Context, dir string, p *Case,
	differs func(*Case, Result) bool) (*Case, Result, error) {
	var best Result
	for again := true; again; {
		again = false
		for batch := range slices.Chunk(candidates(p), tried) {
			work, err := os.MkdirTemp(dir, "")
			if err != nil {
				return nil, best, err
			}
			results, err := Compiled(ctx, work, batch)
			os.RemoveAll(work)
			if err != nil {
				return nil, best, err
			}
			at := 0
			for at < len(batch) && !differs(batch[at], results[at]) {
				at++
			}
			if at < len(batch) {
				p, best, again = batch[at], results[at], true
				break
			}
		}
	}
	return p, best, nil
}

// candidates are the smaller programs that compile.
func candidates(p *Case) []*Case {
	var list []*Case
	for _, source := range smaller(p.Source) {
		if !strings.Contains(source, "func main()") || Check(source) != nil {
			continue
		}
		if c, err := New(p.Name, source, rand.New(rand.NewPCG(1, 1))); err == nil {
			list = append(list, c)
		}
	}
	return list
}

// smaller are the program without one of its statements or declarations each, or with the statements of one in its
// place, the shortest first.
func smaller(source string) []string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", source, 0)
	if err != nil {
		return nil
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	var list []string
	add := func(from, to token.Pos, instead string) {
		text := source[:offset(from)] + instead + source[offset(to):]
		if whole, err := withImports(body(text)); err == nil && len(whole) < len(source) {
			list = append(list, whole)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			for _, d := range n.Decls {
				add(d.Pos(), d.End(), "")
			}
		case *ast.BlockStmt:
			for k, s := range n.List {
				add(s.Pos(), s.End(), "")
				if k+1 < len(n.List) { // halves of what follows
					last := n.List[k+(len(n.List)-k)/2]
					add(s.Pos(), last.End(), "")
				}
				if b, ok := s.(*ast.BlockStmt); ok && len(b.List) > 0 {
					add(s.Pos(), s.End(), source[offset(b.List[0].Pos()):offset(b.List[len(b.List)-1].End())])
				}
			}
		case *ast.CaseClause:
			for _, s := range n.Body {
				add(s.Pos(), s.End(), "")
			}
			add(n.Pos(), n.End(), "")
		case *ast.StructType:
			for _, x := range n.Fields.List {
				add(x.Pos(), x.End(), "")
			}
		case *ast.CompositeLit:
			if len(n.Elts) > 0 {
				add(n.Elts[0].Pos(), n.Elts[len(n.Elts)-1].End(), "")
			}
		}
		return true
	})
	slices.SortStableFunc(list, func(a, b string) int { return len(a) - len(b) })
	return list
}

// body is a file without its package clause and imports.
func body(source string) string {
	var lines []string
	for _, line := range strings.Split(source, "\n") {
		if !strings.HasPrefix(line, "package ") && !strings.HasPrefix(line, "import ") {
			lines = append(lines, line)
		}
	}
	return strings.TrimLeft(strings.Join(lines, "\n"), "\n")
}
