package webgpu

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"nacre/core/gpu"
)

// printer writes the description of a kernel in WGSL. The kernel's arguments are the places of the values in Args, in
// that order, then, where blocks share a sum, of their partial sums.
//
// Blocks hand sums over at the end of a launch only: WGSL has no order of memory between workgroups. Such a kernel is
// two, main and finish, that run one after the other.
type printer struct {
	gpu.Text
	k      *gpu.Kernel
	buffer func(value int) string // P or W
}

// entry is the head of a kernel's function.
const entry = "@compute @workgroup_size(128)\n" +
	"fn %s(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, " +
	"@builtin(local_invocation_index) index: u32) {"

const buffers = "@group(0) @binding(0) var<storage, read_write> P: array<f32>;\n" +
	"@group(0) @binding(1) var<storage, read_write> W: array<f32>;\n"

// kernelText is the text of a kernel, after the prelude; see printer.
func kernelText(k *gpu.Kernel, buffer func(value int) string) string {
	p := &printer{k: k, buffer: buffer}
	p.WriteString(buffers)
	if k.Sums == 0 {
		p.elements()
	} else {
		p.sums()
	}
	return activation.ReplaceAllString(p.String(), "k_$1$2(")
}

// activation is a call of one by its number, which has a function of its own here.
var activation = regexp.MustCompile(`k_(act|slope)\((\d), `)

// begin opens an entry point.
func (p *printer) begin(name string) {
	p.Open(entry, name)
	p.Line("let lane = i32(index);")
	p.Line("let block = k_block(id, groups);")
}

// elements writes a kernel without sums: a lane per element, or per few elements.
func (p *printer) elements() {
	p.begin("main")
	if p.k.PerLane > 1 {
		p.Open("for (var u = 0; u < %d; u++) {", p.k.PerLane)
		p.Line("let o = block * %d + u * BLOCK + lane;", gpu.BlockSize*p.k.PerLane)
	} else {
		p.Line("let o = block * BLOCK + lane;")
	}
	p.Open("if (o < %d) {", p.k.Count)
	p.statements(p.k.Results)
	p.Close("}")
	if p.k.PerLane > 1 {
		p.Close("}")
	}
	p.Close("}")
}

// sums writes a kernel with sums: terms to lanes, lanes to one sum by a tree, blocks' partial sums likewise by the
// second launch.
func (p *printer) sums() {
	k := p.k
	for q := range k.Sums {
		p.Line("var<workgroup> s%d: array<f32, %d>;", q, gpu.BlockSize)
		if k.Log {
			p.Line("var<workgroup> top%d: array<f32, %d>;", q, gpu.BlockSize)
		}
	}
	p.begin("main")
	p.Line("let group = block / %d;", k.Slices)
	p.Line("let slice = block %% %d;", k.Slices)
	p.lanes()
	p.Open("if (o < %d) {", k.Count)
	p.statements(k.Head)
	for _, l := range k.Loops {
		p.Open("for (var r = slice * %d + part; r < %d; r += %d) {", k.Lanes, l.Terms, k.Lanes*k.Slices)
		p.statements(l.Body)
		p.Close("}")
	}
	p.Close("}")
	for q := range k.Sums {
		p.Line("s%d[part * %d + own] = a%d;", q, k.Across, q)
		if k.Log {
			p.Line("top%d[part * %d + own] = m%d;", q, k.Across, q)
		}
	}
	p.tree()
	if k.Slices == 1 {
		p.results()
		p.Close("}")
		return
	}
	p.handOver()
}

// lanes says which result and which terms are this lane's, and begins its sums.
func (p *printer) lanes() {
	k := p.k
	if k.InRow {
		p.Line("let own = lane / %d;", k.Lanes)
		p.Line("let part = lane %% %d;", k.Lanes)
	} else {
		p.Line("let own = lane %% %d;", k.Across)
		p.Line("let part = lane / %d;", k.Across)
	}
	p.Line("let o = group * %d + own;", k.Across)
	for q := range k.Sums {
		p.Line("var a%d = 0.0;", q)
		if k.Log {
			p.Line("var m%d = -infinity();", q)
		}
	}
}

