package fidelity

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Generate makes the n-th program of a seed. It declares types with methods, embedded and generic ones among them,
// functions that trace their calls, defer and recover, and a main of statements over variables of all of these types. A
// program never depends on an order that Go leaves open: of a map's elements, of goroutines, and of an operand and a
// call in one expression.
func Generate(seed uint64, n int) *Case {
	for try := uint64(0); ; try++ {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(n)<<8|try))}
		source, err := withImports(g.program())
		own := fmt.Sprintf("_%d", n) // programs that share a session must not redefine names of one another
		if err == nil {
			source, err = renamed(source, own)
		}
		source = strings.Replace(source, "func main"+own+"()", "func main()", 1)
		if err != nil && try < 20 { // such as a constant that overflows
			continue
		}
		p, err := New(fmt.Sprintf("seed-%d-%d", seed, n), source, g.Rand)
		if err != nil {
			panic(fmt.Sprintf("the generator made a program that does not parse: %v\n%s", err, source))
		}
		return p
	}
}

type generator struct {
	*rand.Rand
	decls   strings.Builder
	structs []*typ
	named   []*typ // of other types
	funcs   []function
	scope   []variable
	serial  int
	depth   int // of nested statements
	inFunc  bool
}

type kind int

const (
	integer kind = iota
	float
	text
	boolean
	structure
	pointer
	slice
	array
	mapping
	closure // func(int) int
	empty   // any
	shaper  // the interface Shape
	failure // error
)

type typ struct {
	name      string
	kind      kind
	elem, key *typ
	fields    []variable
	length    int
	methods   string // "" or how the receiver of Area, Grow and Label is declared: "*" or "v"
}

type variable struct {
	name  string
	t     *typ
	fixed bool // not assigned to
}

type function struct {
	name   string
	params []*typ
	result *typ
}

var (
	ints   = []*typ{}
	tInt   = basic("int", integer)
	tFloat = basic("float64", float)
	tText  = basic("string", text)
	tBool  = basic("bool", boolean)
	tAny   = basic("any", empty)
	tError = basic("error", failure)
	tShape = basic("Shape", shaper)
	tFunc  = basic("func(int) int", closure)
)

func basic(name string, k kind) *typ { return &typ{name: name, kind: k} }

func init() {
	for _, name := range []string{"int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
		"rune", "byte", "uintptr"} {
		ints = append(ints, basic(name, integer))
	}
}

func sliceOf(t *typ) *typ   { return &typ{name: "[]" + t.name, kind: slice, elem: t} }
func pointerTo(t *typ) *typ { return &typ{name: "*" + t.name, kind: pointer, elem: t} }
func arrayOf(n int, t *typ) *typ {
	return &typ{name: fmt.Sprintf("[%d]%s", n, t.name), kind: array, elem: t, length: n}
}
func mapOf(k, t *typ) *typ {
	return &typ{name: "map[" + k.name + "]" + t.name, kind: mapping, key: k, elem: t}
}

