package cuda

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nacre/core"
	"nacre/core/op"
)

// kernelText is the generated kernel of a region. Its arguments are pointers to the values in args, in that order, then,
// where a sum is shared by several blocks, to their partial sums and to a counter per group of results.
type kernelText struct {
	layout
	body          string // with @ for the name
	args          []int
	reads, writes []int
	partial       int // floats of partial sums
	counters      int
}

// generator writes one kernel.
type generator struct {
	pl     *plan
	r      *region
	l      layout
	out    strings.Builder
	indent int
	names  int
	known  []map[string]string // by open brace: what is computed already
	roots  map[int]bool        // stored by this kernel
	sums   map[int]string      // finished sums, while results are written
	at     [2]string           // of the result being written
	args   []int
	reads  map[int]bool
	writes []int
	err    error
}

// generate writes the kernel of a region; the error says why one kernel cannot compute it.
func (pl *plan) generate(r *region) (*kernelText, error) {
	g := &generator{pl: pl, r: r, l: r.layout(), roots: map[int]bool{}, reads: map[int]bool{}}
	for _, v := range slices.Concat(r.sums, r.along, r.after) {
		g.roots[v] = true
	}
	g.open("KERNEL(@) {")
	if r.reduce == nil {
		g.elements()
	} else {
		g.reduction()
	}
	g.close("}")
	if g.err != nil {
		return nil, g.err
	}
	k := &kernelText{layout: g.l, args: g.args, writes: g.writes}
	for _, v := range g.args {
		if g.reads[v] {
			k.reads = append(k.reads, v)
		}
	}
	var head strings.Builder
	head.WriteString("struct @_args {")
	for i, v := range g.args {
		fmt.Fprintf(&head, " %sfloat *p%d;", map[bool]string{true: "const "}[g.reads[v]], i)
	}
	if g.l.slices > 1 {
		head.WriteString(" float *partial; int *count;")
		k.partial, k.counters = len(r.sums)*g.l.slices*r.rows*r.cols, g.l.blocks/g.l.slices
	}
	head.WriteString(" };\n")
	k.body = head.String() + g.out.String()
	return k, nil
}

// maxLines is where a kernel becomes too long to be worth it.
const maxLines = 500

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("  ", g.indent))
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
}

func (g *generator) open(format string, args ...any) {
	g.line(format, args...)
	g.indent++
	g.known = append(g.known, map[string]string{})
}

func (g *generator) close(text string) {
	g.indent--
	g.known = g.known[:len(g.known)-1]
	g.line("%s", text)
}

func (g *generator) fail(format string, args ...any) string {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
	return "0"
}

// elements writes a kernel without sums: a lane per element, or per few elements.
func (g *generator) elements() {
	g.open("PHASE")
	if g.l.perLane > 1 {
		g.open("for (int u = 0; u < %d; u++) {", g.l.perLane)
		g.line("const int e = BLOCK_ID * %d + u * BLOCK + lane;", blockSize*g.l.perLane)
	} else {
		g.line("const int e = BLOCK_ID * BLOCK + lane;")
	}
	g.open("if (e < %d) {", g.r.rows*g.r.cols)
	g.at = g.split("e", g.r.rows, g.r.cols)
	for _, v := range g.r.after {
		g.store(v, g.at)
	}
	g.close("}")
	if g.l.perLane > 1 {
		g.close("}")
	}
	g.close("END_PHASE")
}

// split makes row and column of a running number.
func (g *generator) split(e string, rows, cols int) [2]string {
	switch {
	case cols == 1:
		return [2]string{e, "0"}
	case rows == 1:
		return [2]string{"0", e}
	}
	return [2]string{g.integer(fmt.Sprintf("%s / %d", e, cols)), g.integer(fmt.Sprintf("%s %% %d", e, cols))}
}

