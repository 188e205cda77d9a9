// Package core is the training core: it compiles losses, written as expressions, to one program per update.
//
//	b := core.NewBuilder("line", 2) // two tasks
//	s := b.Stage("fit")
//	x, y := s.Input("x", 4, 1), s.Input("y", 4, 1) // two rows of each
//	w, c := s.Param("w", 1, 1), s.Param("c", 1, 1)
//	loss := s.MeanAll(s.Square(s.Sub(s.Dense(x, w, c, op.Linear), y)))
//	s.Minimise(loss, core.DefaultAdam(0.01), w, c)
//	s.Output("loss", loss)
//	program, err := b.Compile()
//
// Package core/graph holds the expressions and differentiates them, by Gorgonia; the vocabulary is package core/op.
// Compile merges equal expressions, drops those that nothing needs and schedules the rest in levels of tiles (Program).
// A Device, such as core/ref or core/cpu, runs the program on parameters in a Memory. Package core knows no algorithm.
package core

import (
	"fmt"
	"math"
	"strconv"

	"nacre/core/graph"
	"nacre/core/op"
)

// Builder collects the stages of a program: expressions, gradients, parameter updates and outputs. Compile turns
// them into one Program.
//
// Errors are kept. After the first one the methods do little, and Compile reports it with the name of the stage. A
// Builder is not safe for concurrent use. Different Builders may be used at the same time, as long as stages use the
// vocabulary of core/op (see graph.Gorgonia for Gorgonia's own functions).
type Builder struct {
	name   string
	groups int
	events []any // *Stage and emaEvent, in the order of effect
	inputs map[string]leaf
	params map[string]leaf
	order  []string        // of params
	names  map[string]bool // outputs
	err    error
}

// emaEvent is a call of EMA.
type emaEvent struct {
	target, source string
	tau            float64
}

// Stage is a part of a program in which every parameter has one version. It embeds the operations: s.Exp(x). The
// stage's Minimise steps change parameters at its end; the next stage sees the new version.
//
// Nodes belong to the stage that made them; another stage reads them through From.
type Stage struct {
	*op.Scope
	b      *Builder
	index  int // position in b.events
	name   string
	graph  *graph.Graph
	leaves map[*graph.Node]leaf
	copier graph.Copier // of nodes into the vocabulary

	updates []update
	outputs []output
}

type update struct {
	opt   Adam
	param string
	grad  *graph.Node
}

type output struct {
	name  string
	nodes []*graph.Node
	norm  bool
}

// leaf is a node that is not computed in its stage.
type leaf struct {
	kind       leafKind
	name       string // of the input or parameter
	rows, cols int
	batched    bool
	fill       float64
	from       *Stage
	node       *graph.Node // in from
}

type leafKind uint8

const (
	inputLeaf leafKind = iota
	paramLeaf
	constLeaf
	fromLeaf
)

// NewBuilder starts a program. Its batched values hold the rows of a number of independent groups (tasks), one group
// after the other.
func NewBuilder(name string, groups int) *Builder {
	b := &Builder{name: name, groups: groups, inputs: map[string]leaf{}, params: map[string]leaf{},
		names: map[string]bool{}}
	if groups < 1 {
		b.Fail(fmt.Errorf("%d groups; a program works on at least 1", groups))
	}
	return b
}

// Fail records err for Compile to report, unless an error is recorded already.
func (b *Builder) Fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Stage begins the next stage. It sees the parameters after all earlier stages and averages.
func (b *Builder) Stage(name string) *Stage {
	s := &Stage{
		Scope: new(op.Scope), b: b, index: len(b.events), name: name,
		graph: graph.New(), leaves: map[*graph.Node]leaf{},
	}
	s.copier = graph.Copier{Known: map[*graph.Node]*graph.Node{}, Leaf: s.made, Const: s.Const, Own: op.Equivalents}
	b.events = append(b.events, s)
	return s
}

// EMA moves parameter target towards parameter source after the stages so far:
// target ← (1-tau)·target + tau·source, 0 ≤ tau ≤ 1. Later stages see the new version.
func (b *Builder) EMA(target, source string, tau float64) {
	if !(tau >= 0 && tau <= 1) {
		b.Fail(fmt.Errorf("EMA of %q: tau %v is not between 0 and 1", target, tau))
	}
	if target == source {
		b.Fail(fmt.Errorf("EMA of %q towards itself", target))
	}
	b.events = append(b.events, emaEvent{target, source, tau})
}

