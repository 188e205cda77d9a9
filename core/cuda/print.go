package cuda

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"nacre/core/gpu"
)

// printer writes a kernel in the language of prelude.h. The kernel's name is written as @. The arguments are: a pointer
// for each value of Args, in that order; if blocks share a sum, pointers to their partial sums and to a counter for
// each group of results; then, for each pointer, the distance in floats to the same value of the next memory (see
// together). The second dimension of the grid counts the memories.
//
// A lane may compute four elements at a time. Then the printer writes what is the same for all four once. Of addresses
// that grow by one it writes the first. It writes everything else four times, with the number of the element behind
// each name.
type printer struct {
	gpu.Text
	k     *gpu.Kernel
	kinds map[string]kind
	one   int  // which of the four elements statements are printed for; all means all of them
	fours bool // whether statements compute four results or terms at a time

	running string // the index that grows by one among the four, row or column, and how many there are
	limit   int
}

// kind is the way in which an expression differs among the four elements.
type kind uint8

const (
	same    kind = iota // it is the same
	counts              // an integer that grows by one
	aligned             // like counts, and the first is a multiple of four
	apart               // four variables
	vector              // the four members of a float4
)

const all = -1

// kernelText returns the text of a kernel; see printer.
func kernelText(k *gpu.Kernel) string {
	p := &printer{k: k, kinds: map[string]kind{}, one: all}
	var args []string
	for i, a := range k.Args {
		args = append(args, fmt.Sprintf("%sfloat *RESTRICT p%d", map[bool]string{false: "const "}[a.Written], i))
	}
	if k.Slices > 1 {
		args = append(args, "float *partial", "int *count")
	}
	n := len(args)
	for i := range n {
		args = append(args, fmt.Sprintf("int n%d", i))
	}
	p.Open("KERNEL(@, %s) {", strings.Join(args, ", "))
	for i := range n {
		_, name, _ := strings.Cut(args[i], "*")
		p.Line("OF_MEMORY(%s, n%d);", strings.TrimPrefix(name, "RESTRICT "), i)
	}
	if k.Sums == 0 {
		p.elements()
	} else {
		p.sums()
	}
	p.Close("}")
	return p.String()
}

// elements writes a kernel without sums. A lane computes one element or a few.
func (p *printer) elements() {
	p.Open("PHASE")
	if p.k.PerLane > 1 {
		p.Open("for (int u = 0; u < %d; u++) {", p.k.PerLane)
		p.Line("const int o = BLOCK_ID * %d + u * BLOCK + lane;", gpu.BlockSize*p.k.PerLane)
	} else {
		p.Line("const int o = BLOCK_ID * BLOCK + lane;")
	}
	p.Open("if (o < %d) {", p.k.Takes())
	if p.fours = p.k.Vector > 1; p.fours {
		p.four(gpu.Result, gpu.ResultRow, gpu.ResultCol, p.k.Rows, p.k.Cols)
	}
	p.statements(p.k.Results)
	p.Close("}")
	if p.k.PerLane > 1 {
		p.Close("}")
	}
	p.Close("END_PHASE")
}

// four declares row and column of the first of four elements. e is the number of the four.
func (p *printer) four(e, row, col string, rows, cols int) {
	p.kinds[row], p.kinds[col] = same, same
	p.running, p.limit = row, rows
	switch {
	case cols == 1:
		p.Line("const int %s = %s * 4;", row, e)
	case rows == 1:
		p.running, p.limit = col, cols
		p.Line("const int %s = %s * 4;", col, e)
	default:
		p.running, p.limit = col, cols
		each := gpu.CeilDiv(cols, 4)
		p.Line("const int %s = %s / %d, %s = %s %% %d * 4;", row, e, each, col, e, each)
	}
	p.kinds[p.running] = aligned
}

// inside returns the condition under which element c of the four lies within its row, or "" if it always does.
func (p *printer) inside(c int) string {
	if p.limit%4 == 0 || c < p.limit%4 {
		return ""
	}
	return fmt.Sprintf("%s + %d < %d", p.running, c, p.limit)
}

// taken returns the number of results of a lane, in kernels with sums.
func (p *printer) taken() int {
	if p.k.InRow {
		return 1
	}
	return p.k.Vector
}

// shared returns the place of a lane in shared memory, for element c of the four.
func shared(lane string, c int) string {
	if c == 0 {
		return lane
	}
	return fmt.Sprintf("%s + %d", lane, c*gpu.BlockSize)
}

// member returns the name of the sum of element c.
func (p *printer) member(letter string, q, c int) string {
	if p.taken() == 1 {
		return fmt.Sprintf("%s%d", letter, q)
	}
	return fmt.Sprintf("%s%d_%d", letter, q, c)
}