// store computes element at of v and writes it to memory.
func (g *generator) store(v int, at [2]string) {
	x := g.value(v, at)
	g.line("ARG(%s)[%s] = %s;", g.pointer(v), g.address(v, at), x)
	g.writes = append(g.writes, v)
}

// pointer is the argument for value v.
func (g *generator) pointer(v int) string {
	i := slices.Index(g.args, v)
	if i < 0 {
		i = len(g.args)
		g.args = append(g.args, v)
	}
	return fmt.Sprintf("p%d", i)
}

// address is where element at of v lies.
func (g *generator) address(v int, at [2]string) string {
	pitch := pitchOf(g.pl.p.Values[v].Cols)
	switch {
	case at[0] == "0":
		return at[1]
	case pitch == 1:
		return at[0]
	case at[1] == "0":
		return g.integer(fmt.Sprintf("%s * %d", at[0], pitch))
	}
	return g.integer(fmt.Sprintf("%s * %d + %s", at[0], pitch, at[1]))
}

// pitchOf is the distance between the rows of a matrix: a multiple of 16 bytes, so that products may read four numbers at a
// time, but for columns.
func pitchOf(cols int) int {
	if cols == 1 {
		return 1
	}
	return (cols + 3) / 4 * 4
}

// integer names the value of an expression over integers.
func (g *generator) integer(e string) string { return g.named("const int", "i", e) }

// number names the value of an expression over floats.
func (g *generator) number(format string, args ...any) string {
	return g.named("const float", "t", fmt.Sprintf(format, args...))
}

func (g *generator) named(kind, letter, e string) string {
	for _, m := range g.known {
		if name, ok := m[e]; ok {
			return name
		}
	}
	name := fmt.Sprintf("%s%d", letter, g.names)
	if g.names++; g.names > maxLines {
		return g.fail("it is too long for one kernel")
	}
	g.line("%s %s = %s;", kind, name, e)
	g.known[len(g.known)-1][e] = name
	return name
}

// value computes element at of v: read from memory, or worked out from its operands.
func (g *generator) value(v int, at [2]string) string {
	if g.err != nil {
		return "0"
	}
	x := g.pl.p.Values[v]
	if x.Rows == 1 {
		at[0] = "0"
	}
	if x.Cols == 1 {
		at[1] = "0"
	}
	if x.Kind == core.Const {
		return literal(x.Fill)
	}
	key := fmt.Sprintf("%%%d[%s,%s]", v, at[0], at[1])
	for _, m := range g.known {
		if name, ok := m[key]; ok {
			return name
		}
	}
	name := g.compute(v, at)
	g.known[len(g.known)-1][key] = name
	return name
}

func (g *generator) compute(v int, at [2]string) string {
	if slices.Contains(g.r.sums, v) {
		if name, ok := g.sums[v]; ok && g.isHere(v, at) {
			return name
		}
		return g.fail("a sum is read where it is not finished")
	}
	if g.pl.stored[v] && !g.roots[v] {
		g.reads[v] = true
		return g.number("ARG(%s)[%s]", g.pointer(v), g.address(v, at))
	}
	in := g.pl.instrs[g.pl.def[v]]
	arg := func(i int) string { return g.value(in.In[i], at) }
	switch o := in.Op.(type) {
	case op.Unary:
		return g.number("k_%s(%s)", strings.ToLower(o.F.String()), arg(0))
	case op.Affine:
		return g.affine(o, arg(0))
	case op.Clamp:
		return g.number("k_min(k_max(%s, %s), %s)", arg(0), literal(o.Lo), literal(o.Hi))
	case op.ClampGrad:
		a, b := arg(0), arg(1)
		return g.number("%s >= %s && %s <= %s ? %s : 0.0f", a, literal(o.Lo), a, literal(o.Hi), b)
	case op.ActGrad:
		y, d := arg(0), arg(1)
		return g.number("%s * k_slope(%d, %s)", d, int(o.Act), y)
	case op.Binary:
		return g.binary(o.F, arg(0), arg(1))
	case op.Like:
		return arg(1)
	case op.StopGrad:
		return arg(0)
	case op.RepeatRows:
		return g.value(in.In[0], [2]string{g.over(at[0], o.K), at[1]})
	case op.SliceCols:
		return g.value(in.In[0], [2]string{at[0], g.plus(at[1], o.Lo)})
	case op.PadCols:
		return g.concat([]int{-1, in.In[0], -1}, []int{o.Lo, o.Lo + g.pl.p.Values[in.In[0]].Cols, o.Total}, at)
	case op.ConcatCols:
		var ends []int
		end := 0
		for _, x := range in.In {
			end += g.pl.p.Values[x].Cols
			ends = append(ends, end)
		}
		return g.concat(in.In, ends, at)
	case op.MatMul: // of one term
		a, b := [2]string{at[0], "0"}, [2]string{"0", at[1]}
		if o.TA {
			a = [2]string{"0", at[0]}
		}
		if o.TB {
			b = [2]string{at[1], "0"}
		}
		return g.number("%s * %s", g.value(in.In[0], a), g.value(in.In[1], b))
	}
	return g.fail("%v is not computed element by element", in.Op)
}

