package fidelity

import (
	"fmt"
	"strings"
)

// define declares a variable of type t.
func (g *generator) define(t *typ) string {
	x := g.expr(t, 2)
	v := variable{name: g.fresh("v"), t: t}
	g.scope = append(g.scope, v)
	use := ""
	if g.inFunc || g.depth > 0 {
		use = "\n_ = " + v.name
	}
	return fmt.Sprintf("var %s %s = %s%s", v.name, t.name, x, use)
}

// show prints a variable.
func (g *generator) show(v variable) string {
	verb := g.pick("%v", "%+v", "%#v", "%T")
	if !addressed(v.t, map[string]bool{}) && g.chance(2) {
		verb = g.verb()
	}
	switch {
	case v.t.kind == closure:
		return fmt.Sprintf("if %[1]s != nil { fmt.Println(\"%[1]s\", %[1]s(3)) }", v.name)
	case g.chance(5) && v.t.kind != float:
		return fmt.Sprintf("if text, err := json.Marshal(%s); err == nil { fmt.Println(string(text)) } else { "+
			"fmt.Println(err) }", v.name)
	}
	return fmt.Sprintf("fmt.Printf(\"%s %s\\n\", %s)", v.name, verb, v.name)
}

// places returns what can be assigned to, with their types.
func (g *generator) place() (string, *typ) {
	for _, k := range g.Perm(len(g.scope)) {
		v := g.scope[k]
		if v.fixed {
			continue
		}
		if g.chance(2) {
			return v.name, v.t
		}
		switch v.t.kind {
		case structure:
			if f := one(g, v.t.fields); true {
				return v.name + "." + f.name, f.t
			}
		case mapping:
			if v.t.key.kind == text || v.t.key.kind == integer {
				return v.name + "[" + g.expr(v.t.key, 0) + "]", v.t.elem
			}
		case array:
			return fmt.Sprintf("%s[%d]", v.name, g.IntN(v.t.length)), v.t.elem
		}
	}
	return g.scope[0].name, g.scope[0].t
}

// block is a list of statements in a scope of its own, after those that begin it.
func (g *generator) block(n int, begin ...string) string {
	outer := len(g.scope)
	g.depth++
	list := begin
	for range n {
		list = append(list, g.statement())
	}
	g.depth--
	g.scope = g.scope[:outer]
	return "{\n" + strings.Join(list, "\n") + "\n}"
}

// with runs f with more variables in scope.
func (g *generator) with(f func() string, vs ...variable) string {
	g.scope = append(g.scope, vs...)
	defer func(n int) { g.scope = g.scope[:n] }(len(g.scope) - len(vs))
	return f()
}

func (g *generator) statement() string {
	if g.depth > 2 || len(g.scope) == 0 {
		return "fmt.Println(" + g.expr(g.anyPrintable(), 2) + ")"
	}
	if g.chance(3) {
		return g.scene()
	}
	if g.chance(10) {
		return g.tangle()
	}
	switch g.IntN(12) {
	case 0:
		return g.define(g.anyType(2))
	case 1, 2:
		p, t := g.place()
		return p + " = " + g.expr(t, 3)
	case 3: // several at once, of which one may be part of another
		p, t := g.place()
		q, u := g.place()
		if p == q {
			q, u = "_", tInt
		}
		return p + ", " + q + " = " + g.typed(t, 1) + ", " + g.typed(u, 1)
	case 4:
		p, t := g.place()
		switch t.kind {
		case integer:
			return p + g.pick(" += ", " -= ", " *= ", " |= ", " ^= ", " &^= ") + g.expr(t, 1)
		case text:
			return p + " += " + g.expr(t, 1)
		case slice:
			return p + " = append(" + p + ", " + g.expr(t.elem, 1) + ")"
		}
		return p + " = " + g.expr(t, 1)
	case 5:
		p, t := g.place()
		if t.kind == integer {
			return p + g.pick("++", "--")
		}
		return p + " = " + p
	case 6:
		s := "if " + g.expr(tBool, 2) + " " + g.block(1+g.IntN(2))
		if g.chance(2) {
			s += " else " + g.block(1)
		}
		return s
	case 7:
		return g.loop()
	case 8:
		return g.switches()
	case 9:
		return fmt.Sprintf("try(%q, func() %s)", g.fresh("try"), g.block(1, g.panics()))
	case 10:
		return g.show(one(g, g.scope))
	}
	return "fmt.Println(" + g.expr(g.anyPrintable(), 2) + ", " + g.expr(tInt, 2) + ")"
}

