package gpu

import (
	"fmt"
	"slices"
	"strings"

	"nacre/core"
	"nacre/core/op"
)

// Depth is the smallest number of launches that must run one after the other, however many others run at the same time.
func (pl *Schedule) Depth() int {
	depth := make([]int, len(pl.Units))
	deepest := 0
	for i, u := range pl.Units {
		for _, d := range u.Deps {
			depth[i] = max(depth[i], depth[d])
		}
		depth[i]++
		deepest = max(deepest, depth[i])
	}
	return deepest
}

// Work returns the work of a launch: flops counts the operations of matrix products, 2 per multiply-add; bytes counts
// what is read from and written to memory, each number once.
func (pl *Schedule) Work(u *Launch) (flops, bytes int64) {
	if g := u.Product; g != nil {
		flops = 2 * int64(g.M) * int64(g.N) * int64(g.K)
	}
	for _, v := range append(slices.Clone(u.Reads), u.Writes...) {
		x := pl.Program.Values[v]
		bytes += 4 * int64(x.Rows) * int64(x.Cols)
	}
	for _, in := range u.Steps {
		x := pl.Program.Values[in.Out]
		n := int64(x.Rows) * int64(x.Cols)
		if _, ok := in.Op.(core.Adam); ok { // both moments are read and written
			bytes += 16 * n
		}
		if pl.options.Transposes && Turns(x.Rows, x.Cols) {
			bytes += 4 * n
		}
	}
	bytes += 16 * int64(len(u.Ticks))
	return flops, bytes
}

// String lists every launch: its branch, what it computes, its blocks, its work and the launches for which it waits.
func (pl *Schedule) String() string {
	var b strings.Builder
	var flops, bytes int64
	for _, u := range pl.Units {
		f, n := pl.Work(u)
		flops, bytes = flops+f, bytes+n
	}
	memory := 0
	for _, n := range pl.Place.Size {
		memory += 4 * n
	}
	fmt.Fprintf(&b, "plan of %s: %d launches, %d deep, %.3f MFLOP in products, %.3f MB moved, %.3f MB of memory\n",
		pl.Program.Name, len(pl.Units), pl.Depth(), float64(flops)/1e6, float64(bytes)/1e6, float64(memory)/1e6)
	for i, u := range pl.Units {
		_, n := pl.Work(u)
		fmt.Fprintf(&b, "%3d branch %d, %.1f kB, after %v: %s\n", i, u.Branch, float64(n)/1e3, u.Deps, pl.Describe(u))
	}
	return b.String()
}

// Describe says in one line what a launch computes.
func (pl *Schedule) Describe(u *Launch) string {
	switch {
	case u.Product != nil:
		return pl.productString(u.Product)
	case u.Ticks != nil:
		return fmt.Sprintf("count up %d steps", len(u.Ticks))
	}
	var ops []string
	for _, in := range u.Steps {
		ops = append(ops, fmt.Sprintf("%v of %s", in.Op, pl.Program.Values[in.Out].Store))
	}
	for _, v := range u.Writes {
		if u.Kernel != nil {
			x := pl.Program.Values[v]
			ops = append(ops, fmt.Sprintf("%%%d = %v %d×%d", v, pl.Instrs[pl.Def[v]].Op, x.Rows, x.Cols))
		}
	}
	s := strings.Join(ops, ", ")
	if u.Kernel != nil {
		s += fmt.Sprintf("; %d blocks", u.Kernel.Blocks)
	}
	return s
}

func (pl *Schedule) productString(g *Product) string {
	t := map[bool]string{true: "ᵀ"}
	s := fmt.Sprintf("%%%d%s·%%%d%s", g.A, t[g.TA], g.B, t[g.TB != g.Turned])
	if g.Bias >= 0 {
		s += fmt.Sprintf(" + %%%d", g.Bias)
	}
	switch {
	case g.Mask >= 0:
		s = fmt.Sprintf("(%s)·%v'(%%%d)", s, g.Act, g.Mask)
	case g.Act != op.Linear:
		s = fmt.Sprintf("%v(%s)", g.Act, s)
	}
	return fmt.Sprintf("%%%d = %s, %d×%d of %d terms", g.Out, s, g.M, g.N, g.K)
}

// String lists what a kernel computes, for people and for tests.
func (k *Kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d results in %d blocks", k.Count, k.Blocks)
	if k.Sums > 0 {
		fmt.Fprintf(&b, ", %d sums each by %d lanes and %d blocks", k.Sums, k.Lanes, k.Slices)
	}
	b.WriteByte('\n')
	write(&b, 1, k.Head)
	for _, l := range k.Loops {
		fmt.Fprintf(&b, "  %s below %d\n", Term, l.Terms)
		write(&b, 2, l.Body)
	}
	write(&b, 1, k.Results)
	return b.String()
}

func write(b *strings.Builder, indent int, list []Statement) {
	line := func(format string, args ...any) {
		b.WriteString(strings.Repeat("  ", indent))
		fmt.Fprintf(b, format+"\n", args...)
	}
	for _, s := range list {
		switch s := s.(type) {
		case Let:
			line("%s = %v", s.Name, s.Expr)
		case Choose:
			for _, c := range s.Cases {
				line("%s where column %v is in %d..%d", s.Name, s.Column, c.Lo, c.Hi-1)
				write(b, indent+1, c.Body)
				b.WriteString(strings.Repeat("  ", indent+1))
				fmt.Fprintf(b, "%s = %v\n", s.Name, c.X)
			}
		case Store:
			line("argument %d [%v] = %v", s.Arg, s.At, s.X)
		case Add:
			x := s.X.String()
			if s.Product {
				x += "·" + s.Y.String()
			}
			line("sum%d += %s", s.Sum, x)
		}
	}
}
