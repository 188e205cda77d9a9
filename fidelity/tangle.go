package fidelity

import "strings"

// tangle is statements in which calls change what stands before and after them. The language leaves open when a
// variable is read among calls; cells are to read it when compiled programs do.
func (g *generator) tangle() string {
	names := map[string]string{}
	for _, k := range []string{"n", "u", "s", "w", "m", "p", "q", "e", "inc", "grow", "text", "put", "move", "turn"} {
		names["«"+k+"»"] = g.fresh(k)
	}
	var pairs []string
	for k, v := range names {
		pairs = append(pairs, k, v)
	}
	fill := strings.NewReplacer(pairs...).Replace
	calls := map[string][]string{
		"int":    {"«inc»()", "«grow»(1)", "«put»(2)", "«move»()", "«grow»(«n»)", "«q».Get()"},
		"bool":   {"«inc»() > 3", "«turn»()"},
		"string": {"«text»(\"y\")", "«text»(«w»[:1])"},
	}
	reads := map[string][]string{
		"int": {"«n»", "«n» + 1", "-«n»", "«s»[0]", "«s»[len(«s»)-1]", "len(«s»)", "«m»[1]", "len(«m»)", "«p».A",
			"«p».A * 2", "«q».A", "min(«n», 4)", "int(«u»)", "«e».(int)", "len(«w»)", "*&«n»", "«s»[1:][0]"},
		"bool": {"«n» > 2", "!(«n» > 2)", "«p» == *«q»", "«e» == any(«n»)", "«w» < \"xy\"", "«n» > 1 && «p».A > 1",
			"«m»[3] == 0"},
		"string": {"«w»", "«w» + \"!\"", "«w»[1:]", "string(«w»[0])"},
	}
	values := append(append(append([]string{}, reads["int"]...), reads["bool"]...), append(reads["string"],
		"«u»", "«u» + 1", "^«u»", "«p»", "*«q»", "«s»", "«s»[1:]", "«w»[0]", "[]byte(«w»)", "«e»", "float64(«n»)",
		"[2]int{«n», «p».A}", "[]int{«n»}",
		"Tangled{«n», 1}", "map[int]bool{«n»: «n» > 2}", "complex(float64(«n»), 1)", "uint8(«n»)",
		"(&struct{ X int }{«n»}).X == «n»", "fmt.Sprint(«n»)")...)
	of := func(kind string) string {
		if g.chance(2) {
			return g.pick(calls[kind]...)
		}
		return g.pick(reads[kind]...)
	}
	some := func(n int, one func() string) string {
		list := make([]string, n)
		for k := range list {
			list[k] = one()
		}
		return strings.Join(list, ", ")
	}
	anything := func() string {
		if g.chance(3) {
			return of(g.pick("int", "bool", "string"))
		}
		return g.pick(values...)
	}
	number := func() string { return of("int") }
	list := []string{`«n», «u», «s», «w», «m» := 1, uint8(250), []int{5, 6}, "xx", map[int]int{1: 1}`,
		`«p», «q», «e» := Tangled{1, 2}, &Tangled{1, 2}, any(1)`,
		`«inc» := func() int { «n»++; «u» += 2; «e» = «n»; return «n» }`,
		`«grow» := func(x int) int { «s» = append([]int{x}, «s»...); return len(«s») }`,
		`«text» := func(x string) string { «w» += x; return «w» }`,
		`«put» := func(x int) int { «m»[x] += «n»; «m»[1]++; return len(«m») }`,
		`«move» := func() int { «p».A++; «q» = &Tangled{«q».A + 1, «p».B}; return «p».A }`,
		`«turn» := func() bool { «n», «p».B = «p».B, «n»; return «n» > «p».B }`,
		`_, _, _, _, _, _, _ = «e», «inc», «grow», «text», «put», «move», «turn»`,
	}
	for range 4 + g.IntN(5) {
		switch g.IntN(10) {
		case 0, 1, 2:
			list = append(list, "fmt.Println("+some(2+g.IntN(5), anything)+")")
		case 3:
			list = append(list, "fmt.Println([]int{"+some(2+g.IntN(3), number)+"}, [...]any{"+some(2, anything)+"})")
		case 4:
			list = append(list, "fmt.Println(map[string]int{\"a\": "+number()+", \"b\": "+number()+"}, Tangled{"+
				number()+", "+number()+"})")
		case 5:
			list = append(list, "Tangles("+number()+", "+of("bool")+", "+anything()+", "+of("string")+")")
		case 6:
			list = append(list, "fmt.Println(func() (int, any, bool) { return "+number()+", "+anything()+", "+
				of("bool")+" }())")
		case 7:
			list = append(list, "«n», «p».A = "+number()+", "+number(), "fmt.Println(«n», «p»)")
		case 8:
			list = append(list, "«s»["+g.pick("0", "1", "«inc»()*0")+"] = "+number(), "«n» = "+number()+
				g.pick(" + ", " - ")+number(), "fmt.Println(«s», «n»)")
		case 9:
			list = append(list, "if x, y := "+number()+", "+of("bool")+"; y == ("+of("bool")+") {\nfmt.Println(x, "+
				anything()+")\n}")
		}
	}
	text := fill(strings.Join(list, "\n"))
	if g.chance(2) || g.depth > 0 {
		return "func() {\n" + text + "\n}()"
	}
	return text
}

// tangles declares the names that they use.
func (g *generator) tangles() {
	g.declare("type Tangled struct{ A, B int }")
	g.declare("func (t *Tangled) Get() int { t.A++; return t.A }")
	g.declare("func Tangles(n int, b bool, x any, s string) { fmt.Println(n, b, x, s) }")
}