func (g *generator) loop() string {
	k, x := g.fresh("k"), g.fresh("x")
	jump := ""
	label := g.fresh("L")
	if g.chance(2) {
		jump = fmt.Sprintf("if %s { %s }", g.expr(tBool, 1),
			g.pick("continue", "break", "break "+label, "continue "+label))
	}
	head := ""
	if strings.HasSuffix(jump, label+" }") {
		head = label + ":\n"
	}
	kv := variable{k, tInt, true}
	switch g.IntN(7) {
	case 0:
		return head + g.with(func() string {
			return fmt.Sprintf("for %[1]s := 0; %[1]s < %[2]d; %[1]s += %[3]d %[4]s", k, 1+g.IntN(4), 1+g.IntN(2),
				g.block(1, jump))
		}, kv)
	case 1:
		return head + g.with(func() string {
			return fmt.Sprintf("for %s := range %d %s", k, g.IntN(4), g.block(1+g.IntN(2), "_ = "+k, jump))
		}, kv)
	case 2:
		if list := append(g.kindIn(slice), g.kindIn(array)...); len(list) > 0 {
			v := one(g, list)
			return head + g.with(func() string {
				return fmt.Sprintf("for %s, %s := range %s %s", k, x, v.name, g.block(1, "_, _ = "+k+", "+x, jump))
			}, kv, variable{x, v.t.elem, false})
		}
	case 3:
		if list := g.kindIn(text); len(list) > 0 {
			return head + g.with(func() string {
				return fmt.Sprintf("for %s, %s := range %s %s", k, x, one(g, list).name,
					g.block(1, "_, _ = "+k+", "+x, jump))
			}, kv, variable{x, ints[9], true})
		}
	case 4:
		if list := g.kindIn(mapping); len(list) > 0 {
			v := one(g, list)
			if v.t.key.kind == integer || v.t.key.kind == text {
				return head + g.with(func() string {
					return fmt.Sprintf("for _, %s := range Keys(%s) %s", k, v.name, g.block(1, "_ = "+k, jump))
				}, variable{k, v.t.key, true})
			}
		}
	case 5: // a function that is ranged over
		return head + g.with(func() string {
			return fmt.Sprintf("for %s, %s := range (&Stack[string]{}).Push(\"p\", \"q\", \"r\").All() %s", k, x,
				g.block(1, "_, _ = "+k+", "+x, jump))
		}, kv, variable{x, tText, true})
	}
	fs := g.fresh("fs")
	return g.with(func() string {
		return fmt.Sprintf("{\nvar %[1]s []func() int\nfor %[2]s := %[3]s {\n%[1]s = append(%[1]s, func() int { "+
			"%[4]s; return %[5]s })\n}\nfor _, f := range %[1]s {\nfmt.Println(f())\n}\n}",
			fs, k, g.pick("0; "+k+" < 3; "+k+"++", "range 3", "range []string{\"a\", \"b\"}"),
			g.pick(k+"++", k+" *= 2", "_ = "+k), g.expr(tInt, 2))
	}, kv)
}