// isHere reports whether element at of v is the result being written.
func (g *generator) isHere(v int, at [2]string) bool {
	x := g.pl.p.Values[v]
	return (x.Rows == 1 || at[0] == g.at[0]) && (x.Cols == 1 || at[1] == g.at[1])
}

func (g *generator) affine(o op.Affine, x string) string {
	switch {
	case o.B == 0:
		return g.number("%s * %s", literal(o.A), x)
	case o.A == 1:
		return g.number("%s + %s", x, literal(o.B))
	}
	return g.number("FMA(%s, %s, %s)", literal(o.A), x, literal(o.B))
}

func (g *generator) binary(f op.BinaryFunc, a, b string) string {
	switch f {
	case op.Add, op.Sub, op.Mul, op.Div:
		return g.number("%s %c %s", a, "+-*/"[f], b)
	}
	return g.number("k_%s(%s, %s)", strings.ToLower(f.String()), a, b)
}

func (g *generator) over(i string, k int) string {
	if i == "0" {
		return i
	}
	return g.integer(fmt.Sprintf("%s / %d", i, k))
}

func (g *generator) plus(j string, n int) string {
	switch n {
	case 0:
		return j
	}
	if k, err := strconv.Atoi(j); err == nil {
		return strconv.Itoa(k + n)
	}
	return g.integer(fmt.Sprintf("%s + %d", j, n))
}

// concat picks the operand of column at[1]: operand i up to column ends[i]. Operand -1 is zero.
func (g *generator) concat(in, ends []int, at [2]string) string {
	lo := 0
	if j, err := strconv.Atoi(at[1]); err == nil {
		for i, end := range ends {
			if j < end {
				if in[i] < 0 {
					return "0.0f"
				}
				return g.value(in[i], [2]string{at[0], strconv.Itoa(j - lo)})
			}
			lo = end
		}
	}
	name := fmt.Sprintf("t%d", g.names)
	g.names++
	g.line("float %s = 0.0f;", name)
	for i, end := range ends {
		if in[i] >= 0 {
			g.open("if (%s >= %d && %s < %d) {", at[1], lo, at[1], end)
			g.line("%s = %s;", name, g.value(in[i], [2]string{at[0], g.plus(at[1], -lo)}))
			g.close("}")
		}
		lo = end
	}
	return name
}

// literal writes a number as a float constant.
func literal(x float64) string {
	f := float32(x)
	switch {
	case math.IsInf(float64(f), 1):
		return "INFINITY_"
	case math.IsInf(float64(f), -1):
		return "-INFINITY_"
	case f != f:
		return "NAN_"
	}
	s := strconv.FormatFloat(float64(f), 'g', -1, 32)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + "f"
}
