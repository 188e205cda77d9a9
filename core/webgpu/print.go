package webgpu

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"nacre/core/gpu"
	"nacre/core/op"
)

// printer writes the description of a kernel in WGSL. The kernel's arguments are the places of the values in Args, in that
// order, then, where blocks share a sum, of their partial sums.
//
// Blocks hand sums over at the end of a launch only: WGSL has no order of memory between workgroups. Such a kernel is two,
// main and finish, that run one after the other.
type printer struct {
	k      *gpu.Kernel
	buffer func(value int) string // P or W
	out    strings.Builder
	indent int
}

// entry is the head of a kernel's function.
const entry = "@compute @workgroup_size(128)\n" +
	"fn %s(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) index: u32) {"

const buffers = "@group(0) @binding(0) var<storage, read_write> P: array<f32>;\n" +
	"@group(0) @binding(1) var<storage, read_write> W: array<f32>;\n"

// kernelText is the text of a kernel, after the prelude; see printer.
func kernelText(k *gpu.Kernel, buffer func(value int) string) string {
	p := &printer{k: k, buffer: buffer}
	p.out.WriteString(buffers)
	if k.Sums == 0 {
		p.elements()
	} else {
		p.sums()
	}
	return p.out.String()
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

func (p *printer) close() {
	p.indent--
	p.line("}")
}

// begin opens an entry point.
func (p *printer) begin(name string) {
	p.open(entry, name)
	p.line("let lane = i32(index);")
	p.line("let block = k_block(id, groups);")
}

// elements writes a kernel without sums: a lane per element, or per few elements.
func (p *printer) elements() {
	p.begin("main")
	if p.k.PerLane > 1 {
		p.open("for (var u = 0; u < %d; u++) {", p.k.PerLane)
		p.line("let o = block * %d + u * BLOCK + lane;", gpu.BlockSize*p.k.PerLane)
	} else {
		p.line("let o = block * BLOCK + lane;")
	}
	p.open("if (o < %d) {", p.k.Count)
	p.statements(p.k.Results)
	p.close()
	if p.k.PerLane > 1 {
		p.close()
	}
	p.close()
}

// sums writes a kernel with sums: terms to lanes, lanes to one sum by a tree, blocks' partial sums likewise by the second
// launch.
func (p *printer) sums() {
	k := p.k
	for q := range k.Sums {
		p.line("var<workgroup> s%d: array<f32, %d>;", q, gpu.BlockSize)
		if k.Log {
			p.line("var<workgroup> top%d: array<f32, %d>;", q, gpu.BlockSize)
		}
	}
	p.begin("main")
	p.line("let group = block / %d;", k.Slices)
	p.line("let slice = block %% %d;", k.Slices)
	p.lanes()
	p.open("if (o < %d) {", k.Count)
	p.statements(k.Head)
	for _, l := range k.Loops {
		p.open("for (var r = slice * %d + part; r < %d; r += %d) {", k.Lanes, l.Terms, k.Lanes*k.Slices)
		p.statements(l.Body)
		p.close()
	}
	p.close()
	for q := range k.Sums {
		p.line("s%d[part * %d + own] = a%d;", q, k.Across, q)
		if k.Log {
			p.line("top%d[part * %d + own] = m%d;", q, k.Across, q)
		}
	}
	p.tree()
	if k.Slices == 1 {
		p.results()
		p.close()
		return
	}
	p.handOver()
}

// lanes says which result and which terms are this lane's, and begins its sums.
func (p *printer) lanes() {
	k := p.k
	if k.InRow {
		p.line("let own = lane / %d;", k.Lanes)
		p.line("let part = lane %% %d;", k.Lanes)
	} else {
		p.line("let own = lane %% %d;", k.Across)
		p.line("let part = lane / %d;", k.Across)
	}
	p.line("let o = group * %d + own;", k.Across)
	for q := range k.Sums {
		p.line("var a%d = 0.0;", q)
		if k.Log {
			p.line("var m%d = -infinity();", q)
		}
	}
}

// handOver ends main with the block's sums in memory, and writes the launch that adds them, in the order of slices.
func (p *printer) handOver() {
	k, n, partial := p.k, p.k.Count, len(p.k.Args)
	p.open("if (lane < %d && group * %d + lane < %d) {", k.Across, k.Across, n)
	for q := range k.Sums {
		p.line("W[arg(%d) + %d + slice * %d + group * %d + lane] = s%d[lane];", partial, q*k.Slices*n, n, k.Across, q)
	}
	p.close()
	p.close()
	p.begin("finish")
	p.line("let group = block;")
	p.line("let part = lane / %d;", k.Across)
	p.line("let o = group * %d + lane %% %d;", k.Across, k.Across)
	for q := range k.Sums {
		p.line("var a%d = 0.0;", q)
		p.open("if (o < %d) {", n)
		p.line("for (var s = part; s < %d; s += %d) { a%d += W[arg(%d) + %d + s * %d + o]; }", k.Slices, k.Lanes, q, partial, q*k.Slices*n, n)
		p.close()
		p.line("s%d[lane] = a%d;", q, q)
	}
	p.tree()
	p.results()
	p.close()
}

// tree adds the lanes' sums.
func (p *printer) tree() {
	k := p.k
	p.line("workgroupBarrier();")
	for half := k.Lanes / 2 * k.Across; half >= k.Across && half > 0; half /= 2 {
		p.open("if (lane < %d) {", half)
		for q := range k.Sums {
			if !k.Log {
				p.line("s%d[lane] += s%d[lane + %d];", q, q, half)
				continue
			}
			p.line("let b%d = top%d[lane + %d];", q, q, half)
			p.line("let m%d = k_max(top%d[lane], b%d);", q, q, q)
			p.line("s%d[lane] = s%d[lane] * k_scale(top%d[lane], m%d) + s%d[lane + %d] * k_scale(b%d, m%d);", q, q, q, q, q, half, q, q)
			p.line("top%d[lane] = m%d;", q, q)
		}
		p.close()
		p.line("workgroupBarrier();")
	}
}

// results writes what follows from the finished sums.
func (p *printer) results() {
	p.open("{")
	p.line("let o = group * %d + lane;", p.k.Across)
	p.open("if (lane < %d && o < %d) {", p.k.Across, p.k.Count)
	p.statements(p.k.Results)
	p.close()
	p.close()
}

func (p *printer) statements(list []gpu.Statement) {
	for _, s := range list {
		switch s := s.(type) {
		case gpu.Let:
			p.line("let %s = %s;", s.Name, p.expr(s.Expr))
		case gpu.Choose:
			p.line("var %s = 0.0;", s.Name)
			for _, c := range s.Cases {
				column := p.operand(s.Column)
				p.open("if (%s >= %d && %s < %d) {", column, c.Lo, column, c.Hi)
				p.statements(c.Body)
				p.line("%s = %s;", s.Name, p.operand(c.X))
				p.close()
			}
		case gpu.Store:
			p.line("%s = %s;", p.element(s.Arg, p.operand(s.At)), p.operand(s.X))
		case gpu.Add:
			p.add(s)
		}
	}
}

// element is one number of an argument.
func (p *printer) element(arg int, at string) string {
	return fmt.Sprintf("%s[arg(%d) + %s]", p.buffer(p.k.Args[arg].Value), arg, at)
}

func (p *printer) add(s gpu.Add) {
	q, x := s.Sum, p.operand(s.X)
	switch {
	case p.k.Log:
		p.line("if (%s > m%d) { a%d = a%d * k_scale(m%d, %s) + 1.0; m%d = %s; } else { a%d += k_scale(%s, m%d); }", x, q, q, q, q, x, q, x, q, x, q)
	case s.Product:
		p.line("a%d = fma(%s, %s, a%d);", q, x, p.operand(s.Y), q)
	default:
		p.line("a%d += %s;", q, x)
	}
}

func (p *printer) expr(e gpu.Expr) string {
	a, b, c, d := p.operand(e.X[0]), p.operand(e.X[1]), p.operand(e.X[2]), p.operand(e.X[3])
	constant := e.X[0].Kind == gpu.FloatConst && e.X[1].Kind == gpu.FloatConst
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
		return p.element(e.X[0].Int, b)
	case gpu.Copy:
		return a
	case gpu.UnaryOf:
		return fmt.Sprintf("k_%s(%s)", strings.ToLower(op.UnaryFunc(e.F).String()), a)
	case gpu.BinaryOf:
		f := op.BinaryFunc(e.F)
		if f <= op.Div && !constant { // what is constant and no number would not compile
			return fmt.Sprintf("%s %c %s", a, "+-*/"[f], b)
		}
		return fmt.Sprintf("k_%s(%s, %s)", strings.ToLower(f.String()), a, b)
	case gpu.FMA:
		return fmt.Sprintf("fma(%s, %s, %s)", a, b, c)
	case gpu.ClampTo:
		return fmt.Sprintf("k_min(k_max(%s, %s), %s)", a, b, c)
	case gpu.PassIn:
		return fmt.Sprintf("select(0.0, %s, (%s >= %s) & (%s <= %s))", d, a, b, a, c)
	case gpu.Activate:
		return fmt.Sprintf("k_act(%d, %s + %s)", e.F, a, b)
	case gpu.Slope:
		return fmt.Sprintf("%s * k_slope(%d, %s)", a, e.F, b)
	case gpu.LogSum:
		return fmt.Sprintf("top%d[lane] + k_log(%s)", e.X[0].Int, a)
	}
	panic(fmt.Sprintf("webgpu: no text for operation %d of a kernel", e.Op))
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
	return o.Name
}

