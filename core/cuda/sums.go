package cuda

import (
	"fmt"
	"slices"

	"nacre/core"
	"nacre/core/op"
)

// reduction writes a kernel with sums: terms to lanes, lanes to one sum by a tree, blocks' partial sums likewise by the
// block that is done last.
func (g *generator) reduction() {
	l, n := g.l, g.r.rows*g.r.cols
	for q := range g.r.sums {
		g.line("SHARED(float, s%d, BLOCK);", q)
		if g.r.reduce.kind == logSumExp {
			g.line("SHARED(float, top%d, BLOCK);", q)
		}
	}
	g.line("const int group = BLOCK_ID / %d, slice = BLOCK_ID %% %d;", l.slices, l.slices)
	g.open("PHASE")
	if l.inRow {
		g.line("const int own = lane / %d, part = lane %% %d, o = group * %d + own;", l.lanes, l.lanes, l.across)
	} else {
		g.line("const int own = lane %% %d, part = lane / %d, o = group * %d + own;", l.across, l.across, l.across)
	}
	for q := range g.r.sums {
		if g.r.reduce.kind == logSumExp {
			g.line("float a%d = 0.0f, m%d = -INFINITY_;", q, q)
		} else {
			g.line("float a%d = 0.0f;", q)
		}
	}
	g.open("if (o < %d) {", n)
	g.terms()
	g.close("}")
	for q := range g.r.sums {
		g.line("s%d[part * %d + own] = a%d;", q, l.across, q)
		if g.r.reduce.kind == logSumExp {
			g.line("top%d[part * %d + own] = m%d;", q, l.across, q)
		}
	}
	g.close("END_PHASE")
	g.tree()
	if l.slices == 1 {
		g.results()
		return
	}
	g.line("SHARED(int, last, 1);")
	g.open("PHASE")
	g.line("const int o = group * %d + lane;", l.across)
	g.open("if (lane < %d && o < %d) {", l.across, n)
	for q := range g.r.sums {
		g.line("ARG(partial)[%d + slice * %d + o] = s%d[lane];", q*l.slices*n, n, q)
	}
	g.line("FENCE;")
	g.close("}")
	g.close("END_PHASE")
	g.open("PHASE")
	g.line("if (lane == 0) { last[0] = NEXT(ARG(count) + group) == %d; FENCE; }", l.slices-1)
	g.close("END_PHASE")
	g.open("if (last[0]) {")
	g.open("PHASE")
	g.line("const int part = lane / %d, o = group * %d + lane %% %d;", l.across, l.across, l.across)
	for q := range g.r.sums {
		g.line("float a%d = 0.0f;", q)
		g.line("if (o < %d) for (int s = part; s < %d; s += %d) a%d += k_fresh(ARG(partial) + %d + s * %d + o);", n, l.slices, l.lanes, q, q*l.slices*n, n)
		g.line("s%d[lane] = a%d;", q, q)
	}
	g.close("END_PHASE")
	g.tree()
	g.results()
	g.line("PHASE if (lane == 0) ARG(count)[group] = 0; END_PHASE")
	g.close("}")
}

// tree adds the lanes' sums.
func (g *generator) tree() {
	if g.l.lanes == 1 {
		return
	}
	g.open("for (int half = %d; half > 0; half /= 2) {", g.l.lanes/2*g.l.across)
	g.line("if (half < %d) break;", g.l.across)
	g.open("PHASE")
	for q := range g.r.sums {
		if g.r.reduce.kind == logSumExp {
			g.open("if (lane < half) {")
			g.line("const float b = top%d[lane + half], m = k_max(top%d[lane], b);", q, q)
			g.line("s%d[lane] = s%d[lane] * k_scale(top%d[lane], m) + s%d[lane + half] * k_scale(b, m);", q, q, q, q)
			g.line("top%d[lane] = m;", q)
			g.close("}")
		} else {
			g.line("if (lane < half) s%d[lane] += s%d[lane + half];", q, q)
		}
	}
	g.close("END_PHASE")
	g.close("}")
}

// results writes what follows from the finished sums.
func (g *generator) results() {
	g.open("PHASE")
	g.line("const int o = group * %d + lane;", g.l.across)
	g.open("if (lane < %d && o < %d) {", g.l.across, g.r.rows*g.r.cols)
	g.at = g.split("o", g.r.rows, g.r.cols)
	g.sums = map[int]string{}
	for q, v := range g.r.sums {
		g.sums[v] = g.finish(q, v)
	}
	for _, v := range slices.Concat(g.r.sums, g.r.after) {
		g.store(v, g.at)
	}
	g.sums = nil
	g.close("}")
	g.close("END_PHASE")
}

// finish is the value of sum q.
func (g *generator) finish(q, v int) string {
	sum := fmt.Sprintf("s%d[lane]", q)
	in := g.pl.instrs[g.pl.def[v]]
	switch o := in.Op.(type) {
	case op.Dense:
		return g.number("k_act(%d, %s + %s)", int(o.Act), sum, g.value(in.In[2], [2]string{"0", g.at[1]}))
	case op.LogSumExp:
		return g.number("top%d[lane] + k_log(%s)", q, sum)
	case core.Norm:
		return g.number("k_sqrt(%s)", sum)
	}
	return g.number("%s", sum)
}

// terms adds up a lane's share of every sum's terms.
func (g *generator) terms() {
	d := g.r.reduce
	at := g.split("o", g.r.rows, g.r.cols)
	loop := func(n int) {
		g.open("for (int r = slice * %d + part; r < %d; r += %d) {", g.l.lanes, n, g.l.lanes*g.l.slices)
	}
	if d.kind == norm {
		for _, v := range g.pl.instrs[g.pl.def[g.r.sums[0]]].In {
			x := g.pl.p.Values[v]
			loop(x.Rows * x.Cols)
			t := g.value(v, g.split("r", x.Rows, x.Cols))
			g.line("a0 = FMA(%s, %s, a0);", t, t)
			g.close("}")
		}
		return
	}
	loop(d.terms)
	var of [2]string
	switch d.kind {
	case sumCols, logSumExp:
		of = [2]string{at[0], "r"}
	case sumRows:
		of = [2]string{g.integer(fmt.Sprintf("%s * %d + r", at[0], d.group)), at[1]}
	case sumAll:
		of = g.split("r", d.rows, d.cols)
	}
	for _, v := range g.r.along {
		g.store(v, of)
	}
	for q, v := range g.r.sums {
		in := g.pl.instrs[g.pl.def[v]].In
		switch d.kind {
		case dot:
			a, b := [2]string{at[0], "r"}, [2]string{"r", at[1]}
			if d.ta {
				a = [2]string{"r", at[0]}
			}
			if d.tb {
				b = [2]string{at[1], "r"}
			}
			g.line("a%d = FMA(%s, %s, a%d);", q, g.value(in[0], a), g.value(in[1], b), q)
		case distances:
			t := g.number("%s - %s", g.value(in[0], [2]string{at[0], "r"}), g.value(in[1], [2]string{at[1], "r"}))
			g.line("a%d = FMA(%s, %s, a%d);", q, t, t, q)
		case logSumExp:
			t := g.value(in[0], of)
			g.line("if (%s > m%d) { a%d = a%d * k_scale(m%d, %s) + 1.0f; m%d = %s; } else a%d += k_scale(%s, m%d);", t, q, q, q, q, t, q, t, q, t, q)
		default:
			g.line("a%d += %s;", q, g.value(in[0], of))
		}
	}
	g.close("}")
}
