package cuda

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"nacre/core/gpu"
	"nacre/core/op"
)

// printer writes the description of a kernel in the kernel language of prelude.h, with @ for the kernel's name. The
// kernel's arguments are pointers to the values in Args, in that order, then, where blocks share a sum, to their partial
// sums and to a counter per group of results.
type printer struct {
	k      *gpu.Kernel
	out    strings.Builder
	indent int
}

// kernelText is the text of a kernel; see printer.
func kernelText(k *gpu.Kernel) string {
	p := &printer{k: k}
	var head strings.Builder
	head.WriteString("struct @_args {")
	for i, a := range k.Args {
		fmt.Fprintf(&head, " %sfloat *p%d;", map[bool]string{false: "const "}[a.Written], i)
	}
	if k.Slices > 1 {
		head.WriteString(" float *partial; int *count;")
	}
	head.WriteString(" };\n")
	p.open("KERNEL(@) {")
	if k.Sums == 0 {
		p.elements()
	} else {
		p.sums()
	}
	p.close("}")
	return head.String() + p.out.String()
}

func (p *printer) line(format string, args ...any) {
	p.out.WriteString(strings.Repeat("  ", p.indent))
	fmt.Fprintf(&p.out, format, args...)
	p.out.WriteByte('\n')
}

func (p *printer) open(format string, args ...any) {
	p.line(format, args...)
	p.indent++
}

func (p *printer) close(text string) {
	p.indent--
	p.line("%s", text)
}

// elements writes a kernel without sums: a lane per element, or per few elements.
func (p *printer) elements() {
	p.open("PHASE")
	if p.k.PerLane > 1 {
		p.open("for (int u = 0; u < %d; u++) {", p.k.PerLane)
		p.line("const int e = BLOCK_ID * %d + u * BLOCK + lane;", gpu.BlockSize*p.k.PerLane)
	} else {
		p.line("const int e = BLOCK_ID * BLOCK + lane;")
	}
	p.open("if (e < %d) {", p.k.Count)
	p.statements(p.k.Results)
	p.close("}")
	if p.k.PerLane > 1 {
		p.close("}")
	}
	p.close("END_PHASE")
}

// sums writes a kernel with sums: terms to lanes, lanes to one sum by a tree, blocks' partial sums likewise by the block
// that is done last.
func (p *printer) sums() {
	k := p.k
	for q := range k.Sums {
		p.line("SHARED(float, s%d, BLOCK);", q)
		if k.Log {
			p.line("SHARED(float, top%d, BLOCK);", q)
		}
	}
	p.line("const int group = BLOCK_ID / %d, slice = BLOCK_ID %% %d;", k.Slices, k.Slices)
	p.open("PHASE")
	if k.InRow {
		p.line("const int own = lane / %d, part = lane %% %d, o = group * %d + own;", k.Lanes, k.Lanes, k.Across)
	} else {
		p.line("const int own = lane %% %d, part = lane / %d, o = group * %d + own;", k.Across, k.Across, k.Across)
	}
	for q := range k.Sums {
		if k.Log {
			p.line("float a%d = 0.0f, m%d = -INFINITY_;", q, q)
		} else {
			p.line("float a%d = 0.0f;", q)
		}
	}
	p.open("if (o < %d) {", k.Count)
	p.statements(k.Head)
	for _, l := range k.Loops {
		p.open("for (int r = slice * %d + part; r < %d; r += %d) {", k.Lanes, l.Terms, k.Lanes*k.Slices)
		p.statements(l.Body)
		p.close("}")
	}
	p.close("}")
	for q := range k.Sums {
		p.line("s%d[part * %d + own] = a%d;", q, k.Across, q)
		if k.Log {
			p.line("top%d[part * %d + own] = m%d;", q, k.Across, q)
		}
	}
	p.close("END_PHASE")
	p.tree()
	if k.Slices == 1 {
		p.results()
		return
	}
	p.handOver()
}

// handOver lets the last block add the blocks' sums. Which one is last changes nothing: it adds them in the order of slices.
func (p *printer) handOver() {
	k, n := p.k, p.k.Count
	p.line("SHARED(int, last, 1);")
	p.open("PHASE")
	p.line("const int o = group * %d + lane;", k.Across)
	p.open("if (lane < %d && o < %d) {", k.Across, n)
	for q := range k.Sums {
		p.line("ARG(partial)[%d + slice * %d + o] = s%d[lane];", q*k.Slices*n, n, q)
	}
	p.line("FENCE;")
	p.close("}")
	p.close("END_PHASE")
	p.open("PHASE")
	p.line("if (lane == 0) { last[0] = NEXT(ARG(count) + group) == %d; FENCE; }", k.Slices-1)
	p.close("END_PHASE")
	p.open("if (last[0]) {")
	p.open("PHASE")
	p.line("const int part = lane / %d, o = group * %d + lane %% %d;", k.Across, k.Across, k.Across)
	for q := range k.Sums {
		p.line("float a%d = 0.0f;", q)
		p.line("if (o < %d) for (int s = part; s < %d; s += %d) a%d += k_fresh(ARG(partial) + %d + s * %d + o);", n, k.Slices, k.Lanes, q, q*k.Slices*n, n)
		p.line("s%d[lane] = a%d;", q, q)
	}
	p.close("END_PHASE")
	p.tree()
	p.results()
	p.line("PHASE if (lane == 0) ARG(count)[group] = 0; END_PHASE")
	p.close("}")
}

