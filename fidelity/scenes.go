package fidelity

import (
	"fmt"
	"strings"
)

// scene is a few statements that use a part of the language or of the library together.
func (g *generator) scene() string {
	s := one(g, g.structs)
	a, b, c := g.fresh("a"), g.fresh("b"), g.fresh("c")
	x, y := g.expr(tInt, 1), g.expr(tInt, 1)
	t := g.anyPrintable()
	number := ""
	for _, f := range s.fields {
		if f.t.kind == integer {
			number = f.name
		}
	}
	field := func(v string) string {
		if number == "" {
			return fmt.Sprint("len(fmt.Sprint(", x, "))")
		}
		return v + "." + number
	}
	list := []string{
		// slices share the array from which they are cut
		`«a» := []int{1, 2, 3, 4, 5}
«b» := «a»[1:3]
«b» = append(«b», «x»)
«c» := «a»[1:2:2]
«c» = append(«c», «y»)
«b»[0] = 9
fmt.Println(«a», «b», «c», len(«b»), cap(«b»), copy(«a», «a»[2:]), «a»)`,
		`«a» := make([]«t», 2)
«a»[1] = «v»
«b» := «a»
«b» = append(«b», «v»)
«b»[0] = «v»
fmt.Printf("%v %v\n", «a», «b»)`,
		// structs and arrays are copied
		`«a» := «s»
«b» := «a»
«c» := &«b»
fmt.Printf("%T %T\n", «a», *«c»)
fmt.Printf("%+v\n", «a»)`,
		`«a» := [3]int{«x», 2, «y»}
«b» := «a»
«b»[0]++
«c» := &«a»
«c»[2] *= 2
for k, x := range «c» {
«b»[k] += x
}
fmt.Println(«a», «b», «a» == «b», len(«c»))`,
		`«a» := []struct{ N int; S string }{{«x», "x"}, {N: 2}}
for _, e := range «a» {
e.N = 100
}
for k := range «a» {
«a»[k].N++
}
fmt.Printf("%v %+v\n", «a», «a»[0])`,
		// maps
		`«a» := map[string][]int{}
for k, w := range strings.Fields("the cat the dog a cat") {
«a»[w] = append(«a»[w], k)
}
fmt.Println(«a», len(«a»))
delete(«a», "the")
«b», ok := «a»["the"]
fmt.Println(«b» == nil, ok, Keys(«a»))`,
		`«a» := map[[2]int]*int{}
«b» := «x»
«a»[[2]int{1, «y»}] = &«b»
*«a»[[2]int{1, «y»}]++
fmt.Println(«b», len(«a»))
clear(«a»)
fmt.Println(«a»)`,
		`«a» := map[any]string{1: "int", "1": "string", 1.0: "float", nil: "nil", [1]int{1}: "array", true: "bool"}
fmt.Println(«a»[1], «a»["1"], «a»[1.0], «a»[nil], «a»[[1]int{1}], «a»[«x» > 0], «a»[int8(1)] == "", len(«a»))`,
		`«a» := map[string]any{"n": nil, "x": «x», "l": []any{nil, 1.5, "s"}}
«b», ok := «a»["n"]
fmt.Println(«b» == nil, ok, «a», len(«a»))`,
		`«a» := map[string]map[string]int{}
for _, w := range []string{"a.b", "a.c", "d.b"} {
l, r, _ := strings.Cut(w, ".")
if «a»[l] == nil {
«a»[l] = map[string]int{}
}
«a»[l][r] += «x»
}
fmt.Println(«a»)`,
		// closures
		`«a» := func() func() int { n := «x»; return func() int { n++; return n } }()
fmt.Println(«a»(), «a»(), «a»())`,
		`var «a» func(int) int
«a» = func(n int) int { if n < 2 { return n }; return «a»(n-1) + «a»(n-2) }
fmt.Println(«a»(10))`,
		`«a» := []func(){}
for i, j := 0, 10; i < j; i, j = i+3, j-1 {
«a» = append(«a», func() { fmt.Print(i, " ", j, "; ") })
}
for _, f := range «a» {
f()
}
fmt.Println()`,
		`«a», «b» := 1, []int{2, 3}
func() {
«a», «b» = «b»[1], append(«b», «a»)
}()
fmt.Println(«a», «b»)`,
		// defer
		`func() {
for «a» := range 3 {
defer fmt.Print(«a», " ")
defer func() { fmt.Print(«a»*10, " ") }()
}
}()
fmt.Println()`,
		`«a» := func() (n int, err error) {
defer func() { if x := recover(); x != nil { err = fmt.Errorf("got %v after %d", x, n) } }()
n = «x»
var p *struct{ N int }
n += p.N
return 1, nil
}
fmt.Println(«a»())`,
		`«a» := func() (s string) {
defer func() { s += "!" }()
defer func() { recover(); s += "r" }()
return strings.Repeat("x", «x»)
}
fmt.Println(«a»())`,
		// generic types and functions
		`«a» := Map([]int{«x», 2, 3}, func(x int) «t» { return «v» })
fmt.Printf("%v %T\n", «a», «a»)`,
		`«a» := Pair[«t», int]{«v», «x»}
fmt.Printf("%v %+v %T\n", «a», «a».Swap(), «a».Swap())`,
		`«a» := new(Stack[«t»]).Push(«v», «v»)
for k, x := range «a».All() {
if k > 0 { break }
fmt.Printf("%d %v\n", k, x)
}
fmt.Printf("%T %d\n", «a», len(«a».items))`,
		`«a» := map[string]Pair[int, []string]{"z": {«x», nil}, "a": {1, []string{"q"}}}
for _, k := range Keys(«a») {
fmt.Print(k, «a»[k], " ")
}
fmt.Println(Sum(1.5, 2), Sum[int8](100, 100))`,
		// goroutines; printed values are computed before them, because the order of their output is not defined
		`«a», «b» := make([]int, 5), «x»
var wg«a» sync.WaitGroup
for k := range «a» {
wg«a».Add(1)
go func() {
defer wg«a».Done()
«a»[k] = k * «b»
}()
}
wg«a».Wait()
fmt.Println(«a»)`,
		`«a» := make(chan int, 3)
«b» := make(chan string)
go func() {
defer close(«b»)
for x := range «a» {
«b» <- fmt.Sprint(x * 2)
}
}()
for k := range 3 {
«a» <- k + «x»
}
close(«a»)
for s := range «b» {
fmt.Print(s, " ")
}
x, ok := <-«a»
fmt.Println(x, ok)`,
		`«a», «b» := []chan int{make(chan int), make(chan int), make(chan int)}, «x»
for k, c := range «a» {
go func() { c <- k * «b» }()
}
for _, c := range «a» {
fmt.Println(<-c)
}`,
		`var «a» atomic.Int64
var «b» sync.Mutex
«c» := map[int]int{}
var wg«a» sync.WaitGroup
for k := range 8 {
wg«a».Add(1)
go func(n int) {
defer wg«a».Done()
«a».Add(int64(n))
«b».Lock()
defer «b».Unlock()
«c»[n%3]++
}(k)
}
wg«a».Wait()
fmt.Println(«a».Load(), «c»)`,
		`«a», «b» := make(chan int, 1), make(chan int, 1)
«a» <- «x»
for range 3 {
select {
case x := <-«a»:
fmt.Println("a", x)
«b» <- x + 1
case x, ok := <-«b»:
fmt.Println("b", x, ok)
default:
fmt.Println("none")
}
}`,
		`«a», cancel«a» := context.WithCancel(context.Background())
«b» := make(chan int)
go func() {
defer close(«b»)
for k := 0; ; k++ {
select {
case «b» <- k:
case <-«a».Done():
return
}
}
}()
for x := range «b» {
if x > 2 {
cancel«a»()
break
}
}
fmt.Println(«a».Err())`,
		`«a» := sync.OnceValue(func() int { fmt.Println("once"); return «x» })
fmt.Println(«a»(), «a»())`,
		// errors
		`«a» := fmt.Errorf("outer: %w", fmt.Errorf("inner %d: %w", «x», io.EOF))
fmt.Println(«a», errors.Is(«a», io.EOF), errors.Unwrap(«a»), errors.Unwrap(errors.Unwrap(«a»)) == io.EOF)
«b» := errors.Join(«a», errors.New("other"))
fmt.Printf("%v|%q\n", «b», «b».Error())
_, «c» := strconv.Atoi("x" + fmt.Sprint(«x»))
var num«a» *strconv.NumError
fmt.Println(«c», errors.As(«c», &num«a»), num«a».Func, errors.Is(«c», strconv.ErrSyntax))`,
		// encoding
		`«a», err := json.Marshal(«s»)
fmt.Println(string(«a»), err)
var «b» «S»
err = json.Unmarshal([]byte(strings.ReplaceAll(string(«a»), "e", "f")), &«b»)
fmt.Println(err != nil, «f»)`,
		"var «a» any\nerr := json.Unmarshal([]byte(`{\"a\": [1, 2.5, \"x\", null, true], \"b\": {\"c\": 7}}`), " +
			"&«a»)\nfmt.Println(«a», err)\n«b», _ := json.MarshalIndent(«a», \"\", \" \")\nfmt.Println(string(«b»))",
		"var «a» struct { N int `json:\"n\"`; L []string; M map[string]«t»; P *int; I any }\n" +
			"err := json.Unmarshal([]byte(`{\"n\": 7, \"l\": [\"a\"], \"P\": 3, \"I\": {\"z\": [1]}, \"unknown\": " +
			"1}`), &«a»)\nfmt.Println(«a».N, «a».L, «a».M == nil, *«a».P, «a».I, err)\n" +
			"fmt.Println(json.Unmarshal([]byte(`{\"n\": \"x\"}`), &«a»), json.Unmarshal([]byte(`{\"n\": 1`), &«a»))",
		// packages that take functions
		`«a» := []int{5, «x», 3, «y», 1}
sort.Slice(«a», func(i, j int) bool { return «a»[i] > «a»[j] })
fmt.Println(«a»)
slices.SortStableFunc(«a», func(a, b int) int { return cmp.Compare(a&3, b&3) })
fmt.Println(«a», slices.Max(«a»), slices.Contains(«a», 3), slices.Index(«a», 5))`,
		`«a» := []Pair[string, int]{{"b", «x»}, {"a", 2}, {"b", 1}}
slices.SortFunc(«a», func(p, q Pair[string, int]) int { return cmp.Or(strings.Compare(p.First, q.First), cmp.Compare(p.Second, q.Second)) })
fmt.Println(«a»)
«b» := slices.Collect(maps.Values(map[string]int{"only": «y»}))
fmt.Println(«b», slices.IndexFunc(«a», func(p Pair[string, int]) bool { return p.First == "b" }))`,
		`«a» := strings.FieldsFunc(«w»+",b;c", func(r rune) bool { return r == ',' || r == ';' })
fmt.Printf("%q %d\n", «a», len(«a»))
fmt.Println(strings.Map(func(r rune) rune { if unicode.IsUpper(r) { return -1 }; return unicode.ToUpper(r) }, «w»))`,
		`var «a» strings.Builder
for k := range 3 {
fmt.Fprintf(&«a», "%d:%v ", k, «v»)
}
«a».WriteByte('!')
fmt.Println(«a».String(), «a».Len())`,
		`«a» := «w»
for k, r := range «a» {
fmt.Print(k, ":", string(r), "/", r, " ")
}
fmt.Println(len(«a»), utf8.RuneCountInString(«a»), []byte(«a»), []rune(«a»))`,
		`fmt.Println(time.Duration(«x»)*time.Millisecond, time.Duration(1500+«y»)*time.Second, (90 * time.Minute).Hours(), time.Date(2024, 2, 28, 23, 0, 0, 0, time.UTC).Add(25*time.Hour).Format(time.RFC3339))`,
		`fmt.Println(strconv.Quote(«w»), strconv.Itoa(«x»), strconv.FormatInt(int64(«y»), 2), strings.Split("a,b,c", ","), strings.Repeat("ab", 3), strings.NewReplacer("a", "1").Replace("banana"))`,
		`fmt.Println(math.Sqrt(2), math.Inf(1), math.MaxInt64, math.Pi, -math.MaxFloat64, math.NaN(), bits.OnesCount(uint(«x»)), uint8(«x»), int8(«y»), uint32(«x»)<<20)`,
		// methods
		`«a» := «p»
if «a» != nil {
fmt.Println(«a».Area(), «a».Label())
«b» := «a».Label
fmt.Println(«b»())
}
fmt.Printf("%T\n", «a»)`,
		`«a» := []Shape{«p», «p»}
sort.SliceStable(«a», func(i, j int) bool { return «a»[i] != nil && («a»[j] == nil || «a»[i].Area() < «a»[j].Area()) })
for _, s := range «a» {
if s == nil { continue }
_, isStringer := s.(fmt.Stringer)
_, isError := s.(error)
fmt.Printf("%v %s %t %t\n", s, s.Label(), isStringer, isError)
}`,
		`«a» := struct {
Shape
N int
}{«p», «x»}
if «a».Shape != nil {
fmt.Println(«a».Area(), «a».N)
}`,
		`type local«a» struct{ N, M int }
«a» := local«a»{«x», 2}
«b» := &«a»
«b».N, «b».M = «b».M, «b».N
fmt.Printf("%v %+v %T\n", «a», *«b», «b»)`,
		// types of one name in several bodies
		`func() {
type row struct{ Name string; N int }
rows := []row{{«w», «x»}, {"b", 2}}
var «a» any = rows[1]
«b», isRow := «a».(row)
fmt.Printf("%+v %v %t %T\n", append(rows[:1], «b»), «b», isRow, «a»)
}()`,
		`for k := range 2 {
type row []any
«a» := row{k, «x», "c"}
fmt.Printf("%v %d %T\n", append(row{}, «a»[1:]...), len(«a»), «a»)
}`,
		// jumps
		`«a» := 0
outer«a»:
for k := range 4 {
for j := range 4 {
switch {
case j == 2:
continue outer«a»
case k == 3:
break outer«a»
}
«a» += k*10 + j
}
}
fmt.Println(«a»)`,
		`«a» := list.New()
for k := range 4 {
«a».PushFront(k * «x»)
}
for e := «a».Front(); e != nil; e = e.Next() {
fmt.Print(e.Value, " ")
}
fmt.Println(«a».Len())`,
	}
	text := one(g, list)
	for strings.Contains(text, "«v»") {
		text = strings.Replace(text, "«v»", g.typed(t, 1), 1)
	}
	for _, p := range []string{"«p»", "«p»"} {
		text = strings.Replace(text, p, g.literal(tShape, 1), 1)
	}
	text = strings.NewReplacer("«s»", g.literal(s, 1), "«S»", s.name, "«f»", field(b), "«t»", t.name, "«w»",
		g.typed(tText, 1)).Replace(text)
	return "{\n" + strings.NewReplacer("«a»", a, "«b»", b, "«c»", c, "«x»", x, "«y»", y).Replace(text) + "\n}"
}