// literal writes a number as a float constant.
func literal(f float32) string {
	switch {
	case math.IsInf(float64(f), 1):
		return "infinity()"
	case math.IsInf(float64(f), -1):
		return "(-infinity())"
	case f != f:
		return "nan()"
	}
	return strconv.FormatFloat(float64(f), 'g', -1, 32) + "f"
}

// productText is the text of a product's kernel, after the prelude.
func productText(g *gpu.Product, buffer func(value int) string) string {
	const outer = "let %[1]s_row = i / 4;\n      let %[1]s_at = i %% 4 * 4;\n" +
		"      var %[1]s_x = vec4<f32>();\n" +
		"      if (%[2]s + %[1]s_row < %[3]s && start + %[1]s_at < k) {\n" +
		"        %[1]s_x = upto(%[4]s[arg(%[5]d) + (%[2]s + %[1]s_row) * arg(%[6]d) + (start + %[1]s_at) / 4], k - start - %[1]s_at);\n      }\n" +
		"      s%[1]s[%[1]s_at * PITCH + %[1]s_row] = %[1]s_x.x;\n      s%[1]s[(%[1]s_at + 1) * PITCH + %[1]s_row] = %[1]s_x.y;\n" +
		"      s%[1]s[(%[1]s_at + 2) * PITCH + %[1]s_row] = %[1]s_x.z;\n      s%[1]s[(%[1]s_at + 3) * PITCH + %[1]s_row] = %[1]s_x.w;"
	const inner = "let %[1]s_d = i / 16;\n      let %[1]s_at = i %% 16 * 4;\n" +
		"      var %[1]s_x = vec4<f32>();\n" +
		"      if (start + %[1]s_d < k && %[2]s + %[1]s_at < %[3]s) {\n" +
		"        %[1]s_x = %[4]s[arg(%[5]d) + (start + %[1]s_d) * arg(%[6]d) + (%[2]s + %[1]s_at) / 4];\n      }\n" +
		"      s%[1]s[%[1]s_d * PITCH + %[1]s_at] = %[1]s_x.x;\n      s%[1]s[%[1]s_d * PITCH + %[1]s_at + 1] = %[1]s_x.y;\n" +
		"      s%[1]s[%[1]s_d * PITCH + %[1]s_at + 2] = %[1]s_x.z;\n      s%[1]s[%[1]s_d * PITCH + %[1]s_at + 3] = %[1]s_x.w;"
	load := map[bool]string{false: outer, true: inner} // whether rows of the matrix in memory are terms
	each := func(f string) string {
		return fmt.Sprintf("x = vec4<f32>(%s, %s, %s, %s);", fmt.Sprintf(f, "x"), fmt.Sprintf(f, "y"), fmt.Sprintf(f, "z"), fmt.Sprintf(f, "w"))
	}
	epilogue := ""
	switch {
	case g.Mask >= 0:
		epilogue = fmt.Sprintf("let y = %s[arg(3) + row * arg(11) + col / 4];\n  ", buffer(g.Mask)) +
			each(fmt.Sprintf("x.%%[1]s * k_slope(%d, y.%%[1]s)", g.Act))
	default:
		if g.Bias >= 0 {
			epilogue = fmt.Sprintf("x += %s[arg(2) + col / 4];\n  ", buffer(g.Bias))
		}
		epilogue += each(fmt.Sprintf("k_act(%d, x.%%[1]s)", g.Act))
	}
	return strings.NewReplacer(
		"LOAD_A", fmt.Sprintf(load[g.TA], "a", "top", "m", buffer(g.A), 0, 8),
		"LOAD_B", fmt.Sprintf(load[!g.TB], "b", "left", "n", buffer(g.B), 1, 9),
		"EPILOGUE", epilogue,
	).Replace(gemmText)
}
