package compile

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// locals are the types that a declaration, such as a function, declares in its body.
//
// The compiler names such a type by its own name and a number: how many types in bodies stand above it in the file. Two
// types of one name and number would be one type for the process, whatever they are. So a type in a body keeps its
// number in all plugins of the session, and no other type has it.
type locals struct {
	n     int // how many they are
	above int // how many types in bodies the session had before them
}

// number gives the types in the bodies of a declaration the next numbers of the session.
func (s *Session) number(text string) *locals {
	l := &locals{inBodies(text), s.locals}
	s.locals += l.n
	return l
}

// numbered writes declarations, and the cell's function last, so that the compiler gives types in bodies their numbers.
func (u *unit) numbered(order []*entity, cell string) string {
	var b strings.Builder
	var bodies []*entity
	for _, e := range order {
		if e.locals == nil {
			e.locals = u.number(e.text)
		}
		if e.locals.n > 0 {
			bodies = append(bodies, e)
		} else {
			b.WriteString(e.text)
		}
	}
	slices.SortFunc(bodies, func(a, b *entity) int { return cmp.Compare(a.locals.above, b.locals.above) })
	at := 0
	write := func(text string, l *locals) {
		if missing := l.above - at; l.n > 0 && missing > 0 {
			b.WriteString("\nfunc _() { type (" + strings.Repeat("_ int;", missing) + ") }\n")
		}
		b.WriteString(text)
		at = l.above + l.n
	}
	for _, e := range bodies {
		write(e.text, e.locals)
	}
	write(cell, u.number(cell))
	return b.String()
}

// inBodies counts the types that declarations declare in their bodies, as the compiler does: without aliases.
func inBodies(text string) (n int) {
	if !strings.Contains(text, "type") {
		return 0
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+text, parser.SkipObjectResolution)
	if err != nil {
		return 0 // the compiler will say why
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			continue // it stands outside of bodies
		}
		ast.Inspect(d, func(node ast.Node) bool {
			if s, ok := node.(*ast.TypeSpec); ok && !s.Assign.IsValid() {
				n++
			}
			return true
		})
	}
	return n
}