// Name returns the stage's name.
func (s *Stage) Name() string { return s.name }

// Input is a batched input: rows is a multiple of the builder's groups. The same name in several stages is the same
// input and must have the same shape.
func (s *Stage) Input(name string, rows, cols int) *graph.Node {
	if s.Err() == nil && rows%s.b.groups != 0 {
		s.Fail(fmt.Errorf("input %q has %d rows, not a multiple of the %d groups; use WholeInput for data that is "+
			"not per group", name, rows, s.b.groups))
	}
	return s.shared(s.b.inputs, leaf{kind: inputLeaf, name: name, rows: rows, cols: cols, batched: true})
}

// WholeInput is an input that is not divided over the groups.
func (s *Stage) WholeInput(name string, rows, cols int) *graph.Node {
	return s.shared(s.b.inputs, leaf{kind: inputLeaf, name: name, rows: rows, cols: cols})
}

// Param is the current version of a stored parameter. Repeated calls give the same node.
func (s *Stage) Param(name string, rows, cols int) *graph.Node {
	return s.shared(s.b.params, leaf{kind: paramLeaf, name: name, rows: rows, cols: cols})
}

// shared makes the leaf of an input or parameter, which must look alike in every stage.
func (s *Stage) shared(table map[string]leaf, l leaf) *graph.Node {
	if s.Err() != nil {
		return nil
	}
	kind := map[leafKind]string{inputLeaf: "input", paramLeaf: "parameter"}[l.kind]
	if l.name == "" || l.rows < 1 || l.cols < 1 {
		s.Fail(fmt.Errorf("%s %q has shape %d×%d; want a name and at least 1×1", kind, l.name, l.rows, l.cols))
		return nil
	}
	if old, ok := table[l.name]; ok && old != l {
		s.Fail(fmt.Errorf("%s %q is %s here but %s elsewhere", kind, l.name, l.describe(), old.describe()))
		return nil
	}
	if _, ok := table[l.name]; !ok && l.kind == paramLeaf {
		s.b.order = append(s.b.order, l.name)
	}
	table[l.name] = l
	return s.leaf(kind+" "+l.name, l)
}

func (l leaf) describe() string {
	return Value{Rows: l.rows, Cols: l.cols, Batched: l.batched}.describe()
}

// leaf returns the node of l, making it on first use. The label distinguishes leaves for Gorgonia, which takes two
// inputs of one name for the same node.
func (s *Stage) leaf(label string, l leaf) *graph.Node {
	n, err := graph.Leaf(s.graph, label, l.rows, l.cols)
	if err != nil {
		s.Fail(err)
		return nil
	}
	s.leaves[n] = l
	return n
}

// made returns leaf n if the stage made it.
func (s *Stage) made(n *graph.Node) (*graph.Node, error) {
	if _, ok := s.leaves[n]; !ok {
		return nil, fmt.Errorf("%s was not made by the stage; use Input, WholeInput, Param or Const",
			graph.Describe(n))
	}
	return n, nil
}

// Const is the 1×1 constant x.
func (s *Stage) Const(x float64) *graph.Node {
	if s.Err() != nil {
		return nil
	}
	if math.IsNaN(x) {
		s.Fail(fmt.Errorf("constant %v", x))
		return nil
	}
	return s.leaf("constant "+strconv.FormatFloat(x, 'g', -1, 64), leaf{kind: constLeaf, rows: 1, cols: 1, fill: x})
}

// From is node n of an earlier stage as a constant of this one. Its value is computed with the earlier stage's
// parameters, and no gradient passes it.
func (s *Stage) From(earlier *Stage, n *graph.Node) *graph.Node {
	switch {
	case s.Err() != nil:
		return nil
	case earlier == nil || earlier.b != s.b:
		s.Fail(fmt.Errorf("From: the stage belongs to another builder"))
	case earlier.index >= s.index:
		s.Fail(fmt.Errorf("From: stage %q is not earlier than %q; within one stage use StopGrad", earlier.name, s.name))
	case n == nil && earlier.Err() != nil:
		s.Fail(fmt.Errorf("From: stage %q failed: %w", earlier.name, earlier.Err()))
	}
	n = earlier.checked(s, "From", n)
	if n == nil {
		return nil
	}
	return s.leaf(fmt.Sprintf("stage %d node %d", earlier.index, n.ID()), leaf{
		kind: fromLeaf, rows: n.Shape()[0], cols: n.Shape()[1], from: earlier, node: n,
	})
}

