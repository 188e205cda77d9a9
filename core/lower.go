package core

import (
	"encoding/binary"
	"fmt"

	"nacre/core/graph"
	"nacre/core/op"
)

// lowering turns the stages' graphs into one list of instructions over values written once. Instructions with equal
// operations and operands become one, across stages: values of parameters differ by version, so old and stepped
// weights are never confused.
type lowering struct {
	b       *Builder
	p       *Program
	instrs  []Instr
	def     map[int]int // value → index of the instruction that computes it
	known   map[exprKey]int
	leaves  map[leaf]int   // inputs and constants
	current map[string]int // parameter → value of its newest version
	stages  map[*Stage]*stageLowering
	updates []int // instructions that write parameters
	label   string
}

type exprKey struct {
	op any
	in string
}

// stageLowering holds what is specific to a stage: the parameter versions it sees and the values of its nodes.
type stageLowering struct {
	params map[string]int
	values map[*graph.Node]int
}

// lower processes stages and averages in the order of their effect.
func (b *Builder) lower() (*lowering, error) {
	l := &lowering{
		b: b, p: &Program{Name: b.name, Groups: b.groups, Inputs: map[string]int{}, Outputs: map[string]int{}},
		def: map[int]int{}, known: map[exprKey]int{}, leaves: map[leaf]int{}, current: map[string]int{},
		stages: map[*Stage]*stageLowering{},
	}
	for _, e := range b.events {
		switch e := e.(type) {
		case *Stage:
			l.stage(e)
		case emaEvent:
			if err := l.ema(e); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

func (l *lowering) stage(s *Stage) {
	seen := &stageLowering{params: map[string]int{}, values: map[*graph.Node]int{}}
	for _, name := range l.b.order {
		seen.params[name] = l.param(name)
	}
	l.stages[s] = seen
	l.label = s.name
	for _, o := range s.outputs {
		in := make([]int, len(o.nodes))
		for i, n := range o.nodes {
			in[i] = l.node(s, n)
		}
		l.output(o, in)
	}
	for _, u := range s.updates {
		g := l.node(s, u.grad)
		if l.p.Values[g].Kind == Param { // of u·v by u is v, which may be stepped itself
			g = l.copy(g)
		}
		l.step(u.opt, seen.params[u.param], g)
	}
}

func (l *lowering) output(o output, in []int) {
	v := in[0]
	switch {
	case o.norm:
		v = l.expr(Norm{}, in, op.Shape{Rows: 1, Cols: 1})
	case l.p.Values[v].Kind != Temp: // a parameter may change later in the run
		v = l.copy(v)
	}
	l.p.Outputs[o.name] = v
	if l.p.Values[v].Name == l.label {
		l.p.Values[v].Name = o.name
	}
}

// copy returns a temporary equal to v.
func (l *lowering) copy(v int) int { return l.expr(op.Affine{A: 1}, []int{v}, l.p.Values[v].shape()) }

func (l *lowering) ema(e emaEvent) error {
	for _, name := range []string{e.target, e.source} {
		if _, ok := l.b.params[name]; !ok {
			return fmt.Errorf("EMA of %q towards %q: no stage uses a parameter %q, so its shape is unknown", e.target,
				e.source, name)
		}
	}
	t, s := l.param(e.target), l.param(e.source)
	if l.p.Values[t].shape() != l.p.Values[s].shape() {
		return fmt.Errorf("EMA of %q towards %q: the shapes %v and %v differ", e.target, e.source,
			l.p.Values[t].shape(), l.p.Values[s].shape())
	}
	l.label = "average"
	l.step(EMA{Tau: e.tau}, t, s)
	return nil
}

// param returns the newest version of a parameter.
func (l *lowering) param(name string) int {
	v, ok := l.current[name]
	if !ok {
		d := l.b.params[name]
		v = l.value(Value{Name: name, Kind: Param, Store: name, Rows: d.rows, Cols: d.cols})
		l.current[name] = v
	}
	return v
}

// step adds an update of parameter version w, making the next version.
func (l *lowering) step(o any, w, by int) {
	next := l.p.Values[w]
	out := l.value(next)
	l.current[next.Store] = out
	l.updates = append(l.updates, len(l.instrs))
	l.def[out] = len(l.instrs)
	l.instrs = append(l.instrs, Instr{Op: o, In: []int{w, by}, Out: out})
}

func (l *lowering) value(v Value) int {
	l.p.Values = append(l.p.Values, v)
	return len(l.p.Values) - 1
}

// node returns the value of node n of stage s.
func (l *lowering) node(s *Stage, n *graph.Node) int {
	seen := l.stages[s]
	if v, ok := seen.values[n]; ok {
		return v
	}
	var v int
	if n.Op() == nil {
		v = l.leaf(s, s.leaves[n])
	} else {
		children := graph.Children(n)
		in := make([]int, len(children))
		for i, x := range children {
			in[i] = l.node(s, x)
		}
		v = l.simplify(graph.Of(n).(op.Op), in)
	}
	seen.values[n] = v
	return v
}

func (l *lowering) leaf(s *Stage, d leaf) int {
	switch d.kind {
	case paramLeaf:
		return l.stages[s].params[d.name]
	case fromLeaf:
		return l.node(d.from, d.node)
	case constLeaf:
		return l.constant(d.fill)
	}
	v, ok := l.leaves[d]
	if !ok {
		v = l.value(Value{Name: d.name, Kind: Input, Rows: d.rows, Cols: d.cols, Batched: d.batched})
		l.leaves[d] = v
		l.p.Inputs[d.name] = v
	}
	return v
}

func (l *lowering) constant(x float64) int {
	d := leaf{kind: constLeaf, rows: 1, cols: 1, fill: x}
	v, ok := l.leaves[d]
	if !ok {
		v = l.value(Value{Kind: Const, Rows: 1, Cols: 1, Fill: x})
		l.leaves[d] = v
	}
	return v
}

// expr returns the value of o applied to in, adding the instruction unless there is one.
func (l *lowering) expr(o any, in []int, shape op.Shape) int {
	key := exprKey{op: o}
	var buf []byte
	for _, v := range in {
		buf = binary.AppendUvarint(buf, uint64(v))
	}
	key.in = string(buf)
	if v, ok := l.known[key]; ok {
		return v
	}
	v := l.value(Value{Name: l.label, Rows: shape.Rows, Cols: shape.Cols})
	l.known[key] = v
	l.def[v] = len(l.instrs)
	l.instrs = append(l.instrs, Instr{Op: o, In: append([]int(nil), in...), Out: v})
	return v
}

// prune drops instructions nothing needs, then values nothing mentions. Only outputs and parameter updates are needed
// for their own sake; declared inputs stay, so that the host may write them.
func (l *lowering) prune() {
	need := make([]bool, len(l.p.Values))
	for _, v := range l.p.Outputs {
		need[v] = true
	}
	for _, i := range l.updates {
		need[l.instrs[i].Out] = true
	}
	var instrs []Instr
	for i := len(l.instrs) - 1; i >= 0; i-- {
		in := l.instrs[i]
		if !need[in.Out] {
			continue
		}
		instrs = append(instrs, in)
		for _, v := range in.In {
			need[v] = true
		}
	}
	for i, j := 0, len(instrs)-1; i < j; i, j = i+1, j-1 {
		instrs[i], instrs[j] = instrs[j], instrs[i]
	}

	for _, v := range l.p.Inputs {
		need[v] = true
	}
	index := make([]int, len(need))
	var values []Value
	for v, n := range need {
		if n {
			index[v] = len(values)
			values = append(values, l.p.Values[v])
		}
	}
	for i := range instrs {
		instrs[i].Out = index[instrs[i].Out]
		for k, v := range instrs[i].In {
			instrs[i].In[k] = index[v]
		}
	}
	for _, m := range []map[string]int{l.p.Inputs, l.p.Outputs} {
		for name, v := range m {
			m[name] = index[v]
		}
	}
	l.instrs, l.p.Values = instrs, values
}