func one[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

func (g *generator) pick(list ...string) string { return one(g, list) }

func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func (g *generator) fresh(base string) string {
	g.serial++
	return fmt.Sprint(base, g.serial)
}

func (g *generator) declare(format string, args ...any) {
	fmt.Fprintf(&g.decls, format+"\n\n", args...)
}

// program is the text of the file after its imports.
func (g *generator) program() string {
	g.declare("type Shape interface {\n\tArea() int\n\tLabel() string\n}")
	for range 1 + g.IntN(3) {
		g.structType()
	}
	for range g.IntN(3) {
		g.namedType()
	}
	g.generics()
	g.tangles()
	g.declare("func try(name string, f func()) {\n\tdefer func() {\n\t\tif x := recover(); x != nil {\n" +
		"\t\t\tfmt.Println(name, \"panics:\", x)\n\t\t}\n\t}()\n\tf()\n\tfmt.Println(name, \"ends\")\n}")
	for range 1 + g.IntN(3) {
		g.function()
	}
	var body []string
	for _, t := range append([]*typ{tInt, tInt, tText, tBool, tFloat, sliceOf(tInt), mapOf(tText, tInt), tAny, tShape},
		one(g, ints), one(g, g.structs), pointerTo(one(g, g.structs))) {
		body = append(body, g.define(t))
	}
	for range 8 + g.IntN(14) {
		body = append(body, g.statement())
	}
	for _, v := range g.scope {
		body = append(body, g.show(v))
	}
	return g.decls.String() + "func main() {\n" + strings.Join(body, "\n") + "\n}\n"
}

// anyType is a type for a variable, field or element.
func (g *generator) anyType(depth int) *typ {
	if depth > 0 && g.chance(2) {
		switch g.IntN(6) {
		case 0, 1:
			return sliceOf(g.anyType(depth - 1))
		case 2:
			return arrayOf(1+g.IntN(3), g.anyType(depth-1))
		case 3:
			return mapOf(g.keyType(), g.anyType(depth-1))
		case 4:
			if len(g.structs) > 0 {
				return pointerTo(one(g, g.structs))
			}
		case 5:
			return tFunc
		}
	}
	switch g.IntN(12) {
	case 0, 1:
		return one(g, ints)
	case 2, 3:
		if len(g.structs) > 0 {
			return one(g, g.structs)
		}
	case 4, 5:
		if len(g.named) > 0 {
			return one(g, g.named)
		}
	case 6:
		return tText
	case 7:
		return tFloat
	case 8:
		return one(g, []*typ{tBool, tAny, tError, tShape})
	}
	return tInt
}

func (g *generator) keyType() *typ {
	if g.chance(4) && len(g.named) > 0 {
		if t := one(g, g.named); t.kind == integer || t.kind == text {
			return t
		}
	}
	return one(g, []*typ{tText, tInt, one(g, ints), tBool, arrayOf(2, tInt), tText})
}

func (g *generator) structType() {
	t := &typ{name: g.fresh("T"), kind: structure, methods: g.pick("v", "*", "v", "*", "")}
	var b strings.Builder
	fmt.Fprintf(&b, "type %s struct {\n", t.name)
	for k := range 1 + g.IntN(4) {
		f := variable{name: fmt.Sprintf("%s%d", g.pick("A", "B", "c", "Item"), k), t: g.anyType(2)}
		t.fields = append(t.fields, f)
		tag := ""
		if g.chance(3) {
			tag = fmt.Sprintf(" `json:%q`", g.pick("x", "name", "", "-", "other")+
				g.pick("", ",omitempty", "", ",omitempty"))
		}
		fmt.Fprintf(&b, "\t%s %s%s\n", f.name, f.t.name, tag)
	}
	if len(g.structs) > 0 && g.chance(2) {
		e := one(g, g.structs)
		star := g.pick("", "*")
		fmt.Fprintf(&b, "\t%s%s\n", star, e.name)
		if star == "" {
			t.fields = append(t.fields, variable{name: e.name, t: e})
		}
	}
	if g.chance(3) {
		fmt.Fprintf(&b, "\tNext *%s\n", t.name)
	}
	g.declare("%s}", b.String())
	g.methods(t, "0")
	g.structs = append(g.structs, t)
}

func (g *generator) namedType() {
	under := one(g, []*typ{tInt, tInt, tText, tFloat, one(g, ints), sliceOf(tInt), mapOf(tText, tInt), tFunc})
	t := *under
	t.name, t.methods = g.fresh("N"), g.pick("v", "v", "")
	g.declare("type %s %s", t.name, under.name)
	if under == tInt && g.chance(2) {
		g.declare("const (\n\t%[1]sA %[1]s = iota + %[2]d\n\t%[1]sB\n\t_\n\t%[1]sC %[1]s = 1 << iota\n)",
			t.name, g.IntN(5))
	}
	g.methods(&t, "0")
	g.named = append(g.named, &t)
}

// methods declares the methods of the interface Shape, and some methods that native code looks for.
func (g *generator) methods(t *typ, zero string) {
	if t.methods == "" {
		return
	}
	recv := strings.Replace(t.methods, "v", "", 1) + t.name
	value := zero
	for _, f := range t.fields {
		if f.t.kind == integer {
			value = "int(t." + f.name + ")"
		}
	}
	switch t.kind {
	case integer, float:
		value = "int(t)"
	case text, slice, mapping:
		value = "len(t)"
	}
	g.declare("func (t %s) Area() int { return %s*%d + %d }", recv, value, g.IntN(4), g.IntN(9))
	g.declare("func (t %s) Label() string { return \"%s:\" + strconv.Itoa(t.Area()) }", recv, t.name)
	for _, f := range t.fields {
		if f.t.kind == integer {
			g.declare("func (t *%s) Grow(by int) *%s {\n\tt.%s += %s(by)\n\treturn t\n}", t.name, t.name,
				f.name, f.t.name)
			break
		}
	}
	switch g.IntN(8) {
	case 0:
		g.declare("func (t %s) String() string { return \"<\" + t.Label() + \">\" }", recv)
	case 1:
		g.declare("func (t %s) Error() string { return \"failed \" + t.Label() }", recv)
	case 2:
		g.declare("func (t %s) MarshalJSON() ([]byte, error) { return json.Marshal([]any{t.Label(), nil}) }", recv)
	case 3:
		g.declare("func (t %s) MarshalText() ([]byte, error) { return []byte(t.Label()), nil }", recv)
	case 4:
		g.declare("func (t %s) GoString() string { return \"%s!\" }", recv, t.name)
	case 5:
		g.declare("func (t %s) Format(s fmt.State, verb rune) { w, ok := s.Width(); fmt.Fprint(s, \"[\", "+
			"string(verb), w, ok, s.Flag('+'), \"]\") }", recv)
	}
}

func (g *generator) generics() {
	g.declare("type Number interface {\n\t~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | " +
		"~uint32 | ~uint64 | ~uintptr | ~float64\n}")
	g.declare("func Sum[T Number](xs ...T) (s T) {\n\tfor _, x := range xs {\n\t\ts += x\n\t}\n\treturn\n}")
	g.declare("func Map[T, U any](xs []T, f func(T) U) []U {\n\tvar out []U\n\tfor _, x := range xs {\n" +
		"\t\tout = append(out, f(x))\n\t}\n\treturn out\n}")
	g.declare("func Keys[M ~map[K]V, K cmp.Ordered, V any](m M) []K { return slices.Sorted(maps.Keys(m)) }")
	g.declare("type Pair[A, B any] struct {\n\tFirst A\n\tSecond B\n}")
	g.declare("func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{p.Second, p.First} }")
	g.declare("type Stack[T any] struct{ items []T }")
	g.declare("func (s *Stack[T]) Push(xs ...T) *Stack[T] {\n\ts.items = append(s.items, xs...)\n\treturn s\n}")
	g.declare("func (s *Stack[T]) All() iter.Seq2[int, T] {\n\treturn func(yield func(int, T) bool) {\n" +
		"\t\tfor k, x := range s.items {\n\t\t\tif !yield(k, x) {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}")
	g.declare("func Id[T any](x T) T { return x }")
	g.declare("func Choose[T any](c bool, a, b T) T {\n\tif c {\n\t\treturn a\n\t}\n\treturn b\n}")
}

// function declares a function whose calls can be seen.
func (g *generator) function() {
	f := function{name: g.fresh("f"), result: g.anyType(1)}
	var params []string
	outer := g.scope
	g.scope = nil
	for k := range g.IntN(4) {
		t := g.anyType(1)
		f.params = append(f.params, t)
		params = append(params, fmt.Sprintf("p%d %s", k, t.name))
		g.scope = append(g.scope, variable{name: fmt.Sprint("p", k), t: t})
	}
	g.scope = append(g.scope, variable{name: "r", t: f.result})
	g.inFunc = true
	var b strings.Builder
	if g.chance(2) {
		fmt.Fprintf(&b, "\tdefer func() {\n\t\tif x := recover(); x != nil {\n\t\t\tfmt.Println(\"%s recovers\", x)\n"+
			"\t\t\tr = %s\n\t\t}\n\t}()\n", f.name, g.expr(f.result, 1))
	}
	fmt.Fprintf(&b, "\tfmt.Println(%q)\n", f.name)
	for range g.IntN(5) {
		b.WriteString(g.statement() + "\n")
	}
	if g.chance(3) {
		fmt.Fprintf(&b, "\tdefer func(was %s) { fmt.Printf(\"%s ends %%v\\n\", was) }(%s)\n", tInt.name, f.name,
			g.expr(tInt, 1))
	}
	if g.chance(2) {
		fmt.Fprintf(&b, "\tr = %s\n\treturn\n", g.expr(f.result, 2))
	} else {
		fmt.Fprintf(&b, "\treturn %s\n", g.expr(f.result, 2))
	}
	g.scope, g.inFunc = outer, false
	g.declare("func %s(%s) (r %s) {\n%s}", f.name, strings.Join(params, ", "), f.result.name, b.String())
	g.funcs = append(g.funcs, f)
}
