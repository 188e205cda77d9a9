package assist

import (
	"go/token"
	"strings"

	"nacre/kernel/internal/cells"
)

// IsComplete reports whether a console should run code or wait for more. It waits while brackets or texts are open, or
// if the last line ends where a statement cannot.
func (s *Assistant) IsComplete(code string) Completeness {
	if strings.TrimSpace(code) == "" {
		return Completeness{Status: "complete"}
	}
	depth := 0
	var last token.Token
	for _, t := range cells.Tokens(code) {
		switch t {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if depth--; depth < 0 {
				return Completeness{Status: "invalid"}
			}
		}
		last = t
	}
	if depth > 0 {
		return Completeness{Status: "incomplete", Indent: strings.Repeat("\t", depth)}
	}
	if textOpen(code) || last.IsOperator() && unfinished(last) {
		return Completeness{Status: "incomplete"}
	}
	if s.Program.Parses(code) {
		return Completeness{Status: "complete"}
	}
	return Completeness{Status: "invalid"}
}

// unfinished reports whether a statement cannot end with the operator.
func unfinished(t token.Token) bool {
	switch t {
	case token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON:
		return false
	}
	return true
}

// textOpen reports whether a raw string or comment is open at the end.
func textOpen(code string) bool {
	if strings.HasSuffix(strings.TrimSpace(code), "*/") {
		return false
	}
	line := code[strings.LastIndex(code, "\n")+1:]
	return inTextOrComment(code) && !strings.Contains(line, "//") && !strings.Contains(line, `"`)
}
