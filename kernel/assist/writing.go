package assist

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nacre/kernel/internal/cells"
)

// writing is a place in a cell that is being written.
type writing struct {
	*Assistant
	prog   *cells.Scope
	code   string
	own    string // the cell's own text, of which places are told, where its lines for a shell are calls in code
	before string // the cell up to the cursor
	above  []string
	word   string // the name that before ends with
	after  string // what follows the name at the cursor
	sc     *cells.Scratch
}

// Draft describes a cell before it runs, below other cells. It never runs code. Cursors count code points.
type Draft struct {
	*Assistant
	above []string
}

// program is the program after the cells above. Guard is held.
func (d Draft) program() *cells.Scope {
	if len(d.above) == 0 {
		return d.Program
	}
	k := d.drafted
	if k == nil || k.changes != d.Changes() || !slices.Equal(k.above, d.above) {
		if k != nil {
			k.draft.Close()
		}
		k = &drafted{d.Program.Draft(), slices.Clone(d.above), d.Changes()}
		for _, code := range d.above {
			k.draft.Check(d.plain(code), true)
		}
		d.drafted = k
	}
	return k.draft.Scope
}

// plain is a cell without the helper in front of it.
func (s *Assistant) plain(code string) string {
	if plain, err := s.Plain(code); err == nil {
		return plain
	}
	return code
}

// at looks at a place. Guard is held.
func (d Draft) at(code string, cursor int) *writing {
	before, own := prefixOf(code, cursor), code
	if plain := d.plain(code); len(plain) == len(code) {
		code, before, own = plain, prefixOf(plain, cursor), plain
	} else if start := d.plain(before); strings.HasPrefix(plain, start) { // lines for a shell are calls
		code, before = plain, start
	}
	w := &writing{Assistant: d.Assistant, prog: d.program(), above: d.above, code: code, own: own,
		before: before}
	w.word = trailing(w.before, isNameRune)
	w.after = code[len(w.before):]
	w.after = w.after[len(leading(w.after, isNameRune)):]
	return w
}

// check checks the cell up to from, with the marker behind it. Where what was written before cannot be parsed, less of
// it is taken.
func (w *writing) check(from, marker string) {
	tries := []string{from, from[strings.LastIndexByte(from, '\n')+1:]}
	if operand, ok := strings.CutSuffix(strings.TrimRight(from, " \t\n"), "."); ok {
		tries = append(tries, operandOf(operand)+".")
	}
	for _, text := range tries {
		if w.sc = w.prog.Scratch(text+marker, w.after, w.likely); w.sc != nil && len(w.sc.Path) > 0 {
			return
		}
	}
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

// inTextOrComment reports whether code ends inside a string, rune or comment.
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

// closing returns what of a text follows the cursor, with its quote.
func closing(code string) string {
	k := strings.IndexAny(code, "\"`\n]")
	if k < 0 || code[k] == '\n' || code[k] == ']' {
		return ""
	}
	return code[:k+1]
}

// Draft describes a cell below other cells. The argument above holds those cells over it that have not run, or that
// were edited after they ran. The draft is checked as if these cells had run.
func (s *Assistant) Draft(above ...string) Draft { return Draft{s, above} }
