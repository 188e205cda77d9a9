package kernel

import (
	"go/token"
	"go/types"
	"iter"
	"strings"

	"nacre/kernel/internal/cells"
)

// A cell that is being written seldom parses. To know the type of something in it, it is cut off after what is being
// completed, closed with the brackets that are open, and checked as far as that goes; errors do not matter.

// attempt checks code with a marker expression put at its end, in place of the unfinished operand there.
func (s *session) attempt(before, operand string) *cells.Scratch {
	head := strings.TrimRight(before, " \t\n")
	if operand != "" {
		if k := strings.LastIndex(head, operand); k >= 0 {
			head = head[:k] + "scratch__(" + operand + ")"
		}
	}
	return s.prog.Scratch(closed(head))
}

// closed adds the brackets that code leaves open.
func closed(code string) string {
	var open []byte
	for _, t := range cells.Tokens(code) {
		switch t {
		case token.LPAREN:
			open = append(open, ')')
		case token.LBRACK:
			open = append(open, ']')
		case token.LBRACE:
			open = append(open, '}')
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	for k := len(open) - 1; k >= 0; k-- {
		if open[k] == '}' {
			code += "\n"
		}
		code += string(open[k])
	}
	return code
}

// typeOf is the type of the operand that before ends with (and a dot after it), nil where that is not known.
func (s *session) typeOf(before, operand string) types.Type {
	if operand == "" {
		return nil
	}
	for _, code := range []string{before, operand} {
		sc := s.attempt(code, operand)
		if sc == nil || sc.Marker == nil {
			continue
		}
		if t := sc.Info.TypeOf(sc.Marker); t != nil && t != types.Typ[types.Invalid] {
			if tuple, ok := t.(*types.Tuple); ok {
				if tuple.Len() == 0 {
					return nil
				}
				t = tuple.At(0).Type()
			}
			return t
		}
	}
	return nil
}

// scopeAt yields the names of the cell itself that are visible at its end, innermost first.
func (s *session) scopeAt(before string) iter.Seq[types.Object] {
	return func(yield func(types.Object) bool) {
		word := trailing(before, isNameRune)
		sc := s.prog.Scratch(closed(strings.TrimSuffix(before, word) + "scratch__(0)"))
		if sc == nil {
			return
		}
		for scope := sc.Scope; scope != nil && scope != types.Universe; scope = scope.Parent() {
			for _, name := range scope.Names() {
				o := scope.Lookup(name)
				if _, isPackage := o.(*types.PkgName); isPackage {
					continue
				}
				if !yield(o) {
					return
				}
			}
		}
	}
}
