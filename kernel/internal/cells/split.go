// Package cells is the front end of the kernel. It splits cells into imports, declarations and statements, checks them
// against the declarations of earlier cells, and finds the effects of a redefinition. It knows no interpreter.
package cells

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

// chunk is a top-level piece of a cell.
type chunk struct {
	kind       token.Token // IMPORT, PACKAGE, FUNC, TYPE, CONST, or ILLEGAL for a statement
	start, end int
}

// split finds the top-level pieces of src. semicolon says whether the last one ends in an explicit semicolon.
func split(src string) (chunks []chunk, semicolon bool) {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(f, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	depth, start, comment, commented := 0, -1, -1, 0
	var toks []token.Token
	flush := func(end int) {
		if start >= 0 {
			chunks = append(chunks, chunk{kind(toks), start, end})
		}
		start, toks = -1, nil
	}
	for {
		pos, tok, lit := s.Scan()
		off := f.Offset(pos)
		if tok == token.EOF {
			flush(len(src))
			return chunks, semicolon
		}
		if tok == token.COMMENT { // it belongs to the piece it precedes
			if start < 0 && comment < 0 {
				comment = off
			}
			if strings.HasPrefix(lit, "/*") {
				commented = off + strings.Index(src[off:]+"*/", "*/") + len("*/")
			}
			continue
		}
		if tok == token.SEMICOLON && lit == "\n" { // in the comment, where that has several lines
			off = min(max(off, commented), len(src))
		}
		if tok == token.SEMICOLON && depth <= 0 {
			if n := len(chunks); start < 0 && lit == ";" && n > 0 && chunks[n-1].kind == token.ILLEGAL {
				chunks[n-1].end = off // as in "for i := 0; ; i++ {": the chunk before stays and ends here
			}
			flush(off)
			semicolon = lit == ";" || semicolon && lit == "\n" && start < 0 && len(toks) == 0 &&
				endsExplicitly(src[:off])
			continue
		}
		semicolon = false
		if start < 0 {
			if start = off; comment >= 0 {
				start = comment
			}
			comment = -1
		}
		toks = append(toks, tok)
		switch tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		}
	}
}

func endsExplicitly(s string) bool { return strings.HasSuffix(strings.TrimSpace(s), ";") }

func kind(toks []token.Token) token.Token {
	switch toks[0] {
	case token.IMPORT, token.TYPE, token.CONST, token.PACKAGE:
		return toks[0]
	case token.FUNC:
		if len(toks) > 1 && toks[1] == token.IDENT || isMethod(toks) {
			return token.FUNC
		}
	}
	return token.ILLEGAL
}

// isMethod reports whether a name and its parameters follow the first parenthesised list after func.
func isMethod(toks []token.Token) bool {
	depth := 0
	for k, t := range toks {
		switch t {
		case token.LPAREN:
			depth++
		case token.RPAREN:
			if depth--; depth == 0 {
				return k+2 < len(toks) && toks[k+1] == token.IDENT && toks[k+2] == token.LPAREN
			}
		}
	}
	return false
}

// keep returns src with everything outside the wanted chunks blanked, line breaks kept, so that positions stay.
func keep(src string, chunks []chunk, want func(token.Token) bool) string {
	b := []byte(src)
	next := 0
	for _, c := range chunks {
		if !want(c.kind) {
			continue
		}
		blankGap(b, next, c.start)
		next = c.end
	}
	blankGap(b, next, len(b))
	return string(b)
}

// blankGap blanks b[from:to] except line breaks and the semicolon that ends the chunk before.
func blankGap(b []byte, from, to int) {
	for k := from; k < to; k++ {
		if b[k] != '\n' {
			if k == from && k > 0 && b[k] == ';' {
				continue
			}
			b[k] = ' '
		}
	}
}

func isDecl(k token.Token) bool { return k == token.FUNC || k == token.TYPE || k == token.CONST }