func (g *generator) switches() string {
	var b strings.Builder
	switch g.IntN(3) {
	case 0:
		t := one(g, []*typ{tInt, tText, one(g, ints)})
		fmt.Fprintf(&b, "switch %s {\n", g.typed(t, 2))
		for k := range 1 + g.IntN(3) {
			fmt.Fprintf(&b, "case %s, %s:\n%s\n", g.typed(t, 1), g.typed(t, 1), g.block(1))
			if g.chance(4) && k == 0 {
				b.WriteString("fallthrough\n")
			}
		}
		fmt.Fprintf(&b, "default:\n%s\n}", g.block(1))
	case 1:
		b.WriteString("switch {\n")
		if g.chance(2) {
			fmt.Fprintf(&b, "default:\n%s\n", g.block(1))
		}
		for range 1 + g.IntN(3) {
			fmt.Fprintf(&b, "case %s:\n%s\n", g.expr(tBool, 1), g.block(1))
		}
		b.WriteString("}")
	default:
		x := g.fresh("x")
		var from string
		if list := append(g.kindIn(empty), g.kindIn(shaper)...); len(list) > 0 && g.chance(2) {
			from = "any(" + one(g, list).name + ")"
		} else {
			from = g.literal(tAny, 2)
		}
		fmt.Fprintf(&b, "switch %s := %s.(type) {\ncase nil:\nfmt.Println(\"nil\", %s)\n", x, from, x)
		seen := map[string]bool{}
		for range 1 + g.IntN(4) {
			t := one(g, []*typ{tInt, tText, tFloat, one(g, ints), one(g, g.structs), pointerTo(one(g, g.structs)),
				tError, tShape, one(g, append(g.named, tBool)), sliceOf(tInt), basic("fmt.Stringer", empty)})
			if seen[t.name] || t.name == "byte" || t.name == "rune" {
				continue
			}
			seen[t.name] = true
			v := variable{x, t, true}
			if t.name == "fmt.Stringer" {
				v.t = tError // of no use
			}
			b.WriteString(g.with(func() string {
				return fmt.Sprintf("case %s:\n_ = %s\n%s\n", t.name, x,
					g.block(1, fmt.Sprintf("fmt.Printf(\"%%T\\n\", %s)", x)))
			}, variable{x, v.t, true}))
		}
		fmt.Fprintf(&b, "default:\nfmt.Printf(\"other %%T\\n\", %s)\n}", x)
	}
	return b.String()
}

// panics is a statement that may panic, outside of expressions, where Go leaves open what comes first.
func (g *generator) panics() string {
	n, x := g.expr(tInt, 1), g.fresh("x")
	s := one(g, g.structs).name
	return g.pick(
		"var "+x+" []int\nfmt.Println("+x+"["+n+" & 7])",
		x+" := []int{1, 2, 3}\n"+x+"["+n+"]++",
		x+" := []string{\"a\", \"b\"}\nfmt.Println("+x+"["+n+" & 3:])",
		x+" := \"text\"\nfmt.Println("+x+"["+n+":"+g.pick("", "3", n)+"])",
		x+" := [4]int{}\nfmt.Println("+x+"["+n+" & 7])",
		"var "+x+" *"+s+"\nfmt.Println(*"+x+")",
		"var "+x+" map[string]int\n"+x+"[\"a\"] = "+n,
		x+" := "+n+"\nfmt.Println(7 / ("+x+" - "+x+"))",
		"var "+x+" any = "+g.typed(one(g, []*typ{tInt, tText, one(g, g.structs), tError}), 1)+"\nfmt.Println("+x+".("+
			g.pick("int", "string", "error", "fmt.Stringer", "Shape", s, "*"+s, "[]int")+"))",
		"panic("+g.pick(`"text"`, `errors.New("e")`, `fmt.Sprint(`+n+`)`, n, "1.5", "nil", s+"{}", "&"+s+"{}",
			"[]int{1}")+")",
		"var "+x+" func()\n"+x+"()",
		"var "+x+" Shape\n"+x+".Area()",
		x+" := make(chan int)\nclose("+x+")\nclose("+x+")",
		x+" := map[any]int{}\n"+x+"["+g.pick("[]int{1}", "map[string]int{}", "func() {}", "1")+
			"] = 1\nfmt.Println(len("+x+"))",
		"fmt.Println(make([]int, "+g.typed(tInt, 1)+"-50) == nil)",
		x+" := []int{1, 2}\nfmt.Println([2]int("+x+"), [3]int("+x+"))",
		x+" := make([]int, 2, 4)\nfmt.Println("+x+"[:"+n+" & 7], "+x+"[:2:"+n+" & 7])",
		"defer fmt.Println(\"deferred\", "+n+")\ndefer func() { panic(fmt.Sprint(\"second \", recover())) }()\n"+
			"panic(\"first\")",
	)
}