// handOver ends main with the block's sums in memory, and writes the launch that adds them, in the order of slices.
func (p *printer) handOver() {
	k, n, partial := p.k, p.k.Count, len(p.k.Args)
	p.Open("if ((lane < %d) & (group * %d + lane < %d)) {", k.Across, k.Across, n)
	for q := range k.Sums {
		p.Line("W[arg(%d) + %d + slice * %d + group * %d + lane] = s%d[lane];", partial, q*k.Slices*n, n, k.Across, q)
	}
	p.Close("}")
	p.Close("}")
	p.begin("finish")
	p.Line("let group = block;")
	p.Line("let part = lane / %d;", k.Across)
	p.Line("let o = group * %d + lane %% %d;", k.Across, k.Across)
	for q := range k.Sums {
		p.Line("var a%d = 0.0;", q)
		p.Open("if (o < %d) {", n)
		p.Line("for (var s = part; s < %d; s += %d) { a%d += W[arg(%d) + %d + s * %d + o]; }", k.Slices, k.Lanes, q,
			partial, q*k.Slices*n, n)
		p.Close("}")
		p.Line("s%d[lane] = a%d;", q, q)
	}
	p.tree()
	p.results()
	p.Close("}")
}

// tree adds the lanes' sums.
func (p *printer) tree() {
	k := p.k
	p.Line("workgroupBarrier();")
	for half := k.Lanes / 2 * k.Across; half >= k.Across && half > 0; half /= 2 {
		p.Open("if (lane < %d) {", half)
		for q := range k.Sums {
			if !k.Log {
				p.Line("s%d[lane] += s%d[lane + %d];", q, q, half)
				continue
			}
			p.Line("let b%d = top%d[lane + %d];", q, q, half)
			p.Line("let m%d = k_max(top%d[lane], b%d);", q, q, q)
			p.Line("s%d[lane] = s%d[lane] * k_scale(top%d[lane], m%d) + s%d[lane + %d] * k_scale(b%d, m%d);", q, q, q,
				q, q, half, q, q)
			p.Line("top%d[lane] = m%d;", q, q)
		}
		p.Close("}")
		p.Line("workgroupBarrier();")
	}
}

// results writes what follows from the finished sums.
func (p *printer) results() {
	p.Open("{")
	p.Line("let o = group * %d + lane;", p.k.Across)
	p.Open("if ((lane < %d) & (o < %d)) {", p.k.Across, p.k.Count)
	p.statements(p.k.Results)
	p.Close("}")
	p.Close("}")
}