// undirected is a cell without line directives: they become other comments. A place in a cell is one of the cell, not
// of a file from which a program once made it.
func undirected(src string) string {
	if !strings.Contains(src, "//line ") && !strings.Contains(src, "/*line ") {
		return src
	}
	out := []byte(src)
	f := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(f, out, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return string(out)
		}
		if tok == token.COMMENT && strings.HasPrefix(lit[2:], "line ") {
			out[f.Offset(pos)+2] = 'L'
		}
	}
}

// Positions in files of cells are positions in the cell, because a line directive precedes the cell's text.
func (p *Scope) parse(name, before, text, after string) (*ast.File, error) {
	src := before + "\n//line " + name + ":1:1\n" + text + after
	return parser.ParseFile(p.Fset, name, src, parser.ParseComments|parser.AllErrors|parser.SkipObjectResolution)
}

// parsed is a cell taken apart.
type parsed struct {
	imports []*ast.ImportSpec
	decls   []ast.Decl
	body    []ast.Stmt
	quiet   bool // ends in an explicit semicolon: its value is not shown
}

func (p *Scope) parseCell(name, src string) (*parsed, error) {
	chunks, semicolon := split(src)
	out := &parsed{quiet: semicolon}
	var errs scanner.ErrorList
	note := func(err error) {
		if list, ok := err.(scanner.ErrorList); ok {
			errs = append(errs, list...)
		} else if err != nil {
			errs.Add(token.Position{}, err.Error())
		}
	}
	top, err := p.parse(name, "package main", keep(src, chunks, func(k token.Token) bool { return k == token.IMPORT }),
		"")
	note(err)
	if top != nil {
		out.imports = top.Imports
	}
	decls, err := p.parse(name, "package main", keep(src, chunks, isDecl), "")
	note(err)
	if decls != nil {
		out.decls = decls.Decls
	}
	body, err := p.parse(name, "package main\nfunc _() {", keep(src, chunks, func(k token.Token) bool {
		return k == token.ILLEGAL
	}), "\n}")
	note(err)
	if body != nil && len(body.Decls) > 0 {
		if f, ok := body.Decls[0].(*ast.FuncDecl); ok && f.Body != nil {
			out.body = f.Body.List
			if len(body.Decls) > 1 && len(errs) == 0 {
				errs.Add(p.Fset.Position(body.Decls[1].Pos()), "unexpected } closes the cell")
			}
		}
	}
	if len(errs) > 0 {
		errs.Sort()
		return nil, inside(errs, src)
	}
	return out, nil
}

// inside puts errors that the parser found behind the cell, at the brace that it was given besides, at the cell's end.
// Of several there only the first says something.
func inside(errs scanner.ErrorList, src string) scanner.ErrorList {
	text := strings.TrimRight(src, " \t\r\n")
	line := strings.Count(text, "\n") + 1
	column := len(text) - (strings.LastIndexByte(text, '\n') + 1) + 1
	expected := ""
	for _, t := range Tokens(src) {
		switch t {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			expected = closing[t] + expected
		case token.RPAREN, token.RBRACK, token.RBRACE:
			expected = strings.TrimPrefix(expected, t.String())
		}
	}
	var list scanner.ErrorList
	for _, e := range errs {
		if e.Pos.Line < line || e.Pos.Line == line && e.Pos.Column < column {
			list = append(list, e)
		} else if len(list) == 0 || list[len(list)-1].Pos.Line < line {
			if e.Pos.Line, e.Pos.Column = line, column; expected != "" {
				e.Msg = "unexpected end of the cell, expected " + expected[:1]
			} else if m := atEnd.FindStringSubmatch(e.Msg); m != nil {
				e.Msg = "unexpected end of the cell, expected " + m[1]
			}
			return append(list, e)
		}
	}
	return list
}

var closing = map[token.Token]string{token.LPAREN: ")", token.LBRACK: "]", token.LBRACE: "}"}

// atEnd matches what the parser says of the end of a cell.
var atEnd = regexp.MustCompile(`^expected (.+), found (?:'}'|'EOF'|newline)$`)

// Parses reports whether a cell has no syntax error.
func (p *Scope) Parses(src string) bool {
	q := Scope{Fset: token.NewFileSet()}
	_, err := q.parseCell("cell", src)
	return err == nil
}