// sums writes a kernel with sums. Lanes add terms, a tree adds the lanes of a block, and the block that finishes last
// adds the blocks' partial sums in the same way.
func (p *printer) sums() {
	k, taken := p.k, p.taken()
	for q := range k.Sums {
		p.Line("SHARED(float, s%d, %d * BLOCK);", q, taken)
		if k.Log {
			p.Line("SHARED(float, top%d, BLOCK);", q)
		}
	}
	p.Line("const int group = BLOCK_ID / %d, slice = BLOCK_ID %% %d;", k.Slices, k.Slices)
	p.Open("PHASE")
	if k.InRow {
		p.Line("const int own = lane / %d, part = lane %% %d, o = group * %d + own;", k.Lanes, k.Lanes, k.Across)
	} else {
		p.Line("const int own = lane %% %d, part = lane / %d, o = group * %d + own;", k.Across, k.Across, k.Across)
	}
	for q := range k.Sums {
		for c := range taken {
			p.Line("float %s = 0.0f;", p.member("a", q, c))
		}
		if k.Log {
			p.Line("float m%d = -INFINITY_;", q)
		}
	}
	p.Open("if (o < %d) {", k.Takes())
	if p.fours = taken > 1; p.fours {
		p.four(gpu.Result, gpu.ResultRow, gpu.ResultCol, k.Rows, k.Cols)
	}
	p.statements(k.Head)
	for _, l := range k.Loops {
		p.loop(l)
	}
	p.Close("}")
	for q := range k.Sums {
		for c := range taken {
			p.Line("s%d[%s] = %s;", q, shared(fmt.Sprintf("part * %d + own", k.Across), c), p.member("a", q, c))
		}
		if k.Log {
			p.Line("top%d[part * %d + own] = m%d;", q, k.Across, q)
		}
	}
	p.Close("END_PHASE")
	p.tree()
	if k.Slices == 1 {
		p.results()
		return
	}
	p.handOver()
}

// loop writes a loop over terms. A loop that no lane enters twice is written as a condition, so that the reads of
// several such loops can be under way together.
func (p *printer) loop(l gpu.Loop) {
	k, turns := p.k, p.k.Turns(l)
	if turns <= k.Lanes*k.Slices {
		p.Line("{ const int r = slice * %d + part;", k.Lanes)
		p.Open("if (r < %d) {", turns)
	} else {
		p.Open(pace(l.Body)+" for (int r = slice * %d + part; r < %d; r += %d) {", k.Lanes, turns, k.Lanes*k.Slices)
	}
	before := p.fours
	if k.Vector > 1 && k.InRow {
		p.fours = true
		p.four(gpu.Term, gpu.TermRow, gpu.TermCol, l.Rows, l.Cols)
	}
	p.statements(l.Body)
	p.fours = before
	p.Close("}" + map[bool]string{true: " }"}[turns <= k.Lanes*k.Slices])
}

// pace returns the pragma that unrolls a loop. Short loops are unrolled, so that the loads of several turns are under
// way at once.
func pace(list []gpu.Statement) string {
	if gpu.Long(list) {
		return "ONE_BY_ONE"
	}
	return "AT_ONCE"
}

// handOver lets the last block add the sums of all blocks. The result does not depend on which block is last, because
// it adds them in the order of slices.
func (p *printer) handOver() {
	k, n, taken := p.k, p.k.Takes(), p.taken()
	at := func(q int, slice string, c int) string {
		return fmt.Sprintf("partial + %d * ((%d + %s) * %d + o) + %d", taken, q*k.Slices, slice, n, c)
	}
	p.Line("SHARED(int, last, 1);")
	p.Open("PHASE")
	p.Line("const int o = group * %d + lane;", k.Across)
	p.Open("if (lane < %d && o < %d) {", k.Across, n)
	for q := range k.Sums {
		for c := range taken {
			p.Line("k_leave(%s, s%d[%s]);", at(q, "slice", c), q, shared("lane", c))
		}
	}
	p.Line("FENCE;")
	p.Close("}")
	p.Close("END_PHASE")
	p.Open("PHASE")
	p.Line("if (lane == 0) { last[0] = NEXT(count + group) == %d; FENCE; }", k.Slices-1)
	p.Close("END_PHASE")
	p.Open("if (last[0]) {")
	p.Open("PHASE")
	p.Line("const int part = lane / %d, o = group * %d + lane %% %d;", k.Across, k.Across, k.Across)
	for q := range k.Sums {
		for c := range taken {
			p.Line("float %s = 0.0f;", p.member("a", q, c))
		}
	}
	p.Open("if (o < %d) AT_ONCE for (int s = part; s < %d; s += %d) {", n, k.Slices, k.Lanes)
	for q := range k.Sums {
		for c := range taken {
			p.Line("%s += k_fresh(%s);", p.member("a", q, c), at(q, "s", c))
		}
	}
	p.Close("}")
	for q := range k.Sums {
		for c := range taken {
			p.Line("s%d[%s] = %s;", q, shared("lane", c), p.member("a", q, c))
		}
	}
	p.Close("END_PHASE")
	p.tree()
	p.results()
	p.Line("PHASE if (lane == 0) count[group] = 0; END_PHASE")
	p.Close("}")
}