func (p *printer) statements(list []gpu.Statement) {
	for _, s := range list {
		switch s := s.(type) {
		case gpu.Let:
			p.Line("let %s = %s;", s.Name, p.expr(s.Expr))
		case gpu.Choose:
			p.Line("var %s = 0.0;", s.Name)
			for _, c := range s.Cases {
				column := p.operand(s.Column)
				p.Open("if ((%s >= %d) & (%s < %d)) {", column, c.Lo, column, c.Hi)
				p.statements(c.Body)
				p.Line("%s = %s;", s.Name, p.operand(c.X))
				p.Close("}")
			}
		case gpu.Store:
			p.Line("%s = %s;", p.element(s.Arg, p.operand(s.At)), p.operand(s.X))
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
		p.Line("if (%s > m%d) { a%d = a%d * k_scale(m%d, %s) + 1.0; m%d = %s; } else { a%d += k_scale(%s, m%d); }", x,
			q, q, q, q, x, q, x, q, x, q)
	case s.Product:
		p.Line("a%d = fma(%s, %s, a%d);", q, x, p.operand(s.Y), q)
	default:
		p.Line("a%d += %s;", q, x)
	}
}

func (p *printer) expr(e gpu.Expr) string {
	var x [4]string
	for i := range x {
		x[i] = p.operand(e.X[i])
	}
	switch e.Op {
	case gpu.Load:
		return p.element(e.X[0].Int, x[1])
	case gpu.BinaryOf:
		// a constant that is not a number would not compile
		if e.X[0].Kind == gpu.FloatConst && e.X[1].Kind == gpu.FloatConst {
			return e.Call(x)
		}
	case gpu.FMA:
		return fmt.Sprintf("fma(%s, %s, %s)", x[0], x[1], x[2])
	case gpu.PassIn:
		return fmt.Sprintf("select(0.0, %s, (%s >= %s) & (%s <= %s))", x[3], x[0], x[1], x[0], x[2])
	}
	return e.Common(x)
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
	// outer is for a matrix whose rows in memory are rows of the product (for B: columns), the other for one whose rows
	// are terms.
	const outer = `let row = %[2]s + item / 4 * 4;
      let at = start + item %% 4 * 4;
      if (at < k) {
        let place = arg(%[5]d) + row * arg(%[6]d) + at / 4;
        x0 = select(vec4<f32>(), upto(%[4]s[place], k - at), row < %[3]s);
        x1 = select(vec4<f32>(), upto(%[4]s[place + arg(%[6]d)], k - at), row + 1 < %[3]s);
        x2 = select(vec4<f32>(), upto(%[4]s[place + 2 * arg(%[6]d)], k - at), row + 2 < %[3]s);
        x3 = select(vec4<f32>(), upto(%[4]s[place + 3 * arg(%[6]d)], k - at), row + 3 < %[3]s);
      }
      let to = item %% 4 * 4 * PITCH + item / 4;
      s%[1]s[to] = vec4<f32>(x0.x, x1.x, x2.x, x3.x);
      s%[1]s[to + PITCH] = vec4<f32>(x0.y, x1.y, x2.y, x3.y);
      s%[1]s[to + 2 * PITCH] = vec4<f32>(x0.z, x1.z, x2.z, x3.z);
      s%[1]s[to + 3 * PITCH] = vec4<f32>(x0.w, x1.w, x2.w, x3.w);`
	const inner = `let col = %[2]s + item %% 16 * 4;
      let at = start + item / 16 * 4;
      if (col < %[3]s) {
        let place = arg(%[5]d) + at * arg(%[6]d) + col / 4;
        x0 = select(vec4<f32>(), %[4]s[place], at < k);
        x1 = select(vec4<f32>(), %[4]s[place + arg(%[6]d)], at + 1 < k);
        x2 = select(vec4<f32>(), %[4]s[place + 2 * arg(%[6]d)], at + 2 < k);
        x3 = select(vec4<f32>(), %[4]s[place + 3 * arg(%[6]d)], at + 3 < k);
      }
      let to = item / 16 * 4 * PITCH + item %% 16;
      s%[1]s[to] = x0;
      s%[1]s[to + PITCH] = x1;
      s%[1]s[to + 2 * PITCH] = x2;
      s%[1]s[to + 3 * PITCH] = x3;`
	load := map[bool]string{false: outer, true: inner}
	each := func(f string) string {
		return fmt.Sprintf("x = vec4<f32>(%s, %s, %s, %s);", fmt.Sprintf(f, "x"), fmt.Sprintf(f, "y"),
			fmt.Sprintf(f, "z"), fmt.Sprintf(f, "w"))
	}
	epilogue := ""
	switch {
	case g.Mask >= 0:
		epilogue = fmt.Sprintf("let y = %s[arg(3) + row * arg(11) + col / 4];\n  ", buffer(g.Mask)) +
			each(fmt.Sprintf("x.%%[1]s * k_slope%d(y.%%[1]s)", g.Act))
	default:
		if g.Bias >= 0 {
			epilogue = fmt.Sprintf("x += %s[arg(2) + col / 4];\n  ", buffer(g.Bias))
		}
		epilogue += each(fmt.Sprintf("k_act%d(x.%%[1]s)", g.Act))
	}
	return strings.NewReplacer(
		"LOAD_A", fmt.Sprintf(load[g.TA], "a", "top", "m", buffer(g.A), 0, 8),
		"LOAD_B", fmt.Sprintf(load[!g.TB], "b", "left", "n", buffer(g.B), 1, 9),
		"EPILOGUE", epilogue,
	).Replace(gemmText)
}