// checked returns n, a node of s, in terms of the vocabulary. If something is wrong with n, it reports that to stage to
// and returns nil.
func (s *Stage) checked(to *Stage, what string, n *graph.Node) *graph.Node {
	if to.Err() != nil {
		return nil
	}
	if n == nil {
		to.Fail(fmt.Errorf("%s: the node is nil", what))
		return nil
	}
	if n.Graph() != s.graph {
		to.Fail(fmt.Errorf("%s: %s is not a node of stage %q", what, graph.Describe(n), s.name))
		return nil
	}
	own, err := s.copier.Copy(n)
	if err != nil {
		to.Fail(fmt.Errorf("%s: %w", what, err))
		return nil
	}
	return own
}

// Gradients returns the gradients of loss (1×1) by each node of wrt. It may be called several times in a stage, also
// on an expression of gradients.
//
// After an error the result holds nil nodes.
func (s *Stage) Gradients(loss *graph.Node, wrt ...*graph.Node) []*graph.Node {
	s.checked(s, "Gradients", loss)
	for _, n := range wrt {
		s.checked(s, "Gradients", n)
	}
	if s.Err() == nil {
		grads, err := s.copier.Gradients(loss, wrt...)
		if err == nil {
			return grads
		}
		s.Fail(fmt.Errorf("Gradients: %w", err))
	}
	return make([]*graph.Node, len(wrt))
}

// Output names a value that the host reads after a run.
func (s *Stage) Output(name string, n *graph.Node) { s.output(name, false, n) }

// OutputNorm names the Euclidean norm of all elements of the nodes taken together, such as a network's gradient norm.
func (s *Stage) OutputNorm(name string, ns ...*graph.Node) { s.output(name, true, ns...) }

func (s *Stage) output(name string, norm bool, ns ...*graph.Node) {
	what := fmt.Sprintf("output %q", name)
	o := output{name: name, norm: norm}
	for _, n := range ns {
		o.nodes = append(o.nodes, s.checked(s, what, n))
	}
	switch {
	case s.Err() != nil:
		return
	case name == "" || s.b.names[name]:
		s.Fail(fmt.Errorf("%s: an output needs a name of its own", what))
	case len(ns) == 0:
		s.Fail(fmt.Errorf("%s: a norm of nothing", what))
	}
	s.b.names[name] = true
	s.outputs = append(s.outputs, o)
}

// DefaultAdam is Adam with the usual constants: β₁ 0.9, β₂ 0.999, Eps 1e-8.
func DefaultAdam(lr float64) Adam { return Adam{LR: lr, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8} }

func (a Adam) check() error {
	switch {
	case !(a.LR > 0) || math.IsInf(a.LR, 0):
		return fmt.Errorf("learning rate %v; want a positive number", a.LR)
	case !(a.Beta1 >= 0 && a.Beta1 < 1) || !(a.Beta2 >= 0 && a.Beta2 < 1):
		return fmt.Errorf("betas %v and %v; want numbers in [0, 1)", a.Beta1, a.Beta2)
	case !(a.Eps > 0):
		return fmt.Errorf("Eps %v; want a positive number (DefaultAdam has the usual constants)", a.Eps)
	}
	return nil
}

// Minimise steps params (nodes made by Param) along the gradients of loss at the end of the stage, each parameter in
// at most one Minimise per stage, and returns the gradients.
func (s *Stage) Minimise(loss *graph.Node, opt Adam, params ...*graph.Node) []*graph.Node {
	if s.Err() == nil {
		if err := opt.check(); err != nil {
			s.Fail(fmt.Errorf("Minimise: %w", err))
		}
	}
	for _, p := range params {
		if l, ok := s.leaves[p]; s.Err() == nil && (!ok || l.kind != paramLeaf) {
			s.Fail(fmt.Errorf("Minimise: %s is not a parameter of stage %q", graph.Describe(p), s.name))
		}
	}
	grads := s.Gradients(loss, params...)
	if s.Err() != nil {
		return grads
	}
	for i, p := range params {
		name := s.leaves[p].name
		for _, u := range s.updates {
			if u.param == name {
				s.Fail(fmt.Errorf("Minimise: parameter %q is stepped twice in stage %q; use another stage",
					name, s.name))
				return grads
			}
		}
		s.updates = append(s.updates, update{opt, name, grads[i]})
	}
	return grads
}