// tree adds the sums of the lanes.
func (p *printer) tree() {
	k := p.k
	if k.Lanes == 1 {
		return
	}
	p.Open("for (int half = %d; half > 0; half /= 2) {", k.Lanes/2*k.Across)
	p.Line("if (half < %d) break;", k.Across)
	p.Open("PHASE")
	p.Open("if (lane < half) {")
	for q := range k.Sums {
		if !k.Log {
			for c := range p.taken() {
				p.Line("s%d[%s] += s%d[%s];", q, shared("lane", c), q, shared("lane + half", c))
			}
			continue
		}
		p.Open("{")
		p.Line("const float b = top%d[lane + half], m = k_max(top%d[lane], b);", q, q)
		p.Line("s%d[lane] = s%d[lane] * k_scale(top%d[lane], m) + s%d[lane + half] * k_scale(b, m);", q, q, q, q)
		p.Line("top%d[lane] = m;", q)
		p.Close("}")
	}
	p.Close("}")
	p.Close("END_PHASE")
	p.Close("}")
}

// results writes what is computed from the finished sums.
func (p *printer) results() {
	p.Open("PHASE")
	p.Line("const int o = group * %d + lane;", p.k.Across)
	p.Open("if (lane < %d && o < %d) {", p.k.Across, p.k.Takes())
	if p.fours = p.taken() > 1; p.fours {
		p.four(gpu.Result, gpu.ResultRow, gpu.ResultCol, p.k.Rows, p.k.Cols)
	}
	p.statements(p.k.Results)
	p.Close("}")
	p.Close("END_PHASE")
}

func (p *printer) statements(list []gpu.Statement) {
	for _, s := range list {
		switch s := s.(type) {
		case gpu.Let:
			p.let(s)
		case gpu.Choose:
			p.choose(s)
		case gpu.Store:
			p.store(s)
		case gpu.Add:
			p.add(s)
		}
	}
}

// each calls f for those of the four elements that statements are printed for now.
func (p *printer) each(f func(c int)) {
	switch {
	case !p.fours:
		f(0)
	case p.one != all:
		f(p.one)
	default:
		for c := range 4 {
			f(c)
		}
	}
}

func (p *printer) let(s gpu.Let) {
	e, what := s.Expr, "float"
	if e.Integer() {
		what = "int"
	}
	k := same
	if p.fours && p.one == all {
		k = p.kindOf(e)
	}
	p.kinds[s.Name] = k
	switch k {
	case vector:
		p.Line("const float4 %s = LOAD4(p%s, %s);", s.Name, p.operand(e.X[0], 0), p.operand(e.X[1], 0))
	case apart:
		p.each(func(c int) { p.Line("const %s %s_%d = %s;", what, s.Name, c, p.expr(e, c)) })
	default:
		p.Line("const %s %s = %s;", what, s.Name, p.expr(e, max(0, p.one)))
	}
}

// kindOf returns the kind of an expression.
func (p *printer) kindOf(e gpu.Expr) kind {
	var kinds [4]kind
	most := same
	for i, x := range e.X {
		kinds[i] = p.kind(x)
		most = max(most, kinds[i])
	}
	four := func(x gpu.Operand) bool { return x.Kind == gpu.IntConst && x.Int%4 == 0 }
	switch {
	case most == same:
		return same
	case e.Op == gpu.Load:
		if kinds[1] == aligned {
			return vector
		}
	case e.Op == gpu.AddInt && kinds[1] == same && (kinds[0] == counts || kinds[0] == aligned):
		if kinds[0] == aligned && four(e.X[1]) {
			return aligned
		}
		return counts
	case e.Op == gpu.MulAdd && kinds[0] == same && (kinds[2] == counts || kinds[2] == aligned):
		if kinds[2] == aligned && (four(e.X[0]) || four(e.X[1])) {
			return aligned
		}
		return counts
	}
	return apart
}

// kind returns the kind of an operand.
func (p *printer) kind(x gpu.Operand) kind {
	switch {
	case x.Kind == gpu.SumOf && p.taken() > 1:
		return apart
	case x.Kind == gpu.Named:
		return p.kinds[x.Name]
	}
	return same
}

