package assist

import (
	"fmt"
	"go/scanner"
	"go/token"
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"

	"nacre/kernel/internal/cells"
)

// Complete proposes completions at cursor, the likeliest first: members of packages and values after a dot, import paths inside an import, keys of maps, fields
// in literals, and otherwise variables, functions, types, packages and keywords.
func (d Draft) Complete(code string, cursor int) (c Completion) {
	defer func() { // a torso of code must not end the kernel, whatever the checker makes of it
		if x := recover(); x != nil {
			c = Completion{Start: cursor, End: cursor}
		}
	}()
	d.Guard.Lock()
	defer d.Guard.Unlock()
	w := d.at(code, cursor)
	c = Completion{Start: cursor - utf8.RuneCountInString(w.word), End: utf8.RuneCountInString(w.code) - utf8.RuneCountInString(w.after)}
	if path, ok := importPath(w.before); ok {
		rest := leading(w.code[len(w.before):], func(r rune) bool { return isNameRune(r) || strings.ContainsRune("/.-", r) })
		c.Start, c.End = cursor-utf8.RuneCountInString(path), cursor+utf8.RuneCountInString(rest)
		c.Matches = w.paths(path)
		return c
	}
	if inTextOrComment(w.before) {
		if open, word, ok := openText(w.before); ok {
			if c.Matches = w.keys(open, word); len(c.Matches) > 0 {
				c.Start = utf8.RuneCountInString(w.before) - utf8.RuneCountInString(word) - 1
				c.End = cursor + utf8.RuneCountInString(closing(w.code[len(w.before):]))
			}
		}
		return c
	}
	rest := strings.TrimSuffix(w.before, w.word)
	w.check(rest, cells.Marker)
	c.Matches = ranked(w.candidates(rest), w.word)
	return c
}

// prefixOf is the code before the cursor, which counts code points.
func prefixOf(code string, cursor int) string {
	for k := range code {
		if cursor <= 0 {
			return code[:k]
		}
		cursor--
	}
	return code
}

func isNameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func trailing(s string, ok func(rune) bool) string {
	k := strings.LastIndexFunc(s, func(r rune) bool { return !ok(r) })
	if k < 0 {
		return s
	}
	_, n := utf8.DecodeRuneInString(s[k:])
	return s[k+n:]
}

func leading(s string, ok func(rune) bool) string {
	if k := strings.IndexFunc(s, func(r rune) bool { return !ok(r) }); k >= 0 {
		return s[:k]
	}
	return s
}

// importPath is the path being written, where the cursor is inside one.
func importPath(before string) (string, bool) {
	quote := strings.LastIndexByte(before, '"')
	if quote < 0 || strings.Contains(before[quote:], "\n") || strings.Count(before[strings.LastIndex(before, "\n")+1:], `"`)%2 == 0 {
		return "", false
	}
	head := strings.TrimSpace(before[:quote])
	line := strings.TrimSpace(head[strings.LastIndexAny(head, "\n;(")+1:])
	if strings.HasPrefix(line, "import") && len(strings.Fields(line)) <= 2 {
		return before[quote+1:], true
	}
	k := strings.LastIndex(head, "import")
	if k < 0 || strings.Contains(head[k:], ")") || !strings.HasPrefix(strings.TrimSpace(head[k+len("import"):]), "(") {
		return "", false
	}
	return before[quote+1:], true
}

// inTextOrComment says whether code ends inside a string, rune or comment.
func inTextOrComment(code string) bool {
	open := false
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(code))
	var sc scanner.Scanner
	sc.Init(f, []byte(code), func(_ token.Position, msg string) {
		if strings.Contains(msg, "not terminated") {
			open = true
		}
	}, scanner.ScanComments)
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			return open
		}
		if tok == token.COMMENT && strings.HasPrefix(lit, "//") && f.Offset(pos)+len(lit) >= len(code) {
			return true
		}
	}
}

// operandOf is the expression that code ends with, as far as a selector's operand reaches.
func operandOf(code string) string {
	k := len(code)
	for k > 0 {
		r, n := utf8.DecodeLastRuneInString(code[:k])
		switch {
		case isNameRune(r) || r == '.':
			k -= n
		case r == ')' || r == ']' || r == '}':
			depth := 0
			for k > 0 {
				switch code[k-1] {
				case ')', ']', '}':
					depth++
				case '(', '[', '{':
					depth--
				}
				k--
				if depth == 0 {
					break
				}
			}
			if depth != 0 {
				return ""
			}
		default:
			return strings.TrimSpace(code[k:])
		}
	}
	return strings.TrimSpace(code)
}

func kindOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "method"
		}
		return "function"
	case *types.TypeName:
		return "type"
	case *types.Builtin:
		return "function"
	case *types.Const:
		return "constant"
	case *types.PkgName:
		return "package"
	case *types.Var:
		if o.IsField() {
			return "field"
		}
	}
	return "variable"
}

// signatureOf is an object's type as a cell would write it.
func signatureOf(o types.Object) string {
	if o.Type() == nil || o.Type() == types.Typ[types.Invalid] {
		return ""
	}
	switch o := o.(type) {
	case *types.TypeName:
		switch o.Type().Underlying().(type) {
		case *types.Struct:
			return "struct"
		case *types.Interface:
			return "interface"
		}
		return cells.TypeText(o.Type().Underlying())
	case *types.Const:
		return fmt.Sprintf("%s = %s", cells.TypeText(o.Type()), o.Val())
	}
	return cells.TypeText(o.Type())
}

// openText splits code that ends in a text after the quote that opens it.
func openText(code string) (before, text string, ok bool) {
	line := code[strings.LastIndexByte(code, '\n')+1:]
	quote := strings.LastIndexAny(line, "\"`")
	if quote < 0 {
		return "", "", false
	}
	at := len(code) - len(line) + quote
	return code[:at], code[at+1:], !inTextOrComment(code[:at])
}

// closing is what of a text follows the cursor, with its quote.
func closing(code string) string {
	k := strings.IndexAny(code, "\"`\n]")
	if k < 0 || code[k] == '\n' || code[k] == ']' {
		return ""
	}
	return code[:k+1]
}
