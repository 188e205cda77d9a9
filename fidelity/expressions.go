package fidelity

import (
	"fmt"
	"strings"
)

// variables of the type t in scope.
func (g *generator) of(t *typ) []string {
	var list []string
	for _, v := range g.scope {
		if v.t.name == t.name {
			list = append(list, v.name)
		}
	}
	return list
}

// kindIn are the variables in scope of a kind.
func (g *generator) kindIn(k kind) []variable {
	var list []variable
	for _, v := range g.scope {
		if v.t.kind == k {
			list = append(list, v)
		}
	}
	return list
}

// expr is an expression of type t without effects but traces.
func (g *generator) expr(t *typ, depth int) string {
	if list := g.of(t); len(list) > 0 && (depth <= 0 || g.chance(3)) {
		return one(g, list)
	}
	if depth <= 0 {
		return g.literal(t, depth)
	}
	if g.chance(5) {
		if x := g.part(t); x != "" {
			return x
		}
	}
	if g.chance(10) {
		return fmt.Sprintf("Choose(%s, %s, %s)", g.expr(tBool, depth-1), g.typed(t, depth-1), g.typed(t, depth-1))
	}
	e := func(t *typ) string { return g.expr(t, depth-1) }
	switch t.kind {
	case integer:
		switch g.IntN(10) {
		case 0, 1, 2:
			return fmt.Sprintf("(%s %s %s)", g.typed(t, depth-1), g.pick("+", "-", "*", "&", "|", "^", "&^"), e(t))
		case 3:
			return fmt.Sprintf("(%s %s (%s | 1))", g.typed(t, depth-1), g.pick("/", "%"), g.typed(t, depth-1))
		case 4:
			return fmt.Sprintf("%s(%s)", t.name, g.typed(one(g, append(ints, tInt)), depth-1))
		case 5:
			return fmt.Sprintf("(%s %s (uint(%s) %% 9))", g.typed(t, depth-1), g.pick("<<", ">>"),
				g.typed(tInt, depth-1))
		case 6:
			return "(" + g.pick("-", "^", "+") + g.typed(t, 0) + ")"
		case 7:
			return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max", "Sum"), g.typed(t, depth-1), g.typed(t, depth-1))
		case 8:
			if t == tInt {
				if list := append(g.kindIn(slice), append(g.kindIn(text), g.kindIn(mapping)...)...); len(list) > 0 {
					return "len(" + one(g, list).name + ")"
				}
				return "strings.Index(" + e(tText) + ", " + e(tText) + ")"
			}
		}
	case float:
		if g.chance(2) {
			return fmt.Sprintf("(%s %s %s)", g.typed(t, depth-1), g.pick("+", "-", "*"), g.typed(t, depth-1))
		}
		return fmt.Sprintf("%s(%s)", t.name, g.typed(one(g, ints), depth-1))
	case text:
		switch g.IntN(7) {
		case 0:
			return "(" + g.typed(t, depth-1) + " + " + e(t) + ")"
		case 1:
			return t.name + "(fmt.Sprint(" + e(g.anyPrintable()) + "))"
		case 2:
			u, verb := g.anyPrintable(), g.verb()
			if u == tError { // other forms of errors print addresses
				verb = "%v"
			}
			return fmt.Sprintf("%s(fmt.Sprintf(%q, %s))", t.name, verb, e(u))
		case 3:
			return t.name + "(strings." + g.pick("ToUpper", "TrimSpace", "ToLower") + "(string(" + e(t) + ")))"
		case 4:
			return t.name + "([]rune(string(" + e(t) + ")))"
		}
	case boolean:
		u := one(g, []*typ{tInt, one(g, ints), tText, tFloat})
		switch g.IntN(5) {
		case 0:
			return "(" + e(tBool) + g.pick(" && ", " || ", " == ", " != ") + e(tBool) + ")"
		case 1:
			return "!" + g.typed(tBool, depth-1)
		case 2:
			return fmt.Sprintf("(any(%s) == any(%s))", g.typed(u, depth-1), g.typed(one(g, []*typ{u, tInt}), depth-1))
		}
		return "(" + g.typed(u, depth-1) + g.pick(" < ", " <= ", " == ", " != ", " > ", " >= ") + e(u) + ")"
	}
	if g.chance(3) {
		for _, k := range g.Perm(len(g.funcs)) {
			if f := g.funcs[k]; f.result.name == t.name && !g.inFunc {
				var args []string
				for _, p := range f.params {
					args = append(args, g.expr(p, 0))
				}
				return f.name + "(" + strings.Join(args, ", ") + ")"
			}
		}
	}
	return g.literal(t, depth)
}

// typed is an expression that is no constant without a type.
func (g *generator) typed(t *typ, depth int) string {
	x := g.expr(t, depth)
	if strings.ContainsAny(x[:1], "0123456789\"`'-tf.n") {
		if len(g.of(t)) > 0 {
			return one(g, g.of(t))
		}
		if strings.ContainsAny(t.name[:1], "*[f") {
			return "(" + t.name + ")(" + x + ")"
		}
		return "Id[" + t.name + "](" + x + ")"
	}
	return x
}