// tree adds the lanes' sums.
func (p *printer) tree() {
	k := p.k
	if k.Lanes == 1 {
		return
	}
	p.open("for (int half = %d; half > 0; half /= 2) {", k.Lanes/2*k.Across)
	p.line("if (half < %d) break;", k.Across)
	p.open("PHASE")
	for q := range k.Sums {
		if !k.Log {
			p.line("if (lane < half) s%d[lane] += s%d[lane + half];", q, q)
			continue
		}
		p.open("if (lane < half) {")
		p.line("const float b = top%d[lane + half], m = k_max(top%d[lane], b);", q, q)
		p.line("s%d[lane] = s%d[lane] * k_scale(top%d[lane], m) + s%d[lane + half] * k_scale(b, m);", q, q, q, q)
		p.line("top%d[lane] = m;", q)
		p.close("}")
	}
	p.close("END_PHASE")
	p.close("}")
}

// results writes what follows from the finished sums.
func (p *printer) results() {
	p.open("PHASE")
	p.line("const int o = group * %d + lane;", p.k.Across)
	p.open("if (lane < %d && o < %d) {", p.k.Across, p.k.Count)
	p.statements(p.k.Results)
	p.close("}")
	p.close("END_PHASE")
}

func (p *printer) statements(list []gpu.Statement) {
	for _, s := range list {
		switch s := s.(type) {
		case gpu.Let:
			kind := "float"
			if s.Expr.Integer() {
				kind = "int"
			}
			p.line("const %s %s = %s;", kind, s.Name, p.expr(s.Expr))
		case gpu.Choose:
			p.line("float %s = 0.0f;", s.Name)
			for _, c := range s.Cases {
				column := p.operand(s.Column)
				p.open("if (%s >= %d && %s < %d) {", column, c.Lo, column, c.Hi)
				p.statements(c.Body)
				p.line("%s = %s;", s.Name, p.operand(c.X))
				p.close("}")
			}
		case gpu.Store:
			p.line("ARG(p%d)[%s] = %s;", s.Arg, p.operand(s.At), p.operand(s.X))
		case gpu.Add:
			p.add(s)
		}
	}
}

func (p *printer) add(s gpu.Add) {
	q, x := s.Sum, p.operand(s.X)
	switch {
	case p.k.Log:
		p.line("if (%s > m%d) { a%d = a%d * k_scale(m%d, %s) + 1.0f; m%d = %s; } else a%d += k_scale(%s, m%d);", x, q, q, q, q, x, q, x, q, x, q)
	case s.Product:
		p.line("a%d = FMA(%s, %s, a%d);", q, x, p.operand(s.Y), q)
	default:
		p.line("a%d += %s;", q, x)
	}
}

func (p *printer) expr(e gpu.Expr) string {
	a, b, c, d := p.operand(e.X[0]), p.operand(e.X[1]), p.operand(e.X[2]), p.operand(e.X[3])
	switch e.Op {
	case gpu.DivInt:
		return a + " / " + b
	case gpu.ModInt:
		return a + " % " + b
	case gpu.MulInt:
		return a + " * " + b
	case gpu.AddInt:
		return a + " + " + b
	case gpu.MulAdd:
		return a + " * " + b + " + " + c
	case gpu.Load:
		return fmt.Sprintf("ARG(p%s)[%s]", a, b)
	case gpu.Copy:
		return a
	case gpu.UnaryOf:
		return fmt.Sprintf("k_%s(%s)", strings.ToLower(op.UnaryFunc(e.F).String()), a)
	case gpu.BinaryOf:
		switch f := op.BinaryFunc(e.F); f {
		case op.Add, op.Sub, op.Mul, op.Div:
			return fmt.Sprintf("%s %c %s", a, "+-*/"[f], b)
		default:
			return fmt.Sprintf("k_%s(%s, %s)", strings.ToLower(f.String()), a, b)
		}
	case gpu.FMA:
		return fmt.Sprintf("FMA(%s, %s, %s)", a, b, c)
	case gpu.ClampTo:
		return fmt.Sprintf("k_min(k_max(%s, %s), %s)", a, b, c)
	case gpu.PassIn:
		return fmt.Sprintf("%s >= %s && %s <= %s ? %s : 0.0f", a, b, a, c, d)
	case gpu.Activate:
		return fmt.Sprintf("k_act(%d, %s + %s)", e.F, a, b)
	case gpu.Slope:
		return fmt.Sprintf("%s * k_slope(%d, %s)", a, e.F, b)
	case gpu.LogSum:
		return fmt.Sprintf("top%d[lane] + k_log(%s)", e.X[0].Int, a)
	}
	panic(fmt.Sprintf("cuda: no text for operation %d of a kernel", e.Op))
}

func (p *printer) operand(o gpu.Operand) string {
	switch o.Kind {
	case gpu.IntConst:
		return strconv.Itoa(o.Int)
	case gpu.FloatConst:
		return literal(o.Float())
	case gpu.SumOf:
		return fmt.Sprintf("s%d[lane]", o.Int)
	}
	if o.Name == gpu.Result && p.k.Sums == 0 {
		return "e"
	}
	return o.Name
}

// literal writes a number as a float constant.
func literal(f float32) string {
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
