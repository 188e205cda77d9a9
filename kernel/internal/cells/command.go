package cells

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// Command is a line of a cell that is for a shell: "!ls -l", or "files := !ls -l". Its text, from the exclamation mark
// on, is src[From:To].
type Command struct {
	From, To int
	Text     string // what the shell is to run
	Assigned bool   // whether its output is assigned to a variable
}

// Commands finds the commands among the statements of a cell's top level. "!ok" can also be an expression of Go: it is
// one if it calls a function, or if all its names are declared above it in the cell or are known, as the function known
// reports.
func Commands(src string, known func(name string) bool) (list []Command) {
	if !strings.Contains(src, "!") {
		return nil
	}
	written := map[string]bool{}
	for at := 0; ; {
		c, ok := nextCommand(src, at, written, known)
		if !ok {
			return list
		}
		list = append(list, c)
		at = c.To
	}
}

// nextCommand finds the first command from an offset on, at which a statement begins. It notes the names before it.
func nextCommand(src string, at int, written map[string]bool, known func(string) bool) (Command, bool) {
	rest := src[at:]
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(rest))
	var s scanner.Scanner
	s.Init(f, []byte(rest), func(token.Position, string) {}, 0)
	depth := 0
	var statement []token.Token // up to now
	var names []string          // in it
	begins := 0                 // where it does
	for {
		pos, tok, lit := s.Scan()
		off := f.Offset(pos)
		switch tok {
		case token.EOF:
			return Command{}, false
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.IDENT:
			names = append(names, lit)
		case token.NOT:
			if len(statement) == 0 {
				begins = off
			}
			if depth <= 0 && (len(statement) == 0 || assigns(statement)) && firstInLine(src, at+begins) {
				c := commandAt(src, at+off, len(statement) > 0)
				if !isGo(src[at+off:], func(name string) bool { return written[name] || known(name) }) {
					return c, true
				}
			}
		}
		if depth <= 0 && tok == token.SEMICOLON {
			for _, n := range names {
				written[n] = true
			}
			statement, names = nil, nil
			continue
		}
		if len(statement) == 0 {
			begins = off
		}
		statement = append(statement, tok)
	}
}

// assigns reports whether a statement begins with names that are assigned to: a, b :=
func assigns(toks []token.Token) bool {
	for k, t := range toks {
		switch {
		case k == len(toks)-1:
			return k > 0 && (t == token.DEFINE || t == token.ASSIGN) && toks[k-1] == token.IDENT
		case k%2 == 0 && t != token.IDENT, k%2 == 1 && t != token.COMMA:
			return false
		}
	}
	return false
}

// firstInLine reports whether only blanks stand before an offset in its line.
func firstInLine(src string, at int) bool {
	return strings.TrimSpace(src[strings.LastIndexByte(src[:at], '\n')+1:at]) == ""
}

// commandAt is the command at an exclamation mark: to the end of the line, and further where a backslash ends it.
func commandAt(src string, at int, assigned bool) Command {
	c := Command{From: at, Assigned: assigned}
	for c.To = at; c.To < len(src) && (src[c.To] != '\n' || continued(src[at:c.To])); c.To++ {
	}
	if strings.HasSuffix(src[at:c.To], "\r") {
		c.To--
	}
	c.Text = strings.TrimLeft(src[at+1:c.To], "!")
	if star, ok := strings.CutPrefix(c.Text, "*"); ok && star != "" && star[0] != ' ' { // as GoNB writes it
		c.Text = star
	}
	c.Text = strings.TrimSpace(strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(c.Text))
	return c
}

func continued(line string) bool { return strings.HasSuffix(strings.TrimSuffix(line, "\r"), "\\") }

// isGo reports whether a text that begins with an exclamation mark is an expression of Go: no arithmetic with truths,
// and a call, or names that are known.
func isGo(src string, known func(string) bool) bool {
	x, err := parser.ParseExpr(firstStatement(src))
	if err != nil || !isTruth(x) {
		return false
	}
	calls, all := false, true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.ParenExpr, *ast.FuncLit:
			calls = true
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					all = all && known(id.Name)
				}
				return true
			})
			return false
		case *ast.Ident:
			all = all && (n.Name == "true" || n.Name == "false" || known(n.Name))
		}
		return true
	})
	return calls || all
}

// isTruth reports whether an expression that begins with ! can be a bool.
func isTruth(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.UnaryExpr:
		return x.Op == token.NOT
	case *ast.BinaryExpr:
		switch x.Op {
		case token.LAND, token.LOR, token.EQL, token.NEQ:
			return isTruth(x.X)
		}
	}
	return false
}

// firstStatement is the text of a cell up to the end of its first statement.
func firstStatement(src string) string {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(f, []byte(src), func(token.Position, string) {}, 0)
	depth := 0
	for {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			return src
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.SEMICOLON:
			if depth <= 0 {
				return src[:f.Offset(pos)]
			}
		}
	}
}
