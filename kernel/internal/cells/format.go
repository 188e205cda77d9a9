package cells

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

// Format returns a cell as gofmt writes Go. Lines for a shell, helpers such as %time in front, and a semicolon that
// hides the last value stay; so do the ends of lines if all are CRLF. The cell's imports, declarations and statements
// stay in their order. Where the cell does not parse, the error is of type Errors, with places in the cell.
func Format(src string) (string, error) {
	text := strings.ReplaceAll(src, "\r\n", "\n")
	crlf := text != src && !strings.Contains(strings.ReplaceAll(src, "\r\n", ""), "\n")
	helper, code := cutHelper(text)
	code, commands := withoutCommands(code)
	out, err := formatted(code)
	if err != nil {
		return "", err
	}
	for k, c := range commands {
		out = strings.Replace(out, placeholder(k), c, 1)
	}
	out = helper + out
	if crlf {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return out, nil
}

// helper is what stands in front of a cell that is no Go, with all lines of such.
var helper = regexp.MustCompile(`^\s*(%{1,2}(?:timeit\b(?:[ \t]+\d+)?|time\b)[ \t]*\n?|%[^\n]*(?:\n|$))+`)

// cutHelper splits a helper off a cell, without blank lines around it.
func cutHelper(src string) (helping, code string) {
	at := helper.FindStringIndex(src)
	if at == nil {
		return "", src
	}
	helping = strings.TrimLeft(src[:at[1]], " \t\n")
	if !strings.HasSuffix(helping, "\n") { // code follows on its line
		helping = strings.TrimRight(helping, " \t") + " "
	}
	if code = src[at[1]:]; strings.TrimSpace(code) == "" {
		return strings.TrimRight(helping, " \t\n"), ""
	}
	return helping, strings.Repeat("\n", strings.Count(src[:at[1]], "\n")) + code
}

// placeholder stands for a command while a cell is formatted.
func placeholder(k int) string { return fmt.Sprintf("command__%d()", k) }

// withoutCommands puts placeholders for the commands of a cell, which gofmt would change or refuse. Positions of the
// lines below stay.
func withoutCommands(src string) (code string, commands []string) {
	var b strings.Builder
	at := 0
	for k, c := range Commands(src, func(string) bool { return true }) {
		text := src[c.From:c.To]
		lines := strings.Repeat("\n", strings.Count(text, "\n"))
		b.WriteString(src[at:c.From] + strings.Replace(placeholder(k), "(", "("+lines, 1))
		commands = append(commands, strings.TrimRight(text, " \t"))
		at = c.To
	}
	return b.String() + src[at:], commands
}

// formatted is a cell of Go. What gofmt takes together is formatted together: imports, declarations, or statements.
func formatted(src string) (string, error) {
	chunks, semicolon := split(src)
	if len(chunks) == 0 {
		return strings.TrimSpace(src), nil
	}
	if chunks[0].kind == token.PACKAGE {
		if out, err := format.Source([]byte(src)); err == nil {
			return strings.TrimSpace(string(out)), nil
		}
	}
	p := Scope{Fset: token.NewFileSet()}
	if _, err := p.parseCell("cell", src); err != nil {
		var errs Errors
		for _, e := range err.(scanner.ErrorList) {
			errs = append(errs, Error{e.Pos, e.Msg})
		}
		return "", habitual(src, errs.unique())
	}
	var out strings.Builder
	at := 0
	for k := 0; k < len(chunks); {
		end := k + 1
		for end < len(chunks) && class(chunks[end].kind) == class(chunks[k].kind) {
			end++
		}
		to := len(src)
		if end < len(chunks) {
			_, line := lastToken(src[:chunks[end].start])
			to = line
		}
		part, err := gofmt(strings.TrimSpace(src[at:to]), chunks[k].kind)
		if err != nil {
			return "", err
		}
		if k > 0 {
			out.WriteString("\n")
			if blank.MatchString(src[chunks[k-1].end:chunks[k].start]) {
				out.WriteString("\n")
			}
		}
		out.WriteString(part)
		at, k = to, end
	}
	text := strings.TrimSpace(out.String())
	if semicolon && valued(src, chunks[len(chunks)-1]) {
		text = hidden(text)
	}
	return text, nil
}

// gofmt formats pieces of a kind. Imports are sorted in whole files only.
func gofmt(src string, kind token.Token) (string, error) {
	head := ""
	if kind == token.IMPORT {
		head = "package main\n\n"
	}
	out, err := format.Source([]byte(head + src))
	if err != nil {
		return "", fmt.Errorf("gofmt: %w", err)
	}
	return strings.TrimRight(strings.TrimPrefix(string(out), head), "\n"), nil
}

// blank is an empty line.
var blank = regexp.MustCompile(`\n[ \t]*\n`)

// class is what a piece is formatted with: imports come first in a file, and a package clause before them.
func class(k token.Token) token.Token {
	if isDecl(k) {
		return token.FUNC
	}
	return k
}

// lastToken is where the last token of a text ends that is no comment, and where its line does: behind the comments
// that begin there.
func lastToken(src string) (end, line int) {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(f, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		at := f.Offset(pos)
		switch {
		case tok == token.EOF:
			return end, line
		case tok == token.COMMENT:
			if !strings.Contains(src[line:at], "\n") {
				line = at + len(lit)
			}
		case tok == token.SEMICOLON && lit != ";":
		default:
			if line = at + len(lit); lit == "" {
				line = at + len(tok.String())
			}
			if tok != token.SEMICOLON {
				end = line
			}
		}
	}
}

// valued reports whether a piece is an expression, whose value the cell shows.
func valued(src string, c chunk) bool {
	if c.kind != token.ILLEGAL {
		return false
	}
	text := strings.TrimRight(src[c.start:c.end], "; \t\n")
	f, err := parser.ParseFile(token.NewFileSet(), "", "package main\nfunc _() {\n"+text+"\n}", 0)
	if err != nil {
		return false
	}
	list := f.Decls[0].(*ast.FuncDecl).Body.List
	if len(list) == 0 {
		return false
	}
	_, ok := list[len(list)-1].(*ast.ExprStmt)
	return ok
}

// hidden puts a semicolon behind the last statement of a cell.
func hidden(src string) string {
	end, _ := lastToken(src)
	return src[:end] + ";" + src[end:]
}
