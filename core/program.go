package core

import (
	"fmt"
	"slices"
	"strings"

	"nacre/core/op"
)

// ParamSpecs lists the stored parameters the program reads or writes, in the order of their names.
func (p *Program) ParamSpecs() []ParamSpec {
	seen := map[string]bool{}
	var out []ParamSpec
	for _, v := range p.Values {
		if v.Kind == Param && !seen[v.Store] {
			seen[v.Store] = true
			out = append(out, ParamSpec{Name: v.Store, Rows: v.Rows, Cols: v.Cols})
		}
	}
	slices.SortFunc(out, func(a, b ParamSpec) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// FLOPs counts the work of one run in matrix products, 2 per multiply-add.
func (p *Program) FLOPs() int64 {
	var n int64
	for _, l := range p.Levels {
		for _, in := range l.Whole {
			n += p.Cost(in)
		}
		for _, in := range l.Tiled {
			n += p.Cost(in)
		}
	}
	return n
}

// Cost is the work of one of its instructions in a matrix product, 2 per multiply-add; for other instructions it is 0.
func (p *Program) Cost(in Instr) int64 {
	inner := 0
	switch o := in.Op.(type) {
	case op.Dense:
		inner = p.Values[in.In[0]].Cols
	case op.MatMul:
		inner = p.Values[in.In[0]].Cols
		if o.TA {
			inner = p.Values[in.In[0]].Rows
		}
	}
	out := p.Values[in.Out]
	return 2 * int64(inner) * int64(out.Rows) * int64(out.Cols)
}

// String lists the program: the sources of its values, and level by level the computations with their operands.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %s: %d groups, %d tiles of %d, %d lanes, %.3f MFLOP\n",
		p.Name, p.Groups, p.Tiles(), p.TileGroups, p.Lanes, float64(p.FLOPs())/1e6)
	for i, v := range p.Values {
		switch v.Kind {
		case Input:
			fmt.Fprintf(&b, "  %%%d = input %q %s\n", i, v.Name, v.describe())
		case Const:
			fmt.Fprintf(&b, "  %%%d = %v\n", i, v.Fill)
		case Param:
			fmt.Fprintf(&b, "  %%%d = parameter %q %s\n", i, v.Name, v.describe())
		}
	}
	for l, level := range p.Levels {
		for _, part := range []struct {
			name   string
			instrs []Instr
		}{{"whole", level.Whole}, {"tiled", level.Tiled}} {
			if len(part.instrs) > 0 {
				fmt.Fprintf(&b, "level %d, %s\n", l, part.name)
			}
			for _, in := range part.instrs {
				p.writeInstr(&b, in)
			}
		}
	}
	names := make([]string, 0, len(p.Outputs))
	for name := range p.Outputs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "output %q = %%%d\n", name, p.Outputs[name])
	}
	return b.String()
}

func (p *Program) writeInstr(b *strings.Builder, in Instr) {
	args := make([]string, len(in.In))
	for i, v := range in.In {
		args[i] = fmt.Sprintf("%%%d", v)
	}
	fmt.Fprintf(b, "  %%%d = %v(%s) %s", in.Out, in.Op, strings.Join(args, ", "), p.Values[in.Out].describe())
	if n := p.Cost(in); n > 0 {
		fmt.Fprintf(b, " %.3f MFLOP", float64(n)/1e6)
	}
	b.WriteByte('\n')
}

func (v Value) describe() string {
	s := v.shape().String()
	if v.Batched {
		s += " batched"
	}
	return s
}

func (a Adam) String() string { return fmt.Sprintf("Adam(%v)", a.LR) }
func (e EMA) String() string  { return fmt.Sprintf("EMA(%v)", e.Tau) }
func (Norm) String() string   { return "Norm" }