// choose writes a value that depends on the column. It writes all four at once if none of its cases begins or ends
// between them.
func (p *printer) choose(s gpu.Choose) {
	k := p.kind(s.Column)
	whole := k == same || k == aligned
	for _, c := range s.Cases {
		end := c.Hi%4 == 0 || s.Column.Name == p.running && c.Hi == p.limit
		whole = whole && (k == same || c.Lo%4 == 0 && end)
	}
	write := func(name func(c int) string) {
		p.each(func(c int) { p.Line("float %s = 0.0f;", name(c)) })
		for _, x := range s.Cases {
			column := p.operand(s.Column, max(0, p.one))
			p.Open("if (%s >= %d && %s < %d) {", column, x.Lo, column, x.Hi)
			p.statements(x.Body)
			p.each(func(c int) { p.Line("%s = %s;", name(c), p.operand(x.X, c)) })
			p.Close("}")
		}
	}
	if !p.fours || p.one != all {
		p.kinds[s.Name] = same
		write(func(int) string { return s.Name })
		return
	}
	member := func(c int) string { return fmt.Sprintf("%s_%d", s.Name, c) }
	if whole {
		write(member)
	} else {
		for c := range 4 {
			p.one = c
			write(member)
		}
		p.one = all
	}
	p.kinds[s.Name] = apart
}

// store writes an element to memory. After the end of a row it writes zeros.
func (p *printer) store(s gpu.Store) {
	if !p.fours {
		p.Line("p%d[%s] = %s;", s.Arg, p.operand(s.At, 0), p.operand(s.X, 0))
		return
	}
	if p.kind(s.At) == aligned {
		var x [4]string
		for c := range x {
			x[c] = p.operand(s.X, c)
			if inside := p.inside(c); inside != "" {
				x[c] = fmt.Sprintf("%s ? %s : 0.0f", inside, x[c])
			}
		}
		p.Line("STORE4(p%d, %s, %s);", s.Arg, p.operand(s.At, 0), strings.Join(x[:], ", "))
		return
	}
	p.each(func(c int) {
		guard := ""
		if inside := p.inside(c); inside != "" {
			guard = "if (" + inside + ") "
		}
		p.Line("%sp%d[%s] = %s;", guard, s.Arg, p.operand(s.At, c), p.operand(s.X, c))
	})
}

func (p *printer) add(s gpu.Add) {
	p.each(func(c int) {
		q, x, a, guard := s.Sum, p.operand(s.X, c), p.member("a", s.Sum, c), ""
		if p.fours && p.k.InRow {
			if inside := p.inside(c); inside != "" {
				guard = "if (" + inside + ") "
			}
		}
		switch {
		case p.k.Log:
			p.Line("%s{ if (%s > m%d) { %s = %s * k_scale(m%d, %s) + 1.0f; m%d = %s; } else %s += k_scale(%s, m%d); }",
				guard, x, q, a, a, q, x, q, x, a, x, q)
		case s.Product:
			p.Line("%s%s = FMA(%s, %s, %s);", guard, a, x, p.operand(s.Y, c), a)
		default:
			p.Line("%s%s += %s;", guard, a, x)
		}
	})
}

// expr returns an expression for element m of the four.
func (p *printer) expr(e gpu.Expr, m int) string {
	var x [4]string
	for i := range x {
		x[i] = p.operand(e.X[i], m)
	}
	switch e.Op {
	case gpu.Load:
		return fmt.Sprintf("p%s[%s]", x[0], x[1])
	case gpu.FMA:
		return fmt.Sprintf("FMA(%s, %s, %s)", x[0], x[1], x[2])
	case gpu.PassIn:
		return fmt.Sprintf("%s >= %s && %s <= %s ? %s : 0.0f", x[0], x[1], x[0], x[2], x[3])
	}
	return e.Common(x)
}

// operand returns an operand for element m of the four.
func (p *printer) operand(o gpu.Operand, m int) string {
	switch o.Kind {
	case gpu.IntConst:
		return strconv.Itoa(o.Int)
	case gpu.FloatConst:
		return literal(o.Float())
	case gpu.SumOf:
		if p.taken() == 1 {
			m = 0
		}
		return fmt.Sprintf("s%d[%s]", o.Int, shared("lane", m))
	}
	switch k := p.kinds[o.Name]; {
	case k == apart:
		return fmt.Sprintf("%s_%d", o.Name, m)
	case k == vector:
		return o.Name + "." + "xyzw"[m:m+1]
	case (k == counts || k == aligned) && m > 0:
		return fmt.Sprintf("(%s + %d)", o.Name, m)
	}
	return o.Name
}

// literal returns a number as a float constant.
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
