package difftest

import (
	"fmt"
	"math/rand/v2"
)

// Generate makes the n-th program of a seed. Of the integer variables, slice, map, struct and pointer it declares it
// assigns to places that depend on each other, calls closures, methods and generic functions, defers and recovers,
// formats and encodes.
func Generate(seed uint64, n int) *Program {
	g := &generator{rand.New(rand.NewPCG(seed, uint64(n))), fmt.Sprintf("P%dx", n)}
	p := &Program{Prefix: g.p}
	add := func(decl bool, format string, args ...any) {
		p.Pieces = append(p.Pieces, Piece{fmt.Sprintf(format, args...), decl})
	}
	add(true, "type %sIn struct{ A int; B string }", g.p)
	embed := g.pick("", "*")
	add(true, "type %[1]sT struct { %[2]s%[1]sIn; N, M int `json:%[3]q`; L []int; Next *%[1]sT }", g.p, embed, g.pick("", ",omitempty"))
	recv := g.pick("", "*")
	add(true, "func (t %s%sT) Sum(k int) int { return t.N + t.M*k + len(t.L) }", recv, g.p)
	if g.IntN(2) == 0 {
		add(true, "func (t %sIn) %s() string { return fmt.Sprint(\"in\", t.A, t.B) }", g.p, g.pick("String", "Error", "GoString"))
	}
	add(true, "func %[1]sMap[X, Y any](xs []X, f func(X) Y) []Y { var out []Y; for _, x := range xs { out = append(out, f(x)) }; return out }", g.p)
	add(true, "func %[1]sTry(f func() int) (r int, err error) { defer func() { if x := recover(); x != nil { r, err = r+%[2]d, fmt.Errorf(\"got %%v\", x) } }(); r = 1; defer func() { r += %[3]d }(); return f(), nil }", g.p, g.IntN(9), g.IntN(9))
	add(false, "a, b, c := %d, %d, %d", g.IntN(9), g.IntN(9), g.IntN(9))
	add(false, "s, m := []int{1, 2, 3, 4}, map[string]any{\"k\": 1, \"n\": nil}")
	add(false, "p, q := &%[1]sT{N: 1, L: []int{1}}, &%[1]sT{M: 2}", g.p)
	if embed != "" {
		add(false, "p.%[1]sIn, q.%[1]sIn = &%[1]sIn{1, \"p\"}, &%[1]sIn{2, \"q\"}", g.p)
	}
	add(false, "s0, p0, f := s, p, func(k int) int { return (a + k) %% 7 }")
	add(false, "inc := func(k int) { a += k; p.N-- }") // no operand beside it: which of them comes first is not said
	for range 6 + g.IntN(10) {
		add(false, "%s", g.statement())
	}
	add(false, "inc(1)")
	add(false, "fmt.Println(a, b, c, s, s0, m, p.N, p.M, p.L, q.N, q.M, q.L, p0.N, p0.M, f(1))")
	for k := 1; k < len(p.Pieces); k++ {
		if g.IntN(5) == 0 {
			p.Cuts = append(p.Cuts, k)
		}
	}
	return p
}

type generator struct {
	*rand.Rand
	p string
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// number is an expression of type int.
func (g *generator) number() string {
	switch g.IntN(9) {
	case 0:
		return fmt.Sprint(g.IntN(20) - 5)
	case 1:
		return "s[" + g.at() + "]"
	case 2:
		return g.pick("p", "q", "p0") + g.pick(".N", ".M", ".A")
	case 3:
		return g.pick("p", "q") + ".Sum(" + g.pick("a", "b", "2") + ")"
	case 4:
		return "f(" + g.pick("a", "b", "c", "3") + ")"
	case 5:
		return "(" + g.pick("a", "b", "c") + g.pick(" + ", " - ", " * ", " & ", " ^ ", " % 5 + ") + g.pick("a", "b", "c", "7") + ")"
	case 6:
		return "int(" + g.pick("int8", "uint8", "int16", "float32") + "(" + g.pick("a", "b", "c") + "))"
	case 7:
		return g.pick("min", "max") + "(" + g.pick("a", "b") + ", " + g.pick("c", "3") + ")"
	}
	return g.pick("a", "b", "c", "len(s)", "len(m)")
}

func (g *generator) at() string { return g.pick("0", "1", "(a & 3)", "(b & 3)", "(c & 3)") }

func (g *generator) place() string {
	return g.pick("a", "b", "c", "s["+g.at()+"]", "p.N", "p.M", "q.N", "q.A", "p0.M")
}

func (g *generator) statement() string {
	switch g.IntN(14) {
	case 12:
		return "inc(" + g.number() + ")"
	case 0:
		return g.place() + " = " + g.number()
	case 1:
		return g.pick("a", "b") + ", " + g.pick("c", "s["+g.at()+"]", "p.N") + " = " + g.number() + ", " + g.number()
	case 2:
		return "p, p." + g.pick("N", "M") + ", q = q, " + g.number() + ", p"
	case 3:
		return "s, s[" + g.at() + "] = append([]int{}, " + g.number() + ", 5, 6, 7), " + g.number()
	case 4:
		return "for k := range " + g.pick("3", "s", "4") + " { if k == " + g.at() + " { " + g.pick("continue", "break") + " }; " + g.place() + " += k }"
	case 5:
		return "fmt.Println(" + g.p + "Map(s, func(x int) " + g.pick("string { return fmt.Sprint(x) }", "float64 { return float64(x) / 4 }", "int { b += x; return b }") + "))"
	case 6:
		return "fmt.Println(" + g.p + "Try(func() int { " + g.pick("panic(\"x\")", "var z []int; _ = z == nil; return a / (b - b)", "return "+g.number(), "panic(fmt.Errorf(\"e%d\", a))") + " }))"
	case 7:
		return "m[" + g.pick(`"k"`, `"z"`, `fmt.Sprint(a & 1)`) + "] = " + g.pick("nil", g.number(), "float64(b) / 2", `"v"`, "[]any{nil, c}", g.p+"In{a, \"i\"}")
	case 8:
		return "if t, err := json.Marshal(" + g.pick("m", "p", "*q", "s", g.p+"In{b, \"<\"}") + "); err == nil { fmt.Println(string(t)) } else { fmt.Println(err) }"
	case 9:
		return "fmt.Printf(\"" + g.pick("%v", "%+v", "%#v", "%T", "%d") + "\\n\", " + g.pick("s", "m", g.p+"In{a, \"f\"}", "[]"+g.p+"In{{b, \"\"}}", "map[string]"+g.p+"In{\"k\": {}}", "a") + ")"
	case 10:
		return "switch x := m[" + g.pick(`"k"`, `"n"`, `"z"`) + "].(type) { case nil: a++; case int: b += x; case string: fmt.Println(x); default: fmt.Printf(\"%T\\n\", x) }"
	case 11:
		return "{ var r " + g.p + "T; err := json.Unmarshal([]byte(fmt.Sprintf(`{\"L\":[%d],\"Next\":{\"L\":[1]}}`, a)), &r); fmt.Println(err, r.L, r.Next != nil, r.N) }"
	}
	return g.pick("a", "b", "c") + g.pick(" += ", " -= ", " |= ") + g.number()
}