// part is a field, element or result of a variable in scope, "" if there is none.
func (g *generator) part(t *typ) string {
	for _, k := range g.Perm(len(g.scope)) {
		v := g.scope[k]
		switch v.t.kind {
		case structure:
			for _, f := range v.t.fields {
				if f.t.name == t.name {
					return v.name + "." + f.name
				}
			}
			if v.t.methods == "v" && (t == tInt || t == tText) && !v.fixed {
				return v.name + map[*typ]string{tInt: ".Area()", tText: ".Label()"}[t]
			}
		case slice, array:
			if v.t.elem.name == t.name {
				if v.t.kind == array {
					return fmt.Sprintf("%s[%d]", v.name, g.IntN(v.t.length))
				}
				if len(g.of(tInt)) > 0 {
					return fmt.Sprintf("func() (x %s) { if len(%s) > 0 { x = %s[uint(%s)%%uint(len(%s))] }; return }()",
						t.name, v.name, v.name, one(g, g.of(tInt)), v.name)
				}
			}
		case mapping:
			if v.t.elem.name == t.name {
				return v.name + "[" + g.expr(v.t.key, 0) + "]"
			}
		case closure:
			if t == tInt {
				return fmt.Sprintf("func() int { if %s == nil { return -1 }; return %s(%s) }()", v.name, v.name,
					g.expr(tInt, 0))
			}
		case empty:
			switch t.kind {
			case integer, text, structure, float, boolean:
				return fmt.Sprintf("func() %[1]s { x, _ := %[2]s.(%[1]s); return x }()", t.name, v.name)
			}
		}
	}
	return ""
}

// literal is a value of type t written out.
func (g *generator) literal(t *typ, depth int) string {
	e := func(t *typ) string { return g.expr(t, depth-1) }
	list := func(n int, item func() string) string {
		var items []string
		for range n {
			items = append(items, item())
		}
		return t.name + "{" + strings.Join(items, ", ") + "}"
	}
	if depth < -1 { // enough
		switch t.kind {
		case structure, slice, array, mapping:
			return t.name + "{}"
		case empty, shaper, failure:
			return t.name + "(nil)"
		case pointer:
			return "&" + t.elem.name + "{}"
		}
	}
	switch t.kind {
	case integer:
		if t.name == "rune" && g.chance(2) {
			return g.pick("'a'", "'é'", "'\\n'", "'世'")
		}
		return fmt.Sprint(g.IntN(100))
	case float:
		return g.pick("0.5", "2.25", "1e3", "3", "0.1", "1e-7", "123456789.5")
	case text:
		return g.pick(`""`, `"go"`, `"héllo"`, `"a b"`, `"a\"b\\"`, `"世界\t"`, `"<&>"`)
	case boolean:
		return g.pick("true", "false")
	case structure:
		var items []string
		for _, f := range t.fields {
			if g.chance(3) {
				continue
			}
			items = append(items, f.name+": "+e(f.t))
		}
		return t.name + "{" + strings.Join(items, ", ") + "}"
	case pointer:
		return "&" + g.literal(t.elem, depth-1)
	case slice:
		if g.chance(6) {
			return t.name + "(nil)"
		}
		return list(g.IntN(4), func() string { return e(t.elem) })
	case array:
		return list(g.IntN(t.length+1), func() string { return e(t.elem) })
	case mapping:
		if t.key.kind != text && t.key.kind != integer {
			return t.name + "{}"
		}
		if t.key.kind == text {
			return fmt.Sprintf("%s{\"k\": %s, \"\": %s}", t.name, e(t.elem), e(t.elem))
		}
		return fmt.Sprintf("%s{1: %s, 7: %s}", t.name, e(t.elem), e(t.elem))
	case closure:
		x := g.fresh("x")
		g.scope = append(g.scope, variable{x, tInt, true})
		body := g.expr(tInt, 1)
		g.scope = g.scope[:len(g.scope)-1]
		return fmt.Sprintf("func(%s int) int { return %s }", x, body)
	case empty:
		if g.chance(5) {
			return "any(nil)"
		}
		u := g.anyPrintable()
		return "any(" + u.name + "(" + g.typed(u, depth-1) + "))"
	case shaper:
		for _, k := range g.Perm(len(g.structs) + len(g.named)) {
			s := append(append([]*typ{}, g.structs...), g.named...)[k]
			switch {
			case s.methods == "*":
				if s.kind == structure {
					return "Shape(&" + g.literal(s, depth-1) + ")"
				}
			case s.methods == "v":
				return "Shape(" + s.name + "(" + g.literal(s, depth-1) + "))"
			}
		}
		return "Shape(nil)"
	case failure:
		return g.pick("error(nil)", `errors.New("e")`, `fmt.Errorf("w: %w", io.EOF)`, "io.EOF",
			`errors.Join(io.EOF, errors.New("j"))`)
	}
	return "nil"
}

// anyPrintable is a type whose values print the same text in every run.
func (g *generator) anyPrintable() *typ {
	for {
		if t := g.somePrintable(); !addressed(t, map[string]bool{}) || t == tError {
			return t
		}
	}
}

func (g *generator) somePrintable() *typ {
	return one(g, []*typ{tInt, tText, tFloat, tBool, one(g, ints), sliceOf(tInt), mapOf(tText, tInt), arrayOf(2, tText),
		one(g, append(g.structs, tInt)), one(g, append(g.named, tText)), tError})
}

func (g *generator) verb() string {
	return g.pick("%v", "%+v", "%#v", "%T", "%d", "%s", "%q", "%x", "%6v|", "%-6v|", "%08.3f", "%t", "%c", "%U", "%e",
		"%5.1v", "%+d", "% x", "%X", "%b", "%o", "%#x")
}

// addressed reports whether values of type t print a pointer or function, because addresses differ between runs.
func addressed(t *typ, seen map[string]bool) bool {
	if seen[t.name] {
		return true
	}
	switch t.kind {
	case pointer, closure, empty, shaper, failure:
		return true
	case slice, array, mapping:
		return addressed(t.elem, seen)
	case structure:
		for _, f := range t.fields {
			if addressed(f.t, seen) {
				return true
			}
		}
	}
	return false
}
